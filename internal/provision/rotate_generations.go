package provision

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// changeGenerations decides what a turn of generations comes to on a vCenter: what serves the accounts that are made, or takes those away
// that leave, and nothing else.
func (dec *decision) changeGenerations(p *vcenterPlan) ([]*plan.Change, error) {
	changes, err := dec.change(p)
	if err != nil {
		return nil, err
	}
	concerned := map[string]bool{}
	for _, a := range p.ownAccounts() {
		concerned[p.userKey(a.principal(p.snapshot))] = p.touches(a)
	}
	of := func(c *plan.Change) bool {
		return c.Kind == plan.Permission && !c.Group && concerned[p.userKey(c.Principal)] || c.Kind == plan.User && concerned[p.userKey(c.Name)]
	}
	p.steps = slices.DeleteFunc(p.steps, func(step perms.Step) bool { return !of(step.Change) })
	needed := map[string]bool{}
	for _, step := range p.steps {
		after, _ := step.After.(plan.PermissionState)
		needed[after.Role] = true
	}
	kept := slices.DeleteFunc(changes, func(c *plan.Change) bool {
		return !of(c) && !(c.Kind == plan.Role && c.Acts() && c.Verb != plan.Delete && needed[c.Name])
	})
	return append(dec.keptNotes(p.snapshot), kept...), nil
}

// keptNotes says of the accounts that are left as they are why they are.
func (dec *decision) keptNotes(s *snapshot) []*plan.Change {
	var notes []*plan.Change
	for _, c := range dec.Spec.ComponentNames() {
		_, why, wrong := s.accounts[c].Next(dec.op, s.accountConditions(c))
		if why == nil {
			continue
		}
		if note := dec.refused(s, why, wrong); note != nil {
			notes = append(notes, note)
		}
	}
	if dec.op != accounts.Replace {
		for _, a := range s.droppedWhileRotating() {
			notes = append(notes, plan.Left("unchanged", string(a.component)+" left the specification while a rotation of its account was unfinished: "+
				"name it again to finish or undo that, or remove all of its accounts with apply --prune",
				plan.Change{Kind: plan.User, Name: a.principal(s), Differs: true, Stays: true}))
		}
	}
	return notes
}

// touches reports whether the run creates an account, enables it, or removes it.
func (s *snapshot) touches(a ownAccount) bool {
	step := s.generations[a.component]
	return s.leaves(a) || a.generation == step.Making || step.Replaced > 0 && a.generation == step.Current
}

// settleDomains decides about each SSO domain once all of its vCenters are: an account is handed over, or removed, on all of them
// or not at all.
func (dec *decision) settleDomains() {
	for _, d := range dec.domains {
		settled := map[string]bool{}
		for _, p := range d.vcenters {
			if p.err != nil {
				continue
			}
			for _, a := range p.ownAccounts() {
				if p.touches(a) && !settled[a.name] {
					settled[a.name] = true
					dec.settleAccount(p, a)
				}
			}
		}
	}
}

func (dec *decision) settleAccount(p *vcenterPlan, a ownAccount) {
	step := p.generations[a.component]
	why := dec.outside(p, a)
	if why == nil && p.leaves(a) {
		if text, _ := dec.whyKept(p, a); text != "" {
			why = &accounts.Refusal{Code: accounts.CannotBeRemoved, Text: text}
		}
	}
	switch {
	case why != nil:
		dec.drop(p, a, *why)
	case a.generation == step.Making:
		dec.handOver(p, a, dec.ownAccount(a.component, step.Current))
	case step.Replaced > 0:
		dec.handOver(p, a, dec.ownAccount(a.component, step.Replaced))
	default:
		dec.disable(p, a)
	}
}

// outside says which vCenter of an SSO domain has an account of a component without being part of this decision, if one has.
func (dec *decision) outside(p *vcenterPlan, a ownAccount) *accounts.Refusal {
	for _, other := range p.domainPlan.vcenters {
		if other.err != nil {
			return &accounts.Refusal{Code: accounts.Unplanned, Server: other.spec.Server}
		}
	}
	for _, server := range p.sections {
		if other := dec.vcenter(server); other != nil && other.err != nil {
			return &accounts.Refusal{Code: accounts.Unplanned, Server: server}
		}
	}
	return dec.leftOut(p.snapshot, func(server string) bool { return dec.stores(server, a.component) })
}

// stores reports whether the section of a vCenter in the credentials file has an account of ours for a component.
func (q *snapshots) stores(server string, c component.Name) bool {
	return q.Spec.Account(c).Generation(q.files().Section(server, c).File.User) > 0
}

