package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// Add adds a vCenter's administrators, permissions and needs. wanted is nil if needs are unknown.
func (r *Report) Add(v VCenter, s *snapshot.Snapshot, wanted *snapshot.Desired) {
	v.Server, v.InstanceUUID, v.Version, v.Reader = s.VCenter.Server, s.Instance, s.Version, s.Administrator
	v.Columns, v.Map, v.Needs = []Column{}, []Node{}, []Needed{}
	if s.Err != nil {
		v.Error = s.Err.Error()
	}
	if s.Perms != nil {
		if s.Perms.Unseen != "" {
			v.Notes = append(v.Notes, perms.NotKnown(s.Perms.Unseen))
		}
		for _, p := range s.Perms.Global {
			if ours := s.Globally(p); ours || p.RoleID == roles.AdminID {
				v.Global = append(v.Global, Global{p.Principal, p.Group, s.Roles.Name(p.RoleID), p.Propagate, ours})
			}
		}
	}
	if wanted != nil {
		m := mapOf(s, wanted)
		v.Columns, v.Map = m.columns, m.nodes()
		v.Others, v.Powers = m.others(), m.powers()
		v.Needs = r.needs(wanted)
	}
	r.VCenters = append(r.VCenters, v)
}

// needs are the needs of a vCenter, by component and object; each row becomes one grant.
func (r *Report) needs(wanted *snapshot.Desired) []Needed {
	all := []Needed{}
	for _, n := range wanted.Wanted.Needs {
		c, at, g := string(n.Account.Component), n.Place.Path(), r.grant(n)
		i := slices.IndexFunc(all, func(d Needed) bool { return d.Component == c && d.Object == at })
		if i < 0 {
			i = len(all)
			all = append(all, Needed{Component: c, Object: at})
		}
		all[i].Grants = lists.AppendNew(all[i].Grants, g)
	}
	return all
}

// grant is the index of the grant that a need comes from.
func (r *Report) grant(n access.Need) int {
	g := Grant{
		Component: string(n.Account.Component), Scope: string(n.Scope), Privilege: n.Row.Privilege,
		Label: privileges.UIName(n.Row.Privilege), Operation: privileges.Operation(n.Row.Privilege),
		Why: n.Row.Why, Source: n.Row.Source, Evidence: n.Row.Evidence,
	}
	for _, c := range n.Row.Conditions {
		if c != privileges.Always {
			g.Conditions = append(g.Conditions, string(c))
		}
	}
	i := slices.IndexFunc(r.Grants, func(o Grant) bool {
		return o.Component == g.Component && o.Scope == g.Scope && o.Privilege == g.Privilege &&
			o.Why == g.Why && o.Source == g.Source
	})
	if i < 0 {
		i = len(r.Grants)
		r.Grants = append(r.Grants, g)
	}
	return i
}

// picture is the permission map of a vCenter on its way into the report.
type picture struct {
	s       *snapshot.Snapshot
	wanted  *snapshot.Desired
	columns []Column
	who     []access.Subject
	objects []*inventory.Object
	cluster []*inventory.Object // those of them that the specification needs, its templates, and what is above
}

// mapOf finds the specification's accounts and objects, and others with our permissions.
func mapOf(s *snapshot.Snapshot, wanted *snapshot.Desired) *picture {
	m := &picture{s: s, wanted: wanted, columns: []Column{}}
	for _, a := range s.Principals() {
		m.column(a.Principal, a.Key, a.Component, a.Adopted)
	}
	ours := s.OursIn(wanted)
	for _, p := range s.Perms.All {
		if ours(p) {
			m.column(access.Principal{Name: p.Principal, Group: p.Group}, p.Key, s.ComponentOf(p), false)
		}
	}
	for _, w := range m.who {
		for _, o := range wanted.Wanted.Objects(w) {
			m.object(o)
		}
		for _, p := range wanted.Wanted.All {
			if p.Account.Key == w.Key {
				m.object(p.At)
			}
		}
	}
	m.cluster = slices.Clone(m.objects)
	for _, fd := range s.VCenter.FailureDomains {
		if o := s.Inventory.At(fd.Template); o != nil {
			m.cluster = lists.AppendNew(m.cluster, append(o.Ancestors(), o)...)
		}
	}
	for _, w := range m.who {
		for _, p := range s.Perms.Held(w.Key) {
			m.object(s.Inventory.Object(p.Entity))
		}
	}
	names := func(o *inventory.Object) []string { return strings.Split(strings.TrimSuffix(o.Path(), "/"), "/") }
	slices.SortStableFunc(m.objects, func(a, b *inventory.Object) int { return slices.Compare(names(a), names(b)) }) // as in a tree
	return m
}

