package decision

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// ChangeGenerations decides a rotation: only what new accounts need, or what removes replaced ones.
func (d *Decision) ChangeGenerations(p *VCenterPlan) ([]*plan.Change, error) {
	changes, err := d.Change(p)
	if err != nil {
		return nil, err
	}
	concerned := map[string]bool{}
	for _, a := range p.At.OwnAccounts() {
		concerned[p.At.UserKey(a.Principal(p.At))] = p.At.Touches(a)
	}
	of := func(c *plan.Change) bool {
		return c.Kind == plan.Permission && !c.Group && concerned[p.At.UserKey(c.Principal)] ||
			c.Kind == plan.User && concerned[p.At.UserKey(c.Name)]
	}
	p.Steps = slices.DeleteFunc(p.Steps, func(step perms.Step) bool { return !of(step.Change) })
	needed := map[string]bool{}
	for _, step := range p.Steps {
		after, _ := step.After.(plan.PermissionState)
		needed[after.Role] = true
	}
	p.Told = slices.DeleteFunc(p.Told, func(f *finding.Finding) bool { return !of(plan.About(f)) })
	d.tellKept(p)
	return slices.DeleteFunc(changes, func(c *plan.Change) bool {
		return !of(c) && !(c.Kind == plan.Role && c.Verb != plan.Delete && needed[c.Name])
	}), nil
}

// tellKept reports why accounts are left as they are.
func (d *Decision) tellKept(p *VCenterPlan) {
	for _, c := range d.Request.Spec.ComponentNames() {
		if _, why, wrong := p.At.Domain.Accounts[c].Next(d.Request.Op, p.At.AccountConditions(c)); why != nil {
			d.refused(p, why, wrong)
		}
	}
	if d.Request.Op != accounts.Replace {
		for _, a := range p.At.DroppedWhileRotating() {
			p.tell(ofUser(a.Principal(p.At)).Tell(finding.StaysBehind, "unchanged: "+string(a.Component)+
				" left the specification while a rotation of its account was unfinished: name it again to finish or undo that",
				"or remove all of its accounts: "+d.Request.Command("apply", "--prune")))
		}
	}
}

// settleDomains hands over or removes an account on all vCenters of its SSO domain or on none.
func (d *Decision) settleDomains() {
	for _, domain := range d.domains {
		settled := map[string]bool{}
		for _, p := range domain.VCenters {
			if p.Err != nil {
				continue
			}
			for _, a := range p.At.OwnAccounts() {
				if p.At.Touches(a) && !settled[a.Name] {
					settled[a.Name] = true
					d.settleAccount(p, a)
				}
			}
		}
	}
}

func (d *Decision) settleAccount(p *VCenterPlan, a snapshot.OwnAccount) {
	step := p.At.Domain.Generations[a.Component]
	why := d.outside(p, a)
	if why == nil && p.At.Leaves(a) {
		if text, _ := d.WhyKept(p, a); text != "" {
			why = &accounts.Refusal{Code: accounts.CannotBeRemoved, Text: text}
		}
	}
	switch {
	case why != nil:
		d.drop(p, a, *why)
	case a.Generation == step.Making:
		d.handOver(p, a, inUse(p, a))
	case step.Replaced > 0:
		d.handOver(p, a, p.At.Request.OwnAccount(a.Component, step.Replaced))
	default:
		d.disable(p, a)
	}
}

// outside returns a refusal if a vCenter outside this decision has a component's account.
func (d *Decision) outside(p *VCenterPlan, a snapshot.OwnAccount) *accounts.Refusal {
	for _, other := range p.DomainPlan.VCenters {
		if other.Err != nil {
			return &accounts.Refusal{Code: accounts.Unplanned, Server: other.At.VCenter.Server}
		}
	}
	for _, server := range p.At.Domain.Sections {
		if other := d.VCenter(server); other != nil && other.Err != nil {
			return &accounts.Refusal{Code: accounts.Unplanned, Server: server}
		}
	}
	stores := func(server string) bool { return d.Read.stores(server, a.Component) }
	if a.Generation == p.At.Domain.Generations[a.Component].Making { // an account in use on one vCenter cannot be finished
		if why := d.usedElsewhere(p.At, inUse(p, a).Principal(p.At), stores); why != nil &&
			why.Code != accounts.Unread {
			return why
		}
	}
	return d.leftOut(p.At, stores)
}

// inUse returns the account that a component works with until another one takes over.
func inUse(p *VCenterPlan, a snapshot.OwnAccount) snapshot.OwnAccount {
	return p.At.Request.OwnAccount(a.Component, p.At.Domain.Generations[a.Component].Current)
}

// stores reports whether a vCenter's section has an account of ours for a component.
func (e *Snapshots) stores(server string, c component.Name) bool {
	return e.Request.Spec.At(server).Account(c).Generation(e.Request.Files().Section(server, c).File.User) > 0
}

// leftOut returns a refusal if a vCenter that --vcenters left out uses an account.
func (d *Decision) leftOut(s *snapshot.Snapshot, uses func(server string) bool) *accounts.Refusal {
	for _, server := range s.Domain.Sections {
		if d.VCenter(server) == nil && uses(server) {
			return &accounts.Refusal{Code: accounts.LeftOut, Server: server}
		}
	}
	return nil
}

