package provision

import (
	"context"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
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
	Roles []ListedRole `json:"roles"`
}

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

// ListedRole is one role. Privileges leave out the three that every role has. Holders are principals with a permission
// that the administrator sees: none is proof of an unused role only for somebody who sees the whole inventory.
type ListedRole struct {
	Name       string   `json:"name"`
	State      string   `json:"state"`
	Privileges []string `json:"privileges"`
	Missing    []string `json:"missing"`
	Excess     []string `json:"excess"`
	Holders    []string `json:"holders"`
	Unused     bool     `json:"unused"`
}

// Results are how reading the vCenters went.
func (l *RoleList) Results() Results {
	all := make(Results, len(l.VCenters))
	for i, v := range l.VCenters {
		all[i] = v.Result
	}
	return all
}

// Roles lists the roles with names of ours and those that are wanted; with all everybody's, the system's too. Call it
// once per Job, with Only Role.
func (j *Job) Roles(ctx context.Context, all bool) *RoleList {
	l := &RoleList{Report: newReport(KindRoles), VCenters: make([]RolesVCenter, len(j.targets))}
	j.inspect(ctx, func(i int) *Result { return &l.VCenters[i].Result }, func(ctx context.Context, t *target, i int) error {
		l.VCenters[i].Roles = []ListedRole{}
		listed, err := j.listRoles(ctx, t)
		for _, r := range listed {
			if all || r.State != RoleForeign && r.State != RoleSystem {
				l.VCenters[i].Roles = append(l.VCenters[i].Roles, r)
			}
		}
		return err
	})
	return l
}

// listRoles judges every role of a vCenter, and those that it lacks, as a plan would.
func (j *Job) listRoles(ctx context.Context, t *target) ([]ListedRole, error) {
	if err := j.gather(ctx, j.asked, t); err != nil {
		return nil, err
	}
	d, err := j.desired(t.snapshot)
	if err != nil {
		return nil, t.nearby(ctx, err)
	}
	changes, err := roles.Diff(d.roles, t.roles, roles.Options{})
	if err != nil {
		return nil, err
	}
	planned := map[string]*plan.Change{}
	for _, c := range changes {
		if c.Verb != plan.Note {
			planned[c.Name] = c
		}
	}
	wanted := map[string]roles.Want{}
	for _, w := range d.roles {
		wanted[w.Name] = w
	}
	var listed []ListedRole
	for _, r := range t.roles.All() {
		_, isWanted := wanted[r.Name]
		one := t.role(r)
		switch c := planned[r.Name]; {
		case c != nil:
			after, _ := c.After.(plan.RoleState)
			one.State, one.Missing, one.Excess = RoleDiffers, without(after.Privileges, r.Privileges), without(r.Privileges, after.Privileges)
		case isWanted:
			one.State = RoleSame
		case r.System:
			one.State = RoleSystem
		case t.facts[r.ID].kind == foreignRole:
		case t.facts[r.ID].kind == prefixedRole:
			one.State = RoleOtherPrefix
		case len(t.spec.FailureDomains) == 0:
			one.State = RoleOther
		default:
			one.State = RoleUnwanted
		}
		listed = append(listed, one)
	}
	for _, w := range d.roles {
		if _, there := t.roles.ByName(w.Name); !there {
			listed = append(listed, ListedRole{
				Name: w.Name, State: RoleAbsent, Privileges: []string{}, Missing: w.Privileges, Excess: []string{}, Holders: []string{}, Unused: true,
			})
		}
	}
	slices.SortStableFunc(listed, func(a, b ListedRole) int { return strings.Compare(a.Name, b.Name) })
	return listed, nil
}

func (s *snapshot) role(r roles.Role) ListedRole {
	one := ListedRole{
		Name: r.Name, State: RoleForeign, Missing: []string{}, Excess: []string{},
		Privileges: without(r.Privileges, nil), Holders: without(s.perms.Holders(r.ID), nil),
	}
	one.Unused = len(one.Holders) == 0
	return one
}
