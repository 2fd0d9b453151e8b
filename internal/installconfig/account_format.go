package installconfig

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// AccountFormat is how an install-config holds accounts. Its words are those of the profiles.
type AccountFormat string

const (
	// KubeSystem is the form of openshift/enhancements#1931: user and password of the main account,
	// and componentCredentials with any of machineAPI, csiDriver, cloudController and diagnostics.
	KubeSystem AccountFormat = "kube-system"
	// ComponentScoped is the form of openshift/enhancements#2106: credentialType: component-scoped,
	// and componentCredentials with all of machineManagement, storage, cloudControllerManager and
	// vsphereProblemDetector, without user and password beside them.
	ComponentScoped AccountFormat = "component-scoped"
	// Passthrough is what releases read: user and password alone.
	Passthrough AccountFormat = "passthrough"
)

// Forms lists them.
func Forms() []AccountFormat { return []AccountFormat{KubeSystem, ComponentScoped, Passthrough} }

// member is a component's name in componentCredentials.
type member struct {
	component component.Name
	name      string
}

func (a AccountFormat) members() []member {
	var all []member
	for _, c := range component.All() {
		switch {
		case c.InCluster == nil:
		case a == KubeSystem && c.InCluster.Member != "":
			all = append(all, member{c.Name, c.InCluster.Member})
		case a == ComponentScoped && c.InCluster.Scoped != "":
			all = append(all, member{c.Name, c.InCluster.Scoped})
		}
	}
	return all
}

// Holds lists the components whose accounts the form has, including the main account.
func (a AccountFormat) Holds() []component.Name {
	var all []component.Name
	if a != ComponentScoped {
		all = append(all, component.Installer)
	}
	for _, m := range a.members() {
		all = append(all, m.component)
	}
	return all
}

func (a AccountFormat) names() []string {
	var all []string
	for _, m := range a.members() {
		all = append(all, m.name)
	}
	return all
}

func memberNames() []string { return append(KubeSystem.names(), ComponentScoped.names()...) }

// formOf is the form that a name in componentCredentials belongs to, "" for an unknown one.
func formOf(name string) AccountFormat {
	for _, f := range []AccountFormat{KubeSystem, ComponentScoped} {
		if slices.Contains(f.names(), name) {
			return f
		}
	}
	return ""
}
