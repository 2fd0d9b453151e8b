// Package roles compares and changes the roles of one vCenter.
package roles

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// ReadOnly is the name of the system role with no privilege but the three that every role has.
const ReadOnly = "ReadOnly"

// AdminID is the id of the system role that holds everything, on every vCenter.
const AdminID = -1

// Role is a role of a vCenter. Privileges are sorted and leave out the three implicit ones.
type Role struct {
	ID         int32
	Name       string
	System     bool
	Privileges []string
}

// Want is a role as it shall be. Privileges are sorted and leave out the implicit ones; a role without any only reads.
type Want struct {
	Name       string
	Privileges []string
}

// State is the roles of a vCenter as last read or written, and the privileges that it knows.
type State struct {
	session *vcenter.Session
	manager types.ManagedObjectReference

	mu        sync.Mutex
	byID      map[int32]Role
	catalogue []string

	beforeUpdates, beforeRemovals reread
}

// Live reads roles and privilege catalogue: one request.
func Live(ctx context.Context, s *vcenter.Session) (*State, error) {
	state := &State{session: s, manager: *s.Content.AuthorizationManager, byID: map[int32]Role{}}
	if err := state.reload(ctx); err != nil {
		return nil, fmt.Errorf("%s: roles: %w", s.Server, err)
	}
	return state, nil
}

// reload adds what the vCenter shows to what is known: a role that was made meanwhile may not be in its answer yet.
func (s *State) reload(ctx context.Context) error {
	known, err := s.session.Authorization(ctx)
	if err != nil {
		return err
	}
	if len(known.Roles) == 0 { // the system roles are always there
		return errors.New("the vCenter shows none")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range known.Roles {
		s.byID[r.ID] = Role{ID: r.ID, Name: r.Name, System: r.System, Privileges: r.Privileges}
	}
	s.catalogue = known.Privileges
	return nil
}

// Catalogue is every privilege id that this vCenter knows, sorted.
func (s *State) Catalogue() []string { return s.catalogue }

// ByName finds a role by its exact name. System roles are found by their API names.
func (s *State) ByName(name string) (Role, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.byID {
		if r.Name == name {
			return r, true
		}
	}
	return Role{}, false
}

// ID of the role with an exact name.
func (s *State) ID(name string) (int32, bool) {
	r, ok := s.ByName(name)
	return r.ID, ok
}

// Privileges of the role with an exact name; nil if there is none.
func (s *State) Privileges(name string) []string {
	r, _ := s.ByName(name)
	return r.Privileges
}

// Name of the role with an id; the id itself in words when the role is gone.
func (s *State) Name(id int32) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.byID[id]; ok {
		return r.Name
	}
	return fmt.Sprintf("role %d", id)
}

// Options steer Diff.
type Options struct {
	Additive  bool                    // never remove a privilege
	Affects   func(id int32) []string // principals that hold a role, to be named when it changes; nil names none
	Strangers func(id int32) []string // those of them that are not the caller's: taking a privilege from them displaces it; nil = nobody
}

// Diff says what makes the wanted roles out of the live ones. It fails on a role whose name differs only in case: two
// administrators would never tell them apart, and whether vCenter does is documented nowhere.
func Diff(want []Want, live *State, o Options) ([]*plan.Change, error) {
	var changes []*plan.Change
	for _, w := range want {
		if other, ok := live.caseTwin(w.Name); ok {
			return nil, hint.Errorf("rename one of them, or set privileges.rolePrefix",
				"%s: role %s: there is already a role %s, whose name differs only in case", live.session.Server, w.Name, other)
		}
		r, exists := live.ByName(w.Name)
		switch {
		case !exists:
			changes = append(changes, live.create(w))
		case r.System:
			return nil, fmt.Errorf("%s: role %s is a system role and cannot be changed", live.session.Server, w.Name)
		default:
			target := w.Privileges
			if o.Additive {
				target = privileges.Strip(append(slices.Clone(w.Privileges), r.Privileges...))
			}
			if !slices.Equal(target, r.Privileges) {
				changes = append(changes, live.update(r, target, o))
			}
		}
	}
	return changes, nil
}

func (s *State) caseTwin(name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.byID {
		if r.Name != name && strings.EqualFold(r.Name, name) {
			return r.Name, true
		}
	}
	return "", false
}

func (s *State) create(w Want) *plan.Change {
	return &plan.Change{
		Verb: plan.Create, Kind: plan.Role, Name: w.Name,
		After:    plan.RoleState{Privileges: w.Privileges},
		Provides: plan.Key(s.session.Server, plan.Role, w.Name),
		Do:       func(ctx context.Context) error { return s.add(ctx, w) },
	}
}

