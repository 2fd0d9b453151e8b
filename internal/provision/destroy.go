package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// PlanDestroy says what undoes an Apply: the permissions of our accounts wherever they stand, those that this cluster gave
// adopted ones, the accounts, and the roles that nobody else uses.
func (j *Job) PlanDestroy(ctx context.Context) *plan.Plan {
	e := j.read(ctx, j.Request.undo())
	p := j.propose(ctx, e.decide((*decision).undo))
	j.first(p, e.leftBehind())
	p.Findings = append(p.Staying(), j.decided.unrecorded()...)
	return p
}

// unrecorded says where adopted accounts lose what this cluster gave them while nobody knows what they had before.
func (dec *decision) unrecorded() []*finding.Finding {
	var where []string
	for _, p := range dec.vcenters {
		if p.err == nil && slices.ContainsFunc(p.steps, func(step perms.Step) bool { return step.Had.Group || !p.isOf(*step.Had, p.owned()) }) {
			where = append(where, p.spec.Server)
		}
	}
	if len(where) == 0 || dec.displaced.Found() {
		return nil
	}
	return []*finding.Finding{finding.New(finding.UnknownBefore, "", "earlier permissions of adopted accounts on %s are not known, so none are restored: %s is not there", lists.Few(where), dec.displaced.Path())}
}

// undo decides what takes back an apply on a vCenter.
func (dec *decision) undo(p *vcenterPlan) ([]*plan.Change, error) {
	s := p.snapshot
	if err := errors.Join(dec.displacedErr, s.checkForeign(), p.checkMarks()); err != nil {
		return nil, err
	}
	if !dec.does(plan.Permission) {
		return nil, nil
	}
	// What an adopted account holds is told by its role, and by the wanted place where somebody changed the role since. A
	// failure domain whose objects are gone has none.
	p.wanted, _ = s.bind()
	if err := dec.takeBack(p); err != nil {
		return nil, err
	}
	changes := append(p.unnamed(), dec.notPruned(s)...)
	return append(changes, perms.Changes(p.steps)...), nil
}

// checkForeign refuses to touch accounts with our names that this tool did not create.
func (s *snapshot) checkForeign() error {
	var errs []error
	for _, a := range s.ownAccounts() {
		if c := s.compared(a.name, a.component); c.Foreign {
			errs = append(errs, fmt.Errorf("%s: account %s %s; nothing is removed", s.spec.Server, c.User.Name, c.User.Origin()))
		}
	}
	return errors.Join(errs...)
}

// removable are the accounts to remove: for destroy those of the specification, for --prune those that it dropped. A destroy
// leaves the dropped ones: another specification of the same cluster may name them.
func (dec *decision) removable(p *vcenterPlan) []ownAccount {
	if dec.undoing {
		return slices.DeleteFunc(p.ownAccounts(), func(a ownAccount) bool {
			_, exists := p.sso.Own(a.name)
			return !exists
		})
	}
	return slices.DeleteFunc(dec.prunable(p.snapshot), func(a ownAccount) bool { return p.domainPlan.staying[a.name] })
}

// takeBack plans the removal of our accounts' permissions, and of those that adopted ones have from us.
func (dec *decision) takeBack(p *vcenterPlan) error {
	s := p.snapshot
	ours := s.owned() // also accounts that are gone: a vCenter drops their permissions only once a day
	of := func(had perms.Permission) string {
		for _, name := range ours {
			if p.isOf(had, []string{name}) {
				return name
			}
		}
		for _, g := range s.adoptees() {
			if s.holds(g, had) && s.made(p.wanted, had) {
				return g.Name
			}
		}
		return ""
	}
	p.steps = s.perms.Removals(of, s.roles, perms.Options{
		Place: s.place, Former: dec.former(s), Made: func(had perms.Permission) bool { return !p.isOf(had, ours) },
	})
	return nil
}

