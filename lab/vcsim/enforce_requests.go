package vcsim

import (
	"reflect"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// lookUp refuses what names objects that do not exist, and the few calls that the simulator cannot serve without breaking
// off in the midst of it, which would leave the object locked for ever.
func (x *access) lookUp(call *simulator.Method) types.BaseMethodFault {
	if unserved[call.Name] {
		return &types.NotSupported{}
	}
	if readers[call.This.Type] || call.This.Type == "AuthorizationManager" { // these look for themselves
		return nil
	}
	refs, whole := contents(call.Body)
	if !whole {
		return &types.InvalidRequest{}
	}
	for _, ref := range refs {
		if x.ctx.Session.Get(ref) == nil {
			return &types.ManagedObjectNotFound{Obj: ref}
		}
	}
	return nil
}

// unserved are calls about tags, which the simulation does not have.
var unserved = map[string]bool{
	"AttachTagToVStorageObject": true, "DetachTagFromVStorageObject": true, "ListVStorageObjectsAttachedToTag": true,
	"ListTagsAttachedToVStorageObject": true,
}

// contents are the managed objects that a request names anywhere. It is whole when no data object of an open type is missing
// that the API requires: the simulator takes it for granted.
func contents(body any) (refs []moref, whole bool) {
	whole = true
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			if k := v.Type().Elem().Kind(); k == reflect.Struct || k == reflect.Pointer || k == reflect.Interface {
				for i := range v.Len() {
					walk(v.Index(i))
				}
			}
		case reflect.Struct:
			if ref, ok := reflect.TypeAssert[moref](v); ok {
				refs = append(refs, ref)
				return
			}
			for i := range v.NumField() {
				field := v.Type().Field(i)
				if !field.IsExported() {
					continue
				}
				if field.Type.Kind() == reflect.Interface && v.Field(i).IsNil() && !strings.Contains(field.Tag.Get("json"), "omitempty") {
					whole = false
				}
				walk(v.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(body))
	return refs, whole
}
