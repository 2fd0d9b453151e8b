package decision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// checkMatrix refuses to take privileges from accounts because the specification names another
// matrix than they were made with, unless --prune marks the steps for confirmation. An own matrix
// is never refused, because the vCenter does not keep its earlier text.
func (d *Decision) checkMatrix(p *VCenterPlan) error {
	asked := d.Request.Spec.Privileges.Matrix
	if d.Request.Additive || !slices.Contains(privileges.Names(), asked) ||
		!slices.ContainsFunc(p.Steps, loses) {
		return nil
	}
	made, with, mixed, err := p.madeWith()
	if err != nil {
		return err
	}
	var objects []string
	for _, step := range p.Steps {
		had := step.Had
		if loses(step) && p.matches(with.On(had.Entity, had.Key), p.Wanted.On(had.Entity, had.Key)) {
			objects = lists.AppendNew(objects, step.Object)
			step.TakenBy = "matrix " + asked
		}
	}
	if len(objects) == 0 || d.Request.Prune {
		return nil
	}
	hints := []string{
		"to keep the matrix that they were made with, write matrix: " + made +
			" in the file: " + d.Request.Command("plan", "--matrix", made),
		"to add what matrix " + asked + " asks for, and take no privileges: " +
			d.Request.Command("apply", "--additive"),
		"to see what it takes: " + d.Request.Command("plan", "--full", "--prune"),
		"if no component needs these privileges: " + d.Request.Command("apply", "--prune", "--applied"),
	}
	if mixed { // this one adds nothing to the other
		hints = hints[2:]
	}
	return hint.Wrap(fmt.Errorf("%s: the accounts have the privileges of matrix %s: matrix %s would take some from them on %s",
		p.At.VCenter.Server, made, asked, lists.Few(objects)), hints...)
}

// loses reports whether a step takes privileges from a permission that exists.
func loses(s perms.Step) bool { return s.Had != nil && len(s.Loses) > 0 }

// markNarrowing marks steps that take what a specification gave from an account that stays, for
// confirmation: fewer conditions, an older file, another matrix. It leaves out what no
// specification gave, roles of others, 'reconcile prune' and rotations.
func (d *Decision) markNarrowing(p *VCenterPlan) {
	var typed []string
	for _, a := range d.Request.Formerly {
		typed = append(typed, a.Privileges...)
	}
	for _, step := range p.Steps {
		had := step.Had
		if had == nil || d.Request.Op != accounts.Keep || step.Strips || d.leaves(p.At, had.Key) ||
			p.At.Facts[had.RoleID].Kind == snapshot.ForeignRole && p.At.Roles.Name(had.RoleID) != privileges.ReadOnly {
			continue
		}
		before, _ := step.Before.(plan.PermissionState)
		after, stays := step.After.(plan.PermissionState)
		takes := len(lists.Without(step.Loses, typed)) > 0 || stays && before.Propagate && !after.Propagate
		dropped := had.Entity != p.At.Root && !p.Wanted.Named[had.Entity] || p.narrows(p.Wanted, step)
		switch {
		case !takes:
		case dropped && d.Request.Prune:
			step.TakenBy, step.Dropped = cmp.Or(step.TakenBy, "--prune"), step.TakenBy == ""
		default:
			step.TakenBy = cmp.Or(step.TakenBy, "the specification")
		}
	}
}

// madeWith returns the embedded matrix that explains most differences from what is wanted; "" if
// none does. mixed: --additive kept it beside what is asked for.
func (v *VCenterPlan) madeWith() (made string, with *snapshot.Desired, mixed bool, err error) {
	most := 0
	for _, name := range privileges.Names() {
		matrix, err := privileges.Load(name)
		if err != nil {
			return "", nil, false, err
		}
		was, at := *v.At.Request, *v.At
		was.Strict, was.Matrix = false, was.Spec.Fold(matrix)
		at.Request = &was
		d, err := at.Bind()
		if err != nil || name == was.Spec.Privileges.Matrix {
			continue
		}
		if near, kept := v.nearer(d); max(near, kept) > most {
			made, with, mixed, most = name, d, near <= 0, max(near, kept)
		}
	}
	return made, with, mixed, nil
}

// Rematrixed marks a verification with the other matrix or profile where [Decision.checkMatrix] or
// checkShared would refuse this one, so that no finding advises it. No matrix explains a mix by
// --additive.
func Rematrixed(q *snapshot.Request, v *verify.VCenter, s *snapshot.Snapshot, d *snapshot.Desired) error {
	if !slices.ContainsFunc(v.Accounts, verify.Account.Failed) {
		return nil
	}
	p := &VCenterPlan{At: s, Wanted: d}
	for _, other := range openshift.Profiles() {
		for _, e := range d.Wanted.All {
			had := s.Exactly(e)
			if other.Name != q.Spec.Profile && had != nil && p.madeFor(*had, other, e.Account.Component) {
				v.MadeOtherwise("profile", other.Name)
				return nil
			}
		}
	}
	made, with, mixed, err := p.madeWith()
	if err != nil || made == "" || mixed || !slices.Contains(privileges.Names(), q.Spec.Privileges.Matrix) ||
		!slices.ContainsFunc(with.Wanted.All, func(e *access.Permission) bool {
			wanted := d.On(e.At.Ref, e.Account.Key)
			return wanted != nil && p.matches(e, wanted) && len(lists.Without(e.Holds, wanted.Holds)) > 0
		}) {
		return err
	}
	v.MadeOtherwise("matrix", made)
	return nil
}

