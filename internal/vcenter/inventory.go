package vcenter

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Object is one object of the inventory, with the way up to the root.
type Object struct {
	Ref    types.ManagedObjectReference
	Name   string // as stored: / is %2f
	Parent *Object
	Pool   *Object // VMs: their resource pool
	Switch *Object // port groups: their distributed switch

	root bool
}

// Path is the inventory path, "/" for the root folder. Below an object that the session may not see it begins with that
// object's reference.
func (o *Object) Path() string {
	switch {
	case o.root:
		return "/"
	case o.Parent == nil:
		return o.Ref.String()
	}
	return path.Join(o.Parent.Path(), o.Name)
}

// Ancestors are the objects above, nearest first, the root folder last.
func (o *Object) Ancestors() []*Object {
	var all []*Object
	for p := o.Parent; p != nil; p = p.Parent {
		all = append(all, p)
	}
	return all
}

// Within tells whether o is a or below it.
func (o *Object) Within(a *Object) bool {
	return o == a || slices.Contains(o.Ancestors(), a)
}

// Unassignable says why an object takes no permission, and which object above it to use instead; nil where it does.
// Source: vSphere Web Services API reference, SetEntityPermissions; vSphere Security, hierarchical inheritance.
func (o *Object) Unassignable() (instead *Object, why string) {
	switch parent := o.Parent; {
	case parent == nil:
		return nil, ""
	case o.Ref.Type == "Folder" && parent.Ref.Type == "Datacenter":
		return parent, "a datacenter's own vm, host, datastore and network folders take none"
	case o.Ref.Type == "ResourcePool" && isCompute(parent):
		return parent, "the root pool of a cluster takes none"
	case o.Ref.Type == "HostSystem" && parent.Ref.Type == "ComputeResource":
		return parent, "a standalone host takes none"
	case strings.HasSuffix(o.Ref.Type, "VirtualSwitch"):
		above := parent
		for above != nil {
			if up, _ := above.Unassignable(); up == nil {
				break
			}
			above = above.Parent
		}
		return above, "a switch takes none"
	}
	return nil, ""
}

// Complex tells whether the object is one with its parent, so that permissions of the parent count here even when they do not
// propagate: each of a datacenter's four folders, whatever its name, the root pool of a cluster, the root pool and the host of
// a standalone compute resource. Source: vSphere Web Services API reference 8.0.2, SetEntityPermissions: they "always have the
// same permissions as their parent".
func (o *Object) Complex() bool {
	if o.Parent == nil {
		return false
	}
	switch o.Ref.Type {
	case "Folder":
		return o.Parent.Ref.Type == "Datacenter"
	case "ResourcePool":
		return isCompute(o.Parent)
	case "HostSystem":
		return o.Parent.Ref.Type == "ComputeResource"
	}
	return false
}

func isCompute(o *Object) bool {
	return o.Ref.Type == "ClusterComputeResource" || o.Ref.Type == "ComputeResource"
}

// Inventory is the part of a vCenter's inventory that was asked for: the objects and all their ancestors.
type Inventory struct {
	Root  *Object
	byRef map[types.ManagedObjectReference]*Object
	paths map[string]*Object
}

// At is the object at a path that was asked for, nil if there is none.
func (i *Inventory) At(p string) *Object { return i.paths[p] }

// Object by reference, nil if it was not read.
func (i *Inventory) Object(ref types.ManagedObjectReference) *Object { return i.byRef[ref] }

