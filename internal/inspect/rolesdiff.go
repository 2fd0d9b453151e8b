package inspect

import (
	"slices"
	"strings"
)

// RolesDiff compares the roles of vCenters with the matrix and with each other.
type RolesDiff struct {
	Report
	VCenters []Result     `json:"vcenters"`
	Roles    []DiffedRole `json:"roles"` // by name: those that differ anywhere
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

// DiffedOnSite is a role on one vCenter. Lacks are privileges that the role has on another vCenter of which the same is
// wanted; a role that is absent lacks all of them.
type DiffedOnSite struct {
	Server  string   `json:"server"`
	State   string   `json:"state"` // against the matrix: as in RoleList, and absent where it is neither there nor wanted
	Missing []string `json:"missing"`
	Excess  []string `json:"excess"`
	Lacks   []string `json:"lacks"`
	Apart   bool     `json:"apart"` // another vCenter has it otherwise, or has it and this one does not

	has  []string
	want string // what is wanted, as one text
}

// RoleNowhere is the state of a role that a vCenter has not and must not have.
const RoleNowhere = "absent"

// Results are how reading the vCenters went.
func (d *RolesDiff) Results() Results { return d.VCenters }

// Same reports whether nothing differs.
func (d *RolesDiff) Same() bool { return d.Summary.Different == 0 }

// DiffRoles compares what was read of the vCenters: the roles with names of ours and those that are wanted; with all, between vCenters
// everybody's.
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

// roleNames are the names of the roles that are compared, sorted.
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

// compare holds the vCenters against each other where the same is wanted of them: a role that only one vCenter's failure
// domains ask for, or a privilege that only one version knows, is no difference.
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
