package vcenter

import (
	"reflect"
	"strings"

	"github.com/vmware/govmomi/vim25/soap"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// hidden are the secrets that went over a session's connections.
type hidden struct{ secret.Hidden }

// scrubFault is Scrub for the error of a request. It cleans a fault in place, because callers read
// its fields and govmomi knows it only unwrapped.
func (h *hidden) scrubFault(err error) error {
	if soap.IsSoapFault(err) {
		h.clean(reflect.ValueOf(soap.ToSoapFault(err)))
	}
	return h.Scrub(err)
}

// clean removes secrets from all strings in v, and returns v or its changed copy if v cannot be
// set.
func (h *hidden) clean(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		if clean := h.Text(v.String()); clean != v.String() {
			return reflect.ValueOf(clean).Convert(v.Type())
		}
	case reflect.Pointer:
		if !v.IsNil() {
			if e := v.Elem(); e.CanSet() {
				e.Set(h.clean(e))
			}
		}
	case reflect.Interface:
		if !v.IsNil() {
			return h.clean(v.Elem())
		}
	case reflect.Struct:
		c := reflect.New(v.Type()).Elem()
		c.Set(v)
		for _, f := range c.Fields() {
			if f.CanSet() {
				f.Set(h.clean(f))
			}
		}
		return c
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if e := v.Index(i); e.CanSet() {
				e.Set(h.clean(e))
			}
		}
	}
	return v
}

// passwordsOf are the values of all fields of a request that are named for a password.
func passwordsOf(req soap.HasFault) []string {
	var found []string
	var walk func(v reflect.Value, depth int)
	walk = func(v reflect.Value, depth int) {
		switch {
		case depth == 0:
		case v.Kind() == reflect.Pointer && !v.IsNil():
			walk(v.Elem(), depth-1)
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				name, f := v.Type().Field(i).Name, v.Field(i)
				if f.Kind() == reflect.String && strings.Contains(name, "Password") {
					found = append(found, f.String())
				}
				walk(f, depth-1)
			}
		}
	}
	walk(reflect.ValueOf(req), 6)
	return found
}
