package vcsim

import (
	"testing"
	"time"

	"github.com/vmware/govmomi/fault"
	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// The simulator removes the current snapshot, if others are below it, with a panic in the goroutine of the task.
func TestPanicOfTaskEndsTheTask(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	vm := anyMachine(t, v)
	for _, name := range []string{"a", "b"} {
		if err := must(vm.CreateSnapshot(t.Context(), name, "", false, false)).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := must(vm.RevertToSnapshot(t.Context(), "a", true)).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := must(vm.RemoveSnapshot(t.Context(), "a", false, nil)).Wait(t.Context())
	if !fault.Is(err, &types.SystemError{}) {
		t.Errorf("the task ends with %v", err)
	}
	usable(t, vm)
}

// A call that panics holds the lock of its object, and those that it took on its way.
func TestPanicOfCallEndsTheCall(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	vm := anyMachine(t, v)
	reg := v.model.Map()
	kept := must(as[*simulator.VirtualMachine](reg.Get(vm.Reference())))
	broken := &brokenMachine{VirtualMachine: kept}
	reg.Put(broken)
	_, err := methods.RefreshStorageInfo(t.Context(), vm.Client(), &types.RefreshStorageInfo{This: vm.Reference()})
	if !fault.Is(err, &types.SystemError{}) {
		t.Errorf("the call ends with %v", err)
	}
	reg.Put(kept)
	usable(t, vm)
}

// brokenMachine panics while it holds locks.
type brokenMachine struct{ *simulator.VirtualMachine }

func (m *brokenMachine) RefreshStorageInfo(ctx *simulator.Context, _ *types.RefreshStorageInfo) *methods.RefreshStorageInfoBody {
	var host mo.Reference
	ctx.WithLock(m.VirtualMachine, func() {
		ctx.WithLock(ctx.Map.Get(*m.Runtime.Host), func() { _ = host.Reference() })
	})
	return nil
}

func anyMachine(t *testing.T, v *VCenter) *object.VirtualMachine {
	return must(finding.NewFinder(admin(t, v)).VirtualMachine(t.Context(), v.Estate().Datacenters[0].Templates[0]))
}

// usable fails if the simulator still locks a machine or its host.
func usable(t *testing.T, vm *object.VirtualMachine) {
	t.Helper()
	done := make(chan error)
	go func() {
		task, err := vm.Reconfigure(t.Context(), types.VirtualMachineConfigSpec{Annotation: "still there"})
		if err == nil {
			err = task.Wait(t.Context())
		}
		if err == nil {
			var host *object.HostSystem
			host, err = vm.HostSystem(t.Context())
			if err == nil {
				_, err = host.ObjectName(t.Context())
			}
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the machine stays locked")
	}
}