// add creates a role. That it exists by now with these privileges is no failure: linked vCenters replicate roles, and a
// reply may have been lost.
func (s *State) add(ctx context.Context, w Want) error {
	res, err := methods.AddAuthorizationRole(ctx, s.session, &types.AddAuthorizationRole{
		This: s.manager, Name: w.Name, PrivIds: w.Privileges,
	})
	if err == nil {
		if other, known := s.ByID(res.Returnval); known && other.Name != w.Name { // whoever gets the new role would get that one
			return fmt.Errorf("the vCenter answers with the id of role %s", other.Name)
		}
		s.remember(Role{ID: res.Returnval, Name: w.Name, Privileges: w.Privileges})
		return nil
	}
	if !fault.Is(err, &types.AlreadyExists{}) {
		return explain(err, w)
	}
	if err := s.reload(ctx); err != nil {
		return err
	}
	switch r, ok := s.ByName(w.Name); {
	case !ok:
		return explain(err, w)
	case !slices.Equal(r.Privileges, w.Privileges):
		return errMoved("somebody made a role of this name since the plan, with other privileges")
	}
	return nil
}

func (s *State) remember(r Role) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byID[r.ID] = r
}

func explain(err error, w Want) error {
	if fault.Is(err, &types.InvalidArgument{}) {
		return fmt.Errorf("the vCenter refused one of its privileges (%s): %w", strings.Join(w.Privileges, ", "), err)
	}
	if missing := vcenter.MissingPrivileges(err); len(missing) > 0 {
		return hint.Errorf("the administrator needs Authorization.ModifyRoles and every privilege that the role holds",
			"not allowed, %s is missing: %w", strings.Join(missing[0].Privileges, ", "), err)
	}
	return err
}

func (s *State) update(r Role, target []string, o Options) *plan.Change {
	c := &plan.Change{
		Verb: plan.Update, Kind: plan.Role, Name: r.Name,
		Before:   plan.RoleState{Privileges: r.Privileges},
		After:    plan.RoleState{Privileges: target},
		Provides: plan.Key(s.session.Server, plan.Role, r.Name),
		Do:       func(ctx context.Context) error { return s.set(ctx, r, target) },
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

func (s *State) set(ctx context.Context, r Role, target []string) error {
	if err := s.unmoved(ctx, &s.beforeUpdates, r); err != nil {
		return err
	}
	ids := target
	if len(ids) == 0 { // what an update with an empty list does is documented nowhere
		ids = r.Implicit()
	}
	_, err := methods.UpdateAuthorizationRole(ctx, s.session, &types.UpdateAuthorizationRole{
		This: s.manager, RoleId: r.ID, NewName: r.Name, PrivIds: ids,
	})
	if err != nil {
		return explain(err, Want{Name: r.Name, Privileges: target})
	}
	r.Privileges = target
	s.remember(r)
	return nil
}

// reread is one more look at the roles, for all the changes of a kind.
type reread struct {
	once sync.Once
	err  error
}

func errMoved(what string) error { return hint.Errorf("plan again", "%s", what) }

// unmoved refuses to write over what somebody did to a role since the plan: a vCenter has no condition for that, so the roles
// are read once more right before the first of the writes.
func (s *State) unmoved(ctx context.Context, again *reread, planned Role) error {
	again.once.Do(func() { again.err = s.reload(ctx) })
	if again.err != nil {
		return again.err
	}
	if now, ok := s.ByID(planned.ID); ok && (now.Name != planned.Name || !slices.Equal(now.Privileges, planned.Privileges)) {
		return errMoved("somebody changed it since the plan")
	}
	return nil
}

// Remove is the change that deletes a role; needs are the changes that free it first. A role that somebody else still
// uses stays: the vCenter is asked to refuse.
func (s *State) Remove(r Role, needs ...string) *plan.Change {
	return &plan.Change{
		Verb: plan.Delete, Kind: plan.Role, Name: r.Name,
		Before:   plan.RoleState{Privileges: r.Privileges},
		Provides: plan.Key(s.session.Server, plan.Role, r.Name),
		Needs:    needs,
		Do: func(ctx context.Context) error {
			if err := s.unmoved(ctx, &s.beforeRemovals, r); err != nil {
				return err
			}
			_, err := methods.RemoveAuthorizationRole(ctx, s.session, &types.RemoveAuthorizationRole{
				This: s.manager, RoleId: r.ID, FailIfUsed: true,
			})
			switch {
			case err == nil, fault.Is(err, &types.NotFound{}):
				return nil
			case fault.Is(err, &types.RemoveFailed{}):
				return hint.Wrap(fmt.Errorf("it is in use: %w", err), "somebody was given the role since the plan was made; plan again")
			}
			return err
		},
	}
}
