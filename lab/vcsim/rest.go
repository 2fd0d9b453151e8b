package vcsim

import (
	"context"
	"fmt"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/automation"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// restInventory is what the REST API sees of a vCenter.
type restInventory struct{ *authorization }

// restService is the REST API in a [Record].
const restService = "rest"

// newREST makes the REST API of a vCenter.
func newREST(v *VCenter, o Options) *automation.Service {
	j := newJournal(v.Server(), o)
	return automation.New(automation.Options{
		Directory: v.dir, Inventory: restInventory{v.authz}, Now: o.Now, Paths: v.release.rest, Checks: v.authz.checks,
		Note: func(operation, principal, kind string) {
			if j != nil {
				j(Record{Service: restService, Method: operation, Principal: principal, Verdict: restVerdict(kind)})
			}
		},
	})
}

// Tag gives the object at a path a tag of the REST API, as if it had always been there. The category, which allows several tags of an object, and
// the tag are made where they are missing.
func (v *VCenter) Tag(path, category, name string) error {
	ref, ok := v.find(path)
	if !ok {
		return fmt.Errorf("%s: tag %s: no object at %s", v.Server(), name, path)
	}
	if err := v.rest.Tag(ref, category, name); err != nil {
		return fmt.Errorf("%s: tag %s: %s: %w", v.Server(), name, path, err)
	}
	return nil
}

// label gives the objects of contents their tags.
func (v *VCenter) label(c *Contents) error {
	if c == nil {
		return nil
	}
	for _, t := range c.Tags {
		if err := v.rest.Define(t.Category, t.Name); err != nil {
			return fmt.Errorf("%s: tag %s of category %s: %w", v.Server(), t.Name, t.Category, err)
		}
		for _, path := range t.Objects {
			if err := v.Tag(path, t.Category, t.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

func restVerdict(kind string) string {
	if kind == "" {
		return VerdictServed
	}
	return kind
}

// Missing gives those of some privileges that an account has not, and records them all.
func (i restInventory) Missing(p directory.Principal, operation string, needs ...automation.Need) (missing []automation.Need) {
	ctx := i.background()
	ctx.Context = context.WithValue(noContext, calling{}, operation)
	x := i.evaluate(ctx, p)
	x.service = restService
	for _, n := range needs {
		on := i.root
		if n.On != (types.ManagedObjectReference{}) {
			on = x.subjectOf(n.On)
		}
		if !x.looksFor(need{on, n.Privilege}) && (n.On != (types.ManagedObjectReference{}) || !x.handedDown(globalObject, 0).has(n.Privilege)) {
			missing = append(missing, n)
		}
	}
	return missing
}

// Exists reports whether the inventory has an object.
func (i restInventory) Exists(ref types.ManagedObjectReference) bool { return i.reg.Get(ref) != nil }

// ClusterOf is the cluster that a virtual machine runs in, which owns its resource pool.
func (i restInventory) ClusterOf(vm types.ManagedObjectReference) (types.ManagedObjectReference, bool) {
	for ctx, at := i.background(), vm; ; {
		object := managed(i.reg.Get(at))
		unlock := ctx.Map.AcquireLock(ctx, at)
		var next *moref
		switch o := object.(type) {
		case *mo.VirtualMachine:
			next = copied(o.ResourcePool)
		case *mo.ResourcePool:
			next = &moref{Type: o.Owner.Type, Value: o.Owner.Value}
		case *mo.VirtualApp:
			next = &moref{Type: o.Owner.Type, Value: o.Owner.Value}
		}
		unlock()
		if next == nil {
			return at, at.Type == "ClusterComputeResource"
		}
		at = *next
	}
}

// TagOf is the name of the first tag of a category that an object has; "" = none.
func (v *VCenter) TagOf(path, category string) string {
	if ref, ok := v.find(path); ok {
		if names := v.rest.TagsIn(ref, category); len(names) > 0 {
			return names[0]
		}
	}
	return ""
}
