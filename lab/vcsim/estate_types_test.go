package vcsim

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// Whatever an object of the estate holds is what its type allows: the values of enumerations, and the elements that the API
// requires. A client that is not written in Go cannot read anything else.
func TestEstateIsWellTyped(t *testing.T) {
	for _, o := range []EstateOptions{{Foreign: true}, {Seed: 3, Foreign: true}, {Seed: 11}, {Objects: 20}} {
		t.Run(fmt.Sprintf("seed %d", o.Seed), func(t *testing.T) {
			v := start(t, Options{Estate: o}).VCenters[0]
			worked(t, v)
			wrong := map[string]string{}
			for _, obj := range v.model.Map().AllReference("") {
				if o, ok := obj.(interface{ Get() mo.Reference }); ok {
					obj = o.Get()
				}
				if m := managed(obj); m != nil {
					typed(reflect.ValueOf(m).Elem(), obj.Reference().Type, wrong, true)
				}
			}
			for where, what := range wrong {
				t.Errorf("%s: %s", where, what)
			}
		})
	}
}

// worked does with a virtual machine what makes objects and values that a new estate lacks.
func worked(t *testing.T, v *VCenter) {
	t.Helper()
	c := admin(t, v)
	dc := v.Estate().Datacenters[0]
	ref, _ := v.find(dc.VMs[0])
	vm := object.NewVirtualMachine(c, ref)
	folder, _ := v.find(dc.Path + "/vm")
	networks, _ := v.find(dc.Path + "/network")
	for what, do := range map[string]func() (*object.Task, error){
		"power on": func() (*object.Task, error) { return vm.PowerOn(t.Context()) },
		"switch": func() (*object.Task, error) {
			return object.NewFolder(c, networks).CreateDVS(t.Context(), types.DVSCreateSpec{ConfigSpec: &types.VMwareDVSConfigSpec{DVSConfigSpec: types.DVSConfigSpec{Name: "another"}}})
		},
		"snapshot": func() (*object.Task, error) { return vm.CreateSnapshot(t.Context(), "s", "", false, false) },
		"clone": func() (*object.Task, error) {
			return vm.Clone(t.Context(), object.NewFolder(c, folder), "clone", types.VirtualMachineCloneSpec{})
		},
	} {
		task, err := do()
		if err == nil {
			err = task.Wait(t.Context())
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
}

// optionalProperty are the properties of an interface's type that the reference lets be unset.
var optionalProperty = map[string]bool{
	"EventManager.latestEvent": true, "HostNetworkSystem.dnsConfig": true, "HostNetworkSystem.ipRouteConfig": true,
	"HostNetworkSystem.consoleIpRouteConfig": true,
}

type enumeration interface{ Strings() []string }

// typed collects what is not as the types of v say; where is the path from the managed object.
func typed(v reflect.Value, where string, wrong map[string]string, top bool) {
	if e, ok := reflect.TypeAssert[enumeration](v); ok && v.Kind() == reflect.String {
		if !slices.Contains(e.Strings(), v.String()) {
			wrong[where] = fmt.Sprintf("%q is no %s", v.String(), v.Type().Name())
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			typed(v.Elem(), where, wrong, false)
		}
	case reflect.Slice:
		for i := range v.Len() {
			typed(v.Index(i), where+"[]", wrong, false)
		}
	case reflect.Struct:
		if v.Type().PkgPath() == "time" {
			return
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			if f.Anonymous {
				typed(v.Field(i), where, wrong, top)
				continue
			}
			name, flags, _ := strings.Cut(f.Tag.Get("json"), ",") // that of XML does not tell for pointers
			optional := strings.Contains(flags, "omitempty") || top && (f.Type.Kind() == reflect.Pointer || optionalProperty[where+"."+name])
			at := where + "." + name
			switch {
			case optional && v.Field(i).IsZero():
			case !optional && (f.Type.Kind() == reflect.Pointer || f.Type.Kind() == reflect.Interface) && v.Field(i).IsNil():
				wrong[at] = "is required and missing"
			default:
				typed(v.Field(i), at, wrong, false)
			}
		}
	}
}