// leftOut says which vCenter of an SSO domain uses an account without being part of this run, if one does: --vcenters left it out.
func (dec *decision) leftOut(s *snapshot, uses func(server string) bool) *accounts.Refusal {
	for _, server := range s.sections {
		if dec.vcenter(server) == nil && uses(server) {
			return &accounts.Refusal{Code: accounts.LeftOut, Server: server}
		}
	}
	return nil
}

// usedElsewhere is leftOut, also for a linked vCenter of which no file here knows: the account has permissions there, or it is not known
// whether it has.
func (dec *decision) usedElsewhere(s *snapshot, principal string, uses func(server string) bool) *accounts.Refusal {
	if why := dec.leftOut(s, uses); why != nil {
		return why
	}
	for _, l := range s.linked {
		if l.err != nil {
			return &accounts.Refusal{Code: accounts.Unread, Server: l.server, Text: l.err.Error()}
		}
		if l.held(s.userKey(principal)) > 0 {
			return &accounts.Refusal{Code: accounts.LeftOut, Server: l.server}
		}
	}
	return nil
}

// errLeftOut refuses to do something to an account on a vCenter only, because another one is left out.
func (s *snapshot) errLeftOut(principal string, why accounts.Refusal) error {
	way := "omit --vcenters, or name all of them"
	switch {
	case why.Code == accounts.Unread:
		way = "name " + why.Server + " too; if its name leads nowhere from here: --connect-to " + why.Server + "=ADDRESS; if it no longer exists, unregister it from the SSO domain"
	case !s.request.specifies(why.Server):
		way = "name " + why.Server + " too, in the specification or with --vcenters; if this vCenter no longer exists, remove its entries from " + s.request.Credentials.Path() + " by hand"
	}
	return hint.Errorf(way, "%s: %s: %s", s.spec.Server, principal, s.request.refusal(why))
}

// drop leaves an account as it is, on all vCenters of its SSO domain.
func (dec *decision) drop(p *vcenterPlan, a ownAccount, why accounts.Refusal) {
	principal := a.principal(p.snapshot)
	if why.Code == accounts.LeftOut {
		p.err = p.errLeftOut(principal, why)
	}
	p.domainPlan.staying[a.name] = true
	for _, other := range p.domainPlan.vcenters {
		about := func(c *plan.Change) bool {
			return c.Principal != "" && other.userKey(c.Principal) == other.userKey(principal) || c.Kind == plan.User && other.userKey(c.Name) == other.userKey(principal)
		}
		other.steps = slices.DeleteFunc(other.steps, func(step perms.Step) bool { return about(step.Change) })
		other.changes = slices.DeleteFunc(other.changes, about)
	}
	p.changes = append(p.changes, plan.Left("unchanged", dec.refusal(why), plan.Change{Kind: plan.User, Name: principal, Differs: true, Stays: true}))
}

// handOver adds the change that has an account take the place of another one: after all that it needs, on every vCenter of
// their SSO domain.
func (dec *decision) handOver(p *vcenterPlan, to, from ownAccount) {
	h := &handover{
		Record: accounts.Record{
			Component: to.component, From: from.principal(p.snapshot), To: credfile.Account{User: to.principal(p.snapshot)},
			Back: to.generation < from.generation,
		},
		domainPlan: p.domainPlan, account: to,
	}
	u, _ := p.sso.Own(to.name)
	h.change = &plan.Change{
		Verb: plan.Update, Kind: plan.User, Name: h.To.User, Note: "when it can do its work on every vCenter of the SSO domain",
		Before: plan.UserState{Description: u.Description}, After: plan.UserState{Description: u.Description, InsteadOf: h.From},
		Needs: []string{plan.Key(p.domainKey, plan.User, to.name)},
	}
	if p.accounts[h.Component].Outdated && !h.Back {
		h.change.Note += "; the password of " + h.From + " in " + dec.Credentials.Path() + " is not the one that was set last, so rotate undo may not go back to it"
	}
	for _, of := range h.vcenters {
		of.changes = append(of.changes, of.lacking(h.To.User, h.From)...)
		h.Servers = append(h.Servers, of.spec.Server)
		for _, step := range of.steps {
			if of.userKey(step.Principal) == of.userKey(h.To.User) {
				h.change.Needs = append(h.change.Needs, step.Provides)
			}
		}
	}
	p.changes = append(p.changes, h.change)
	dec.handovers = append(dec.handovers, h)
}
