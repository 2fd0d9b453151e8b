// Package usage compares what accounts hold on vCenters with the recorded privilege checks of their
// work (vCenter 8.0 and later). A record has no verdict: permissions tell whether a privilege was
// held.
//
// A vCenter records each check (object, principal, privilege) the first time, while its buffer has
// room. So the whole buffer is read, and it tells most of a new account. A privilege without a
// check is not unneeded: its work may not have been done in that time.
package usage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Kinds of documents.
const (
	Kind      = "PrivilegeUsage"
	KindMarks = "PrivilegeMarks"
)

// Caution is what has to be kept in mind of everything that was never used.
const Caution = "never used is not unneeded: an upgrade, a new machine or a restored volume may need what this time did not"

// Marks are where the records of vCenters end at some time.
type Marks struct {
	inspect.Report
	Taken    time.Time `json:"taken"` // UTC
	VCenters []Mark    `json:"vcenters"`
}

// Mark is that of one vCenter.
type Mark struct {
	inspect.Result
	InstanceUUID string `json:"instanceUuid"`
	Marker       string `json:"marker"` // "" = nothing was recorded yet
}

// Results are how reading the vCenters went.
func (m *Marks) Results() inspect.Results { return inspect.ResultsOf(m.VCenters) }

// Of is the mark of a vCenter; nil if there is none.
func (m *Marks) Of(server string) *Mark {
	if m != nil {
		for i, v := range m.VCenters {
			if v.Server == server {
				return &m.VCenters[i]
			}
		}
	}
	return nil
}

// Usage is what accounts used of what they hold.
type Usage struct {
	inspect.Report
	Since    *time.Time `json:"since,omitempty"` // when the marks were taken; nil = there are none
	Read     time.Time  `json:"read"`            // UTC
	Caution  string     `json:"caution"`
	VCenters []VCenter  `json:"vcenters"`
}

// Results are how reading the vCenters went.
func (u *Usage) Results() inspect.Results { return inspect.ResultsOf(u.VCenters) }

// VCenter is one vCenter. Its notes say why its record may be incomplete.
type VCenter struct {
	inspect.Result
	Checks   int       `json:"checks"` // of these accounts
	Accounts []Account `json:"accounts"`
}

// Account is what one account used.
type Account struct {
	Components  []string     `json:"components" redact:"word"`
	Principal   string       `json:"principal" redact:"account"`
	Checks      int          `json:"checks"`
	Permissions []Permission `json:"permissions"`
	Held        []Asked      `json:"held"`    // looked for, and held
	NotHeld     []Asked      `json:"notHeld"` // looked for, and not held
	Gone        int          `json:"gone"`    // checks on objects that are not there any more
}

// Permission is one of the permissions that an account holds, with the privileges of its role.
type Permission struct {
	Object    string   `json:"object" redact:"path"`
	Role      string   `json:"role" redact:"role"`
	Propagate bool     `json:"propagate"`
	Used      []string `json:"used" redact:"word"` // by it, there or below
	Unused    []string `json:"unused" redact:"word"`

	needs []*access.Need // that it is for
}

// Asked is a privilege that was looked for on an object.
type Asked struct {
	Object    string `json:"object" redact:"path"`
	Privilege string `json:"privilege" redact:"word"`
}

// Period says how long was recorded, as far as that is known.
func (u *Usage) Period() string {
	if u.Since == nil {
		return "since when was recorded is not known: note it with 'privileges record start'"
	}
	days := int(u.Read.Sub(*u.Since).Hours() / 24)
	return "recorded for " + term.Count(days, "day") +
		"; what was done before the record began, or not at all, is not in it"
}

// New begins a document of usage.
func New(servers []string, read time.Time) *Usage {
	u := &Usage{Read: read.UTC(), Report: inspect.NewReport(Kind), Caution: Caution, VCenters: make([]VCenter, len(servers))}
	for i, server := range servers {
		u.VCenters[i] = VCenter{Result: inspect.Result{Server: server}, Accounts: []Account{}}
	}
	return u
}

// Compare compares what a vCenter's accounts hold with their recorded checks. The snapshot's
// inventory has the objects of the checks that exist.
func Compare(s *snapshot.Snapshot, wanted *snapshot.Desired, checks []Check) []Account {
	all := []Account{}
	var keys []string
	for _, a := range s.Principals() {
		if i := slices.Index(keys, a.Key); i >= 0 {
			all[i].Components = lists.AppendNew(all[i].Components, string(a.Component))
			continue
		}
		keys = append(keys, a.Key)
		all = append(all, compare(s, wanted, a, checks))
	}
	return all
}

