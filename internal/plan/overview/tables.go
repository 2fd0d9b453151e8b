package overview

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// table is one kind of thing with a row for each, once for all vCenters.
type table struct {
	title string
	rows  []*row
}

// row is a change that is the same on some vCenters.
type row struct {
	sign, name string
	on         []int
	brief      string   // what changes
	parts      []string // brief as words, which may stand below; nil = it stands beside the name
	ids        []string // privileges, shown instead of brief if there is room; nil = none
	below      []string // privileges to be shown below it in any case
	swaps      []swap   // the roles that it replaces
	stay       []string // of an update, the unchanged privileges
	all        bool     // with all ids, on as many lines as needed
}

const fewIDs = 2

// The tables, in the order of the map.
const (
	folderTable      = "folders"
	tagTable         = "tags"
	roleTable        = "roles"
	groupTable       = "groups"
	userTable        = "users"
	credentialsTable = "credentials file" // accounts that replace others there
)

// tableFor is the title of a change's table; "" = none, for permissions.
func tableFor(c *plan.Change) string {
	switch {
	case c.Kind == plan.Permission:
		return ""
	case replaced(c) != "":
		return credentialsTable
	}
	return string(c.Kind) + "s"
}

// replaced is the account that a change replaces in the credentials file; "" = none.
func replaced(c *plan.Change) string {
	after, _ := c.After.(plan.UserState)
	return after.InsteadOf
}

func tablesOf(p *plan.Plan, o Options) []table {
	var all []table
	index, sharing := indexOf(p), map[string][]string{} // vCenters of the SSO domain of a vCenter
	for _, d := range p.Domains {
		for _, server := range d.VCenters {
			sharing[server] = d.VCenters
		}
	}
	for _, title := range []string{folderTable, tagTable, roleTable, groupTable, userTable, credentialsTable} {
		t := table{title: title}
		known := map[string]*row{}
		for i, v := range p.VCenters {
			var swaps map[string][]swap
			if title == roleTable {
				swaps = swapsOf(v)
			}
			for _, c := range v.Changes {
				if tableFor(c) != title {
					continue
				}
				key := c.Sign() + c.Name + "\x00" + c.Object + "\x00" + c.Detail() + "\x00" + c.Note +
					strings.Join(privilegesOf(c.Before), " ") + "\x00" + strings.Join(privilegesOf(c.After), " ") + keyOf(swaps[c.Name])
				if known[key] == nil {
					known[key] = rowOf(c, o)
					known[key].swaps, known[key].all = swaps[c.Name], o.Privileges
					t.rows = append(t.rows, known[key])
				}
				known[key].add(i)
				for _, server := range sharing[v.Server] {
					if other, shown := index[server]; shown && c.Kind.OfDomain() {
						known[key].add(other)
					}
				}
			}
		}
		if len(t.rows) > 0 {
			t.sort()
			all = append(all, t)
		}
	}
	return all
}

func (r *row) add(vcenter int) {
	if !slices.Contains(r.on, vcenter) {
		r.on = append(r.on, vcenter)
	}
}

// sort groups changes of one thing: users in the plan's order, the others by name.
func (t *table) sort() {
	first := map[string]int{}
	for i, r := range t.rows {
		if _, ok := first[r.name]; !ok {
			first[r.name] = i
		}
	}
	slices.SortStableFunc(t.rows, func(a, b *row) int {
		if t.title == userTable || t.title == credentialsTable {
			return first[a.name] - first[b.name]
		}
		return strings.Compare(a.name, b.name)
	})
}

func rowOf(c *plan.Change, o Options) *row {
	r := &row{sign: c.Sign(), name: label(c.Name)}
	switch after := c.After.(type) {
	case plan.RoleState:
		r.holds(c, after, o)
	case plan.UserState:
		switch {
		case after.InsteadOf != "" && after.InsteadOf != c.Name:
			r.name, r.parts = label(after.InsteadOf), append(words("replaced by"), label(c.Name))
		case c.Verb == plan.Update:
			r.parts = words(c.Detail())
		case after.Disabled || after.MemberOf != "":
			after.Description = "" // the same for all
			r.parts = words((&plan.Change{Verb: c.Verb, Name: c.Name, After: after}).Detail())
		}
	case nil:
		if o.Privileges {
			r.below = lines(privilegesOf(c.Before))
		}
	}
	if c.Kind == plan.Tag && c.Object != "" {
		r.name += " on " + label(c.Object)
	}
	if besideName(c.Kind) && c.Note != "" {
		r.parts = append(r.parts, words("("+term.Line(c.Note)+")")...)
	}
	if r.parts != nil {
		r.brief = strings.Join(r.parts, " ")
	}
	return r
}

// besideName reports whether the notes of a kind's changes are beside the name.
func besideName(k plan.Kind) bool { return k == plan.User || k == plan.Tag }

// holds says what a role will hold, or what it gains and loses.
func (r *row) holds(c *plan.Change, after plan.RoleState, o Options) {
	switch {
	case c.Verb == plan.Create && len(after.Privileges) == 0: // in full where there is room
		if r.brief, r.ids = "read only", words(after.String()); o.Privileges {
			r.below, r.ids = privileges.ImplicitIDs(), nil
		}
		return
	case c.Verb == plan.Create:
		r.brief, r.ids = after.String(), lines(after.Privileges)
	default:
		s := swap{gets: lists.Without(after.Privileges, privilegesOf(c.Before)), loses: lists.Without(privilegesOf(c.Before), after.Privileges)}
		r.brief, r.ids = s.tally(), s.ids()
		r.stay = lines(lists.Without(after.Privileges, s.gets))
	}
	if o.Privileges {
		r.below, r.ids = r.ids, nil
	} else if c.Verb == plan.Create && len(r.ids) > fewIDs {
		r.ids = nil
	}
}

func lines(all []string) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = term.Line(s)
	}
	return out
}

func privilegesOf(s plan.State) []string {
	role, _ := s.(plan.RoleState)
	return role.Privileges
}
