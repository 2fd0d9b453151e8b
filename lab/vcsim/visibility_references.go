package vcsim

import (
	"reflect"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/types"
)

// A hidden object that a visible one refers to is left out of lists, and of single references that may be unset.
//
// The reference says so of one property, VirtualMachine.resourcePool: "Returns null if the virtual machine is a template or the
// session has no access to the resource pool" (API reference 8.0.2). That the others follow, ManagedEntity.parent among them, is inferred. What speaks for
// it: govmomi's mo.Ancestors never returns when an object names a parent that cannot be read, and that has not been reported of
// vCenters. References that the API requires (ResourcePool.owner) stay: there is no way to leave them out.

// unreferenced is the value of a property without references to hidden objects, and with the texts of faults; ok is false when nothing is left of it. It
// changes nothing in place, because the simulator shares the values of updates.
func (x *access) unreferenced(on moref, path string, val types.AnyType) (left types.AnyType, ok bool) {
	switch v := val.(type) {
	case nil:
		return nil, true
	case moref:
		return val, x.visible(v) || x.required(on, path)
	}
	v := reflect.ValueOf(val)
	if !x.a.names.in(v.Type()) {
		return val, true
	}
	if out, changed := x.without(v); changed {
		return out.Interface(), true
	}
	return val, true
}

// without is a copy of v without references to hidden objects, if it holds any.
func (x *access) without(v reflect.Value) (out reflect.Value, changed bool) {
	if !x.a.names.in(v.Type()) {
		return v, false
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v, false
		}
		if ref, ok := reflect.TypeAssert[*moref](v); ok {
			if x.visible(*ref) {
				return v, false
			}
			return reflect.Zero(v.Type()), true
		}
		if strings.HasSuffix(v.Type().Elem().Name(), "EventArgument") {
			if ref, ok := reference(v.Elem()); ok && !x.visible(ref) {
				return reflect.Zero(v.Type()), true
			}
		}
		elem, changed := x.without(v.Elem())
		if !changed {
			return v, false
		}
		out = reflect.New(v.Type().Elem())
		out.Elem().Set(elem)
		return out, true
	case reflect.Interface:
		if v.IsNil() {
			return v, false
		}
		if ref, ok := reflect.TypeAssert[moref](v); ok {
			if x.visible(ref) {
				return v, false
			}
			return reflect.Zero(v.Type()), true
		}
		elem, changed := x.without(v.Elem())
		if !changed {
			return v, false
		}
		out = reflect.New(v.Type()).Elem()
		out.Set(elem)
		return out, true
	case reflect.Slice:
		return x.withoutElements(v)
	case reflect.Struct:
		return x.withoutFields(v)
	default:
		return v, false
	}
}

func (x *access) withoutElements(v reflect.Value) (out reflect.Value, changed bool) {
	for i := range v.Len() {
		elem := v.Index(i)
		var keep, cut bool
		if ref, ok := reflect.TypeAssert[moref](elem); ok {
			keep = x.visible(ref)
		} else if keep = x.keeps(elem.Interface()); keep {
			elem, cut = x.without(elem)
		}
		if !changed && (!keep || cut) {
			changed = true
			out = reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v.Slice(0, i))
		}
		if changed && keep {
			out = reflect.Append(out, elem)
		}
	}
	if !changed {
		return v, false
	}
	return out, true
}

func (x *access) withoutFields(v reflect.Value) (out reflect.Value, changed bool) {
	out = v
	if f, ok := reflect.TypeAssert[types.LocalizedMethodFault](v); ok && strings.HasPrefix(f.LocalizedMessage, "*types.") {
		f.LocalizedMessage = faultText(f.Fault) // the simulator's tasks name the Go type
		out, changed = reflect.ValueOf(&f).Elem(), true
	}
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		field, cut := x.without(v.Field(i))
		if !cut {
			continue
		}
		if !changed {
			changed = true
			out = reflect.New(v.Type()).Elem()
			out.Set(v)
		}
		out.Field(i).Set(field)
	}
	return out, changed
}

// required says whether a property is a reference that the API never leaves out.
func (x *access) required(on moref, path string) bool {
	obj := managed(x.ctx.Session.Get(on))
	if obj == nil {
		return false
	}
	t := reflect.TypeOf(obj).Elem()
	for name := range strings.SplitSeq(path, ".") {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || name == "" {
			return false
		}
		field, ok := t.FieldByName(strings.ToUpper(name[:1]) + name[1:])
		if !ok {
			return false
		}
		t = field.Type
	}
	return t.Kind() == reflect.Struct
}

// naming remembers which types can hold references that may be left out.
type naming struct{ known sync.Map }

func (n *naming) in(t reflect.Type) bool {
	if known, ok := n.known.Load(t); ok {
		held, _ := known.(bool)
		return held
	}
	held := holdsReferences(t, map[reflect.Type]bool{})
	n.known.Store(t, held)
	return held
}

// namesObject says whether a type is of data about one object, or more, that it cannot be without.
func namesObject(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for field := range t.Fields() {
		if field.Type == reflect.TypeFor[moref]() {
			return true
		}
	}
	return false
}

func holdsReferences(t reflect.Type, on map[reflect.Type]bool) bool {
	switch t {
	case reflect.TypeFor[moref]():
		return false // a required one
	case reflect.TypeFor[*moref](), reflect.TypeFor[[]moref](), reflect.TypeFor[[]types.TaskInfo]():
		return true
	}
	if on[t] {
		return false
	}
	if t.Kind() == reflect.Pointer && strings.HasSuffix(t.Elem().Name(), "EventArgument") {
		return true
	}
	on[t] = true
	defer delete(on, t)
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Slice:
		return namesObject(t.Elem()) || holdsReferences(t.Elem(), on)
	case reflect.Pointer:
		return holdsReferences(t.Elem(), on)
	case reflect.Struct:
		for f := range t.Fields() {
			if f.IsExported() && holdsReferences(f.Type, on) {
				return true
			}
		}
	}
	return false
}