// Find resolves inventory paths, all at once, then reads the ancestors and switches of all of them in one request:
// two dependent round trips, whatever the size of the inventory. Paths without an object are left out of At.
func (s *Session) Find(ctx context.Context, paths []string) (*Inventory, error) {
	refs := make([]*types.ManagedObjectReference, len(paths))
	errs := make([]error, len(paths))
	var wg crash.Group
	for i, p := range paths {
		if p == "/" {
			refs[i] = &s.Content.RootFolder
			continue
		}
		wg.Go(func() {
			res, err := methods.FindByInventoryPath(ctx, s, &types.FindByInventoryPath{
				This: *s.Content.SearchIndex, InventoryPath: p,
			})
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w", p, err)
				return
			}
			refs[i] = res.Returnval
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, s.explain(err)
	}
	inv := &Inventory{paths: map[string]*Object{}}
	if err := s.read(ctx, inv, refs); err != nil {
		return nil, err
	}
	for i, p := range paths {
		if refs[i] == nil {
			continue
		}
		o := inv.byRef[*refs[i]]
		if o == nil || o != inv.Root && !o.Within(inv.Root) {
			return nil, hint.Errorf("log in as somebody who may read the inventory from the root folder down",
				"%s: %s sees %s, but not everything above it", s.Server, s.User, p)
		}
		inv.paths[p] = o
	}
	return inv, nil
}

// Include adds objects known by reference, and their ancestors; those that are gone are ignored.
func (s *Session) Include(ctx context.Context, inv *Inventory, refs []types.ManagedObjectReference) error {
	var missing []*types.ManagedObjectReference
	for _, ref := range refs {
		if inv.byRef[ref] == nil {
			missing = append(missing, &ref)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return s.read(ctx, inv, missing)
}

func (s *Session) read(ctx context.Context, inv *Inventory, refs []*types.ManagedObjectReference) error {
	up := types.TraversalSpec{
		SelectionSpec: types.SelectionSpec{Name: "parent"}, Type: "ManagedEntity", Path: "parent",
		SelectSet: []types.BaseSelectionSpec{&types.SelectionSpec{Name: "parent"}},
	}
	dvs := types.TraversalSpec{
		SelectionSpec: types.SelectionSpec{Name: "switch"}, Type: "DistributedVirtualPortgroup", Path: "config.distributedVirtualSwitch",
		SelectSet: []types.BaseSelectionSpec{&types.SelectionSpec{Name: "parent"}},
	}
	pool := types.TraversalSpec{
		SelectionSpec: types.SelectionSpec{Name: "pool"}, Type: "VirtualMachine", Path: "resourcePool",
		SelectSet: []types.BaseSelectionSpec{&types.SelectionSpec{Name: "parent"}},
	}
	spec := types.PropertyFilterSpec{
		PropSet: []types.PropertySpec{
			{Type: "ManagedEntity", PathSet: []string{"name", "parent"}},
			{Type: "DistributedVirtualPortgroup", PathSet: []string{"config.distributedVirtualSwitch"}},
			{Type: "VirtualMachine", PathSet: []string{"parentVApp", "resourcePool"}},
		},
		ReportMissingObjectsInResults: new(true),
	}
	seen := map[types.ManagedObjectReference]bool{}
	for _, ref := range append(refs, &s.Content.RootFolder) {
		if ref != nil && !seen[*ref] {
			seen[*ref] = true
			spec.ObjectSet = append(spec.ObjectSet, types.ObjectSpec{Obj: *ref, SelectSet: []types.BaseSelectionSpec{&up, &dvs, &pool}})
		}
	}
	objects, err := s.Retrieve(ctx, spec)
	if err != nil {
		return s.explain(err)
	}
	if err := inv.add(objects); err != nil {
		return fmt.Errorf("%s: %w", s.Server, err)
	}
	inv.Root = inv.byRef[s.Content.RootFolder]
	if inv.Root == nil {
		return fmt.Errorf("%s: %s sees no root folder", s.Server, s.User)
	}
	inv.Root.root = true
	return nil
}

// add is an error where the objects do not lead up: every walk to the root would go round for ever.
func (i *Inventory) add(objects []types.ObjectContent) error {
	if i.byRef == nil {
		i.byRef = map[types.ManagedObjectReference]*Object{}
	}
	object := func(ref types.ManagedObjectReference) *Object {
		if i.byRef[ref] == nil {
			i.byRef[ref] = &Object{Ref: ref}
		}
		return i.byRef[ref]
	}
	for _, content := range objects {
		if len(content.PropSet) == 0 {
			continue
		}
		o := object(content.Obj)
		for _, p := range content.PropSet {
			switch v := p.Val.(type) {
			case string:
				o.Name = v
			case types.ManagedObjectReference:
				switch p.Name {
				case "config.distributedVirtualSwitch":
					o.Switch = object(v)
				case "resourcePool":
					o.Pool = object(v)
				default:
					o.Parent = object(v)
				}
			}
		}
	}
	return i.upwards()
}

// upwards finds an object that is its own ancestor.
func (i *Inventory) upwards() error {
	leads := map[*Object]bool{} // to the end
	for _, o := range i.byRef {
		seen := map[*Object]bool{}
		for at := o; at != nil && !leads[at]; at = at.Parent {
			if seen[at] {
				return fmt.Errorf("the vCenter says that %s is below itself", at.Ref)
			}
			seen[at] = true
		}
		maps.Copy(leads, seen)
	}
	return nil
}

// Nearest finds the longest existing part of a path and the names below it that look like the missing one. For error
// texts only: it lists one folder.
func (s *Session) Nearest(ctx context.Context, p string) error {
	dir := p
	for dir != "/" && dir != "." {
		dir = path.Dir(dir)
		inv, err := s.Find(ctx, []string{dir})
		if err != nil {
			return err
		}
		if found := inv.At(dir); found != nil {
			missing, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(p, dir), "/"), "/")
			h := "the nearest existing path is " + dir
			if near := s.sibling(ctx, found, missing); near != "" {
				h = "did you mean " + path.Join(dir, near) + "?"
			}
			return hint.Errorf(h, "%s: there is no %s", s.Server, p)
		}
	}
	return hint.Errorf("inventory paths look like /DC1/host/Cluster1", "%s: there is no %s", s.Server, p)
}
