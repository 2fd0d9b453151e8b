package inspect

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// RoleList is the roles of vCenters compared with the matrix.
type RoleList struct {
	Report
	VCenters []RolesVCenter `json:"vcenters"`
}

// RolesVCenter is those of one vCenter, by name.
type RolesVCenter struct {
	Result
	Roles []Role `json:"roles"`
}

// Results returns each vCenter's result.
func (l *RoleList) Results() Results { return ResultsOf(l.VCenters) }

// States of a role.
const (
	RoleSame        = "same"
	RoleDiffers     = "differs"        // from the matrix: missing or excess privileges
	RoleAbsent      = "missing"        // the matrix wants it, the vCenter does not have it
	RoleUnwanted    = "not wanted"     // a name of ours that the specification does not use
	RoleOther       = "other topology" // without a specification: other failure domains may use it
	RoleOtherPrefix = "other prefix"   // made for a specification with another privileges.rolePrefix
	RoleForeign     = "foreign"
	RoleSystem      = "system"
)

// Role is one role of a list. Privileges omit the three that every role has. Holders have
// permissions that the administrator sees: none proves disuse if all is visible.
type Role struct {
	Name       string   `json:"name"`
	State      string   `json:"state"`
	Privileges []string `json:"privileges"`
	Missing    []string `json:"missing"`
	Excess     []string `json:"excess"`
	Holders    []string `json:"holders"`
	Unused     bool     `json:"unused"`

	want *roles.Want
}

// Roles lists compared roles by name. whose returns the state of a role that is not wanted.
func Roles(compared []roles.Compared, holders func(id int32) []string, whose func(roles.Role) string) []Role {
	listed := make([]Role, len(compared))
	for i, c := range compared {
		listed[i] = role(c, holders, whose)
	}
	slices.SortStableFunc(listed, func(a, b Role) int { return strings.Compare(a.Name, b.Name) })
	return listed
}

func role(c roles.Compared, holders func(id int32) []string, whose func(roles.Role) string) Role {
	r := Role{State: RoleSame, Privileges: []string{}, Missing: []string{}, Excess: []string{}, Holders: []string{}, want: c.Want}
	if c.Live != nil {
		r.Name, r.Privileges, r.Holders = c.Live.Name, without(c.Live.Privileges, nil), without(holders(c.Live.ID), nil)
	}
	r.Unused = len(r.Holders) == 0
	switch {
	case c.Want == nil:
		r.State = whose(*c.Live)
		return r
	case c.Live == nil:
		r.Name, r.State = c.Want.Name, RoleAbsent
	case c.Change != nil:
		r.State = RoleDiffers
	}
	r.Missing, r.Excess = without(c.Want.Privileges, r.Privileges), without(r.Privileges, c.Want.Privileges)
	return r
}

// Ours reports whether the specification asks for a role or it has a name of ours.
func (r Role) Ours() bool { return r.State != RoleForeign && r.State != RoleSystem }

// RolesDiff compares the roles of vCenters with the matrix and with each other.
type RolesDiff struct {
	Report
	VCenters []Result     `json:"vcenters"`
	Roles    []DiffedRole `json:"roles"` // by name, with a difference
	Summary  DiffSummary  `json:"summary"`
}

// DiffSummary counts roles.
type DiffSummary struct {
	Compared  int `json:"compared"`
	Different int `json:"different"`
}

// DiffedRole is one role on all vCenters that were read.
type DiffedRole struct {
	Name     string         `json:"name"`
	VCenters []DiffedOnSite `json:"vcenters"`
}

// DiffedOnSite is a role on one vCenter. Lacks are privileges that it has on another vCenter where
// the same is wanted; an absent role lacks all of them.
type DiffedOnSite struct {
	Server  string   `json:"server"`
	State   string   `json:"state"` // as in RoleList, or RoleNowhere
	Missing []string `json:"missing"`
	Excess  []string `json:"excess"`
	Lacks   []string `json:"lacks"`
	Apart   bool     `json:"apart"` // it differs from another vCenter's

	has  []string
	want string // the wanted privileges as text
}

// RoleNowhere is the state of a role that is neither present nor wanted.
const RoleNowhere = "absent"

// Results returns each vCenter's result.
func (d *RolesDiff) Results() Results { return d.VCenters }

// Same reports whether nothing differs.
func (d *RolesDiff) Same() bool { return d.Summary.Different == 0 }

// DiffRoles compares wanted roles and those with our names; all adds every role of vCenters.
func DiffRoles(vcenters []Result, read [][]Role, all bool) *RolesDiff {
	d := &RolesDiff{Report: NewReport(KindRolesDiff), VCenters: vcenters, Roles: []DiffedRole{}}
	for _, name := range roleNames(read, all) {
		role := DiffedRole{Name: name}
		for i, v := range vcenters {
			if v.Error == "" {
				role.VCenters = append(role.VCenters, onSite(v.Server, name, read[i]))
			}
		}
		role.compare()
		d.Summary.Compared++
		if slices.ContainsFunc(role.VCenters, func(v DiffedOnSite) bool {
			return v.Apart || v.State == RoleAbsent || v.State == RoleDiffers
		}) {
			d.Summary.Different++
			d.Roles = append(d.Roles, role)
		}
	}
	return d
}

func roleNames(read [][]Role, all bool) []string {
	var names []string
	for _, listed := range read {
		for _, r := range listed {
			if r.State != RoleSystem && (all || r.Ours() && r.State != RoleOtherPrefix) {
				names = append(names, r.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func onSite(server, name string, listed []Role) DiffedOnSite {
	v := DiffedOnSite{Server: server, State: RoleNowhere, Missing: []string{}, Excess: []string{}, Lacks: []string{}}
	i := slices.IndexFunc(listed, func(r Role) bool { return r.Name == name })
	if i < 0 {
		return v
	}
	r := listed[i]
	v.State, v.Missing, v.Excess, v.has = r.State, r.Missing, r.Excess, r.Privileges
	if r.want != nil {
		v.want = "wanted " + strings.Join(r.want.Privileges, " ")
	}
	return v
}

// compare compares vCenters that want the same, whatever their failure domains and versions.
func (r *DiffedRole) compare() {
	for i := range r.VCenters {
		a := &r.VCenters[i]
		for _, b := range r.VCenters {
			if a.want != b.want {
				continue
			}
			lacks := without(b.has, a.has)
			a.Lacks = append(a.Lacks, lacks...)
			a.Apart = a.Apart || len(lacks)+len(without(a.has, b.has)) > 0 || a.absent() != b.absent()
		}
		slices.Sort(a.Lacks)
		a.Lacks = slices.Compact(a.Lacks)
	}
}

func (v DiffedOnSite) absent() bool { return v.State == RoleAbsent || v.State == RoleNowhere }
