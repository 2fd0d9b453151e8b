package vcenter

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// Authorization is what the authorization manager of a vCenter lists: some 480 privileges with
// labels, most of them again in every system role. All vCenters of a [Run] share slices of ids: do
// not change them.
type Authorization struct {
	Roles      []AuthorizationRole
	Privileges []string // every id that the vCenter knows, sorted
}

// AuthorizationRole is a role. Privileges are sorted and leave out the three implicit ones.
type AuthorizationRole struct {
	ID         int32
	Name       string
	System     bool
	Privileges []string
}

// administrator is the id of the system role that holds everything, on every vCenter.
const administrator = -1

// Authorization reads roles and privilege catalogue in one request. If a server has no catalogue,
// the privileges of the Administrator role stand for it.
func (s *Session) Authorization(ctx context.Context) (Authorization, error) {
	lists := &s.config.Run.lists
	told := authorizationText{lists: lists}
	contents, err := s.Retrieve(context.WithValue(ctx, cutterKey{}, &told), types.PropertyFilterSpec{
		PropSet:   []types.PropertySpec{{Type: "AuthorizationManager", PathSet: []string{"roleList", "privilegeList"}}},
		ObjectSet: []types.ObjectSpec{{Obj: *s.Content.AuthorizationManager}},
	})
	if err != nil {
		return Authorization{}, err
	}
	known := Authorization{Privileges: told.catalogue.all}
	for _, content := range contents { // what was not taken out of the answer
		for _, p := range content.PropSet {
			switch v := p.Val.(type) {
			case types.ArrayOfAuthorizationRole:
				for _, r := range v.AuthorizationRole {
					told.roles = append(told.roles, roleText{ID: r.RoleId, Name: r.Name, System: r.System, holds: lists.of(r.Privilege)})
				}
			case types.ArrayOfAuthorizationPrivilege:
				var ids []string
				for _, p := range v.AuthorizationPrivilege {
					ids = append(ids, p.PrivId)
				}
				known.Privileges = lists.of(ids).all
			}
		}
	}
	listed := len(known.Privileges) > 0
	for _, r := range told.roles {
		known.Roles = append(known.Roles, AuthorizationRole{ID: r.ID, Name: r.Name, System: r.System, Privileges: r.holds.stripped})
		if r.ID == administrator && !listed {
			known.Privileges = r.holds.all
		}
	}
	return known, nil
}

// AuthorizationEvent is a change of a permission or a role, as the vCenter logged it.
type AuthorizationEvent struct {
	Time      time.Time // UTC
	What      string    // such as "permission added" or "role changed"
	By        string    // as the vCenter spells it; "" = the vCenter itself
	Object    inventory.Ref
	Name      string // of the object, as stored
	Principal string
	Role      string
}

// authorizationEvents are the types of these events and what each says.
var authorizationEvents = map[string]string{
	"PermissionAddedEvent": "permission added", "PermissionUpdatedEvent": "permission changed", "PermissionRemovedEvent": "permission removed",
	"RoleAddedEvent": "role added", "RoleUpdatedEvent": "role changed", "RoleRemovedEvent": "role removed",
}

// maxEvents is how many events an answer has at most. Source: vSphere Web Services API,
// QueryEvents.
const maxEvents = 1000

