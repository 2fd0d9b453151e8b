package cluster

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// lastApplied is where `oc apply` keeps what it wrote, passwords included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Renew returns the secrets with an account that now replaces, with the new one in them, by the
// secret's component and by vCenter ("" if unnamed). Keys of a vCenter whose new account is zero
// go, unless the secret has no others. A component's secret by vCenter also gets the accounts in
// also. Other data stays. others are secrets without a known reader, which are not written.
func (c *Cluster) Renew(
	now func(of component.Name, server string, held credfile.Account) (credfile.Account, bool),
	also func(held map[string]credfile.Account) map[string]credfile.Account,
) (list []openshift.Manifest, others []component.Ref) {
	for _, o := range c.order {
		data, changed := maps.Clone(o.Data), false
		for _, f := range forms() {
			changed = f.puts(o.At()) && f.put(data, func(server string, held credfile.Account) (credfile.Account, bool) {
				return now(o.Component(), server, held)
			}) || changed
		}
		switch {
		case !changed:
			continue
		case !o.isRead():
			others = append(others, o.At())
			continue
		}
		if o.ofComponent() {
			for server, a := range also(o.Accounts) {
				data[server+openshift.UserKey], data[server+openshift.PasswordKey] = []byte(a.User),
					[]byte(a.Password.Reveal())
			}
		}
		annotations := maps.Clone(o.Annotations)
		delete(annotations, lastApplied)
		list = append(list, openshift.Manifest{File: openshift.RequestFile(o.At()), Secret: &corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Name: o.Name, Namespace: o.Namespace, Labels: o.Labels, Annotations: annotations},
			Type:       cmp.Or(o.Type, corev1.SecretTypeOpaque),
			Data:       data,
		}})
	}
	return list, others
}

// Renews reports whether [Cluster.Renew] writes the secret of a holding for a new account.
func (c *Cluster) Renews(h Holding) bool {
	o := c.Object(h.At)
	return o != nil && o.isRead() &&
		slices.ContainsFunc(forms(), func(f form) bool { return f.Form == h.Form && f.puts(h.At) })
}

// puts reports whether a secret in this form is written here: operators write others.
func (f form) puts(at component.Ref) bool { return f.put != nil && at != openshift.DriverConfig() }

// ofComponent reports whether a component reads a secret, with an account for each vCenter of the
// cluster. Others, such as [openshift.MigrationSecret], have only their vCenters.
func (o *Object) ofComponent() bool {
	return o.Namespace == root.Namespace || o.Annotations[openshift.RequestKey] != "" ||
		slices.ContainsFunc(release.Consumers(), func(k release.Consumer) bool { return k.Target == o.At() })
}

// Replaces reports whether manifests change a vCenter's account in a secret to a, or its password.
func (c *Cluster) Replaces(manifests []openshift.Manifest, server string, a credfile.Account) bool {
	holds := func(o *Object, which func(credfile.Account) bool) bool {
		return slices.ContainsFunc(o.Holdings(), func(h Holding) bool { return h.For(server) && which(h.Account) })
	}
	return slices.ContainsFunc(manifests, func(m openshift.Manifest) bool {
		if m.Secret == nil || !holds(objectOf(*m.Secret), a.Same) {
			return false
		}
		there := c.Object(component.At(m.Secret.Namespace, m.Secret.Name))
		return there != nil && !holds(there, a.Same) && holds(there, func(credfile.Account) bool { return true })
	})
}
