package cluster

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// Shows reports whether the cluster shows which secrets a namespace has: its API server was asked, a secret of the namespace is here, or
// its namespaces are listed and this is none of them. A dump that shows others says nothing of it.
func (c *Cluster) Shows(namespace string) bool {
	if c.Whole || c.namespaces != nil && !c.namespaces[namespace] {
		return true
	}
	return slices.ContainsFunc(c.order, func(o *Object) bool { return o.Namespace == namespace })
}

// Unshown are those of namespaces, sorted, of which it does not show which secrets they have.
func (c *Cluster) Unshown(namespaces []string) []string {
	hidden := map[string]bool{}
	for _, namespace := range namespaces {
		if !c.Shows(namespace) {
			hidden[namespace] = true
		}
	}
	return sorted(hidden)
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
