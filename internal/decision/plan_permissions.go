package decision

import (
	"errors"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

func (d *Decision) permissions(p *VCenterPlan) error {
	s, desired := p.At, p.Wanted
	wants := make([]perms.Want, 0, len(desired.Wanted.All))
	retired := map[string]bool{} // by key; their permissions are left alone
	for _, a := range s.OwnAccounts() {
		retired[s.UserKey(a.Principal(s))] = s.Retired(a)
	}
	for _, e := range desired.Wanted.All {
		if retired[e.Account.Key] {
			continue
		}
		w := perms.Want{
			At: e.At, Principal: e.Account.Principal.Name, Group: e.Account.Principal.Group, Role: e.Role,
			Holds: e.Holds, Propagate: e.Propagate, Note: strings.Join(e.Notes, "; "),
			Needs:   []string{plan.Key(s.VCenter.Server, plan.Folder, e.At.Path())},
			Adopted: e.Account.Adopted, Key: e.Account.Key, Serves: snapshot.Serves(e),
		}
		if text, known := p.displaces(desired, e); text != "" {
			w.Note = strings.Join(append(slices.Clone(e.Notes), text), "; ")
			w.Displaces = known
		}
		if s.Request.OwnsHolder(e.Account.Component) {
			name, _ := s.SSO.Split(e.Account.Principal.Name)
			w.Needs = append(w.Needs, plan.Key(s.Domain.Key, plan.User, name))
		} else {
			w.Needs = append(w.Needs, plan.Key(s.Domain.Key, plan.Group, e.Account.Principal.Name))
		}
		wants = append(wants, w)
	}
	slices.SortStableFunc(wants, func(a, b perms.Want) int { return strings.Compare(a.At.Path(), b.At.Path()) })
	made := func(p perms.Permission) bool { return s.Made(desired, p) }
	owned := d.known(p)
	for _, a := range d.Read.Prunable(s) {
		owned = append(owned, a.Principal(s))
	}
	if d.Read.DisplacedErr != nil {
		return d.Read.DisplacedErr
	}
	names := map[string]string{}
	for _, name := range owned {
		names[s.UserKey(name)] = name
	}
	o := perms.Options{Additive: d.Request.Additive, Owned: names, Made: made, Place: s.Place, Former: d.Read.former(s)}
	for _, step := range perms.Diff(wants, s.Perms, s.Roles, o) {
		goes := step.Verb == plan.Delete || step.Restores
		if (goes || covered(step) && p.narrows(desired, step)) && d.outlives(s, desired, *step.Had, goes) {
			p.kept = append(p.kept, *step.Had)
		}
	}
	copied := d.copied(s, p.kept)
	replaced := func(key string, at inventory.Ref) bool {
		return slices.ContainsFunc(copied, func(c perms.Want) bool { return key == c.Key && at == c.At.Ref })
	}
	o.Stays = func(had perms.Permission) bool { return slices.Contains(p.kept, had) && !replaced(had.Key, had.Entity) }
	wants = append(slices.DeleteFunc(wants, func(w perms.Want) bool { return replaced(w.Key, w.At.Ref) }), copied...)
	p.Permissions = perms.Compare(wants, s.Perms, s.Roles, o)
	p.permits = slices.DeleteFunc(wants, func(w perms.Want) bool { // less than what stays
		return slices.ContainsFunc(s.Perms.On(w.At.Ref),
			func(had perms.Permission) bool { return w.Key == had.Key && o.Stays(had) })
	})
	p.Steps = perms.Steps(p.Permissions, p.permits, s.Roles)
	p.throughGroups()
	return nil
}

// throughGroups lets accounts keep what they had of their own until they have it through a group.
func (v *VCenterPlan) throughGroups() {
	for _, a := range v.At.OwnAccounts() {
		if v.At.Request.OwnsHolder(a.Component) || v.At.Leaves(a) {
			continue
		}
		holder, own := v.At.Key(v.At.Holder(a.Component)), v.At.UserKey(a.Principal(v.At))
		needs := []string{plan.Key(v.At.Domain.Key, plan.User, a.Name)}
		for _, step := range v.Steps {
			if step.Group && v.At.KeyOf(step.Principal, true) == holder {
				needs = append(needs, step.Provides)
			}
		}
		for _, step := range v.Steps {
			if step.Had != nil && step.Had.Key == own {
				step.Needs = append(step.Needs, needs...)
			}
		}
	}
}

// Compare compares permissions. An error says why what is wanted is not fully known.
func (d *Decision) Compare(p *VCenterPlan) (err error) {
	if len(p.At.VCenter.FailureDomains) == 0 {
		p.Permissions = perms.Compare(nil, p.At.Perms, p.At.Roles, perms.Options{})
		return nil
	}
	p.Wanted, err = p.At.Desired()
	return errors.Join(err, d.permissions(p))
}

// narrow keeps the changes of the kinds that this job makes, and their findings.
func (d *Decision) narrow(p *VCenterPlan) {
	p.Changes = slices.DeleteFunc(p.Changes, func(c *plan.Change) bool { return !d.Request.Does(c.Kind) })
	p.Told = slices.DeleteFunc(p.Told, func(f *finding.Finding) bool {
		kind := plan.Kind(f.Object.Kind)
		explains := d.Request.Only != plan.User &&
			(kind == plan.Privilege || kind == plan.Role && d.Request.Only == plan.Permission)
		return !d.Request.Does(kind) && !explains
	})
}

// checkPresent refuses to grant missing roles and accounts, and reports roles unlike the matrix.
func (v *VCenterPlan) checkPresent(changes []*plan.Change) error {
	absent := map[plan.Kind][]string{}
	for _, c := range changes {
		switch {
		case c.Verb == plan.Create:
			absent[c.Kind] = append(absent[c.Kind], c.Name)
		case c.Verb == plan.Update && c.Kind == plan.Role:
			v.tell(c.Tell(finding.PlanNote, "is granted as it is, but differs from the matrix: roles diff shows how"))
		}
	}
	var errs []error
	for _, kind := range []plan.Kind{plan.Role, plan.User} {
		if names := absent[kind]; len(names) > 0 {
			errs = append(errs, hint.Errorf("to create them: "+v.At.Request.Command(string(kind)+"s create"), "%s: %ss not found: %s", v.At.VCenter.Server, kind, lists.Few(names)))
		}
	}
	return errors.Join(errs...)
}
