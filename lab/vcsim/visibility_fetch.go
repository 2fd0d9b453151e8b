package vcsim

import (
	"reflect"
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// Fetch reads one property of one object: the call behind every attribute of an object in pyVmomi 8. It goes through the gate of
// RetrievePropertiesEx. As with any call on an object, a hidden one is NoPermission.
//
// The request's type is internal to the simulator, which finds the method by its name and takes any parameter that fits.
func (pc *propertyCollector) Fetch(ctx *simulator.Context, req any) soap.HasFault {
	x := pc.a.caller(ctx)
	this, prop := fetched(req)
	if this == vim25.ServiceInstance && prop == "content" {
		return &fetchBody{Res: &FetchResponse{pc.a.content}}
	}
	ref, ok := x.resolve(this)
	if !ok {
		return &fetchBody{Fault_: soapFault(&types.ManagedObjectNotFound{Obj: this})}
	}
	if !x.visible(ref) {
		return &fetchBody{Fault_: soapFault(pc.a.denied([]need{{x.subjectOf(ref), "System.View"}}))}
	}
	objects, fault := pc.read(x, []types.PropertySpec{{Type: ref.Type, PathSet: []string{prop}}}, []moref{ref})
	if fault != nil {
		return &fetchBody{Fault_: fault}
	}
	return fetchAnswer(objects)
}

// fetchAnswer is the value of the one property that was read. An unset one is an empty response.
func fetchAnswer(objects []types.ObjectContent) soap.HasFault {
	body := &fetchBody{Res: &FetchResponse{}}
	for _, o := range objects {
		for _, m := range o.MissingSet {
			return &fetchBody{Fault_: soapFault(m.Fault.Fault)}
		}
		for _, p := range o.PropSet {
			body.Res.Returnval = p.Val
		}
	}
	return body
}

// fetched are the parameters of a Fetch.
func fetched(req any) (this moref, prop string) {
	v := reflect.Indirect(reflect.ValueOf(req))
	if v.Kind() != reflect.Struct {
		return this, prop
	}
	this, _ = reflect.TypeAssert[moref](v.FieldByName("This"))
	prop, _ = reflect.TypeAssert[string](v.FieldByName("Prop"))
	return this, prop
}

// resolve finds the object that a reference means, which may bear the name of one of its base types.
func (x *access) resolve(ref moref) (moref, bool) {
	if x.ctx.Session.Get(ref) != nil {
		return ref, true
	}
	for _, e := range x.ctx.Map.AllReference("") {
		r := e.Reference()
		if r.Value != ref.Value {
			continue
		}
		if _, entity := e.(mo.Entity); slices.Contains(baseTypes[r.Type], ref.Type) || entity && ref.Type == "ManagedEntity" {
			return r, true
		}
	}
	return moref{}, false
}

// FetchResponse is the library's type, which is internal to the simulator.
type FetchResponse struct {
	Returnval types.AnyType `xml:"returnval,omitempty,typeattr"` //nolint:staticcheck // an option of govmomi's encoder
}

type fetchBody struct {
	Res    *FetchResponse `xml:"FetchResponse,omitempty"`
	Fault_ *soap.Fault    `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
}

func (b *fetchBody) Fault() *soap.Fault { return b.Fault_ }