// Destroy does what PlanDestroy said; the entries of the credentials file go last, each when its account is gone from
// every vCenter of its SSO domain.
func (j *Job) Destroy(ctx context.Context, p *plan.Plan) error {
	j.execute(ctx, p, nil)
	return errors.Join(j.decided.forgetDisplaced(), j.decided.forgetRemoved(p))
}

// Stored reports whether the credentials file has an account for any of the vCenters, as the last plan read them: one of ours, one
// that the specification dropped, or one of others, which stays.
func (j *Job) Stored() bool {
	for _, v := range j.Spec.VCenters {
		for _, c := range j.Spec.ComponentNames() {
			if a, ok := j.Credentials.Get(v.Server, c); ok && !j.Request.owns(c) && a.User != "" {
				return true
			}
		}
	}
	return len(j.decided.leftEntries()) > 0 || slices.ContainsFunc(j.decided.vcenters, func(p *vcenterPlan) bool {
		return p.err == nil && slices.ContainsFunc(append(p.ownAccounts(), p.dropped()...), func(a ownAccount) bool {
			return j.Request.stored(p.spec.Server, a.principal(p.snapshot), a.component)
		})
	})
}

// forgetRemoved takes the accounts out of the credentials file that are gone.
func (dec *execution) forgetRemoved(done *plan.Plan) error {
	if !dec.does(plan.User) {
		return nil
	}
	kept := map[string]bool{} // accounts that are still there, with the server that was to delete them
	for v, c := range done.Changes() {
		if c.Kind == plan.User { // notes come before the change that they are about
			kept[strings.ToLower(c.Name)+"\x00"+v.Server] = v.Status(c) != plan.Done
		}
	}
	// keeps reports whether an account of a vCenter's SSO domain is still there.
	keeps := func(p *vcenterPlan, principal string) bool {
		return slices.ContainsFunc(dec.vcenters, func(other *vcenterPlan) bool {
			return other.domainKey == p.domainKey && (other.err != nil || kept[strings.ToLower(principal)+"\x00"+other.spec.Server])
		})
	}
	var gone []credfile.Entry
	for _, p := range dec.vcenters {
		if p.err != nil {
			continue
		}
		for _, a := range dec.gone(p.snapshot) {
			if principal := a.principal(p.snapshot); dec.stored(p.spec.Server, principal, a.component) && (!keeps(p, principal) || dec.departed(p, a)) {
				gone = append(gone, credfile.Entry{Server: p.spec.Server, Component: a.component})
			}
		}
	}
	dec.Credentials.RemoveAll(gone)
	return errors.Join(dec.Credentials.Save(), dec.forget(func(p *vcenterPlan, principal string) bool { return !keeps(p, principal) }))
}

// departed reports whether a destroy took all that an account had on one of several linked vCenters, while the others work with it:
// its entry may go where they have the password, too. A rotation needs it as long as it lasts.
func (dec *execution) departed(p *vcenterPlan, a ownAccount) bool {
	if _, used := dec.whyKept(p, a); !dec.undoing || !used || dec.files().Section(p.spec.Server, a.component).Journal.User != "" {
		return false
	}
	for _, had := range p.perms.Held(p.userKey(a.principal(p.snapshot))) {
		if !slices.ContainsFunc(p.steps, func(step perms.Step) bool {
			return step.Had != nil && *step.Had == had && step.Verb == plan.Delete && dec.work.Status(step.Change) == plan.Done
		}) {
			return false
		}
	}
	here, _ := dec.Credentials.Get(p.spec.Server, a.component)
	return slices.ContainsFunc(p.sections, func(server string) bool {
		there, ok := dec.Credentials.Get(server, a.component)
		return ok && dec.vcenter(server) == nil && strings.EqualFold(there.User, here.User) && there.Password.Equal(here.Password)
	})
}

// gone are the accounts whose entries may go: of a destroy also those that were gone before.
func (dec *execution) gone(s *snapshot) []ownAccount {
	if dec.undoing {
		return s.ownAccounts()
	}
	return dec.prunable(s)
}