// nearer returns how many more permissions of a vCenter follow another matrix than the wanted one,
// where the two differ. kept counts those that --additive left wider than wanted.
func (v *VCenterPlan) nearer(other *snapshot.Desired) (near, kept int) {
	for _, e := range other.Wanted.All {
		added := v.Wanted.On(e.At.Ref, e.Account.Key)
		switch {
		case added != nil && added.Role == e.Role:
		case v.matches(e, nil):
			near, kept = near+1, kept+1
		case v.matches(e, added):
			near++
		}
	}
	for _, w := range v.Wanted.Wanted.All {
		if e := other.On(w.At.Ref, w.Account.Key); (e == nil || e.Role != w.Role) && v.matches(w, nil) {
			near--
			if e != nil && len(lists.Without(e.Holds, w.Holds)) > 0 {
				kept--
			}
		}
	}
	return near, kept
}

// matches reports whether the existing permission was made for e, perhaps before --additive added
// what the other holds; nil = nothing.
func (v *VCenterPlan) matches(e, added *access.Permission) bool {
	if e == nil || v.At.Exactly(e) == nil {
		return false
	}
	role, _ := v.At.Roles.ByID(v.At.Exactly(e).RoleID)
	return role.Name == e.Role || added != nil && role.Name != added.Role &&
		slices.Equal(privileges.Strip(role.Privileges),
			privileges.Strip(slices.Concat(e.Holds, added.Holds)))
}

// checkShared refuses to turn the shared account of several components into one component's own
// after a change of profile: they all use it until the cluster's secrets hold the new accounts.
// With --prune its steps are marked, so that the run asks for proof.
func (d *Decision) checkShared(p *VCenterPlan) error {
	for _, other := range openshift.Profiles() {
		if other.Name == d.Request.Spec.Profile {
			continue
		}
		for _, a := range p.At.OwnAccounts() {
			var losing []string
			for _, step := range p.Steps {
				if loses(step) && p.At.UserKey(a.Principal(p.At)) == step.Had.Key &&
					p.madeFor(*step.Had, other, a.Component) {
					losing = lists.AppendNew(losing, step.Object)
					if step.Strips = a.Component == component.Installer; !step.Strips { // no secret holds the installer's account afterwards
						step.TakenBy = "profile " + d.Request.Spec.Profile
					}
				}
			}
			if len(losing) > 0 && !d.Request.Prune {
				without := component.Words(slices.DeleteFunc(d.Request.Spec.Whole().ComponentNames(), func(c component.Name) bool {
					return c == a.Component || other.AccountOf(c) != a.Component
				}))
				prune := "once they no longer work with it, which secrets do not prove: " +
					d.Request.Command("apply", "--prune", "--applied")
				if a.Component == component.Installer {
					prune = "once no secret of the cluster holds it for them: " +
						openshift.From(d.Request.Spec.Profile) + d.Request.Command("apply", "--prune", "--secrets", "-")
				}
				hints := []string{"to keep it as the account of all, write profile: " + other.Name + " into the provisioning file"}
				if absent := slices.DeleteFunc(slices.Clone(without), func(c string) bool {
					_, exists := p.At.Ours(p.At.Request.OwnAccount(component.Name(c), max(1, p.At.Domain.Generations[component.Name(c)].Current)))
					return exists
				}); len(absent) > 0 {
					hints = append(hints, "create the separate accounts beside it: "+d.Request.Command("apply", "--components", strings.Join(absent, ",")))
				}
				return hint.Wrap(fmt.Errorf("%s: %s is the account of profile %s, for %s too: profile %s would take privileges from it on %s",
					p.At.VCenter.Server, a.Principal(p.At), other.Name, strings.Join(without, ", "),
					d.Request.Spec.Profile, lists.Few(losing)), append(hints, prune)...)
			}
		}
	}
	return nil
}

// madeFor reports whether a permission has the role that only another profile gives a component.
func (v *VCenterPlan) madeFor(had perms.Permission, other openshift.Profile, c component.Name) bool {
	word, named := other.RoleWords[c]
	if !named || v.At.Request.Matrix.RoleWord(c) == word {
		return false
	}
	kind := v.At.Facts[had.RoleID].Kind
	names := v.At.Request.Matrix.Fold(nil,
		other.RoleWords).RoleNames(v.At.Request.Spec.Privileges.RolePrefix, "", []component.Name{c})
	return (kind == snapshot.SharedRole || kind == snapshot.PrefixedRole) &&
		names.Sealed(v.At.Roles.Name(had.RoleID))
}
