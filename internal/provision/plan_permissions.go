package provision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// permissions plans those of a vCenter into its steps.
func (dec *decision) permissions(p *vcenterPlan) error {
	s, d := p.snapshot, p.wanted
	wants := make([]perms.Want, 0, len(d.All))
	retired := map[string]bool{} // by key; what they have is left alone
	for _, a := range s.ownAccounts() {
		retired[s.userKey(a.principal(s))] = s.retired(a)
	}
	for _, e := range d.All {
		if retired[e.Account.Key] {
			continue
		}
		w := perms.Want{
			At: e.At, Principal: e.Account.Principal.Name, Group: e.Account.Principal.Group, Role: e.Role, Holds: e.Holds, Propagate: e.Propagate, Note: strings.Join(e.Notes, "; "),
			Needs:   []string{plan.Key(s.spec.Server, plan.Folder, e.At.Path())},
			Adopted: e.Account.Adopted, Key: e.Account.Key, Serves: serves(e),
		}
		if text, known := p.displaces(d, e); text != "" {
			w.Note = strings.Join(append(slices.Clone(e.Notes), text), "; ")
			w.Displaces = known
		}
		if dec.owns(e.Account.Component) {
			name, _ := s.sso.Split(e.Account.Principal.Name)
			w.Needs = append(w.Needs, plan.Key(s.domainKey, plan.User, name))
		}
		wants = append(wants, w)
	}
	slices.SortStableFunc(wants, func(a, b perms.Want) int { return strings.Compare(a.At.Path(), b.At.Path()) })
	made := func(p perms.Permission) bool { return s.made(d, p) }
	owned := dec.known(p)
	for _, a := range dec.prunable(s) {
		owned = append(owned, a.principal(s))
	}
	if dec.displacedErr != nil {
		return dec.displacedErr
	}
	names := map[string]string{}
	for _, name := range owned {
		names[s.userKey(name)] = name
	}
	o := perms.Options{Additive: dec.Additive, Owned: names, Made: made, Place: s.place, Former: dec.former(s)}
	for _, step := range perms.Diff(wants, s.perms, s.roles, o) {
		goes := step.Verb == plan.Delete || step.Restores
		if (goes || covered(step) && p.narrows(d, step)) && dec.outlives(s, d, *step.Had, goes) {
			p.kept = append(p.kept, *step.Had)
		}
	}
	copied := dec.copied(s, p.kept)
	replaced := func(key string, at inventory.Ref) bool {
		return slices.ContainsFunc(copied, func(c perms.Want) bool { return key == c.Key && at == c.At.Ref })
	}
	o.Stays = func(had perms.Permission) bool { return slices.Contains(p.kept, had) && !replaced(had.Key, had.Entity) }
	wants = append(slices.DeleteFunc(wants, func(w perms.Want) bool { return replaced(w.Key, w.At.Ref) }), copied...)
	p.compared = perms.Compare(wants, s.perms, s.roles, o)
	p.permits = slices.DeleteFunc(wants, func(w perms.Want) bool { // less than what stays
		return slices.ContainsFunc(s.perms.On(w.At.Ref), func(had perms.Permission) bool { return w.Key == had.Key && o.Stays(had) })
	})
	p.steps = perms.Steps(p.compared, p.permits, s.roles)
	return nil
}

// serves are the rows whose needs a permission satisfies.
func serves(p *access.Permission) []privileges.Row {
	all := make([]privileges.Row, len(p.Needs))
	for i, n := range p.Needs {
		all[i] = *n.Row
		all[i].Scope = n.Scope
	}
	return all
}
