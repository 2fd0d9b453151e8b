package provision

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// PlanDestroy says what undoes an Apply: the permissions of our accounts wherever they stand, those that this cluster gave
// adopted ones, the accounts, and the roles that nobody else uses.
func (j *Job) PlanDestroy(ctx context.Context) *plan.Plan {
	e := j.read(ctx, j.Request.Undo())
	p := j.propose(ctx, e.Decide((*decision.Decision).Undo))
	p.Findings = slices.Concat(e.LeftGlobal(), e.Left(), p.Findings, j.decided.Unrecorded())
	return p
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
			if a, ok := j.Credentials.Get(v.Server, c); ok && !j.target(v.Server).Owns(c) && a.User != "" {
				return true
			}
		}
	}
	return len(j.decided.LeftEntries()) > 0 || slices.ContainsFunc(j.decided.Planned(), func(p *decision.VCenterPlan) bool {
		return slices.ContainsFunc(append(p.OwnAccounts(), p.Dropped()...), func(a snapshot.OwnAccount) bool {
			return j.Request.Stored(p.VCenter.Server, a.Principal(p.Snapshot), a.Component)
		})
	})
}

// forgetRemoved takes the accounts out of the credentials file that are gone.
func (dec *execution) forgetRemoved(done *plan.Plan) error {
	if !dec.Does(plan.User) {
		return nil
	}
	kept := map[string]bool{} // accounts that are still there, with the server that was to delete them
	for _, f := range done.Findings {
		if f.Object != nil && f.Object.Kind == string(plan.User) {
			kept[strings.ToLower(f.Object.Name)+"\x00"+f.Server] = true
		}
	}
	for v, c := range done.Changes() {
		if c.Kind == plan.User {
			kept[strings.ToLower(c.Name)+"\x00"+v.Server] = v.Status(c) != plan.Done
		}
	}
	// keeps reports whether an account of a vCenter's SSO domain is still there.
	keeps := func(p *decision.VCenterPlan, principal string) bool {
		return slices.ContainsFunc(dec.Plans, func(other *decision.VCenterPlan) bool {
			return other.DomainKey == p.DomainKey && (other.Err != nil || kept[strings.ToLower(principal)+"\x00"+other.VCenter.Server])
		})
	}
	var gone []credfile.Entry
	for _, p := range dec.Planned() {
		for _, a := range dec.gone(p.Snapshot) {
			if principal := a.Principal(p.Snapshot); dec.Stored(p.VCenter.Server, principal, a.Component) && (!keeps(p, principal) || dec.departed(p, a)) {
				gone = append(gone, credfile.Entry{Server: p.VCenter.Server, Component: a.Component})
			}
		}
	}
	dec.Credentials.RemoveAll(gone)
	return errors.Join(dec.Credentials.Save(), dec.forget(func(p *decision.VCenterPlan, principal string) bool { return !keeps(p, principal) }))
}

// departed reports whether a destroy took all that an account had on one of several linked vCenters, while the others work with it:
// its entry may go where they have the password, too. A rotation needs it as long as it lasts.
func (dec *execution) departed(p *decision.VCenterPlan, a snapshot.OwnAccount) bool {
	if _, used := dec.WhyKept(p, a); !dec.Undoing || !used || dec.Files().Section(p.VCenter.Server, a.Component).Journal.User != "" {
		return false
	}
	for _, had := range p.Perms.Held(p.UserKey(a.Principal(p.Snapshot))) {
		if !slices.ContainsFunc(p.Steps, func(step perms.Step) bool {
			return step.Had != nil && *step.Had == had && step.Verb == plan.Delete && dec.work.Status(step.Change) == plan.Done
		}) {
			return false
		}
	}
	here, _ := dec.Credentials.Get(p.VCenter.Server, a.Component)
	return slices.ContainsFunc(p.Sections, func(server string) bool {
		there, ok := dec.Credentials.Get(server, a.Component)
		return ok && dec.VCenter(server) == nil && strings.EqualFold(there.User, here.User) && there.Password.Equal(here.Password)
	})
}

// gone are the accounts whose entries may go: of a destroy also those that were gone before.
func (dec *execution) gone(s *snapshot.Snapshot) []snapshot.OwnAccount {
	if dec.Undoing {
		return s.OwnAccounts()
	}
	return dec.Prunable(s)
}
