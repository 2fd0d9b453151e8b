package decision

import (
	"maps"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
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
		holder, own := p.At.Key(p.At.Holder(a.Component)), p.At.Request.OwnsHolder(a.Component)
		if own { // in its own generation
			holder = p.At.UserKey(a.Principal(p.At))
		}
		for _, group := range u.Groups {
			left := func(o *VCenterPlan) bool { return o.Err == nil && o.At.LeftGroup(group) }
			if !slices.ContainsFunc(sharing, left) {
				continue
			}
			if why := d.whyMember(p, p.At.KeyOf(group, true), access.Subject{Key: holder, Group: !own}); why != "" {
				p.tell(ofUser(a.Principal(p.At)).Tell(finding.NotAsSpecified, "stays in group "+group+", "+why))
				continue
			}
			leave := p.At.SSO.Leave(u, group, p.At.Domain.Key, plan.Key(p.At.Domain.Key, plan.User, a.Name))
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

// whyMember says why an account stays in a former group; "" if it leaves, because next has its rights.
func (d *Decision) whyMember(p *VCenterPlan, group string, next access.Subject) string {
	if why, _ := d.elsewhere(p, group); why != "" {
		return "because its permissions may be needed elsewhere: " + why
	}
	for _, other := range p.DomainPlan.VCenters {
		needed := func(had perms.Permission) bool {
			had.Key, had.Group = next.Key, next.Group
			return d.outlives(other.At, other.Wanted, had, true)
		}
		if slices.ContainsFunc(other.At.Perms.Held(group), needed) {
			return "which gives it rights on objects that the specification no longer names, until apply --prune"
		}
	}
	return ""
}

// makes reports whether this run makes the group of a component, which the vCenter does not know.
func (v *VCenterPlan) makes(c component.Name) bool {
	found, asked := v.At.SSO.Principal(v.At.Holder(c).Name)
	return asked && !found.User && !found.Group && found.Err == nil && !v.At.Request.Ordering &&
		v.At.Request.Spec.Account(c).ByGroup() && v.At.Request.Only != plan.Permission
}

// makeGroups makes the groups of accounts, which members wait for.
func (d *Decision) makeGroups(p *VCenterPlan, members []*plan.Change) (changes []*plan.Change) {
	s := p.At
	for _, c := range d.Request.Spec.ComponentNames() {
		holder := s.Holder(c)
		known := func(o *snapshot.Snapshot) bool { // and replicates it
			found, _ := o.SSO.Principal(holder.Name)
			return found.Group
		}
		if !p.makes(c) || slices.ContainsFunc(d.Read.Sharing(s.Domain.Key), known) {
			continue
		}
		mark := sso.Mark(d.Request.Spec.Cluster, d.Request.Spec.Account(c).Component)
		changes = append(changes, &plan.Change{
			Verb: plan.Create, Kind: plan.Group, Name: holder.Name, After: plan.UserState{Description: mark},
			Provides: plan.Key(s.Domain.Key, plan.Group, holder.Name),
		})
	}
	for _, change := range members {
		if after, _ := change.After.(plan.UserState); after.MemberOf != "" {
			change.Needs = append(change.Needs, plan.Key(s.Domain.Key, plan.Group, after.MemberOf))
		}
	}
	return append(changes, members...)
}

// removeGroups deletes groups of ours that destroy or --prune leaves without members and
// permissions, once per SSO domain.
func (d *Decision) removeGroups(p *VCenterPlan) (changes []*plan.Change) {
	for _, g := range p.At.SSO.Made {
		_, c, _ := sso.ParseMark(g.Description)
		group := g.Name + "@" + p.At.SSO.Domain
		named := p.At.NamesHolder(perms.Permission{Principal: group, Group: true})
		if d.Request.Op != accounts.Keep || p.DomainPlan.VCenters[0] != p ||
			d.Request.Undoing && !d.Request.Spec.Has(c) || !d.Request.Undoing && named {
			continue
		}
		gone := &plan.Change{
			Verb: plan.Delete, Kind: plan.Group, Name: group,
			Before:   plan.UserState{Description: g.Description},
			Provides: plan.Key(p.At.Domain.Key, plan.Group, group),
		}
		if why := d.whyNeeded(p, gone); why != "" {
			p.tell(gone.Tell(stays(true, finding.PlanNote), "kept: "+why))
			continue
		}
		changes = append(changes, gone)
	}
	return changes
}

// whyNeeded says why a group of ours stays; "" if it goes, after the changes that let it go.
func (d *Decision) whyNeeded(p *VCenterPlan, gone *plan.Change) string {
	key := p.At.KeyOf(gone.Name, true)
	if why, _ := d.elsewhere(p, key); why != "" {
		return why
	}
	left := p.At.SSO.Members(gone.Name)
	for _, c := range p.Changes {
		before, _ := c.Before.(plan.UserState)
		if c.Kind == plan.User && (c.Verb == plan.Delete || before.MemberOf == gone.Name) {
			left = slices.DeleteFunc(slices.Clone(left),
				func(m string) bool { return p.At.SSO.Same(m) == p.At.SSO.Same(c.Name) })
			gone.Needs = append(gone.Needs, c.Provides)
		}
	}
	if len(left) > 0 {
		return "it has members that stay: " + lists.Few(left)
	}
	for _, other := range p.DomainPlan.VCenters {
		for _, had := range slices.Concat(other.At.Perms.Held(key), other.At.Perms.Global) {
			goes := func(step perms.Step) bool {
				return step.Had != nil && *step.Had == had && step.After == nil
			}
			if had.Key == key && !slices.ContainsFunc(other.Steps, goes) {
				return "it has permissions that stay on " + other.At.VCenter.Server
			}
			gone.Needs = append(gone.Needs, other.At.Perms.Key(had))
		}
	}
	return ""
}

// Former finds groups that the specification names no longer and that have permissions of this
// cluster, which accounts of ours have, too, while they are members.
func (e *Snapshots) Former() (all []*finding.Finding) {
	for _, s := range e.All {
		if s.Err != nil || s.SSO == nil {
			continue
		}
		held := map[string]int{}
		for _, p := range s.Unnamed() {
			if p.Group && s.SSO.Within(p.Principal) {
				held[p.Principal]++
			}
		}
		for _, group := range slices.Sorted(maps.Keys(held)) {
			f := finding.New(finding.FormerGroup, s.VCenter.Server,
				"group %s is not in the specification and has %s with roles of this cluster", group,
				term.Count(held[group], "permission"))
			prune := "to take its permissions back: " + e.Request.Command("apply", "--prune")
			f.Remedies = []string{prune}
			if members := inside(s, group); len(members) > 0 {
				f.Severity = finding.Error
				f.Text += "; these members have them, too: " + lists.Few(members)
				f.Remedies = []string{e.Request.Command("apply"), prune}
			}
			all = append(all, f)
		}
	}
	return all
}

// inside are our accounts that are members of a group.
func inside(s *snapshot.Snapshot, group string) (members []string) {
	for _, a := range s.OwnAccounts() {
		if u, exists := s.SSO.Own(a.Name); exists && s.SSO.Joined(u, group) {
			members = append(members, a.Principal(s))
		}
	}
	return members
}
