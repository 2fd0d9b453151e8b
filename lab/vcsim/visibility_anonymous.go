package vcsim

import (
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// anonymousCollector takes the property collector's place while nobody is logged in. It gives the properties that the
// reference gives to everybody (System.Anonymous), such as the service's content and the session, which is unset then. It
// follows no traversal and does not tell which objects exist.
type anonymousCollector struct {
	mo.PropertyCollector
	a *authorization
}

// Fetch answers NotAuthenticated for what needs a login.
func (pc *anonymousCollector) Fetch(ctx *simulator.Context, req any) soap.HasFault {
	this, prop := fetched(req)
	return fetchAnswer([]types.ObjectContent{pc.read(ctx, this, []string{prop})})
}

// RetrieveProperties is RetrievePropertiesEx in one go, which it is here anyway.
func (pc *anonymousCollector) RetrieveProperties(ctx *simulator.Context, r *types.RetrieveProperties) soap.HasFault {
	objects, fault := pc.retrieve(ctx, r.SpecSet)
	if fault != nil {
		return &methods.RetrievePropertiesBody{Fault_: fault}
	}
	return &methods.RetrievePropertiesBody{Res: &types.RetrievePropertiesResponse{Returnval: objects}}
}

// RetrievePropertiesEx lists what needs a login as missing: NotAuthenticated, as vCenters were seen to do (govmomi,
// simulator/property_collector.go).
func (pc *anonymousCollector) RetrievePropertiesEx(ctx *simulator.Context, r *types.RetrievePropertiesEx) soap.HasFault {
	objects, fault := pc.retrieve(ctx, r.SpecSet)
	if fault != nil {
		return &methods.RetrievePropertiesExBody{Fault_: fault}
	}
	return &methods.RetrievePropertiesExBody{Res: &types.RetrievePropertiesExResponse{
		Returnval: &types.RetrieveResult{Objects: objects},
	}}
}

func (pc *anonymousCollector) retrieve(ctx *simulator.Context, specs []types.PropertyFilterSpec) ([]types.ObjectContent, *soap.Fault) {
	var out []types.ObjectContent
	for _, spec := range specs {
		for _, o := range spec.ObjectSet {
			var paths []string
			for _, p := range spec.PropSet {
				if isTrue(p.All) {
					return nil, soapFault(notAuthenticated(o.Obj))
				}
				if isA(o.Obj, p.Type) {
					paths = append(paths, p.PathSet...)
				}
			}
			out = append(out, pc.read(ctx, o.Obj, paths))
		}
	}
	return out, nil
}

// isA reports whether a reference is of a type or of one that extends it, whether it exists or not.
func isA(ref moref, kind string) bool {
	_, entity := mo.Value(ref)
	return ref.Type == kind || slices.Contains(baseTypes[ref.Type], kind) || entity && kind == "ManagedEntity"
}

func (pc *anonymousCollector) read(ctx *simulator.Context, ref moref, paths []string) types.ObjectContent {
	out := types.ObjectContent{Obj: ref}
	var open []string
	for _, path := range paths {
		switch privileges, ok := pc.a.methods.of(ref.Type, path); {
		case !ok || len(privileges) != 1 || privileges[0] != "System.Anonymous":
			out.MissingSet = append(out.MissingSet, unread(path, notAuthenticated(ref)))
		case path != "currentSession": // there is none
			open = append(open, path)
		}
	}
	if len(open) == 0 || ctx.Map.Get(ref) == nil {
		return out
	}
	// The simulator tells the values to sessions only.
	known := *ctx
	known.Session = &simulator.Session{Registry: simulator.NewRegistry(), Map: ctx.Map}
	body := (&simulator.PropertyCollector{}).RetrievePropertiesEx(&known, &types.RetrievePropertiesEx{SpecSet: []types.PropertyFilterSpec{{
		PropSet: []types.PropertySpec{{Type: ref.Type, PathSet: open}}, ObjectSet: []types.ObjectSpec{{Obj: ref}},
	}}})
	if ex, ok := body.(*methods.RetrievePropertiesExBody); ok && ex.Res != nil {
		for _, o := range ex.Res.Returnval.Objects {
			out.PropSet = append(out.PropSet, o.PropSet...)
		}
	}
	return out
}

func notAuthenticated(ref moref) *types.NotAuthenticated {
	return &types.NotAuthenticated{NoPermission: types.NoPermission{Object: &ref, PrivilegeId: "System.View"}}
}
