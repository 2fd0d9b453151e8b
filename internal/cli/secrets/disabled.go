package secrets

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// checkDisabled refuses to write secrets with accounts that the specification disables. A renewed secret holds the account already,
// and would be left with an old password of it.
func (o *EmitOptions) checkDisabled(e *emission) error {
	allow := o.Allow
	if o.Renew {
		allow = command.Allowed{command.AllowDisabled}
	}
	return allow.CheckDisabled(o.Factory, e.asked, o.Source.OfFile(o.Said), inManifests(e.manifests), func(disabled []component.Name) []string {
		profile, _ := openshift.FindProfile(e.emit.Profile)
		others := slices.DeleteFunc(e.asked.ComponentNames(), func(c component.Name) bool {
			return slices.Contains(disabled, c) || !profile.Writes(c) || len(o.Components) > 0 && !slices.Contains(o.Components, string(c))
		})
		if len(others) == 0 || o.Format != formatOpenShift || profile.Shared() {
			return nil
		}
		return []string{"or write the other secrets: " + o.CommandLine("secrets emit", o.Said.With("components", component.Words(others)...))}
	})
}

// inManifests lists the secrets that hold an account.
func inManifests(manifests []openshift.Manifest) func(func(string) bool) []string {
	return func(meant func(user string) bool) []string { return holding(manifests, meant) }
}

// holding are the secrets of manifests that hold an account which is meant, on whatever vCenter.
func holding(manifests []openshift.Manifest, meant func(user string) bool) []string {
	var all []string
	for _, at := range cluster.Places(cluster.Of().After(manifests).Holding(cluster.Meant{User: meant})) {
		all = append(all, at.String())
	}
	return all
}
