package provision

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// turnOver decides what a turn of generations comes to on a vCenter: what serves the accounts that are made, or takes those away
// that leave, and nothing else.
func (dec *decision) turnOver(p *part) ([]*plan.Change, error) {
	changes, err := dec.change(p)
	if err != nil {
		return nil, err
	}
	concerned := map[string]bool{}
	for _, a := range dec.ownAccounts(p.snapshot) {
		concerned[p.userKey(a.principal(p.snapshot))] = p.turns(a)
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
	notes, err := dec.turnNotes(p.snapshot)
	return append(notes, kept...), err
}

// turnNotes says of the accounts that are left as they are why they are. One that was asked for by name is an error, but where the
// run replaces others, one that awaits its finish may be what an earlier run did of the same command. One that was asked for with all
// others, or is due by limits, is an error in the end: it does not keep the others from being replaced.
func (dec *decision) turnNotes(s *snapshot) ([]*plan.Change, error) {
	var notes []*plan.Change
	var errs []error
	for _, c := range dec.Spec.ComponentNames() {
		why, wrong := "belongs to somebody else (components."+string(c)+".principal): ask the owner of it for a new password, then run credentials import", true
		if dec.owns(c) {
			why, wrong = dec.hinders(s, c, s.accounts[c])
		}
		due, limited := dec.due(s, c)
		again := why == awaitsFinish && dec.turnsAny()
		everybody := !dec.named && dec.picked == nil && dec.owns(c) && !dec.Spec.Disabled(c)
		switch {
		case why == "":
		case wrong && (due || everybody && !again):
			dec.block(finding.Account{Server: s.spec.Server, Component: c, Principal: dec.principal(s, c)}, why)
		case wrong && dec.named && !limited && !again:
			errs = append(errs, fmt.Errorf("%s: %s: %s", s.spec.Server, dec.principal(s, c), why))
		default:
			notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: dec.principal(s, c), Note: why})
		}
	}
	if dec.turn != replacing {
		for _, a := range dec.droppedTurning(s) {
			notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: a.principal(s), Differs: true, Stays: true, Note: "unchanged: " + string(a.component) +
				" left the specification while a rotation of its account was unfinished: name it again to finish or undo that, or remove all of its accounts with apply --prune"})
		}
	}
	return notes, errors.Join(errs...)
}

// due reports whether limits choose the account that a component works with. limited: there are limits, and an account that they can be
// held against.
func (q *asked) due(s *snapshot, c component.Name) (due, limited bool) {
	u, exists := q.ours(s, q.ownAccount(c, s.generations[c].Current))
	limited = q.picked != nil && q.owns(c) && exists
	return limited && !q.Spec.Disabled(c) && q.picked(s, u) == "", limited
}

// block notes an account that was asked for and stays as it is, with the others of which the same is true.
func (dec *decision) block(a finding.Account, why string) {
	i := slices.IndexFunc(dec.blocked, func(f *finding.Finding) bool { return strings.HasSuffix(f.Text, why) })
	if i < 0 {
		i, dec.blocked = len(dec.blocked), append(dec.blocked, finding.New(finding.BlockedRotation, "", ""))
	}
	f := dec.blocked[i]
	f.Accounts = append(f.Accounts, a)
	rotation := many(f, "have its rotation ", "have their rotations ")
	what := map[turn]string{finishing: rotation + "finished", reverting: rotation + "undone", withdrawing: rotation + "undone"}
	subject := many(f, "an account", "%d accounts")
	if dec.picked != nil {
		subject += many(f, " that is due", " that are due")
	}
	f.Text = subject + " cannot " + cmp.Or(what[dec.turn], "be rotated") + ": " + folded(f.Accounts) + ": " + why
}

// turnsAny reports whether the run does something about any account.
func (e *estate) turnsAny() bool {
	return slices.ContainsFunc(e.all, func(s *snapshot) bool {
		return s.err == nil && slices.ContainsFunc(e.ownAccounts(s), s.turns)
	})
}

// settleTurn decides about each SSO domain once all of its vCenters are: an account is handed over, or removed, on all of them
// or not at all.
func (dec *decision) settleTurn() {
	seen := map[passwordKey]bool{}
	for _, p := range dec.parts {
		if p.err != nil {
			continue
		}
		for _, a := range dec.ownAccounts(p.snapshot) {
			g := p.generations[a.component]
			if seen[p.passwordKey(a)] || !p.turns(a) {
				continue
			}
			seen[p.passwordKey(a)] = true
			why := dec.apart(p, a)
			if why == "" && p.leaves(a) {
				why, _ = dec.stays(p, a)
			}
			switch {
			case why != "":
				dec.drop(p, a, why)
			case a.generation == g.making:
				dec.handOver(p, a, dec.ownAccount(a.component, g.Current))
			case g.former > 0:
				dec.handOver(p, a, dec.ownAccount(a.component, g.former))
			default:
				dec.disable(p, a)
			}
		}
	}
}

