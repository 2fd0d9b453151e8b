package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// PlanDestroy says what undoes an Apply: the permissions of our accounts wherever they stand, those that this cluster gave
// adopted ones, the accounts, and the roles that nobody else uses.
func (j *Job) PlanDestroy(ctx context.Context) *plan.Plan {
	j.undoing = true
	j.each(ctx, j.gather)
	j.readDomains(ctx, true)
	return j.assemble(func(s *site) ([]*plan.Change, error) { return j.undo(s) })
}

func (j *Job) undo(s *site) ([]*plan.Change, error) {
	if err := errors.Join(j.foreign(s), j.marks(s)); err != nil {
		return nil, err
	}
	if !j.does(plan.Permission) {
		return nil, nil
	}
	// What an adopted account holds is told by its role, and by the wanted place where somebody changed the role since. A
	// failure domain whose objects are gone has none.
	s.wanted, _ = j.bind(s)
	if err := j.takeBack(s); err != nil {
		return nil, err
	}
	changes := append(j.unnamed(s), j.notPruned(s)...)
	adopted := false
	for _, step := range s.steps {
		changes = append(changes, step.Change)
		adopted = adopted || step.Had.Group || !s.isOf(*step.Had, j.owned(s))
	}
	if adopted && !j.displaced.Found() {
		changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.Permission, Note: "whether adopted accounts had other permissions here before is not known, and nothing is given back: " +
			j.displaced.Path() + " is not there"})
	}
	return changes, nil
}

// foreign refuses to touch accounts of our names that are not ours.
func (j *Job) foreign(s *site) error {
	var errs []error
	for _, a := range j.ownAccounts() {
		u, exists := s.sso.Users[strings.ToLower(a.name)]
		if exists && u.Description != sso.Mark(j.o.Spec.Cluster, a.component) {
			errs = append(errs, fmt.Errorf("%s: account %s is not ours (its description is %q); nothing of it is removed",
				s.spec.Server, u.Name, u.Description))
		}
	}
	return errors.Join(errs...)
}

// removable are the accounts to remove: for destroy those of the specification, for --prune those that it dropped. A destroy
// leaves the dropped ones: another specification of the same cluster may name them.
func (j *Job) removable(s *site) []ownAccount {
	if j.undoing {
		return slices.DeleteFunc(j.ownAccounts(), func(a ownAccount) bool {
			_, exists := s.sso.Own(a.name)
			return !exists
		})
	}
	return j.prunable(s)
}

// takeBack plans into s.steps the removal of our accounts' permissions, and of those that adopted ones have from us.
func (j *Job) takeBack(s *site) error {
	ours := j.owned(s) // also accounts that are gone: a vCenter drops their permissions only once a day
	of := func(p perms.Permission) string {
		for _, name := range ours {
			if s.isOf(p, []string{name}) {
				return name
			}
		}
		for _, g := range j.adoptees(s) {
			if s.holds(g, p) && j.made(s, p) {
				return g.Name
			}
		}
		return ""
	}
	if err := j.openDisplaced(); err != nil {
		return err
	}
	former, err := j.former(s)
	if err != nil {
		return err
	}
	s.steps = s.perms.Removals(of, s.roles, perms.Options{Path: s.path, Former: former, Made: func(p perms.Permission) bool { return !s.isOf(p, ours) }})
	return nil
}

// Destroy does what PlanDestroy said; the entries of the credentials file go last, each when its account is gone from
// every vCenter of its SSO domain.
func (j *Job) Destroy(ctx context.Context, p *plan.Plan) error {
	p.Execute(ctx, plan.ExecuteOptions{Parallel: j.o.Parallel, Done: j.done, Finished: j.of(j.rest)})
	return errors.Join(j.forgetDisplaced(), j.forgetRemoved(p))
}

// forgetRemoved takes the accounts out of the credentials file that are gone.
func (j *Job) forgetRemoved(p *plan.Plan) error {
	if !j.does(plan.User) {
		return nil
	}
	kept := map[string]bool{} // accounts that are still there, with the server that was to delete them
	for _, v := range p.VCenters {
		for _, c := range v.Changes {
			if c.Kind == plan.User { // notes come before the change that they are about
				kept[strings.ToLower(c.Name)+"\x00"+v.Server] = c.Status != plan.Done
			}
		}
	}
	var gone []credfile.Entry
	for _, s := range j.sites {
		if s.err != nil {
			continue
		}
		for _, a := range j.gone(s) {
			stored, ok := j.o.Credentials.Get(s.spec.Server, a.component)
			if !ok || !strings.EqualFold(stored.User, a.principal(s)) || j.keeps(kept, s, a.principal(s)) {
				continue
			}
			gone = append(gone, credfile.Entry{Server: s.spec.Server, Component: a.component})
		}
	}
	j.o.Credentials.RemoveAll(gone)
	return errors.Join(j.o.Credentials.Save(), j.forget(func(s *site, principal string) bool { return !j.keeps(kept, s, principal) }))
}

// gone are the accounts whose entries may go: of a destroy also those that were gone before.
func (j *Job) gone(s *site) []ownAccount {
	if j.undoing {
		return j.ownAccounts()
	}
	return j.prunable(s)
}

// keeps tells whether an account of s's SSO domain is still there.
func (j *Job) keeps(kept map[string]bool, s *site, principal string) bool {
	for _, other := range j.sites {
		if other.domainKey == s.domainKey && (other.err != nil || kept[strings.ToLower(principal)+"\x00"+other.spec.Server]) {
			return true
		}
	}
	return false
}
