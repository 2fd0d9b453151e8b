// Package roles compares and changes the roles of one vCenter: [Read], [Diff] and a [Writer].
package roles

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// AdminID is the id of the system role that holds everything, on every vCenter.
const AdminID = -1

// Role is a role of a vCenter. Privileges are sorted and leave out the three implicit ones.
type Role struct {
	ID         int32
	Name       string
	System     bool
	Privileges []string
}

// Want is a wanted role. Privileges are sorted, without implicit ones; none = only reading.
type Want struct {
	Name       string
	Privileges []string
	Serves     []*privileges.Row
}

// State is the roles and privileges of a vCenter as read. Nothing changes it.
type State struct {
	server    string
	byID      map[int32]Role
	catalogue []string
}

// Of is a state of some roles.
func Of(server string, all []Role, catalogue []string) *State {
	s := &State{server: server, byID: map[int32]Role{}, catalogue: catalogue}
	for _, r := range all {
		s.byID[r.ID] = r
	}
	return s
}

// Read reads roles and privilege catalogue: one request.
func Read(ctx context.Context, s *vcenter.Session) (*State, error) {
	all, catalogue, err := read(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("%s: roles: %w", s.Server, err)
	}
	return Of(s.Server, all, catalogue), nil
}

func read(ctx context.Context, s *vcenter.Session) (all []Role, catalogue []string, err error) {
	known, err := s.Authorization(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(known.Roles) == 0 { // the system roles are always there
		return nil, nil, errors.New("vCenter shows none")
	}
	ids, names := map[int32]string{}, map[string]int32{}
	for _, r := range known.Roles {
		if r.ID == 0 || r.Name == "" { // not a role
			return nil, nil, fmt.Errorf("vCenter shows a role without an id or a name (%d, %q)", r.ID, r.Name)
		}
		if name, ok := ids[r.ID]; ok && name != r.Name { // removal could hit the other
			return nil, nil, fmt.Errorf("vCenter shows the roles %s and %s with the same id %d", name, r.Name, r.ID)
		}
		if id, ok := names[r.Name]; ok && id != r.ID {
			return nil, nil, fmt.Errorf("vCenter shows the role %s with the ids %d and %d", r.Name, id, r.ID)
		}
		ids[r.ID], names[r.Name] = r.Name, r.ID
		all = append(all, Role{ID: r.ID, Name: r.Name, System: r.System, Privileges: r.Privileges})
	}
	return all, known.Privileges, nil
}

// Catalogue is every privilege id that this vCenter knows, sorted.
func (s *State) Catalogue() []string { return s.catalogue }

// ByName finds a role by its exact name. System roles are found by their API names.
func (s *State) ByName(name string) (Role, bool) {
	for _, r := range s.byID {
		if r.Name == name {
			return r, true
		}
	}
	return Role{}, false
}

// Known reports whether there is a role with an exact name.
func (s *State) Known(name string) bool {
	_, ok := s.ByName(name)
	return ok
}

// Privileges of the role with an exact name; nil if there is none.
func (s *State) Privileges(name string) []string {
	r, _ := s.ByName(name)
	return r.Privileges
}

// Name of the role with an id; the id itself in words when the role is gone.
func (s *State) Name(id int32) string {
	if r, ok := s.byID[id]; ok {
		return r.Name
	}
	return fmt.Sprintf("role %d", id)
}

// Options steer Diff.
type Options struct {
	Additive bool                    // never remove a privilege
	Affects  func(id int32) []string // holders named with a change; nil = none
	// holders that others manage, whom a lost privilege displaces; nil = none
	Strangers func(id int32) []string
}

// Compared is a role beside what is wanted of it.
type Compared struct {
	Live   *Role        // nil = there is none of this name
	Want   *Want        // nil = unwanted
	Change *plan.Change // what makes it as wanted; nil = it stays as it is
}

// Compare tells the state of each wanted role, in order, and then of each other one, by name. It
// fails on names that differ only in case: people, and maybe vCenter, cannot tell them apart.
func Compare(want []Want, live *State, o Options) ([]Compared, error) {
	var all []Compared
	wanted := map[string]bool{}
	for _, w := range want {
		wanted[w.Name] = true
		c := Compared{Want: &w}
		for _, r := range live.byID {
			if r.Name != w.Name && strings.EqualFold(r.Name, w.Name) {
				return nil, hint.Errorf("rename one of them, or set privileges.rolePrefix",
					"%s: role %s: there is already a role %s, whose name differs only in case", live.server, w.Name, r.Name)
			}
		}
		r, exists := live.ByName(w.Name)
		switch {
		case !exists:
			c.Change = &plan.Change{
				Verb: plan.Create, Kind: plan.Role, Name: w.Name,
				After:    plan.RoleState{Privileges: w.Privileges},
				Provides: plan.Key(live.server, plan.Role, w.Name),
				Serves:   w.Serves,
			}
		case r.System:
			return nil, fmt.Errorf("%s: role %s is a system role and cannot be changed", live.server, w.Name)
		default:
			c.Live = &r
			target := w.Privileges
			if o.Additive {
				target = privileges.Strip(append(slices.Clone(w.Privileges), r.Privileges...))
			}
			if !slices.Equal(target, r.Privileges) {
				c.Change = live.update(r, w, target, o)
			}
		}
		all = append(all, c)
	}
	for _, r := range live.All() {
		if !wanted[r.Name] {
			all = append(all, Compared{Live: &r})
		}
	}
	return all, nil
}

// Diff says what makes the wanted roles out of the live ones, and fails as [Compare] does.
func Diff(want []Want, live *State, o Options) ([]*plan.Change, error) {
	all, err := Compare(want, live, o)
	var changes []*plan.Change
	for _, c := range all {
		if c.Change != nil {
			changes = append(changes, c.Change)
		}
	}
	return changes, err
}

func (s *State) update(r Role, w Want, target []string, o Options) *plan.Change {
	c := &plan.Change{
		Verb: plan.Update, Kind: plan.Role, Name: r.Name,
		Before:   plan.RoleState{Privileges: r.Privileges},
		After:    plan.RoleState{Privileges: target},
		Provides: plan.Key(s.server, plan.Role, r.Name),
		Serves:   w.Serves,
	}
	if o.Affects != nil {
		if who := o.Affects(r.ID); len(who) > 0 {
			c.Note = "affects " + strings.Join(who, ", ")
		}
	}
	taken := slices.ContainsFunc(r.Privileges, func(id string) bool { return !slices.Contains(target, id) })
	c.Displaces = taken && o.Strangers != nil && len(o.Strangers(r.ID)) > 0
	return c
}

// Remove is the change that deletes a role after needs. The vCenter refuses while others use it.
func (s *State) Remove(r Role, needs ...string) *plan.Change {
	return &plan.Change{
		Verb: plan.Delete, Kind: plan.Role, Name: r.Name,
		Before:   plan.RoleState{Privileges: r.Privileges},
		Provides: plan.Key(s.server, plan.Role, r.Name),
		Needs:    needs,
	}
}

// Ids of system roles that lack some implicit privileges, measured on a recorded vCenter.
const (
	viewID      = -3
	anonymousID = -4
	noAccessID  = -5
)

// Implicit are System.Anonymous, System.Read and System.View; some system roles have fewer.
func (r Role) Implicit() []string {
	if r.System {
		switch r.ID {
		case viewID:
			return []string{"System.Anonymous", "System.View"}
		case anonymousID:
			return []string{"System.Anonymous"}
		case noAccessID:
			return nil
		}
	}
	return privileges.ImplicitIDs()
}

// Reads reports whether a role lets its holders read, as all but three of the system's do.
func (s *State) Reads(id int32) bool {
	r, ok := s.ByID(id)
	return ok && len(r.Implicit()) == 3
}

// ByID finds a role by its id.
func (s *State) ByID(id int32) (Role, bool) {
	r, ok := s.byID[id]
	return r, ok
}

// All lists every role, the system's too, by name.
func (s *State) All() []Role {
	all := make([]Role, 0, len(s.byID))
	for _, r := range s.byID {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Role) int { return strings.Compare(a.Name, b.Name) })
	return all
}
