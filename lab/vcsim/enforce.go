package vcsim

import (
	"context"
	_ "embed"
	"fmt"
	"reflect"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

//go:embed data/methods.tsv
var methodData string

//go:embed data/methods-added.tsv
var methodAdditions string

// methodTable gives the privileges of a method or property by type and name.
type methodTable map[[2]string][]string

func newMethodTable() (methodTable, error) {
	t := methodTable{}
	for _, data := range []string{methodData, methodAdditions} {
		for n, line := range strings.Split(data, "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			f := strings.Split(line, "\t")
			if len(f) != 3 {
				return nil, fmt.Errorf("method privileges, line %d: %d columns instead of 3", n+1, len(f))
			}
			t[[2]string{f[0], f[1]}] = strings.Split(f[2], ",")
		}
	}
	return t, nil
}

// baseTypes are looked up in this order when a type has no row of its own.
var baseTypes = map[string][]string{
	"ClusterComputeResource":         {"ComputeResource"},
	"VirtualApp":                     {"ResourcePool"},
	"StoragePod":                     {"Folder"},
	"DistributedVirtualPortgroup":    {"Network"},
	"OpaqueNetwork":                  {"Network"},
	"VmwareDistributedVirtualSwitch": {"DistributedVirtualSwitch"},
	"ContainerView":                  {"ManagedObjectView", "View"},
	"ListView":                       {"ManagedObjectView", "View"},
	"InventoryView":                  {"ManagedObjectView", "View"},
	"VcenterVStorageObjectManager":   {"VStorageObjectManagerBase"},
	"HostVStorageObjectManager":      {"VStorageObjectManagerBase"},
	"CryptoManagerKmip":              {"CryptoManager"},
}

// of is the row of a method or property, inherited ones included. ok is false when there is none.
func (t methodTable) of(kind, name string) (privileges []string, ok bool) {
	for _, k := range append([]string{kind}, append(baseTypes[kind], "ManagedEntity", "ExtensibleManagedObject")...) {
		if p, ok := t[[2]string{k, name}]; ok {
			return p, true
		}
	}
	return nil, false
}

// handle is called before every request is dispatched. It refuses what the caller may not do,
// and stands in for the session manager while nobody is logged in.
func (a *authorization) handle(ctx *simulator.Context, call *simulator.Method) (mo.Reference, types.BaseMethodFault) {
	if a.journal != nil {
		ctx.Context = context.WithValue(ctx.Context, calling{}, call.Name)
	}
	var instance mo.Reference
	if call.This.Type == "" && call.This.Value == vim25.ServiceInstance.Value { // clients that read the WSDL know it by its name
		call.This = vim25.ServiceInstance
		reflect.ValueOf(call.Body).Elem().FieldByName("This").Set(reflect.ValueOf(call.This))
		instance = a.reg.Get(call.This)
	}
	if ctx.Session == nil {
		switch call.Name {
		case "Login", "LoginByToken", "CloneSession":
			return &loginManager{SessionManager: mo.SessionManager{Self: call.This}, a: a}, nil
		case "LoginExtensionByCertificate", "LoginExtensionBySubjectName", "LoginBySSPI":
			return nil, &types.InvalidLogin{}
		}
		if call.This == a.content.PropertyCollector {
			return &anonymousCollector{PropertyCollector: mo.PropertyCollector{Self: call.This}, a: a}, nil
		}
		return instance, nil // the simulator refuses whatever needs a session
	}
	if req, ok := call.Body.(*types.CreateDVS_Task); ok {
		completeSwitch(req.Spec.ConfigSpec)
	}
	x := a.caller(ctx)
	if x == nil || ctx.Session.Get(call.This) == nil {
		return nil, nil
	}
	fault := x.judge(call)
	if x.checked == 0 {
		a.note(ctx, call, x.name, fault)
	}
	if fault == nil && a.times != nil {
		fault = a.times.occupied(call)
	}
	if fault != nil {
		return nil, fault
	}
	a.guard(ctx.Session, call.This)
	ownDevices(ctx, call)
	x.ownDirectory(call)
	if call.Name == "Destroy_Task" && a.destroying != nil {
		a.destroying(ctx, call.This)
	}
	return nil, nil
}

// readers find objects rather than act on them: for them, what the caller cannot see does not exist.
var readers = map[string]bool{"PropertyCollector": true, "SearchIndex": true, "ViewManager": true, "ListView": true}

// judge is nil when the caller may make the call.
func (x *access) judge(call *simulator.Method) types.BaseMethodFault {
	kind := call.This.Type
	if !x.visible(call.This) {
		return x.a.denied([]need{{x.subjectOf(call.This), "System.View"}})
	}
	args := references(call.Body)
	if readers[kind] {
		for _, ref := range args {
			if !x.visible(ref) {
				return &types.ManagedObjectNotFound{Obj: ref}
			}
		}
	}
	if fault := x.lookUp(call); fault != nil {
		return fault
	}
	if special, ok := callNeeds[call.Name]; ok {
		if needs, ok := special(x, call); ok {
			if fault := x.require(needs...); fault != nil {
				return fault
			}
			return x.received(call)
		}
	}
	privileges, ok := x.a.methods.of(kind, call.Name)
	if !ok {
		privileges = []string{"System.Read"} // not in the reference: to read the object is the least
	}
	refs, _ := contents(call.Body)
	for _, ref := range refs { // whatever a request names, however deep, has to be there for the caller
		if isEntity(x.ctx.Map.Get(ref)) && !x.visible(ref) && !readers[kind] {
			return x.a.denied([]need{{ref, "System.View"}})
		}
	}
	on := []moref{call.This}
	if x.subjectOf(call.This) == x.root && call.This != x.root {
		// The object is a manager. Its privileges are checked on the entities that it is asked to work on, if any,
		// and on the root folder otherwise (R27).
		var entities []moref
		if kind == "VcenterVStorageObjectManager" { // a disk that moves names its new datastore deep in its spec
			args = refs
		}
		for _, ref := range args {
			if isEntity(x.ctx.Map.Get(ref)) {
				entities = append(entities, ref)
			}
		}
		if len(entities) == 0 {
			return x.requireAll(x.root, weighty(privileges))
		}
		on = entities
	}
	var needs []need
	for _, ref := range on {
		for _, p := range privileges {
			needs = append(needs, need{ref, p})
			if leaving[call.Name] && privilegesOnParent[p] { // R48
				needs = append(needs, x.onParent(ref, p)...)
			}
		}
	}
	return x.require(needs...)
}

// leaving are the calls whose object leaves its parent.
var leaving = map[string]bool{
	"Destroy_Task": true, "UnregisterVM": true, "unregisterVApp_Task": true,
	"UnregisterAndDestroy_Task": true,
}

func (x *access) onParent(ref moref, privilege string) []need {
	if n, ok := x.tree.place(ref); ok && len(n.parents) > 0 {
		return []need{{n.parents[0], privilege}}
	}
	return nil
}

// weighty leaves out the System privileges: everybody who is logged in has them on the service's own
// managers and on the objects of the session, whatever the root folder says.
func weighty(privileges []string) []string {
	var out []string
	for _, p := range privileges {
		if !strings.HasPrefix(p, "System.") {
			out = append(out, p)
		}
	}
	return out
}

// references are the managed objects that a request names in its top-level parameters.
func references(body any) []moref {
	v := reflect.Indirect(reflect.ValueOf(body))
	if v.Kind() != reflect.Struct {
		return nil
	}
	var out []moref
	for i := range v.NumField() {
		if f := v.Type().Field(i); !f.IsExported() || f.Name == "This" {
			continue
		}
		switch r := v.Field(i).Interface().(type) {
		case moref:
			out = append(out, r)
		case *moref:
			if r != nil {
				out = append(out, *r)
			}
		case []moref:
			out = append(out, r...)
		}
	}
	return out
}

// managed digs the plain managed object out of the simulator's own type, which embeds it first.
// It is nil for what is no such object.
func managed(obj mo.Reference) any {
	v := reflect.ValueOf(obj)
	for v.IsValid() && v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().Kind() == reflect.Struct {
		s := v.Elem()
		if strings.HasSuffix(s.Type().PkgPath(), "/vim25/mo") {
			return v.Interface()
		}
		if s.NumField() == 0 || !s.Type().Field(0).IsExported() {
			return nil
		}
		first := s.Field(0)
		if first.Kind() == reflect.Struct {
			first = first.Addr()
		}
		v = first
	}
	return nil
}
