package openshift

import (
	"cmp"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
)

// lastApplied is where `oc apply` keeps what it wrote, passwords included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// RenewHead is the comment above what [Renew] gives.
const RenewHead = `# Secrets of the cluster with the vSphere accounts that they hold now, for ` + "`oc apply -f -`" + `. Everything else in them is as it was.
`

// Renew gives the secrets that hold an account which now replaces, with the one that takes its place, whoever reads them: by
// vCenter, "" where a secret does not say it. The keys of a vCenter whose account has nothing in its place, the zero value, go, unless
// they are all that a secret has. Beside the accounts by vCenter that a secret has come those that also gives for them, by other
// vCenters. What else is in them stays. Secrets that nobody known reads are named in others and not written.
func Renew(
	secrets []corev1.Secret, now func(server string, held credfile.Account) (credfile.Account, bool),
	also func(held map[string]credfile.Account) map[string]credfile.Account,
) (list []Manifest, others []string) {
	secrets, _ = objects.Latest(secrets)
	for _, s := range secrets {
		data := maps.Clone(s.Data)
		if !renew(s, data, now) {
			continue
		}
		at := component.At(s.Namespace, s.Name)
		if !isRead(s) {
			others = append(others, at.String())
			continue
		}
		for server, a := range also(read(s.Data).accounts) {
			data[server+userKey], data[server+passwordKey] = []byte(a.User), []byte(a.Password.Reveal())
		}
		annotations := maps.Clone(s.Annotations)
		delete(annotations, lastApplied)
		list = append(list, Manifest{File: ccoctlFile(at), Secret: &corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Name: s.Name, Namespace: s.Namespace, Labels: s.Labels, Annotations: annotations},
			Type:       cmp.Or(s.Type, corev1.SecretTypeOpaque),
			Data:       data,
		}})
	}
	return list, others
}

// renew changes the data of a secret, in each form that [accounts] reads; false = it holds no account to be replaced.
func renew(s corev1.Secret, data map[string][]byte, now func(string, credfile.Account) (credfile.Account, bool)) bool {
	changed := false
	of := read(s.Data)
	var gone []string
	for _, server := range of.servers() {
		switch next, ok := now(server, of.accounts[server]); {
		case ok && next.User == "":
			gone = append(gone, server)
		case ok:
			data[server+userKey], data[server+passwordKey] = []byte(next.User), []byte(next.Password.Reveal())
			changed = true
		}
	}
	if len(gone) < len(of.accounts) {
		for _, server := range gone {
			delete(data, server+userKey)
			delete(data, server+passwordKey)
			changed = true
		}
	}
	if a, ok := serverless(s); ok {
		if next, ok := now("", a); ok && next.User != "" {
			putServerless(data, next)
			changed = true
		}
	}
	all, _ := hiveAccounts(s)
	list := make([]hiveAccount, len(all))
	again := false
	for i, a := range all {
		if next, ok := now(a.server, a.Account); ok && next.User != "" { // Hive removes what is on a vCenter that left
			a.Account, again = next, true
		}
		list[i] = hiveAccount{a.server, a.User, a.Password.Reveal()}
	}
	if text, err := yaml.Marshal(list); again && err == nil {
		data[hiveKey], changed = text, true
	}
	return changed
}

// putServerless writes the account that [serverless] reads.
func putServerless(data map[string][]byte, a credfile.Account) {
	if _, flat := data[flatUser]; flat {
		data[flatUser], data[flatPassword] = []byte(a.User), []byte(a.Password.Reveal())
		return
	}
	var file map[string]any
	if yaml.Unmarshal(data[controllerFile], &file) != nil {
		return // serverless has read it
	}
	file[flatUser], file[flatPassword] = a.User, a.Password.Reveal()
	if text, err := yaml.Marshal(file); err == nil {
		data[controllerFile] = text
	}
}

// isRead reports whether somebody known reads a secret: a component of OpenShift, Hive, or a controller of Cluster API, which may be
// anywhere.
func isRead(s corev1.Secret) bool {
	_, identity := serverless(s)
	_, hive := s.Data[hiveKey]
	return s.Namespace == root.Namespace || strings.HasPrefix(s.Namespace, "openshift-") || identity || hive
}

// Uncopied names the secrets of components that hold an account which nobody can have copied there from kube-system, as in Manual
// mode, where secrets of kube-system are read by nobody.
func Uncopied(secrets []corev1.Secret) []component.Ref {
	secrets, _ = objects.Latest(secrets)
	w := newExplainer(secrets, ExplainOptions{})
	w.collect()
	var all []component.Ref
	for _, q := range w.requests {
		s := w.at[q.SecretRef]
		if s == nil || q.Component == "" || q.Component.OptIn() {
			continue
		}
		for server, a := range w.contents[s].accounts {
			if !w.copied(w.enhancement(q, false), server, a) && !w.copied(w.mainline(q), server, a) {
				all = append(all, q.SecretRef)
				break
			}
		}
	}
	return all
}

func (w *explainer) copied(from Choice, server string, a credfile.Account) bool {
	if from.from == nil {
		return false
	}
	there, ok := w.contents[from.from].accounts[server]
	return ok && same(there, a)
}
