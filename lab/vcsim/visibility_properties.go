package vcsim

import (
	"strings"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// censor takes out of an object's properties what the caller may not read, and fills in what depends on him.
func (x *access) censor(o *types.ObjectContent) {
	defer func() { x.a.release.fit(o.MissingSet) }()
	held := x.readerOf(o.Obj)
	kept := make([]types.DynamicProperty, 0, len(o.PropSet))
	for _, p := range o.PropSet {
		if missing := held.missing(p.Name); missing != "" {
			o.MissingSet = append(o.MissingSet, unread(p.Name, denied([]need{{held.on, missing}})))
			continue
		}
		if val, ok := x.personal(o.Obj, p.Name, p.Val); ok {
			p.Val = val
			kept = append(kept, p)
		}
	}
	o.PropSet = kept
	for i := range o.MissingSet {
		o.MissingSet[i] = unread(o.MissingSet[i].Path, o.MissingSet[i].Fault.Fault)
	}
}

// unread is a property that is not given, and why.
func unread(path string, fault types.BaseMethodFault) types.MissingProperty {
	return types.MissingProperty{Path: path, Fault: types.LocalizedMethodFault{Fault: fault, LocalizedMessage: faultText(fault)}}
}

// reader knows which properties of one object the caller may read.
type reader struct {
	x      *access
	kind   string
	on     moref // where the privileges are checked
	held   rights
	strict bool // System privileges count
}

func (x *access) readerOf(ref moref) reader {
	on := x.subjectOf(ref)
	r := reader{x: x, kind: ref.Type, on: on, held: x.on(on)}
	// Managers and the session's own objects are checked on the root folder (R27), where everybody who is logged in
	// passes for their System privileges. Not so for tasks: without read access on the root folder their results
	// cannot be read (kubernetes-sigs/vsphere-csi-driver#101).
	r.strict = isEntity(x.ctx.Map.Get(ref)) || on != x.root || ref.Type == "Task"
	return r
}

// missing is the privilege that the caller lacks for a property, "" if none.
func (r reader) missing(path string) string {
	name, _, _ := strings.Cut(path, ".")
	name, _, _ = strings.Cut(name, "[")
	privileges, ok := r.x.a.methods.of(r.kind, name)
	if !ok {
		privileges = []string{"System.Read"} // the reference names the privilege wherever System.View is enough
	}
	if !r.strict {
		privileges = weighty(privileges)
	}
	for _, p := range privileges {
		if p != "System.Anonymous" && !r.held.has(p) {
			return p
		}
	}
	return ""
}

// personal is a property's value as the caller sees it: without references to hidden objects,
// with his own roles (R31) and with the permissions that are set. ok is false when it is unset for him.
func (x *access) personal(ref moref, name string, val types.AnyType) (own types.AnyType, ok bool) {
	_, entity := x.ctx.Map.Get(ref).(mo.Entity)
	switch {
	case entity && name == "effectiveRole":
		return types.ArrayOfInt{Int: x.on(ref).ids()}, true
	case entity && name == "permission":
		return types.ArrayOfPermission{Permission: x.st.vim(ref, false)}, true
	case ref.Type == "Datastore":
		val = x.withVolumeURL(ref, name, val)
	}
	return x.unreferenced(ref, name, val)
}

func (x *access) seen(refs []moref) []moref {
	out := make([]moref, 0, len(refs))
	for _, ref := range refs {
		if x.visible(ref) {
			out = append(out, ref)
		}
	}
	return out
}
