package decision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/workorder"
)

// ordering groups the changes of a plan by the team that makes them.
type ordering struct {
	decision *Decision
	order    *workorder.Order
}

// WorkOrder is a plan as work for other teams.
func (d *Decision) WorkOrder(p *plan.Plan, again workorder.Again) *workorder.Order {
	o := ordering{d, &workorder.Order{Spec: d.Request.Spec, Plan: p, Again: again}}
	for i, v := range p.VCenters {
		if part := o.decision.Plans[i]; part.Err == nil {
			o.add(part, v.Changes, p.Findings)
		}
	}
	o.wanted()
	o.renewals()
	return o.order
}

func (o ordering) add(p *VCenterPlan, changes []*plan.Change, told []*finding.Finding) {
	v := &workorder.VCenter{VCenter: p.At.VCenter, Domain: p.At.SSO.Domain, Apart: p.At.Inventory.Apart()}
	// For adopted accounts, a folder made for a failure domain without one is no longer recognized.
	v.FailureDomains = slices.Clone(v.FailureDomains)
	for i, fd := range v.FailureDomains {
		v.FailureDomains[i].Folder = p.At.FolderPath(fd)
	}
	for _, f := range told { // accounts have their own part, and roles are in the overview
		if f.Object != nil && f.Server == p.At.VCenter.Server &&
			f.Object.Kind != string(plan.User) && f.Object.Name != o.decision.Request.ClusterRoles() {
			v.Notes = append(v.Notes, f.String())
		}
	}
	for _, c := range changes {
		switch {
		case c.Kind == plan.Folder:
			v.Folders = append(v.Folders, c)
		case c.Kind == plan.Tag:
			i := slices.IndexFunc(p.Wanted.Tags, func(s tags.Step) bool { return s.Change == c })
			v.Tags = append(v.Tags, p.Wanted.Tags[i])
		case c.Kind == plan.Role && c.Verb == plan.Delete:
			v.Unused = append(v.Unused, c)
		case c.Kind == plan.Role:
			v.Roles = append(v.Roles, c)
		case c.Kind == plan.Permission:
			v.Permissions = append(v.Permissions, c)
		case c.Kind == plan.User && c.Verb == plan.Create:
			o.account(p, c)
		case c.Kind == plan.User && c.Verb == plan.Delete:
			v.Gone = append(v.Gone, c)
		case c.Kind == plan.User:
			v.Notes = append(v.Notes, c.Line()+" (SSO administration, or apply)")
		}
	}
	o.order.VCenters = append(o.order.VCenters, v)
}

func (o ordering) account(p *VCenterPlan, c *plan.Change) {
	name, domain, _ := strings.Cut(c.Name, "@")
	a := &workorder.Account{Name: name, Principal: c.Name, Domain: domain, Within: true, Policy: &p.At.SSO.Policy}
	for _, other := range p.DomainPlan.VCenters {
		if other.Err == nil {
			a.Servers = append(a.Servers, other.At.VCenter.Server)
		}
	}
	for _, c := range o.order.Spec.ComponentNames() {
		if p.At.Request.Spec.Account(c).Generation(name) > 0 {
			a.Components = o.users(c)
		}
	}
	o.order.Accounts = append(o.order.Accounts, a)
}

func (o ordering) sharesDomain(p *VCenterPlan, a *workorder.Account) bool {
	return slices.ContainsFunc(o.decision.Plans, func(other *VCenterPlan) bool {
		return other.At.VCenter.Server == a.Servers[0] && other.At.Domain.Key == p.At.Domain.Key
	})
}

// users returns the components that use one's account; the installer may have none of its own.
func (o ordering) users(c component.Name) []component.Name {
	var all []component.Name
	for _, other := range component.Names() {
		if o.order.Spec.Account(other).Component == c && (!other.OptIn() || o.order.Spec.Has(other)) {
			all = append(all, other)
		}
	}
	return all
}

// wanted adds the principals of others that do not exist yet.
func (o ordering) wanted() {
	for _, p := range o.decision.Planned() {
		for _, c := range o.order.Spec.ComponentNames() {
			g := p.At.Holder(c)
			if p.At.Owns(c) || !p.lacks(g.Name) {
				continue
			}
			name, domain := p.At.SSO.Split(g.Name)
			source := p.At.SSO.Source(domain)
			within := strings.EqualFold(source.Name, p.At.SSO.Domain)
			i := slices.IndexFunc(o.order.Accounts, func(a *workorder.Account) bool {
				return within == strings.EqualFold(a.Domain, p.At.SSO.Domain) &&
					p.At.SSO.Same(a.Principal) == p.At.SSO.Same(g.Name) &&
					(!within || o.sharesDomain(p, a))
			})
			if i < 0 {
				i = len(o.order.Accounts)
				a := &workorder.Account{Name: name, Principal: g.Name, Group: g.Group, Domain: source.Name, Within: within, Alias: source.Alias}
				if within && !g.Group { // the order's commands make it
					a.Alias, a.Policy = "", &p.At.SSO.Policy
				}
				o.order.Accounts = append(o.order.Accounts, a)
			}
			for _, user := range o.users(c) {
				o.order.Accounts[i].Components = lists.AppendNew(o.order.Accounts[i].Components, user)
			}
			o.order.Accounts[i].Servers = lists.AppendNew(o.order.Accounts[i].Servers, p.At.VCenter.Server)
		}
	}
}

// renewals returns the adopted accounts that need new passwords, once per SSO domain.
func (o ordering) renewals() {
	byKey := map[string]*workorder.Renewal{}
	for _, p := range o.decision.Planned() {
		for _, c := range o.order.Spec.ComponentNames() {
			lasts := o.decision.Read.lasts(p.At, c)
			if p.At.Owns(c) || !lasts.Within(soon) {
				continue
			}
			principal := p.At.Principal(c)
			key := p.At.Domain.Key + " " + p.At.SSO.Same(principal)
			r := byKey[key]
			if r == nil {
				r = &workorder.Renewal{Principal: principal, When: lasts.Words()}
				byKey[key], o.order.Renewals = r, append(o.order.Renewals, r)
			}
			r.Servers = lists.AppendNew(r.Servers, p.At.VCenter.Server)
			for _, user := range o.users(c) {
				r.Components = lists.AppendNew(r.Components, user)
			}
		}
	}
}

// lacks reports whether a principal's identity source answers and does not have it.
func (v *VCenterPlan) lacks(principal string) bool {
	found, asked := v.At.SSO.Principal(principal)
	return asked && !found.User && !found.Group && !found.Unknown && found.Err == nil
}

// ordered reports whose accounts the work order requests, and why it changes the names of roles.
func (v *VCenterPlan) ordered(d *snapshot.Desired) {
	if !v.At.Request.Ordering {
		return
	}
	if v.At.Request.Renames(d) {
		v.tell(plan.Change{Kind: plan.Role, Name: v.At.Request.ClusterRoles()}.Tell(finding.PlanNote,
			"named after the cluster, because others create the accounts; without --work-order it is "+v.At.Request.Spec.Privileges.RolePrefix+"*"))
	}
	for _, g := range v.At.Adoptees() {
		if v.lacks(g.Name) {
			v.tell(plan.Change{Kind: plan.Permission, Principal: g.Name, Group: g.Group}.Tell(
				finding.Consequence, "does not exist yet: the work order requests it"))
		}
	}
}
