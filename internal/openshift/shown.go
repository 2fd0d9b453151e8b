package openshift

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Unshown names the namespaces, sorted, that manifests have a secret for and of which a dump does not show which secrets they
// hold now. A dump shows a namespace if it has a secret of it, and all namespaces if it is one of the whole cluster.
func Unshown(secrets []corev1.Secret, manifests []Manifest) []string {
	shown, wanted := namespacesOf(secrets), map[string]bool{}
	for _, m := range manifests {
		if m.Secret != nil {
			wanted[m.Secret.Namespace] = true
		}
	}
	if whole(shown, wanted) {
		return nil
	}
	maps.DeleteFunc(wanted, func(namespace string, _ bool) bool { return shown[namespace] })
	return slices.Sorted(maps.Keys(wanted))
}

// whole tells whether a dump with secrets of the namespaces of shown is one of all namespaces. No dump says so, but a cluster has
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
