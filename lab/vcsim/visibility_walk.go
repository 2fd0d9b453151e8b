package vcsim

import (
	"reflect"
	"strings"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// selectObjects follows the traversals of a request through what the caller sees. A hidden object ends the
// walk there: nothing is found behind it, though it may be reached on another way.
func (x *access) selectObjects(specs []types.PropertyFilterSpec) ([]moref, types.BaseMethodFault) {
	w := &walk{x: x, named: map[string]*types.TraversalSpec{}, taken: map[moref]bool{}, done: map[step]bool{}}
	for _, spec := range specs {
		for _, o := range spec.ObjectSet {
			if x.ctx.Session.Get(o.Obj) == nil || !x.visible(o.Obj) {
				if isTrue(spec.ReportMissingObjectsInResults) {
					continue
				}
				return nil, &types.ManagedObjectNotFound{Obj: o.Obj}
			}
			if o.SelectSet == nil || !isTrue(o.Skip) {
				w.take(o.Obj)
			}
			if fault := w.follow(o.Obj, o.SelectSet); fault != nil {
				return nil, fault
			}
		}
	}
	return w.refs, nil
}

type walk struct {
	x     *access
	named map[string]*types.TraversalSpec
	refs  []moref
	taken map[moref]bool
	done  map[step]bool // a traversal that was applied to an object gives nothing new a second time
}

type step struct {
	ref  moref
	spec *types.TraversalSpec
}

func (w *walk) take(ref moref) {
	if !w.taken[ref] {
		w.taken[ref] = true
		w.refs = append(w.refs, ref)
	}
}

func (w *walk) follow(ref moref, set []types.BaseSelectionSpec) types.BaseMethodFault {
	for _, s := range set {
		if ts, ok := s.(*types.TraversalSpec); ok && ts.Name != "" {
			w.named[ts.Name] = ts
		}
	}
	for _, s := range set {
		ts, ok := s.(*types.TraversalSpec)
		if !ok {
			if ts = w.named[s.GetSelectionSpec().Name]; ts == nil {
				return &types.InvalidArgument{InvalidProperty: "undefined TraversalSpec name"}
			}
		}
		if w.done[step{ref, ts}] {
			continue
		}
		w.done[step{ref, ts}] = true
		for _, next := range w.x.refsAt(ref, ts.Path) {
			if w.x.ctx.Session.Get(next) == nil || !w.x.visible(next) {
				continue
			}
			if !isTrue(ts.Skip) {
				w.take(next)
			}
			if fault := w.follow(next, ts.SelectSet); fault != nil {
				return fault
			}
		}
	}
	return nil
}

// refsAt copies the references that a property of an object holds.
func (x *access) refsAt(ref moref, path string) []moref {
	obj := x.ctx.Session.Get(ref)
	if obj == nil {
		return nil
	}
	if o, ok := obj.(interface{ Get() mo.Reference }); ok {
		obj = o.Get()
	}
	defer x.ctx.Map.AcquireLock(x.ctx, ref)()
	v := reflect.ValueOf(managed(obj))
	for name := range strings.SplitSeq(path, ".") {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			if v.IsNil() {
				return nil
			}
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct || name == "" {
			return nil
		}
		if v = v.FieldByName(strings.ToUpper(name[:1]) + name[1:]); !v.IsValid() {
			return nil
		}
	}
	switch r := v.Interface().(type) {
	case moref:
		return []moref{r}
	case *moref:
		if r != nil {
			return []moref{*r}
		}
	case []moref:
		return append([]moref{}, r...)
	}
	return nil
}

func isTrue(b *bool) bool { return b != nil && *b }
