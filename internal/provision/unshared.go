package provision

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
)

// checkShared refuses to make the account of several components one of a single component by a changed profile: until the
// cluster's secrets hold the new accounts, all of these components work with it. With --prune its steps
// are marked, so that the run wants proof.
func (dec *decision) checkShared(p *vcenterPlan) error {
	for _, other := range openshift.Profiles() {
		if other.Name == dec.Spec.Profile {
			continue
		}
		for _, a := range p.ownAccounts() {
			var losing []string
			for _, step := range p.steps {
				if step.Acts() && step.Had != nil && len(step.Loses) > 0 && p.userKey(a.principal(p.snapshot)) == step.Had.Key && dec.madeFor(p, *step.Had, other, a.component) {
					losing = lists.AppendNew(losing, step.Object)
					if step.Strips = a.component == component.Installer; !step.Strips { // the installer's is in no secret afterwards
						step.TakenBy = "profile " + dec.Spec.Profile
					}
				}
			}
			if without := dec.workedWith(other, a.component); len(losing) > 0 && !dec.Prune {
				prune := "once they no longer work with it: --prune, with --applied, because secrets do not prove it"
				if a.component == component.Installer {
					prune = "once no secret of the cluster holds it for them: --prune, with --secrets DUMP or --applied"
				}
				return hint.Wrap(
					hint.Errorf("create the separate accounts beside it: apply --components "+strings.Join(without, ","),
						"%s: %s is the account of profile %s, for %s too: profile %s would take privileges from it on %s",
						p.spec.Server, a.principal(p.snapshot), other.Name, strings.Join(without, ", "), dec.Spec.Profile, lists.Few(losing)),
					prune)
			}
		}
	}
	return nil
}

// madeFor reports whether a permission has a role that another profile gives the account of a component, and this one does not.
func (dec *decision) madeFor(p *vcenterPlan, had perms.Permission, other openshift.Profile, c component.Name) bool {
	word, named := other.RoleWords[c]
	if !named || dec.Matrix.RoleWord(c) == word {
		return false
	}
	kind := p.facts[had.RoleID].kind
	names := dec.Matrix.Fold(nil, other.RoleWords).RoleNames(dec.Spec.Privileges.RolePrefix, "", []component.Name{c})
	return (kind == sharedRole || kind == prefixedRole) && names.Sealed(p.roles.Name(had.RoleID))
}

// workedWith are the other components that work with the account of one in a profile.
func (dec *decision) workedWith(other openshift.Profile, c component.Name) []string {
	var all []string
	for _, name := range dec.Spec.Whole().ComponentNames() {
		if name != c && other.AccountOf(name) == c {
			all = append(all, string(name))
		}
	}
	return all
}
