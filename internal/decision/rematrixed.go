package decision

import (
	"cmp"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// markNarrowing marks the steps that take what a specification gave from an account that stays, so that the run wants word
// for it: fewer conditions, an older file, another matrix or version of one. Free is what the specification never gave, a role of
// somebody else, and what was typed: --prune takes objects that left, and 'reconcile prune' what the release is done with. A
// turn of generations changes the accounts alone that it makes or takes away.
func (dec *Decision) markNarrowing(p *VCenterPlan) {
	var typed []string
	for _, a := range dec.Formerly {
		typed = append(typed, a.Privileges...)
	}
	for _, step := range p.Steps {
		had := step.Had
		if had == nil || dec.Op != accounts.Keep || step.Strips || dec.leaves(p.Snapshot, had.Key) ||
			p.Facts[had.RoleID].Kind == snapshot.ForeignRole && p.Roles.Name(had.RoleID) != privileges.ReadOnly {
			continue
		}
		before, _ := step.Before.(plan.PermissionState)
		after, stays := step.After.(plan.PermissionState)
		takes := len(lists.Without(step.Loses, typed)) > 0 || stays && before.Propagate && !after.Propagate
		left := had.Entity != p.Root && !p.Wanted.Named[had.Entity] || p.narrows(p.Wanted, step)
		if takes && step.Acts() && !(left && dec.Prune) {
			step.TakenBy = cmp.Or(step.TakenBy, "the specification")
		}
	}
}

// Rematrixed names the matrix that explains most of what stands otherwise than it is wanted, where it gives accounts what this one takes,
// and has no reason of theirs advise to apply this one. What --additive mixed, no matrix explains alone. With one's own matrix nothing is
// said: what the accounts have may be what it said before, and no vCenter keeps its text.
func Rematrixed(q *snapshot.Request, v *verify.VCenter, s *snapshot.Snapshot, wanted *snapshot.Desired) error {
	if !slices.Contains(privileges.Names(), q.Spec.Privileges.Matrix) || !slices.ContainsFunc(v.Accounts, verify.Account.Failed) {
		return nil
	}
	p := &VCenterPlan{Snapshot: s, Wanted: wanted}
	made, with, mixed, most := "", (*snapshot.Desired)(nil), false, 0
	for _, name := range privileges.Names() {
		matrix, err := privileges.Load(name)
		if err != nil {
			return err
		}
		was, at := *s.Request, *s
		was.Strict, was.Matrix = false, was.Spec.Fold(matrix)
		at.Request = &was
		d, err := at.Bind()
		if err != nil || name == was.Spec.Privileges.Matrix {
			continue
		}
		if near, kept := p.nearer(d); max(near, kept) > most {
			made, with, mixed, most = name, d, near <= 0, max(near, kept)
		}
	}
	if made != "" && !mixed && slices.ContainsFunc(with.All, func(e *access.Permission) bool {
		added := wanted.On(e.At.Ref, e.Account.Key)
		return added != nil && p.stems(e, added) && len(lists.Without(e.Holds, added.Holds)) > 0
	}) {
		v.MadeOtherwise(made)
	}
	return nil
}

// nearer is how many more permissions of a vCenter are those of another matrix than those that are wanted, where the two differ.
// kept leaves those out that are wanted and hold what the other matrix asks for: --additive leaves them so.
func (p *VCenterPlan) nearer(other *snapshot.Desired) (near, kept int) {
	for _, e := range other.All {
		added := p.Wanted.On(e.At.Ref, e.Account.Key)
		switch {
		case added != nil && added.Role == e.Role:
		case p.exists(e):
			near, kept = near+1, kept+1
		case p.stems(e, added):
			near++
		}
	}
	for _, w := range p.Wanted.All {
		if e := other.On(w.At.Ref, w.Account.Key); (e == nil || e.Role != w.Role) && p.exists(w) {
			near--
			if e != nil && len(lists.Without(e.Holds, w.Holds)) > 0 {
				kept--
			}
		}
	}
	return near, kept
}

// exists reports whether a permission is there as it is wanted.
func (p *VCenterPlan) exists(e *access.Permission) bool {
	had := p.Exactly(e)
	return had != nil && p.Roles.Name(had.RoleID) == e.Role
}

// stems reports whether what stands where a permission is wanted was made for it, or was before --additive added another to it.
func (p *VCenterPlan) stems(e, added *access.Permission) bool {
	had := p.Exactly(e)
	if had == nil || added == nil || p.exists(added) {
		return p.exists(e)
	}
	role, _ := p.Roles.ByID(had.RoleID)
	return p.exists(e) || slices.Equal(privileges.Strip(role.Privileges), privileges.Strip(slices.Concat(e.Holds, added.Holds)))
}
