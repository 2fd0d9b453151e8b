package vcsim

import (
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// CreateFilter refuses a filter on hidden objects like one on objects that do not exist.
func (pc *propertyCollector) CreateFilter(ctx *simulator.Context, c *types.CreateFilter) soap.HasFault {
	if _, fault := pc.a.caller(ctx).selectObjects([]types.PropertyFilterSpec{{
		ObjectSet: bare(c.Spec.ObjectSet), ReportMissingObjectsInResults: c.Spec.ReportMissingObjectsInResults,
	}}); fault != nil {
		return &methods.CreateFilterBody{Fault_: soapFault(fault)}
	}
	return pc.PropertyCollector.CreateFilter(ctx, c)
}

// bare leaves out the traversals, which a filter follows only when it is applied.
func bare(set []types.ObjectSpec) []types.ObjectSpec {
	out := make([]types.ObjectSpec, len(set))
	for i := range set {
		out[i].Obj = set[i].Obj
	}
	return out
}

// WaitForUpdatesEx waits for an update that the caller may see.
func (pc *propertyCollector) WaitForUpdatesEx(ctx *simulator.Context, r *types.WaitForUpdatesEx) soap.HasFault {
	began := time.Now()
	wait := *r
	if r.Options != nil {
		options := *r.Options
		wait.Options = &options
	}
	for {
		answer := pc.PropertyCollector.WaitForUpdatesEx(ctx, &wait)
		body, ok := answer.(*methods.WaitForUpdatesExBody)
		if !ok || body.Fault_ != nil || body.Res == nil || body.Res.Returnval == nil {
			return answer
		}
		set := body.Res.Returnval
		before := len(set.FilterSet)
		pc.a.caller(ctx).censorUpdates(set)
		if len(set.FilterSet) > 0 || before == 0 || r.Version == "" {
			return body
		}
		// Nothing of it concerns the caller: wait on, for what is left of the time.
		if wait.Options != nil && wait.Options.MaxWaitSeconds != nil {
			left := time.Duration(*r.Options.MaxWaitSeconds)*time.Second - time.Since(began)
			if left <= 0 {
				body.Res.Returnval = nil
				return body
			}
			wait.Options.MaxWaitSeconds = new(int32((left + time.Second - 1) / time.Second))
		}
		wait.Version = set.Version
	}
}

// WaitForUpdates is the older form.
func (pc *propertyCollector) WaitForUpdates(ctx *simulator.Context, r *types.WaitForUpdates) soap.HasFault {
	body := &methods.WaitForUpdatesBody{}
	answer := pc.WaitForUpdatesEx(ctx, &types.WaitForUpdatesEx{This: r.This, Version: r.Version})
	if fault := answer.Fault(); fault != nil {
		body.Fault_ = fault
		return body
	}
	if ex, ok := answer.(*methods.WaitForUpdatesExBody); ok && ex.Res != nil && ex.Res.Returnval != nil {
		body.Res = &types.WaitForUpdatesResponse{Returnval: *ex.Res.Returnval}
		return body
	}
	body.Fault_ = soapFault(&types.RequestCanceled{})
	return body
}

// censorUpdates is censor for changes. It builds new lists, because the simulator keeps pages of the old ones.
func (x *access) censorUpdates(set *types.UpdateSet) {
	var filters []types.PropertyFilterUpdate
	for _, f := range set.FilterSet {
		var objects []types.ObjectUpdate
		for _, o := range f.ObjectSet {
			if o.Kind != types.ObjectUpdateKindLeave {
				if !x.visible(o.Obj) {
					continue
				}
				o = x.censorUpdate(o)
			}
			objects = append(objects, o)
		}
		if len(objects) > 0 || len(f.ObjectSet) == 0 {
			f.ObjectSet = objects
			filters = append(filters, f)
		}
	}
	set.FilterSet = filters
}

func (x *access) censorUpdate(o types.ObjectUpdate) types.ObjectUpdate {
	defer func() { x.a.release.fit(o.MissingSet) }()
	held := x.readerOf(o.Obj)
	var changes []types.PropertyChange
	for _, c := range o.ChangeSet {
		if missing := held.missing(c.Name); missing != "" {
			o.MissingSet = append(o.MissingSet, unread(c.Name, denied([]need{{held.on, missing}})))
			continue
		}
		if c.Val != nil {
			c.Val, _ = x.personal(o.Obj, c.Name, c.Val) // nil: unset
		}
		changes = append(changes, c)
	}
	o.ChangeSet = changes
	return o
}
