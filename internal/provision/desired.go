package provision

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// desired is what must be on one vCenter.
type desired struct {
	*access.Wanted
	roles   []roles.Want
	folders []newFolder
	notes   []*plan.Change
	named   map[inventory.Ref]bool // objects of the failure domains
	works   []access.Work          // what there is to do with it
}

// bind works out what must be on a vCenter. All that is wrong comes in one error; what it has then is what the failure
// domains ask for that are right.
func (s *snapshot) bind() (*desired, error) {
	t := s.topology()
	return s.satisfy(t, access.Bind(s.request.Matrix, s.principals(), t.domains))
}

// assumed are the roles that a failure domain of the assumed topology would ask for.
func (s *snapshot) assumed() (*desired, error) {
	o := s.request.Assumed
	o.Holds = s.request.Spec.Conditions(s.request.Assumed.Holds)
	needs := access.Bind(s.request.Matrix, s.principals(), []access.Domain{access.Assumed(o)})
	return s.satisfy(&topology{Request: s.request, snapshot: s}, needs)
}

// principals are the accounts of all components on a vCenter, in all generations that stay.
func (s *snapshot) principals() []access.Account {
	var all []access.Account
	for _, c := range s.request.Spec.ComponentNames() {
		p := s.holder(c)
		all = append(all, access.Account{Component: c, Principal: p, Key: s.key(p), Adopted: s.adopts(c)})
	}
	for _, a := range s.ownAccounts() {
		if !s.inUse(a) && !s.leaves(a) {
			p := access.Principal{Name: a.principal(s)}
			all = append(all, access.Account{Component: a.component, Principal: p, Key: s.key(p)})
		}
	}
	return all
}

// adopts reports whether a component works with somebody else's account, or will: a work order asks others to make it.
func (s *snapshot) adopts(c component.Name) bool {
	if !s.request.owns(c) {
		return true
	}
	_, exists := s.sso.Own(s.account(c).Name)
	return s.request.Ordering && !exists
}

// satisfy says what satisfies needs on a vCenter, as far as it knows the privileges: what it does not know is left out and said.
func (s *snapshot) satisfy(t *topology, needs []access.Need) (*desired, error) {
	d := &desired{Wanted: access.Permissions(needs), folders: t.folders, notes: t.notes, named: named(t.domains)}
	for _, domain := range t.domains {
		d.works = append(d.works, access.WorkIn(domain))
	}
	unknown := d.Know(s.roles.Catalogue())
	for _, id := range slices.Sorted(maps.Keys(unknown)) {
		text := fmt.Sprintf("unknown to this vCenter (%s); without it %s cannot %s",
			s.version, strings.Join(component.Words(unknown[id]), ", "), cmp.Or(privileges.Operation(id), "do what needs it"))
		if s.request.Strict {
			t.fail(fmt.Errorf("%s: privilege %s is %s", s.spec.Server, id, text))
			continue
		}
		d.notes = append(d.notes, &plan.Change{Verb: plan.Note, Kind: plan.Privilege, Name: id, Note: text + "; omitted"})
	}
	if s.request.Additive {
		s.keep(d)
	}
	p := s.request.Spec.Privileges
	d.Name(access.Naming{Matrix: s.request.Matrix, Prefix: p.RolePrefix, Layout: p.RoleLayout, Cluster: s.request.Spec.Cluster})
	for _, w := range d.All {
		i := slices.IndexFunc(d.roles, func(r roles.Want) bool { return r.Name == w.Role })
		switch {
		case w.Role == privileges.ReadOnly:
		case i < 0:
			d.roles = append(d.roles, roles.Want{Name: w.Role, Privileges: w.Holds, Serves: serves(w)})
		default:
			d.roles[i].Serves = append(d.roles[i].Serves, serves(w)...)
		}
	}
	slices.SortFunc(d.roles, func(x, y roles.Want) int { return strings.Compare(x.Name, y.Name) })
	return d, errors.Join(t.errs...)
}

// keep adds to each permission what its account has there by a role of ours already: nothing is taken away. A role that
// somebody changed keeps its name and what it has; roles.Diff adds what it lacks.
func (s *snapshot) keep(d *desired) {
	for _, w := range d.All {
		p := s.exactly(w)
		if above := s.inherited(w); above != nil && (p == nil || w.Propagate && !p.Propagate) && !(w.Account.Adopted && !s.made(nil, *above)) {
			role, _ := s.roles.ByID(above.RoleID) // a permission replaces what comes from above, here and below
			w.Holds = privileges.Strip(append(w.Holds, role.Privileges...))
			w.Asked = privileges.Strip(append(w.Asked, role.Privileges...))
		}
		if p == nil || w.Account.Adopted && !s.made(nil, *p) {
			continue
		}
		role, _ := s.roles.ByID(p.RoleID)
		if kind := s.facts[p.RoleID].kind; kind != foreignRole && kind != changedRole {
			w.Holds = privileges.Strip(append(w.Holds, role.Privileges...))
			w.Asked = privileges.Strip(append(w.Asked, role.Privileges...))
		}
		w.Propagate = w.Propagate || p.Propagate
	}
}

// inherited is the permission whose rights reach an object where a permission is wanted, from the nearest container that has one of
// the same principal that propagates; nil if none.
func (s *snapshot) inherited(w *access.Permission) *perms.Permission {
	above := w.At.Ancestors()
	for _, o := range above {
		for _, p := range s.perms.Held(w.Account.Key) {
			if o.Exists() && p.Entity == o.Ref && p.Propagate {
				return &p
			}
		}
	}
	return nil
}

// conditions are those of a failure domain, with those that the specification chose. A folder that we make exists
// by the time it is used.
func (s *snapshot) conditions(fd spec.FailureDomain) map[privileges.Condition]bool {
	fd.Folder = s.folderPath(fd)
	return s.request.Spec.Conditions(fd.Holds())
}
