package inspect

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// RoleList is the roles of vCenters against the matrix.
type RoleList struct {
	Report
	VCenters []RolesVCenter `json:"vcenters"`
}

// RolesVCenter is those of one vCenter, by name.
type RolesVCenter struct {
	Result
	Roles []Role `json:"roles"`
}

// Results are how reading the vCenters went.
func (l *RoleList) Results() Results { return ResultsOf(l.VCenters) }

// States of a role.
const (
	RoleSame        = "same"
	RoleDiffers     = "differs"        // from the matrix: missing or excess privileges
	RoleAbsent      = "missing"        // the matrix wants it, the vCenter does not have it
	RoleUnwanted    = "not wanted"     // a name of ours that the specification has no use for
	RoleOther       = "other topology" // the same without a specification: failure domains of another kind may use it
	RoleOtherPrefix = "other prefix"   // made by this tool for a specification with another privileges.rolePrefix
	RoleForeign     = "foreign"
	RoleSystem      = "system"
)

// Role is one role of a list. Privileges leave out the three that every role has. Holders are principals with a permission
// that the administrator sees: none is proof of an unused role only for somebody who sees the whole inventory.
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

// Roles lists what was compared, by name. holders are those of a role, and whose is the state of one that nobody wants.
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

// Ours reports whether a role is one that the specification asks for or that bears a name of ours.
func (r Role) Ours() bool { return r.State != RoleForeign && r.State != RoleSystem }
