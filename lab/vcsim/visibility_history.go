package vcsim

import (
	"reflect"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// Events and tasks are shown of the objects that a session sees. Of an event that is the object it is of, the most specific
// that it names; what else it names and is hidden is left out, but not out of its text, and an event that has to name
// something hidden is not shown. One of an object that is gone is its datacenter's. An event that names nothing, such as a login,
// is the root folder's. All of this is inferred: the reference says of events that they need System.View.

// keeps says whether an element of a list concerns the caller.
func (x *access) keeps(element any) bool {
	switch e := element.(type) {
	case types.BaseEvent:
		return x.visible(x.eventOf(e)) && x.seesArguments(reflect.Indirect(reflect.ValueOf(e)))
	case types.TaskInfo:
		return e.Entity == nil || x.visible(*e.Entity)
	}
	v := reflect.ValueOf(element)
	if v.Kind() != reflect.Struct {
		return true
	}
	for i := range v.NumField() { // usage of a datastore, mount of a host
		if v.Type().Field(i).IsExported() {
			if ref, ok := reflect.TypeAssert[moref](v.Field(i)); ok && !x.visible(ref) {
				return false
			}
		}
	}
	return true
}

// eventOf is the object that an event is of; where it is gone, its datacenter or else the root folder.
func (x *access) eventOf(event types.BaseEvent) moref {
	of := x.subjectOfEvent(event)
	if x.ctx.Map.Get(of) != nil {
		return of
	}
	if dc := event.GetEvent().Datacenter; dc != nil && x.ctx.Map.Get(dc.Datacenter) != nil {
		return dc.Datacenter
	}
	return x.root
}

func (x *access) subjectOfEvent(event types.BaseEvent) moref {
	e := event.GetEvent()
	switch {
	case e.Vm != nil:
		return e.Vm.Vm
	case e.Net != nil:
		return e.Net.Network
	case e.Dvs != nil:
		return e.Dvs.Dvs
	case e.Ds != nil:
		return e.Ds.Datastore
	case e.Host != nil:
		return e.Host.Host
	case e.ComputeResource != nil:
		return e.ComputeResource.ComputeResource
	}
	if other, ok := event.(*types.EventEx); ok && other.ObjectId != "" {
		return moref{Type: other.ObjectType, Value: other.ObjectId}
	}
	if ref, ok := argument(reflect.Indirect(reflect.ValueOf(event))); ok { // of one kind of event: Folder, Entity, Pool
		return ref
	}
	if e.Datacenter != nil {
		return e.Datacenter.Datacenter
	}
	return x.root
}

// argument is the object of the first argument that an event has beside those of every event.
func argument(v reflect.Value) (moref, bool) {
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() || v.Type().Field(i).Type == reflect.TypeFor[types.Event]() {
			continue
		}
		f := reflect.Indirect(v.Field(i))
		if f.Kind() != reflect.Struct {
			continue
		}
		if strings.HasSuffix(f.Type().Name(), "EventArgument") {
			if ref, ok := reference(f); ok {
				return ref, true
			}
		}
		if v.Type().Field(i).Anonymous {
			if ref, ok := argument(f); ok {
				return ref, true
			}
		}
	}
	return moref{}, false
}

// seesArguments says whether nothing hidden is among the arguments that an event cannot do without.
func (x *access) seesArguments(event reflect.Value) bool {
	for i := range event.NumField() {
		field := event.Type().Field(i)
		if !field.IsExported() || field.Type.Kind() != reflect.Struct {
			continue
		}
		if strings.HasSuffix(field.Type.Name(), "EventArgument") {
			if ref, ok := reference(event.Field(i)); ok && !x.visible(ref) {
				return false
			}
		} else if field.Anonymous && !x.seesArguments(event.Field(i)) {
			return false
		}
	}
	return true
}

// reference is the object of an argument of an event.
func reference(argument reflect.Value) (moref, bool) {
	for _, field := range argument.Fields() {
		if ref, ok := reflect.TypeAssert[moref](field); ok {
			return ref, true
		}
	}
	return moref{}, false
}

// maxEvents is what one query answers with at most.
const maxEvents = 1000

// eventManager shows a session the events of what it sees.
type eventManager struct {
	*simulator.EventManager
	a       *authorization
	session *simulator.Session
}

// Get is what property collectors read: the latest event is that of what the session sees.
func (m *eventManager) Get() mo.Reference {
	now := m.EventManager.EventManager
	ctx := &simulator.Context{Context: noContext, Map: m.a.reg, Session: m.session}
	answer := m.QueryEvents(ctx, &types.QueryEvents{Filter: types.EventFilterSpec{MaxCount: 1}})
	body, ok := answer.(*methods.QueryEventsBody)
	if ok && body.Res != nil && len(body.Res.Returnval) > 0 {
		now.LatestEvent = body.Res.Returnval[0]
	}
	return &now
}