func compare(s *snapshot.Snapshot, wanted *snapshot.Desired, a access.Account, checks []Check) Account {
	out := Account{
		Components: component.Words([]component.Name{a.Component}), Principal: a.Principal.Name,
		Permissions: []Permission{}, Held: []Asked{}, NotHeld: []Asked{},
	}
	who := s.Subject(a.Principal, s.GroupsOf(a.Principal))
	who.Key = a.Key
	index := map[inventory.Ref]int{}
	for _, p := range s.Perms.Held(a.Key) {
		role, _ := s.Roles.ByID(p.RoleID)
		index[p.Entity] = len(out.Permissions)
		held := Permission{
			Object: s.Path(p.Entity), Role: s.Roles.Name(p.RoleID), Propagate: p.Propagate,
			Used: []string{}, Unused: slices.Clone(role.Privileges),
		}
		if w := wanted.On(p.Entity, a.Key); w != nil {
			held.needs = w.Needs
		}
		out.Permissions = append(out.Permissions, held)
	}
	for _, c := range checks {
		if s.SSO.Same(c.Principal) != s.SSO.Same(a.Principal.Name) {
			continue
		}
		if out.Checks++; privileges.Implicit(c.Privilege) {
			continue
		}
		o := s.Inventory.Object(c.Object)
		if o == nil {
			out.Gone++ // such as a machine that was deleted: by which permission it was held is not known
			for i, p := range out.Permissions {
				if p.Propagate && slices.Contains(p.Unused, c.Privilege) { // it reaches below
					out.Permissions[i].Used = lists.AppendNew(p.Used, c.Privilege)
				}
			}
			continue
		}
		held := false
		for _, e := range s.Explain(who, o) {
			role, _ := s.Roles.ByID(e.Permission.RoleID)
			if !e.Counts || !slices.Contains(role.Privileges, c.Privilege) {
				continue
			}
			held = true
			if i, own := index[e.Permission.Entity]; own && e.Permission.Key == a.Key {
				out.Permissions[i].Used = lists.AppendNew(out.Permissions[i].Used, c.Privilege)
			}
		}
		if asked := (Asked{o.Path(), c.Privilege}); held {
			out.Held = append(out.Held, asked)
		} else {
			out.NotHeld = append(out.NotHeld, asked)
		}
	}
	for i := range out.Permissions {
		p := &out.Permissions[i]
		slices.Sort(p.Used)
		p.Unused = append([]string{}, lists.Without(p.Unused, p.Used)...)
	}
	for _, list := range []*[]Asked{&out.Held, &out.NotHeld} { // a new record may repeat one
		slices.SortFunc(*list, func(a, b Asked) int { return strings.Compare(a.Object+"\x00"+a.Privilege, b.Object+"\x00"+b.Privilege) })
		*list = slices.Compact(*list)
	}
	return out
}

// Gone is how many checks were of objects that are not there any more.
func (u *Usage) Gone() (n int) {
	for _, v := range u.VCenters {
		for _, a := range v.Accounts {
			n += a.Gone
		}
	}
	return n
}

// row is what tells a row of a matrix from the others: component, scope and privilege.
type row [3]string

// Matrix is a matrix of the rows whose privileges were used on any vCenter, and those that only
// read. Each used row has a comment with its permissions and time of reading.
func (u *Usage) Matrix(from *privileges.Matrix) (*privileges.Matrix, error) {
	used, servers := map[row]int{}, []string{}
	for _, v := range u.VCenters {
		if v.Error != "" {
			return nil, fmt.Errorf("%s was not read: a matrix of what the others used lacks what was used there", v.Server)
		}
		servers = append(servers, v.Server)
		for _, a := range v.Accounts {
			for _, p := range a.Permissions {
				for _, n := range p.needs {
					if slices.Contains(p.Used, n.Row.Privilege) {
						used[row{string(n.Account.Component), string(n.Row.Scope), n.Row.Privilege}]++
					}
				}
			}
		}
	}
	period := "read " + u.Read.Format(time.DateOnly)
	if u.Since != nil {
		period = "recorded since " + u.Since.UTC().Format(time.DateOnly) + ", " + period
	}
	m := *from
	m.Name, m.AsOf = "", u.Read.Format(time.DateOnly)
	m.Description = "rows of matrix " + from.Name + " whose privileges were used"
	m.Source = "privilege checks of " + strings.Join(servers, ", ") + ", " + period
	m.Notes = append([]string{"Made by 'privileges record show --matrix-out': " + Caution + "."}, m.Notes...)
	m.Rows = nil
	for _, r := range from.Rows {
		n := used[row{string(r.Component), string(r.Scope), r.Privilege}]
		switch {
		case privileges.Implicit(r.Privilege): // which is not recorded, and which all the others stand on
		case n > 0:
			r.Source += fmt.Sprintf("; used by %d permissions, %s", n, period)
		default:
			continue
		}
		m.Rows = append(m.Rows, r)
	}
	return &m, nil
}
