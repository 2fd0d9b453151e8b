package vcsim

import (
	"cmp"
	"errors"
	"reflect"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/automation"
)

// Record says what a vCenter made of a call: a line for each privilege that it looked for, else one for the call. It holds names,
// and nothing else of a request. Calls that the simulation withholds with a fault of the lab are not served, so there is none.
// Properties that are left out of an answer, because the caller may not read them, are not listed.
type Record struct {
	Time      time.Time `json:"time"` // by the vCenter's clock
	Server    string    `json:"server"`
	Service   string    `json:"service"` // vim25, sso, sts, rest, pbm or vsan
	Method    string    `json:"method"`
	Principal string    `json:"principal"` // who calls; of a login, whose it is; "" = nobody is logged in
	Object    string    `json:"object"`    // inventory path; type and id of what has none; "" = none
	Privilege string    `json:"privilege"` // "" = none was looked for
	Verdict   string    `json:"verdict"`   // [VerdictHeld], [VerdictMissing], [VerdictServed], else the type of the fault
}

// Verdicts of a [Record].
const (
	VerdictHeld    = "held"    // the caller has the privilege
	VerdictMissing = "missing" // he has not
	VerdictServed  = "served"  // no privilege was looked for
)

// journal passes records on; nil drops them.
type journal func(Record)

func newJournal(server string, o Options) journal {
	if o.Record == nil {
		return nil
	}
	return func(r Record) {
		r.Time, r.Server = o.Now().UTC(), server
		o.Record(r)
	}
}

// call notes a call that no privilege was looked for, by its error; nil = served.
func (j journal) call(service, method, principal string, err error) {
	if j != nil {
		j(Record{Service: service, Method: method, Principal: principal, Verdict: verdictOf(err)})
	}
}

// verdictOf names what a call came to by the type of its fault.
func verdictOf(err error) string {
	if err == nil {
		return VerdictServed
	}
	if fault, ok := errors.AsType[*soapError](err); ok {
		return fault.kind
	}
	return "SystemError"
}

func faultName(fault types.BaseMethodFault) string {
	if fault == nil {
		return VerdictServed
	}
	return reflect.Indirect(reflect.ValueOf(fault)).Type().Name()
}

// calling is the method that a request asks for; what is checked later in the same request knows it, too.
type calling struct{}

// object names one for a record.
func (a *authorization) object(ctx *simulator.Context, ref moref) string {
	if path := inventoryPath(ctx.Map, ref); path != "" {
		return path
	}
	return ref.Type + ":" + ref.Value
}

// note records what became of a call by which nothing was checked.
func (a *authorization) note(ctx *simulator.Context, call *simulator.Method, principal string, fault types.BaseMethodFault) {
	if a.journal != nil {
		a.journal(Record{Service: "vim25", Method: call.Name, Principal: principal, Object: a.object(ctx, call.This), Verdict: faultName(fault)})
	}
}

// noteCheck records a privilege that a call needs.
func (x *access) noteCheck(n need, held bool) {
	session := ""
	if x.ctx.Session != nil {
		session = x.ctx.Session.Key
	}
	x.a.checks.Add(automation.Check{Object: n.on, Principal: x.who, Privilege: n.privilege, Session: session})
	if x.a.journal == nil {
		return
	}
	method, _ := x.ctx.Value(calling{}).(string)
	verdict := VerdictMissing
	if held {
		verdict = VerdictHeld
	}
	x.checked++
	x.a.journal(Record{
		Service: cmp.Or(x.service, "vim25"), Method: method, Principal: x.name, Object: x.a.object(x.ctx, n.on),
		Privilege: n.privilege, Verdict: verdict,
	})
}