// QueryEvents filters before it counts, so that others' events do not use up the caller's page.
func (m *eventManager) QueryEvents(ctx *simulator.Context, req *types.QueryEvents) soap.HasFault {
	all := *req
	if all.Filter.MaxCount >= 0 && all.Filter.MaxCount < maxEvents {
		all.Filter.MaxCount = maxEvents
	}
	answer := m.EventManager.QueryEvents(ctx, &all)
	body, ok := answer.(*methods.QueryEventsBody)
	if !ok || body.Res == nil {
		return answer
	}
	wanted := int(req.Filter.MaxCount)
	if wanted == 0 {
		wanted = 10 // as the simulator does
	}
	events := seenOf(m.a.caller(ctx), body.Res.Returnval)
	return &methods.QueryEventsBody{Res: &types.QueryEventsResponse{Returnval: events[:min(wanted, len(events))]}}
}

// seenOf is a list as the caller sees it.
func seenOf[T any](x *access, list []T) []T {
	left, _ := x.without(reflect.ValueOf(list))
	out, _ := reflect.TypeAssert[[]T](left)
	return out
}

// CreateCollectorForEvents puts a collector in the place of the simulator's that shows what the session sees.
func (m *eventManager) CreateCollectorForEvents(ctx *simulator.Context, req *types.CreateCollectorForEvents) soap.HasFault {
	answer := m.EventManager.CreateCollectorForEvents(ctx, req)
	if body, ok := answer.(*methods.CreateCollectorForEventsBody); ok && body.Res != nil {
		if c, ok := ctx.Session.Get(body.Res.Returnval).(*simulator.EventHistoryCollector); ok {
			ctx.Session.Registry.Put(&eventCollector{EventHistoryCollector: c, a: m.a})
		}
	}
	return answer
}

// eventCollector is a session's page of events.
type eventCollector struct {
	*simulator.EventHistoryCollector
	a *authorization
}

func (c *eventCollector) ReadNextEvents(ctx *simulator.Context, req *types.ReadNextEvents) soap.HasFault {
	answer := c.EventHistoryCollector.ReadNextEvents(ctx, req)
	if body, ok := answer.(*methods.ReadNextEventsBody); ok && body.Res != nil {
		body.Res.Returnval = seenOf(c.a.caller(ctx), body.Res.Returnval)
	}
	return answer
}

func (c *eventCollector) ReadPreviousEvents(ctx *simulator.Context, req *types.ReadPreviousEvents) soap.HasFault {
	answer := c.EventHistoryCollector.ReadPreviousEvents(ctx, req)
	if body, ok := answer.(*methods.ReadPreviousEventsBody); ok && body.Res != nil {
		body.Res.Returnval = seenOf(c.a.caller(ctx), body.Res.Returnval)
	}
	return answer
}

// taskManager shows a session the tasks on what it sees.
type taskManager struct {
	*simulator.TaskManager
	lasting //nolint:unused // it hides a method
	a       *authorization
}

// CreateCollectorForTasks is CreateCollectorForEvents for tasks.
func (m *taskManager) CreateCollectorForTasks(ctx *simulator.Context, req *types.CreateCollectorForTasks) soap.HasFault {
	answer := m.TaskManager.CreateCollectorForTasks(ctx, req)
	if body, ok := answer.(*methods.CreateCollectorForTasksBody); ok && body.Res != nil {
		if c, ok := ctx.Session.Get(body.Res.Returnval).(*simulator.TaskHistoryCollector); ok {
			ctx.Session.Registry.Put(&taskCollector{TaskHistoryCollector: c, a: m.a})
		}
	}
	return answer
}

// taskCollector is a session's page of tasks.
type taskCollector struct {
	*simulator.TaskHistoryCollector
	a *authorization
}

func (c *taskCollector) ReadNextTasks(ctx *simulator.Context, req *types.ReadNextTasks) soap.HasFault {
	answer := c.TaskHistoryCollector.ReadNextTasks(ctx, req)
	if body, ok := answer.(*methods.ReadNextTasksBody); ok && body.Res != nil {
		body.Res.Returnval = seenOf(c.a.caller(ctx), body.Res.Returnval)
	}
	return answer
}

func (c *taskCollector) ReadPreviousTasks(ctx *simulator.Context, req *types.ReadPreviousTasks) soap.HasFault {
	answer := c.TaskHistoryCollector.ReadPreviousTasks(ctx, req)
	if body, ok := answer.(*methods.ReadPreviousTasksBody); ok && body.Res != nil {
		body.Res.Returnval = seenOf(c.a.caller(ctx), body.Res.Returnval)
	}
	return answer
}

// taskEntity is what a task works on. A search tells its task of its datastore while it runs.
func (x *access) taskEntity(task moref) (entity *moref) {
	if t, ok := managed(x.ctx.Map.Get(task)).(*mo.Task); ok {
		x.ctx.WithLock(t, func() { entity = t.Info.Entity })
	}
	return entity
}
