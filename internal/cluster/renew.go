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

// Renew gives the secrets that hold an account which now replaces, with the one that takes its place, whoever reads them: by
// the component that the secret is for, by vCenter, "" where a secret does not say it. The keys of a vCenter whose account has nothing in its place, the zero value, go, unless
// they are all that a secret has. Beside the accounts by vCenter that a secret of a component has come those that also gives for them, by
// other vCenters. What else is in them stays. others are secrets that nobody known reads, which are not written.
func (c *Cluster) Renew(
	now func(of component.Name, server string, held credfile.Account) (credfile.Account, bool), also func(held map[string]credfile.Account) map[string]credfile.Account,
) (list []openshift.Manifest, others []component.Ref) {
	for _, o := range c.order {
		data, changed := maps.Clone(o.Data), false
		for _, f := range forms() {
			changed = f.put != nil && f.put(data, func(server string, held credfile.Account) (credfile.Account, bool) {
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
				data[server+openshift.UserKey], data[server+openshift.PasswordKey] = []byte(a.User), []byte(a.Password.Reveal())
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

// Renews reports whether [Cluster.Renew] writes the secret of a holding when another account takes its place.
func (c *Cluster) Renews(h Holding) bool {
	o := c.Object(h.At)
	return o != nil && o.isRead() && slices.ContainsFunc(forms(), func(f form) bool { return f.Form == h.Form && f.put != nil })
}

// ofComponent reports whether a component reads a secret, so that it has an account for each vCenter of the cluster. Others, such as
// that of [openshift.MigrationSecret], have the vCenters that they were written for.
func (o *Object) ofComponent() bool {
	return o.Namespace == root.Namespace || o.Annotations[openshift.RequestKey] != "" ||
		slices.ContainsFunc(release.Consumers(), func(k release.Consumer) bool { return k.Target == o.At() })
}

// Replaces reports whether manifests put an account of a vCenter into a secret that has another one for it, or another password.
func (c *Cluster) Replaces(manifests []openshift.Manifest, server string, a credfile.Account) bool {
	holds := func(o *Object, which func(credfile.Account) bool) bool {
		return slices.ContainsFunc(o.Holdings(), func(h Holding) bool { return h.For(server) && which(h.Account) })
	}
	this := func(b credfile.Account) bool { return a.Same(b) }
	return slices.ContainsFunc(manifests, func(m openshift.Manifest) bool {
		if m.Secret == nil || !holds(objectOf(*m.Secret), this) {
			return false
		}
		there := c.Object(component.At(m.Secret.Namespace, m.Secret.Name))
		return there != nil && !holds(there, this) && holds(there, func(credfile.Account) bool { return true })
	})
}
