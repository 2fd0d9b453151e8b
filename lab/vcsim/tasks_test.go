package vcsim

import (
	"slices"
	"testing"
	"time"

	"github.com/vmware/govmomi/fault"
	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/task"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// infoOf is what a task says of itself.
func infoOf(t *testing.T, c *vim25.Client, ref types.ManagedObjectReference) types.TaskInfo {
	t.Helper()
	var m mo.Task
	if err := property.DefaultCollector(c).RetrieveOne(t.Context(), ref, []string{"info"}, &m); err != nil {
		t.Fatal(err)
	}
	return m.Info
}

// A task that lasts is seen to run, its machine can be read, and takes no other task meanwhile.
func TestTasksLast(t *testing.T) {
	v := start(t, Options{TaskTime: 400 * time.Millisecond}).VCenters[0]
	c := admin(t, v)
	vm := must(finding.NewFinder(c).VirtualMachine(t.Context(), v.Estate().Datacenters[0].Templates[0]))
	began := time.Now()
	first := must(vm.CreateSnapshot(t.Context(), "a", "", false, false))
	if info := infoOf(t, c, first.Reference()); info.State != types.TaskInfoStateRunning || info.StartTime == nil || info.CompleteTime != nil {
		t.Errorf("%+v", info)
	}
	var m mo.VirtualMachine
	if err := vm.Properties(t.Context(), vm.Reference(), []string{"name", "snapshot"}, &m); err != nil || m.Name == "" || m.Snapshot != nil {
		t.Errorf("%q, %v, %v", m.Name, m.Snapshot, err)
	}
	_, err := vm.CreateSnapshot(t.Context(), "b", "", false, false)
	var busy *types.TaskInProgress
	if _, ok := fault.As(err, &busy); !ok || busy.Task != first.Reference() {
		t.Errorf("a second task: %v", err)
	}
	if err := first.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 400*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	if err := vm.Properties(t.Context(), vm.Reference(), []string{"snapshot"}, &m); err != nil || m.Snapshot == nil {
		t.Errorf("%v, %v", m.Snapshot, err)
	}
	if err := must(vm.CreateSnapshot(t.Context(), "b", "", false, false)).Wait(t.Context()); err != nil {
		t.Errorf("a task after it: %v", err)
	}
	gone := must(vm.Destroy(t.Context()))
	if err := vm.Properties(t.Context(), vm.Reference(), []string{"name"}, &m); err != nil {
		t.Errorf("while it is destroyed: %v", err)
	}
	if err := gone.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if err := vm.Properties(t.Context(), vm.Reference(), []string{"name"}, &m); err == nil {
		t.Error("it is there after it was destroyed")
	}
}

// A vCenter that ends does not wait for its tasks.
func TestTasksEndWithTheirVCenter(t *testing.T) {
	l := start(t, Options{TaskTime: time.Hour})
	c := admin(t, l.VCenters[0])
	vm := must(finding.NewFinder(c).VirtualMachine(t.Context(), l.VCenters[0].Estate().Datacenters[0].Templates[0]))
	must(vm.CreateSnapshot(t.Context(), "a", "", false, false))
	l.Close()
}

// Tasks are in the lists of the task manager, of their object and of the history, with who began them.
func TestTaskHistory(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	vm := must(finding.NewFinder(c).VirtualMachine(t.Context(), v.Estate().Datacenters[0].Templates[0]))
	var manager mo.TaskManager
	recent := func() []types.ManagedObjectReference {
		t.Helper()
		if err := property.DefaultCollector(c).RetrieveOne(t.Context(), *c.ServiceContent.TaskManager, []string{"recentTask"}, &manager); err != nil {
			t.Fatal(err)
		}
		return manager.RecentTask
	}
	if before := recent(); len(before) != 0 {
		t.Errorf("the estate left %v", before)
	}
	snapshot := must(vm.CreateSnapshot(t.Context(), "a", "", false, false))
	if err := snapshot.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(recent(), snapshot.Reference()) {
		t.Errorf("recentTask: %v", recent())
	}
	var m mo.VirtualMachine
	if err := vm.Properties(t.Context(), vm.Reference(), []string{"name", "recentTask"}, &m); err != nil || !slices.Contains(m.RecentTask, snapshot.Reference()) {
		t.Errorf("of the machine: %v, %v", m.RecentTask, err)
	}
	history := must(task.NewManager(c).CreateCollectorForTasks(t.Context(), types.TaskFilterSpec{
		Entity: &types.TaskFilterSpecByEntity{Entity: vm.Reference(), Recursion: types.TaskFilterSpecRecursionOptionSelf},
	}))
	all := must(history.ReadNextTasks(t.Context(), 10))
	if len(all) != 1 || all[0].Task != snapshot.Reference() || all[0].State != types.TaskInfoStateSuccess {
		t.Fatalf("%+v", all)
	}
	if by, ok := all[0].Reason.(*types.TaskReasonUser); !ok || by.UserName != `VSPHERE.LOCAL\Administrator` || all[0].EntityName != m.Name {
		t.Errorf("by %+v, on %q", all[0].Reason, all[0].EntityName)
	}
	// who does not see the machine sees no task of it
	account(t, v, "net", datastoresOf(t, v)[0], "System.Read")
	other := loggedIn(t, v, "net")
	if err := property.DefaultCollector(other).RetrieveOne(t.Context(), *c.ServiceContent.TaskManager, []string{"recentTask"}, &manager); err != nil || slices.Contains(manager.RecentTask, snapshot.Reference()) {
		t.Errorf("of another: %v, %v", manager.RecentTask, err)
	}
}

// latestEvent is the newest event that the caller sees.
func TestLatestEvent(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	latest := func(c *vim25.Client) types.BaseEvent {
		t.Helper()
		var m mo.EventManager
		if err := property.DefaultCollector(c).RetrieveOne(t.Context(), *c.ServiceContent.EventManager, []string{"latestEvent"}, &m); err != nil {
			t.Fatal(err)
		}
		return m.LatestEvent
	}
	vm := must(finding.NewFinder(c).VirtualMachine(t.Context(), v.Estate().Datacenters[0].Templates[0]))
	account(t, v, "net", datastoresOf(t, v)[0], "System.Read")
	other := loggedIn(t, v, "net")
	if err := must(vm.Destroy(t.Context())).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := latest(c).(*types.VmRemovedEvent); !ok {
		t.Errorf("%T", latest(c))
	}
	if _, ok := latest(other).(*types.VmRemovedEvent); ok {
		t.Error("seen by one who does not see the machine")
	}
}
