package installconfig

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Form is how an install-config holds accounts. Its words are those of the profiles.
type Form string

const (
	// KubeSystem is the form of openshift/enhancements#1931: user and password of the main account, and beside them
	// componentCredentials with any of machineAPI, csiDriver, cloudController and diagnostics.
	KubeSystem Form = "kube-system"
	// ComponentScoped is the form of openshift/enhancements#2106: credentialType: component-scoped, and
	// componentCredentials with all of machineManagement, storage, cloudControllerManager and vsphereProblemDetector.
	// There is no user and password beside them.
	ComponentScoped Form = "component-scoped"
	// Passthrough is what releases read: user and password alone.
	Passthrough Form = "passthrough"
)

// Forms lists them.
func Forms() []Form { return []Form{KubeSystem, ComponentScoped, Passthrough} }

// member is a component's name in componentCredentials.
type member struct {
	component privileges.Component
	name      string
}

var members = map[Form][]member{
	KubeSystem: {
		{privileges.MachineAPI, "machineAPI"},
		{privileges.CSIDriver, "csiDriver"},
		{privileges.CloudController, "cloudController"},
		{privileges.Diagnostics, "diagnostics"},
	},
	ComponentScoped: {
		{privileges.MachineAPI, "machineManagement"},
		{privileges.CSIDriver, "storage"},
		{privileges.CloudController, "cloudControllerManager"},
		{privileges.Diagnostics, "vsphereProblemDetector"},
	},
}

// memberNames lists the names of both forms.
func memberNames() []string {
	var all []string
	for _, f := range []Form{KubeSystem, ComponentScoped} {
		for _, m := range members[f] {
			all = append(all, m.name)
		}
	}
	return all
}

// formOf is the form that a name in componentCredentials belongs to, "" for an unknown one.
func formOf(name string) Form {
	for _, f := range []Form{KubeSystem, ComponentScoped} {
		if slices.ContainsFunc(members[f], func(m member) bool { return m.name == name }) {
			return f
		}
	}
	return ""
}