// apart says which vCenter of an SSO domain has an account of a component without being part of this decision; "" where none.
func (dec *decision) apart(p *part, a ownAccount) string {
	for _, other := range dec.sharingParts(p.domainKey) {
		if other.err != nil {
			return other.spec.Server + ", in the same SSO domain, could not be planned"
		}
	}
	for _, server := range p.sections {
		if other := dec.part(server); other != nil && other.err != nil {
			return server + ", in the same SSO domain, could not be planned"
		}
	}
	return dec.leftOut(p.snapshot, func(server string) bool { return dec.stores(server, a.component) })
}

// stores reports whether the section of a vCenter in the credentials file has an account of ours for a component.
func (q *asked) stores(server string, c component.Name) bool {
	return q.Spec.Account(c).Generation(q.user(server, c)) > 0
}

// leftOut says which vCenter of an SSO domain uses an account without being part of this run; "" where none.
func (dec *decision) leftOut(s *snapshot, uses func(server string) bool) string {
	for _, server := range s.sections {
		if dec.part(server) == nil && uses(server) {
			return server + ", in the same SSO domain, uses the account too, and " + notPart
		}
	}
	return ""
}

// notPart ends why nothing is done where --vcenters left a vCenter out.
const notPart = "is not part of this run"

// errLeftOut refuses to do something to an account on a vCenter only; why begins with the one that is left out and ends in notPart.
func (q *asked) errLeftOut(s *snapshot, principal, why string) error {
	way := "omit --vcenters, or name all of them"
	if server, _, _ := strings.Cut(why, ","); !q.specifies(server) {
		way = "name " + server + " too, in the specification or with --vcenters; if this vCenter no longer exists, remove its entries from " + q.Credentials.Path() + " by hand"
	}
	return hint.Errorf(way, "%s: %s: %s", s.spec.Server, principal, why)
}

// drop leaves an account as it is, on all vCenters of its SSO domain.
func (dec *decision) drop(p *part, a ownAccount, why string) {
	principal := a.principal(p.snapshot)
	if strings.HasSuffix(why, notPart) {
		p.err = dec.errLeftOut(p.snapshot, principal, why)
	}
	dec.staying[p.passwordKey(a)] = true
	for _, other := range dec.sharingParts(p.domainKey) {
		about := func(c *plan.Change) bool {
			return c.Principal != "" && other.userKey(c.Principal) == other.userKey(principal) || c.Kind == plan.User && other.userKey(c.Name) == other.userKey(principal)
		}
		other.steps = slices.DeleteFunc(other.steps, func(step perms.Step) bool { return about(step.Change) })
		other.changes = slices.DeleteFunc(other.changes, about)
	}
	p.changes = append(p.changes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: principal, Note: "unchanged: " + why, Differs: true, Stays: true})
}

// handOver adds the change that has an account take the place of another one: after all that it needs, on every vCenter of
// their SSO domain.
func (dec *decision) handOver(p *part, to, from ownAccount) {
	h := &handover{
		component: to.component, parts: dec.sharingParts(p.domainKey), from: from.principal(p.snapshot), to: to.principal(p.snapshot),
		account: to, back: to.generation < from.generation, password: dec.passwords[p.passwordKey(to)],
	}
	u, _ := p.sso.Own(to.name)
	h.change = &plan.Change{
		Verb: plan.Update, Kind: plan.User, Name: h.to, Note: "when it can do its work on every vCenter of the SSO domain",
		Before: plan.UserState{Description: u.Description}, After: plan.UserState{Description: u.Description, InsteadOf: h.from},
		Needs: []string{plan.Key(p.domainKey, plan.User, to.name)},
	}
	if p.accounts[h.component].Outdated && !h.back {
		h.change.Note += "; the password of " + h.from + " in " + dec.Credentials.Path() + " is not the one that was set last, so rotate undo may not go back to it"
	}
	for _, of := range h.parts {
		of.changes = append(of.changes, of.lacking(h.to, h.from)...)
		h.servers = append(h.servers, of.spec.Server)
		for _, step := range of.steps {
			if of.userKey(step.Principal) == of.userKey(h.to) {
				h.change.Needs = append(h.change.Needs, step.Provides)
			}
		}
	}
	p.changes = append(p.changes, h.change)
	dec.handovers = append(dec.handovers, h)
}
