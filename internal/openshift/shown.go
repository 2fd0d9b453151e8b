package openshift

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// Unshown names those of namespaces, sorted, of which a dump does not show which secrets they hold. A dump shows a namespace if
// it has a secret of it, and all namespaces if it is one of the whole cluster.
func Unshown(secrets []corev1.Secret, namespaces []string) []string {
	shown, wanted := namespacesOf(secrets), map[string]bool{}
	for _, namespace := range namespaces {
		wanted[namespace] = true
	}
	if whole(shown, wanted) {
		return nil
	}
	maps.DeleteFunc(wanted, func(namespace string, _ bool) bool { return shown[namespace] })
	return slices.Sorted(maps.Keys(wanted))
}

// shows reports whether the dump shows which secrets a namespace has.
func (w *explainer) shows(namespace string) bool {
	if w.whole {
		return true
	}
	shown := map[string]bool{}
	for at := range w.at {
		shown[at.Namespace] = at.Namespace != ""
	}
	return shown[namespace] || whole(shown, map[string]bool{namespace: true})
}

// WrittenTo are the namespaces of manifests' secrets.
func WrittenTo(manifests []Manifest) []string {
	var all []string
	for _, m := range manifests {
		if m.Secret != nil {
			all = append(all, m.Secret.Namespace)
		}
	}
	return all
}

// ReadFrom are the namespaces in which the components of every cluster find their accounts, kube-system first.
func ReadFrom() []string {
	all := []string{root.Namespace}
	for _, k := range release.Consumers() {
		if k.Component != "" && !k.Component.OptIn() {
			all = append(all, k.Target.Namespace)
		}
	}
	return all
}

// whole reports whether a dump with secrets of the namespaces of shown is one of all namespaces. No dump says so, but a cluster has
// secrets in dozens of namespaces that have nothing to do with vSphere. Nobody collects those one by one, and a single one
// is the current project of somebody who forgot -A.
func whole(shown, wanted map[string]bool) bool {
	others := maps.Clone(shown)
	maps.DeleteFunc(others, func(namespace string, _ bool) bool { return wanted[namespace] || namespace == root.Namespace })
	for _, q := range everyRequest() {
		delete(others, q.SecretRef.Namespace)
	}
	return len(others) > 1
}

func namespacesOf(secrets []corev1.Secret) map[string]bool {
	all := map[string]bool{}
	for _, s := range secrets {
		if s.Namespace != "" {
			all[s.Namespace] = true
		}
	}
	return all
}
