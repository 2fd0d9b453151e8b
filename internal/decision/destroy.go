package decision

import (
	"errors"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// Unrecorded says where adopted accounts lose what this cluster gave them while nobody knows what they had before.
func (dec *Decision) Unrecorded() []*finding.Finding {
	var where []string
	for _, p := range dec.Planned() {
		if slices.ContainsFunc(p.Steps, func(step perms.Step) bool { return step.Had.Group || !p.isOf(*step.Had, p.Owned()) }) {
			where = append(where, p.VCenter.Server)
		}
	}
	if len(where) == 0 || dec.Displaced.Found() {
		return nil
	}
	return []*finding.Finding{finding.New(finding.UnknownBefore, "", "earlier permissions of adopted accounts on %s are not known, so none are restored: %s is not there", lists.Few(where), dec.Displaced.Path())}
}

// Undo decides what takes back an apply on a vCenter.
func (dec *Decision) Undo(p *VCenterPlan) ([]*plan.Change, error) {
	s := p.Snapshot
	if err := errors.Join(dec.checkNames(s, true), dec.DisplacedErr, s.CheckForeign(), p.checkMarks()); err != nil {
		return nil, err
	}
	if !dec.Does(plan.Permission) {
		return nil, nil
	}
	// What an adopted account holds is told by its role, and by the wanted place where somebody changed the role since. A
	// failure domain whose objects are gone has none.
	p.Wanted, _ = s.Bind()
	if err := dec.takeBack(p); err != nil {
		return nil, err
	}
	p.unnamed()
	dec.notPruned(p)
	return perms.Changes(p.Steps), nil
}

// removable are the accounts to remove: for destroy those of the specification, for --prune those that it dropped. A destroy
// leaves the dropped ones: another specification of the same cluster may name them.
func (dec *Decision) removable(p *VCenterPlan) []snapshot.OwnAccount {
	if dec.Undoing {
		return slices.DeleteFunc(p.OwnAccounts(), func(a snapshot.OwnAccount) bool {
			_, exists := p.SSO.Own(a.Name)
			return !exists
		})
	}
	return slices.DeleteFunc(dec.Prunable(p.Snapshot), func(a snapshot.OwnAccount) bool { return p.DomainPlan.staying[a.Name] })
}

// takeBack plans the removal of our accounts' permissions, and of those that adopted ones have from us.
func (dec *Decision) takeBack(p *VCenterPlan) error {
	s := p.Snapshot
	ours := s.Owned() // also accounts that are gone: a vCenter drops their permissions only once a day
	of := func(had perms.Permission) string {
		for _, name := range ours {
			if p.isOf(had, []string{name}) {
				return name
			}
		}
		for _, g := range s.Adoptees() {
			if s.Holds(g, had) && s.Made(p.Wanted, had) {
				return g.Name
			}
		}
		return ""
	}
	p.Steps = s.Perms.Removals(of, s.Roles, perms.Options{
		Place: s.Place, Former: dec.former(s), Made: func(had perms.Permission) bool { return !p.isOf(had, ours) },
	})
	return nil
}
