package vcsim

import (
	"fmt"
	"sync"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// taskWatch hears of every change in a registry and remembers the tasks that have ended. The property collector
// would make each task of a builder take 20 ms.
type taskWatch struct {
	self moref

	mu    sync.Mutex
	ended *sync.Cond
	info  map[moref]types.TaskInfo
}

// newTaskWatch is registered in the place of the task manager, whose history is not that of the
// estate.
func newTaskWatch(self moref) *taskWatch {
	w := &taskWatch{self: self, info: map[moref]types.TaskInfo{}}
	w.ended = sync.NewCond(&w.mu)
	return w
}

func (w *taskWatch) Reference() moref { return w.self }

func (*taskWatch) PutObject(*simulator.Context, mo.Reference) {}

func (*taskWatch) RemoveObject(*simulator.Context, moref) {}

// UpdateObject is called while the simulator holds the lock of the object.
func (w *taskWatch) UpdateObject(_ *simulator.Context, obj mo.Reference, _ []types.PropertyChange) {
	t, ok := obj.(*mo.Task)
	if !ok || t.Info.State != types.TaskInfoStateSuccess && t.Info.State != types.TaskInfoStateError {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.info[t.Self] = t.Info
	w.ended.Broadcast()
}

// wait returns how a task ended.
func (w *taskWatch) wait(task moref) types.TaskInfo {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		if info, ok := w.info[task]; ok {
			delete(w.info, task)
			return info
		}
		w.ended.Wait()
	}
}

// finish waits for a task.
func (b *builder) finish(task *object.Task, err error) (types.AnyType, error) {
	if err != nil {
		return nil, err
	}
	info := b.tasks.wait(task.Reference())
	if info.State == types.TaskInfoStateError {
		return nil, fmt.Errorf("%s: %s", info.Name, info.Error.LocalizedMessage)
	}
	return info.Result, nil
}

// made waits for a task that makes an object.
func (b *builder) made(task *object.Task, err error) (moref, error) {
	result, err := b.finish(task, err)
	if err != nil {
		return moref{}, err
	}
	return as[moref](result)
}

// kept is an object of the inventory as the simulator keeps it.
func kept[T mo.Reference](b *builder, obj mo.Reference) (T, error) {
	v, err := as[T](b.reg.Get(obj.Reference()))
	if err != nil {
		return v, fmt.Errorf("%s: %w", obj.Reference(), err)
	}
	return v, nil
}

// as is v as a T; the error says what the simulator gave instead.
func as[T any](v any) (T, error) {
	t, ok := v.(T)
	if !ok {
		return t, fmt.Errorf("the simulator gave a %T, not a %T", v, t)
	}
	return t, nil
}
