package decision

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// leaveGroups takes accounts out of groups that the specification no longer names, once per SSO
// domain, after they have their rights without them on all of its vCenters.
func (d *Decision) leaveGroups(p *VCenterPlan) (changes []*plan.Change) {
	sharing := p.DomainPlan.VCenters
	if d.Request.Op != accounts.Keep || d.Request.Undoing || d.Request.Additive || sharing[0] != p {
		return nil
	}
	for _, a := range p.At.OwnAccounts() {
		u, exists := p.At.SSO.Own(a.Name)
		if !exists || p.At.Retired(a) {
			continue
		}
		for _, group := range u.Groups {
			if !slices.ContainsFunc(sharing, func(o *VCenterPlan) bool { return o.Err == nil && o.At.LeftGroup(group) }) {
				continue
			}
			if why := d.whyMember(p, p.At.KeyOf(group, true)); why != "" {
				p.tell(ofUser(a.Principal(p.At)).Tell(finding.NotAsSpecified, "stays in group "+group+", "+why))
				continue
			}
			leave := p.At.SSO.Leave(u, group, p.At.Domain.Key, plan.Key(p.At.Domain.Key, plan.User, a.Name))
			holder := p.At.Key(p.At.Holder(a.Component))
			if p.At.Request.OwnsHolder(a.Component) { // in its own generation
				holder = p.At.UserKey(a.Principal(p.At))
			}
			for _, other := range sharing {
				for _, step := range other.Steps {
					switch {
					case step.Had != nil && step.Had.Key == p.At.KeyOf(group, true):
						step.Needs = append(step.Needs, leave.Provides)
					case other.At.KeyOf(step.Principal, step.Group) == holder:
						leave.Needs = append(leave.Needs, step.Provides)
					}
				}
			}
			changes = append(changes, leave)
		}
	}
	return changes
}

// whyMember says why an account stays in a former group; "" if it leaves.
func (d *Decision) whyMember(p *VCenterPlan, group string) string {
	if why, _ := d.elsewhere(p, group); why != "" {
		return "because its permissions may be needed elsewhere: " + why
	}
	for _, other := range p.DomainPlan.VCenters {
		needed := func(had perms.Permission) bool { return d.outlives(other.At, other.Wanted, had, true) }
		if slices.ContainsFunc(other.At.Perms.Held(group), needed) {
			return "which gives it rights on objects that the specification no longer names, until apply --prune"
		}
	}
	return ""
}
