package decision

import (
	"cmp"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// markNarrowing marks the steps that take what a specification gave from an account that stays, so that the run wants word for it:
// fewer conditions, added privileges that are gone, an older file, another version of a matrix. Free is what the specification never
// gave, a role of somebody else, and what was typed: --prune takes objects that left, and 'reconcile prune' what the release is done with.
func (dec *Decision) markNarrowing(p *VCenterPlan) {
	if dec.Op != accounts.Keep { // a turn of generations changes the accounts alone that it makes or takes away
		return
	}
	var typed, leaving []string
	for _, a := range dec.Formerly {
		typed = append(typed, a.Privileges...)
	}
	for _, a := range dec.Prunable(p.Snapshot) {
		leaving = append(leaving, p.UserKey(a.Principal(p.Snapshot)))
	}
	for _, step := range p.Steps {
		if step.Strips || !step.Acts() || !p.takes(step, typed) || slices.Contains(leaving, step.Had.Key) {
			continue
		}
		at := step.Had.Entity
		if left := at != p.Root && !p.Wanted.Named[at] || p.narrows(p.Wanted, step); left && dec.Prune {
			continue
		}
		step.TakenBy = cmp.Or(step.TakenBy, "the specification")
	}
}

// takes reports whether a step takes rights of a role of ours, on its object or below it, besides those of a list.
func (s *VCenterPlan) takes(step perms.Step, besides []string) bool {
	if step.Had == nil || s.Facts[step.Had.RoleID].Kind == snapshot.ForeignRole {
		return false
	}
	before, _ := step.Before.(plan.PermissionState)
	after, stays := step.After.(plan.PermissionState)
	return len(lists.Without(step.Loses, besides)) > 0 || stays && before.Propagate && !after.Propagate
}