func (m *picture) column(p access.Principal, key string, c component.Name, adopted bool) {
	i := slices.IndexFunc(m.who, func(w access.Subject) bool { return w.Key == key })
	if i < 0 {
		i = len(m.who)
		who := m.s.Subject(p, m.s.GroupsOf(p))
		who.Key = key
		m.who = append(m.who, who)
		m.columns = append(m.columns,
			Column{Principal: p.Name, Group: p.Group, Components: []string{}, Adopted: adopted})
	}
	if c != "" {
		m.columns[i].Components = lists.AppendNew(m.columns[i].Components, string(c))
	}
}

// object adds an object and all that is above it.
func (m *picture) object(o *inventory.Object) {
	if o == nil {
		return
	}
	m.objects = lists.AppendNew(m.objects, o)
	for _, above := range o.Ancestors() {
		m.objects = lists.AppendNew(m.objects, above)
	}
}

func (m *picture) nodes() []Node {
	all := []Node{}
	for _, o := range m.objects {
		n := Node{Path: o.Path(), Type: o.Ref.Type, Depth: len(o.Ancestors()), Cells: make([]Cell, len(m.who))}
		for i, w := range m.who {
			n.Cells[i] = m.cell(w, o)
		}
		all = append(all, n)
	}
	return all
}

// cell is what an account has on an object by inheritance, and what is wanted.
func (m *picture) cell(who access.Subject, o *inventory.Object) Cell {
	var c Cell
	var here *Entry
	for _, e := range m.s.Explain(who, o) {
		entry := Entry{Role: m.s.Roles.Name(e.Permission.RoleID), Propagate: e.Permission.Propagate, Counts: e.Counts}
		if want := m.wanted.Wanted.At(who.Key, e.At); want != nil && want.Role == entry.Role {
			entry.Word = word(want)
		} else if entry.Role == privileges.ReadOnly {
			entry.Word = "read"
		}
		if e.At != o {
			entry.From = e.At.Path()
		}
		if e.Permission.Key != who.Key {
			entry.Through = e.Permission.Principal
		}
		if !e.Counts {
			entry.Why, entry.By = e.Why, e.By
		}
		c.Entries = append(c.Entries, entry)
		if entry.From == "" && entry.Through == "" {
			here = &c.Entries[len(c.Entries)-1]
		}
	}
	want := m.wanted.Wanted.At(who.Key, o)
	if want != nil && here != nil && here.Role == want.Role && want.Role != privileges.ReadOnly {
		has := m.s.Roles.Privileges(here.Role)
		for _, id := range lists.Without(has, want.Holds) {
			here.Drift = append(here.Drift, "+"+id)
		}
		for _, id := range lists.Without(want.Holds, has) {
			here.Drift = append(here.Drift, "-"+id)
		}
	}
	switch {
	case want == nil && here == nil:
	case want == nil:
		c.State = inspect.PermissionUnwanted
	case here == nil:
		c.State, c.Wanted = inspect.PermissionMissing, word(want)+arrow(want.Propagate)
	case here.Role == want.Role && here.Propagate == want.Propagate && here.Drift == nil:
		c.State = inspect.PermissionWanted
	default:
		c.State, c.Wanted = inspect.PermissionDiffers, word(want)+arrow(want.Propagate)
	}
	return c
}

// word is what the map calls the role of a wanted permission.
func word(p *access.Permission) string {
	return cmp.Or(strings.Join(component.Words(p.Naming), ", "), "read")
}

func arrow(propagate bool) string {
	if propagate {
		return " ↓"
	}
	return ""
}