// usedElsewhere is leftOut, also for unknown linked vCenters with possible permissions.
func (d *Decision) usedElsewhere(s *snapshot.Snapshot, principal string, uses func(server string) bool) *accounts.Refusal {
	if why := d.leftOut(s, uses); why != nil {
		return why
	}
	for _, l := range s.Domain.Linked {
		if l.Err != nil {
			return &accounts.Refusal{Code: accounts.Unread, Server: l.Server, Text: l.Err.Error()}
		}
		if l.Held(s.UserKey(principal)) > 0 {
			return &accounts.Refusal{Code: accounts.LeftOut, Server: l.Server}
		}
	}
	return nil
}

func (d *Decision) drop(p *VCenterPlan, a snapshot.OwnAccount, why accounts.Refusal) {
	principal := a.Principal(p.At)
	if why.Code == accounts.LeftOut {
		of := a
		if a.Generation == p.At.Domain.Generations[a.Component].Making {
			of = inUse(p, a)
		}
		p.Err = p.At.LeftOutError(of.Principal(p.At), why)
	}
	p.DomainPlan.retained[a.Name] = true
	for _, other := range p.DomainPlan.VCenters {
		about := func(c *plan.Change) bool {
			return c.Principal != "" && other.At.UserKey(c.Principal) == other.At.UserKey(principal) ||
				c.Kind == plan.User && other.At.UserKey(c.Name) == other.At.UserKey(principal)
		}
		other.Steps = slices.DeleteFunc(other.Steps, func(step perms.Step) bool { return about(step.Change) })
		other.Changes = slices.DeleteFunc(other.Changes, about)
		other.Told = slices.DeleteFunc(other.Told, func(f *finding.Finding) bool { return about(plan.About(f)) })
	}
	p.tell(ofUser(principal).Tell(finding.StaysBehind, "unchanged: "+d.Request.Refusal(why), d.Request.Ways(why.Code, nil, a.Component)...))
}

// handOver adds the change that replaces an account, after all that it needs in the SSO domain.
func (d *Decision) handOver(p *VCenterPlan, to, from snapshot.OwnAccount) {
	h := &Handover{
		Record: accounts.Record{
			Component: to.Component, From: from.Principal(p.At), To: credfile.Account{User: to.Principal(p.At)},
			Back: to.Generation <= from.Generation,
		},
		DomainPlan: p.DomainPlan, Account: to,
	}
	h.Change = &plan.Change{
		Verb: plan.Update, Kind: plan.User, Name: h.Record.To.User,
		Note:   "when it can do its work on every vCenter of the SSO domain",
		Before: plan.UserState{}, After: plan.UserState{InsteadOf: h.Record.From}, // whether it exists yet or not
		Needs: []string{plan.Key(p.At.Domain.Key, plan.User, to.Name)},
	}
	if p.At.Domain.Accounts[h.Record.Component].Outdated && !h.Record.Back {
		h.Change.Note += "; the password of " + h.Record.From + " in " + d.Request.Credentials.Path() +
			" is not the one that was set last, so rotate undo may not go back to it"
	}
	for _, of := range h.VCenters {
		if of.At.Request.OwnsHolder(to.Component) {
			of.lacking(h.Record.To.User, h.Record.From)
		}
		h.Record.Servers = append(h.Record.Servers, of.At.VCenter.Server)
		for _, step := range of.Steps {
			if of.At.UserKey(step.Principal) == of.At.UserKey(h.Record.To.User) {
				h.Change.Needs = append(h.Change.Needs, step.Provides)
			}
		}
	}
	p.Changes = append(p.Changes, h.Change)
	d.Handovers = append(d.Handovers, h)
}

// Handover is an account that replaces another generation in an SSO domain, forward or back.
type Handover struct {
	Record      accounts.Record
	*DomainPlan                     // all of its vCenters have to accept the account
	Account     snapshot.OwnAccount // that takes over
	Change      *plan.Change
}

// Disabling disables an account before its removal.
type Disabling struct {
	At      *VCenterPlan
	Account snapshot.OwnAccount
	Change  *plan.Change
}

// disable adds the change that disables an account before its permissions are removed.
func (d *Decision) disable(p *VCenterPlan, a snapshot.OwnAccount) {
	u, _ := p.At.Ours(a)
	c := p.At.SSO.Disable(u, true, p.At.Domain.Key)
	for _, other := range p.DomainPlan.VCenters {
		for _, step := range other.Steps {
			if other.At.UserKey(step.Principal) == other.At.UserKey(c.Name) {
				step.Needs = append(step.Needs, c.Provides)
			}
		}
	}
	first := slices.IndexFunc(p.Changes, func(c *plan.Change) bool { return c.Verb != plan.Update })
	p.Changes = slices.Insert(p.Changes, max(0, first), c)
	d.Disabled = append(d.Disabled, &Disabling{p, a, c})
}

// replaced reports existing accounts that another one has replaced.
func (v *VCenterPlan) replaced() {
	if v.At.Request.Op != accounts.Keep || !v.At.Request.Does(plan.User) {
		return
	}
	for _, b := range v.At.OtherGenerations() {
		if b.Generation < v.At.Domain.Generations[b.Component].Current {
			note := v.At.Principal(b.Component) + " has replaced it; it is kept until rotate finish"
			if v.At.Retired(b) {
				note = v.At.Principal(b.Component) + " has replaced it; it is disabled until rotate finish removes it"
			}
			v.tell(ofUser(b.Principal(v.At)).Tell(finding.PlanNote, note))
		}
	}
}
