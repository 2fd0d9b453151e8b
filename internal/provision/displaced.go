package provision

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// recordDisplaced writes down what the plan is going to displace, before it is sent to a vCenter.
func (dec *execution) recordDisplaced() error {
	if !dec.Does(plan.Permission) || !slices.ContainsFunc(dec.All, func(s *snapshot.Snapshot) bool { return len(s.Request.Adopted()) > 0 }) {
		return nil
	}
	if dec.DisplacedErr != nil {
		return dec.DisplacedErr
	}
	// Where an adopted account has permissions of ours there was a record, and its absence is not covered up by an empty one.
	provisioned := slices.ContainsFunc(dec.Planned(), func(p *decision.VCenterPlan) bool {
		return slices.ContainsFunc(p.Perms.All, func(had perms.Permission) bool { return p.Made(p.Wanted, had) })
	})
	if dec.Displaced.Found() || !provisioned {
		dec.Displaced.Begin()
	}
	for _, p := range dec.Planned() {
		dec.Displaced.Same = p.SSO.Same
		if p.Wanted != nil {
			for _, e := range p.Wanted.All { // whatever stood there once, others have taken it away since
				if e.Account.Adopted && e.At.Exists() && p.Exactly(e) == nil {
					dec.Displaced.Remove(p.Where(perms.Permission{Entity: e.At.Ref, Principal: e.Account.Principal.Name, Group: e.Account.Principal.Group}))
				}
			}
		}
		for _, step := range p.Steps {
			before, ok := step.Before.(plan.PermissionState)
			if ok && step.Verb == plan.Update && step.Displaces && step.Had != nil {
				f := p.Where(*step.Had)
				f.Path, f.Role, f.Propagate = step.Object, before.Role, before.Propagate
				dec.Displaced.Put(f)
			}
		}
	}
	return dec.Displaced.Save()
}

// forgetDisplaced drops from the record what was given back, or is gone with our permission.
func (dec *execution) forgetDisplaced() error {
	if dec.Displaced == nil || !dec.Does(plan.Permission) {
		return nil
	}
	left := false
	for _, p := range dec.Plans {
		if p.Err != nil {
			left = true
			continue
		}
		dec.Displaced.Same = p.SSO.Same
		for _, step := range p.Steps {
			switch removal := step.Verb == plan.Delete || step.Restores; {
			case !removal || step.Had == nil:
			case dec.work.Status(step.Change) == plan.Done:
				dec.Displaced.Remove(p.Where(*step.Had))
			default:
				left = true
			}
		}
	}
	if dec.Undoing && !left && dec.Spec.Before == nil { // nothing of ours is left on these vCenters
		for _, p := range dec.Plans {
			dec.Displaced.Clear(p.Instance)
		}
		dec.Displaced.End()
	}
	return dec.Displaced.Save()
}