// AuthorizationEvents are the kept changes of permissions and roles that the session may see,
// latest first; more tells that there are others.
func (s *Session) AuthorizationEvents(ctx context.Context) (all []AuthorizationEvent, more bool, err error) {
	var kinds []string
	for kind := range authorizationEvents {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	res, err := methods.QueryEvents(ctx, s, &types.QueryEvents{
		This: *s.Content.EventManager, Filter: types.EventFilterSpec{EventTypeId: kinds, MaxCount: maxEvents},
	})
	if err != nil {
		return nil, false, s.explain(err)
	}
	for _, e := range res.Returnval {
		if a, ok := authorizationEvent(e); ok {
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(a, b AuthorizationEvent) int { return b.Time.Compare(a.Time) })
	return all, len(res.Returnval) >= maxEvents, nil
}

func authorizationEvent(e types.BaseEvent) (AuthorizationEvent, bool) {
	of := e.GetEvent()
	a := AuthorizationEvent{Time: of.CreatedTime.UTC(), By: of.UserName}
	permission := func(kind string, p types.PermissionEvent, role string) {
		a.What, a.Principal, a.Role = authorizationEvents[kind], p.Principal, role
		a.Object, a.Name = Ref(p.Entity.Entity), p.Entity.Name
	}
	switch e := e.(type) {
	case *types.PermissionAddedEvent:
		permission("PermissionAddedEvent", e.PermissionEvent, e.Role.Name)
	case *types.PermissionUpdatedEvent:
		permission("PermissionUpdatedEvent", e.PermissionEvent, e.Role.Name)
	case *types.PermissionRemovedEvent:
		permission("PermissionRemovedEvent", e.PermissionEvent, "")
	case *types.RoleAddedEvent:
		a.What, a.Role = authorizationEvents["RoleAddedEvent"], e.Role.Name
	case *types.RoleUpdatedEvent:
		a.What, a.Role = authorizationEvents["RoleUpdatedEvent"], e.Role.Name
	case *types.RoleRemovedEvent:
		a.What, a.Role = authorizationEvents["RoleRemovedEvent"], e.Role.Name
	default:
		return a, false
	}
	return a, true
}

// EventRetention is the number of days that a vCenter keeps events; nil = no limit, or unknown.
func (s *Session) EventRetention(ctx context.Context) (days *int, err error) {
	if s.Content.Setting == nil {
		return nil, nil
	}
	res, err := methods.QueryOptions(ctx, s, &types.QueryOptions{This: *s.Content.Setting, Name: "event."})
	if err != nil {
		return nil, s.explain(err)
	}
	enabled := false
	for _, o := range res.Returnval {
		switch v := o.GetOptionValue(); value := v.Value.(type) {
		case int32:
			if v.Key == "event.maxAge" {
				n := int(value)
				days = &n
			}
		case bool:
			enabled = enabled || v.Key == "event.maxAgeEnabled" && value
		}
	}
	if !enabled {
		days = nil
	}
	return days, nil
}

// UserSession is a user's session on a vCenter. It outlives the account that opened it.
type UserSession struct {
	User       string // as the vCenter spells it: DOMAIN\name
	key        string
	LastActive time.Time
	Ours       bool // this run opened it
}

// Sessions lists all sessions on the vCenter. known is false without the privilege
// Sessions.TerminateSession, which administrators of hosted vCenters lack.
func (s *Session) Sessions(ctx context.Context) (all []UserSession, known bool, err error) {
	found, _, err := s.RetrieveFirst(ctx, 1, types.PropertyFilterSpec{
		PropSet:   []types.PropertySpec{{Type: "SessionManager", PathSet: []string{"sessionList"}}},
		ObjectSet: []types.ObjectSpec{{Obj: *s.Content.SessionManager}},
	})
	if err != nil {
		return nil, false, s.explain(err)
	}
	for _, o := range found {
		for _, m := range o.MissingSet {
			if _, lacks := m.Fault.Fault.(*types.NoPermission); lacks {
				return nil, false, nil
			}
			return nil, false, s.hidden.Scrub(fmt.Errorf("%s: sessions: %s", s.Server, m.Fault.LocalizedMessage))
		}
		for _, p := range o.PropSet {
			if list, ok := p.Val.(types.ArrayOfUserSession); ok {
				known = true
				for _, u := range list.UserSession {
					all = append(all, UserSession{u.UserName, u.Key, u.LastActiveTime, s.config.Run.has(u.Key)})
				}
			}
		}
	}
	return all, known, nil
}

// EndSessions ends listed sessions, as many as it can. One that is gone is no error.
func (s *Session) EndSessions(ctx context.Context, sessions []UserSession) error {
	var first error
	for _, u := range sessions { // a missing one fails a request
		_, err := methods.TerminateSession(ctx, s,
			&types.TerminateSession{This: *s.Content.SessionManager, SessionId: []string{u.key}})
		if err != nil && first == nil && !fault.Is(err, &types.NotFound{}) {
			first = s.explain(err) // the others have the same cause
		}
	}
	return first
}
