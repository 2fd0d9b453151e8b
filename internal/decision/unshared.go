package decision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// checkShared refuses to make the account of several components one of a single component by a changed profile: until the
// cluster's secrets hold the new accounts, all of these components work with it. With --prune its steps
// are marked, so that the run wants proof.
func (dec *Decision) checkShared(p *VCenterPlan) error {
	for _, other := range openshift.Profiles() {
		if other.Name == dec.Spec.Profile {
			continue
		}
		for _, a := range p.OwnAccounts() {
			var losing []string
			for _, step := range p.Steps {
				if step.Had != nil && len(step.Loses) > 0 && p.UserKey(a.Principal(p.Snapshot)) == step.Had.Key && dec.madeFor(p, *step.Had, other, a.Component) {
					losing = lists.AppendNew(losing, step.Object)
					if step.Strips = a.Component == component.Installer; !step.Strips { // the installer's is in no secret afterwards
						step.TakenBy = "profile " + dec.Spec.Profile
					}
				}
			}
			if len(losing) > 0 && !dec.Prune {
				without := component.Words(slices.DeleteFunc(dec.Spec.Whole().ComponentNames(), func(c component.Name) bool {
					return c == a.Component || other.AccountOf(c) != a.Component
				}))
				prune := "once they no longer work with it, which secrets do not prove: " + dec.Command("apply", "--prune", "--applied")
				if a.Component == component.Installer {
					prune = "once no secret of the cluster holds it for them: " + openshift.FromCluster + dec.Command("apply", "--prune", "--secrets", "-")
				}
				hints := []string{"to keep it as the account of all, write profile: " + other.Name + " into the provisioning file"}
				if absent := slices.DeleteFunc(slices.Clone(without), func(c string) bool {
					_, exists := p.Ours(p.Request.OwnAccount(component.Name(c), max(1, p.Generations[component.Name(c)].Current)))
					return exists
				}); len(absent) > 0 {
					hints = append(hints, "create the separate accounts beside it: "+dec.Command("apply", "--components", strings.Join(absent, ",")))
				}
				return hint.Wrap(fmt.Errorf("%s: %s is the account of profile %s, for %s too: profile %s would take privileges from it on %s",
					p.VCenter.Server, a.Principal(p.Snapshot), other.Name, strings.Join(without, ", "), dec.Spec.Profile, lists.Few(losing)), append(hints, prune)...)
			}
		}
	}
	return nil
}

// madeFor reports whether a permission has a role that another profile gives the account of a component, and this one does not.
func (dec *Decision) madeFor(p *VCenterPlan, had perms.Permission, other openshift.Profile, c component.Name) bool {
	word, named := other.RoleWords[c]
	if !named || dec.Matrix.RoleWord(c) == word {
		return false
	}
	kind := p.Facts[had.RoleID].Kind
	names := dec.Matrix.Fold(nil, other.RoleWords).RoleNames(dec.Spec.Privileges.RolePrefix, "", []component.Name{c})
	return (kind == snapshot.SharedRole || kind == snapshot.PrefixedRole) && names.Sealed(p.Roles.Name(had.RoleID))
}
