package provision

import (
	"cmp"
	"errors"
	"fmt"
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
func (q *asked) bind(s *snapshot) (*desired, error) {
	t := q.topology(s)
	return q.satisfy(s, t, access.Bind(q.Matrix, q.principals(s), t.domains))
}

// assumed are the roles that a failure domain of the assumed topology would ask for.
func (q *asked) assumed(s *snapshot) (*desired, error) {
	o := q.Assumed
	o.Holds = q.Spec.Conditions(q.Assumed.Holds)
	needs := access.Bind(q.Matrix, q.principals(s), []access.Domain{access.Assumed(o)})
	return q.satisfy(s, &topology{asked: q, snapshot: s}, needs)
}

// principals are the accounts of all components on a vCenter, in all generations that stay.
func (q *asked) principals(s *snapshot) []access.Account {
	var all []access.Account
	for _, c := range q.Spec.ComponentNames() {
		p := q.holder(s, c)
		all = append(all, access.Account{Component: c, Principal: p, Key: s.key(p), Adopted: q.adopts(s, c)})
	}
	for _, a := range q.ownAccounts(s) {
		if !s.inUse(a) && !s.leaves(a) {
			p := access.Principal{Name: a.principal(s)}
			all = append(all, access.Account{Component: a.component, Principal: p, Key: s.key(p)})
		}
	}
	return all
}

// adopts reports whether a component works with somebody else's account, or will: a work order asks others to make it.
func (q *asked) adopts(s *snapshot, c component.Name) bool {
	if !q.owns(c) {
		return true
	}
	_, exists := s.sso.Own(q.account(s, c).Name)
	return q.Ordering && !exists
}

// satisfy says what satisfies needs on a vCenter, as far as it knows the privileges: what it does not know is left out and said.
func (q *asked) satisfy(s *snapshot, t *topology, needs []access.Need) (*desired, error) {
	d := &desired{Wanted: access.Permissions(needs), folders: t.folders, notes: t.notes, named: named(t.domains)}
	for _, domain := range t.domains {
		d.works = append(d.works, access.WorkIn(domain))
	}
	unknown := d.Know(s.roles.Catalogue())
	for _, id := range sorted(unknown) {
		text := fmt.Sprintf("unknown to this vCenter (%s); without it %s cannot %s",
			s.version, strings.Join(component.Words(unknown[id]), ", "), cmp.Or(privileges.Operation(id), "do what needs it"))
		if q.Strict {
			t.fail(fmt.Errorf("%s: privilege %s is %s", s.spec.Server, id, text))
			continue
		}
		d.notes = append(d.notes, &plan.Change{Verb: plan.Note, Kind: plan.Privilege, Name: id, Note: text + "; omitted"})
	}
	if q.Additive {
		q.keep(s, d)
	}
	p := q.Spec.Privileges
	d.Name(access.Naming{Matrix: q.Matrix, Prefix: p.RolePrefix, Layout: p.RoleLayout, Cluster: q.Spec.Cluster})
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
func (q *asked) keep(s *snapshot, d *desired) {
	for _, w := range d.All {
		p := s.standing(w)
		if above := s.inherited(w); above != nil && (p == nil || w.Propagate && !p.Propagate) && !(w.Account.Adopted && !q.made(s, nil, *above)) {
			role, _ := s.roles.ByID(above.RoleID) // a permission replaces what comes from above, here and below
			w.Holds = privileges.Strip(append(w.Holds, role.Privileges...))
			w.Asked = privileges.Strip(append(w.Asked, role.Privileges...))
		}
		if p == nil || w.Account.Adopted && !q.made(s, nil, *p) {
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
func (q *asked) conditions(s *snapshot, fd spec.FailureDomain) map[privileges.Condition]bool {
	fd.Folder = q.folderPath(s, fd)
	return q.Spec.Conditions(fd.Holds())
}
