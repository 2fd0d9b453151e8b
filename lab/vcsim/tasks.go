package vcsim

import (
	"strings"
	"sync"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// taskTimes makes tasks last. The first task of a call does; those that it starts in turn are part
// of it.
type taskTimes struct {
	last   time.Duration
	closed chan struct{} // ends waiting, with the vCenter
	busy   sync.Map      // machine → its task that lasts
}

// attribute says who began a task and on what, which the simulator leaves out.
func attribute(ctx *simulator.Context, t *simulator.Task) {
	by, ok := t.Info.Reason.(*types.TaskReasonUser)
	if ok && by.UserName == "vcsim" && ctx.Session != nil {
		t.Info.Reason = &types.TaskReasonUser{UserName: ctx.Session.UserName}
	}
	if e, ok := ctx.Map.Get(*t.Info.Entity).(mo.Entity); ok {
		ctx.WithLock(e, func() { t.Info.EntityName = e.Entity().Name })
	}
}

// wait lets a task take its time. Its object can be read meanwhile: the lock that the task was
// handed is given up, and taken again for its work.
func (tt *taskTimes) wait(ctx *simulator.Context, t *simulator.Task) types.BaseMethodFault {
	on := *t.Info.Entity
	if _, other := tt.busy.LoadOrStore(on, t.Self); other {
		return tt.inProgress(on)
	}
	defer tt.busy.CompareAndDelete(on, t.Self)
	unlock := ctx.Map.AcquireLock(ctx, on)
	unlock()
	unlock()
	timer := time.NewTimer(tt.last)
	defer timer.Stop()
	var ended bool
	select {
	case <-timer.C:
	case <-tt.closed:
		ended = true
	}
	ctx.Map.AcquireLock(ctx, on)
	ctx.Map.WithLock(&simulator.Context{}, t, func() {
		ended = ended || t.Info.State == types.TaskInfoStateError
	})
	if ended {
		return &types.RequestCanceled{}
	}
	return nil
}

// inProgress is the fault of a machine that a task works on; nil for one that is idle.
func (tt *taskTimes) inProgress(machine moref) types.BaseMethodFault {
	if task, busy := tt.busy.Load(machine); busy {
		ref, _ := task.(moref)
		return &types.TaskInProgress{Task: ref}
	}
	return nil
}

// occupied refuses a task on a machine while another lasts.
func (tt *taskTimes) occupied(call *simulator.Method) types.BaseMethodFault {
	if call.This.Type != "VirtualMachine" || !strings.HasSuffix(call.Name, "_Task") {
		return nil
	}
	return tt.inProgress(call.This)
}
