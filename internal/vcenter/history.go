package vcenter

import (
	"context"
	"slices"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// AuthorizationEvent is a change of a permission or a role, as the vCenter logged it.
type AuthorizationEvent struct {
	Time      time.Time // UTC
	What      string    // permission added, permission changed, permission removed, role added, role changed, role removed
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

// maxEvents is how many events a vCenter answers with at most, the latest. Source: vSphere Web Services API reference, QueryEvents.
const maxEvents = 1000

// AuthorizationEvents are the changes of permissions and roles that the vCenter has kept and the session may see, the latest
// first; more says that it has others.
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

// EventRetention is after how many days a vCenter deletes events: nil = it keeps them, or does not say.
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
