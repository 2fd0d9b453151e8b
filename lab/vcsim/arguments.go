package vcsim

import (
	"reflect"
	"strings"

	"github.com/vmware/govmomi/vim25/types"
)

// nameArgument names an argument in a fault about one, where the simulator leaves that out, and
// says whether it did.
func nameArgument(argument string, fault any) bool {
	f, ok := fault.(*types.InvalidArgument)
	if !ok || f.InvalidProperty != "" {
		return false
	}
	f.InvalidProperty = argument
	return true
}

// argumentOf is the argument of a request that has data, or else its first; "" of one without
// arguments.
func argumentOf(request any) (name string) {
	v := reflect.Indirect(reflect.ValueOf(request))
	if v.Kind() != reflect.Struct {
		return ""
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		called, _, _ := strings.Cut(field.Tag.Get("xml"), ",")
		if called == "_this" || called == "" {
			continue
		}
		kind := field.Type
		for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
			kind = kind.Elem()
		}
		switch {
		case kind == reflect.TypeFor[moref]():
		case kind.Kind() == reflect.Struct, kind.Kind() == reflect.Interface:
			return called
		}
		if name == "" {
			name = called
		}
	}
	return name
}
