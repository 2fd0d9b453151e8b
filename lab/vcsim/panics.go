package vcsim

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// work is a call and the tasks that it started. They hold locks together, so those that a panic of the simulator left are
// released when all of them have ended.
type work struct {
	times *taskTimes // nil = tasks end at once
	mu    sync.Mutex
	begun bool // a task

	argument string // of the call, that a fault about one means where it does not say
	live     int
	broken   bool
}

type workKey struct{}

// workOf is a new one for what no client asked for.
func workOf(ctx *simulator.Context) *work {
	if ctx == nil || ctx.Context == nil {
		return &work{}
	}
	if w, ok := ctx.Value(workKey{}).(*work); ok {
		return w
	}
	return &work{}
}

// begin is told of a task, and reports whether it is the first of a call.
func (w *work) begin() (first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.live++
	first, w.begun = !w.begun, true
	return first
}

func (w *work) end(ctx *simulator.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.live--; w.live != 0 || !w.broken {
		return
	}
	for _, obj := range slices.Concat(ctx.Map.AllReference(""), ctx.Session.AllReference("")) {
		if _, ok := obj.(*simulator.Task); !ok { // the lock of a task is held while its end is told
			go letGo(ctx, obj)
		}
	}
}

// letGo gives up a lock as often as the context took it: to give it up once more panics. Another may hold the lock now, so
// this can wait.
func letGo(ctx *simulator.Context, obj mo.Reference) {
	defer func() { _ = recover() }()
	for unlock := ctx.Map.AcquireLock(ctx, obj); ; {
		unlock()
	}
}

// survive makes a fault of a panic, when it is deferred.
func (w *work) survive(end func(types.BaseMethodFault)) {
	if p := recover(); p != nil {
		w.mu.Lock()
		w.broken = true
		w.mu.Unlock()
		end(&types.SystemError{Reason: fmt.Sprintf("the simulator cannot do this: %v", p)})
	}
}

// watchTask is told of changes of tasks. The simulator sets the times of a task before and after it runs it; clients do not.
func watchTask(ctx *simulator.Context, task moref, first string) {
	w := workOf(ctx)
	switch first {
	case "info.startTime":
		t, ok := ctx.Map.Get(task).(*simulator.Task)
		if !ok {
			return
		}
		attribute(ctx, t)
		lasts := w.begin() && w.times != nil
		run := t.Execute
		t.Execute = func(t *simulator.Task) (res types.AnyType, fault types.BaseMethodFault) {
			defer w.survive(func(f types.BaseMethodFault) { fault = f })
			if lasts {
				if fault := w.times.wait(ctx, t); fault != nil {
					return nil, fault
				}
			}
			res, fault = run(t)
			inDatastore(ctx, fault)
			nameArgument(w.argument, fault)
			return res, fault
		}
	case "info.completeTime":
		w.end(ctx)
	}
}

// admit lets the calls of sessions be served here.
func (a *authorization) admit(ctx *simulator.Context, call *simulator.Method) (mo.Reference, types.BaseMethodFault) {
	if ctx.Session == nil {
		return a.handle(ctx, call)
	}
	s := &served{a: a, ctx: ctx, call: *call}
	ctx.Caller = &s.call.This
	call.Name, call.This = "Serve", s.Reference() // no session has such an object
	return s, nil
}

// served is one call. It stands in for the object, because the simulator would keep the object locked after a panic.
type served struct {
	a    *authorization
	ctx  *simulator.Context
	call simulator.Method
}

func (*served) Reference() moref { return moref{Type: "Served", Value: "call"} }

// Lock and Unlock tell the simulator that there is nothing to lock.
func (*served) Lock()   {}
func (*served) Unlock() {}

// refusal is the answer to a call that failed.
type refusal struct{ fault *soap.Fault }

func (r refusal) Fault() *soap.Fault { return r.fault }

func refuse(fault types.BaseMethodFault) soap.HasFault { return refusal{simulator.Fault("", fault)} }

// Serve does what the simulator does with a call.
func (s *served) Serve(types.AnyType) (answer soap.HasFault) {
	w := &work{live: 1, times: s.a.times, argument: argumentOf(s.call.Body)}
	s.ctx.Context = context.WithValue(s.ctx.Context, workKey{}, w)
	defer w.end(s.ctx)
	defer w.survive(func(f types.BaseMethodFault) { answer = refuse(f) })
	if _, fault := s.a.handle(s.ctx, &s.call); fault != nil {
		return refuse(fault)
	}
	obj := s.ctx.Session.Get(s.call.This)
	if obj == nil {
		return refuse(&types.ManagedObjectNotFound{Obj: s.call.This})
	}
	name := strings.ToUpper(s.call.Name[:1]) + s.call.Name[1:]
	if task, ok := strings.CutSuffix(name, "_Task"); ok {
		name = task + "Task"
	}
	m := reflect.ValueOf(obj).MethodByName(name)
	if source := s.a.closed.source(s.call.This, s.call.Name); source != "" {
		return refuse(&types.MethodDisabled{Source: source})
	}
	if e, ok := obj.(mo.Entity); ok && slices.Contains(e.Entity().DisabledMethod, name) {
		return refuse(&types.MethodDisabled{})
	}
	defer s.ctx.Map.AcquireLock(s.ctx, obj)()
	if vm, ok := obj.(*simulator.VirtualMachine); ok && name == "ExportVm" {
		return s.a.exportVM(s.ctx, vm)
	}
	if !m.IsValid() {
		text, fault := s.a.notSimulated(s.call.This, s.call.Name)
		return refusal{simulator.Fault(text, fault)}
	}
	args := []reflect.Value{reflect.ValueOf(s.ctx), reflect.ValueOf(s.call.Body)}
	answer, _ = reflect.TypeAssert[soap.HasFault](m.Call(args[2-m.Type().NumIn():])[0])
	if f := answer.Fault(); f != nil {
		if inDatastore(s.ctx, f.VimFault()) || nameArgument(w.argument, f.VimFault()) {
			f.String = "" // it says the same path, or no argument
		}
	}
	return answer
}
