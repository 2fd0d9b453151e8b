package vcenter

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// Kind is what Browse lists.
type Kind int

// The kinds of objects that a failure domain names.
const (
	Datacenters Kind = iota // below the root folder
	Clusters                // below a datacenter, as all that follow but Pools
	Folders                 // of virtual machines, without the datacenter's own
	Datastores
	Networks  // standard networks, distributed port groups but uplinks, opaque networks
	Templates // virtual machines that are templates
	Pools     // below a cluster, without its root pool
)

// Item is one object that can be chosen.
type Item struct {
	Ref  types.ManagedObjectReference
	Path string // inventory path; names are as the vCenter stores them
	Note string // for people: "2 TiB, 800 GiB free", "port group"; or ""

	reach map[types.ManagedObjectReference]bool // clusters: the datastores and networks of their hosts
}

// Reaches reports whether the hosts of a cluster have a datastore or network. A cluster that lists
// none excludes nothing.
func (i *Item) Reaches(o *Item) bool { return len(i.reach) == 0 || i.reach[o.Ref] }

// walk is how objects of one kind are found from where they can be.
type walk struct {
	types []string            // those that are listed
	props map[string][]string // properties besides name and parent, by type
	from  string              // property of the datacenter; "" = the object itself
	steps map[string][]string // type → properties that lead one level down
}

// folderSteps lead down through folders.
func folderSteps() map[string][]string { return map[string][]string{"Folder": {"childEntity"}} }

func (k Kind) walk() walk {
	steps := folderSteps()
	switch k {
	case Datacenters:
		return walk{types: []string{"Datacenter"}, steps: steps}
	case Clusters:
		return walk{
			types: []string{"ClusterComputeResource"}, from: "hostFolder", steps: steps,
			props: map[string][]string{"ClusterComputeResource": {"datastore", "network"}},
		}
	case Datastores:
		steps["StoragePod"] = []string{"childEntity"}
		return walk{
			types: []string{"Datastore"}, from: "datastoreFolder", steps: steps,
			props: map[string][]string{"Datastore": {"summary.capacity", "summary.freeSpace"}},
		}
	case Networks:
		return walk{
			types: inventory.NetworkTypes(), from: "networkFolder", steps: steps,
			props: map[string][]string{"DistributedVirtualPortgroup": {"config.uplink", "tag"}},
		}
	case Templates:
		return walk{
			types: []string{"VirtualMachine"}, from: "vmFolder", steps: steps,
			props: map[string][]string{"VirtualMachine": {"config.template"}},
		}
	case Pools:
		return walk{types: []string{"ResourcePool"}, steps: map[string][]string{
			"ClusterComputeResource": {"resourcePool"}, "ResourcePool": {"resourcePool"},
		}}
	case Folders:
	}
	return walk{types: []string{"Folder"}, from: "vmFolder", steps: steps}
}

// Browse lists the objects of one kind below another object, sorted by path: Datacenters below
// [Session.Top], Pools below a cluster, all others below a datacenter. It takes one request, and
// one more for each page of the answer.
func (s *Session) Browse(ctx context.Context, kind Kind, below Item) ([]Item, error) {
	w := kind.walk()
	contents, err := s.Retrieve(ctx, w.filter(below.Ref))
	if err != nil {
		return nil, s.explain(err)
	}
	inv := inventory.NewTree()
	if err := add(inv, named(contents)); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Server, err)
	}
	var items []Item
	for _, c := range contents {
		if !slices.Contains(w.types, c.Obj.Type) {
			continue
		}
		p, ok := pathFrom(inv.Object(Ref(c.Obj)), below)
		// The datacenter's VM folder and the root pool are omitted: they take no permission.
		if !ok || kind == Folders && p == path.Join(below.Path, "vm") ||
			kind == Pools && p == path.Join(below.Path, "Resources") {
			continue
		}
		item := Item{Ref: c.Obj, Path: p}
		if item.describe(c.PropSet) {
			items = append(items, item)
		}
	}
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Path), strings.ToLower(b.Path)), cmp.Compare(a.Path, b.Path))
	})
	return items, nil
}

// Top is the root folder, where datacenters are looked for.
func (s *Session) Top() Item { return Item{Ref: s.Content.RootFolder, Path: "/"} }

// filter reads the objects and every container on the way, which the paths are made from.
func (w walk) filter(start types.ManagedObjectReference) types.PropertyFilterSpec {
	var next []types.BaseSelectionSpec
	for kind, props := range w.steps {
		for _, prop := range props {
			next = append(next, &types.SelectionSpec{Name: kind + "." + prop})
		}
	}
	var down []types.BaseSelectionSpec
	for kind, props := range w.steps {
		for _, prop := range props {
			down = append(down, &types.TraversalSpec{
				SelectionSpec: types.SelectionSpec{Name: kind + "." + prop}, Type: kind, Path: prop, SelectSet: next,
			})
		}
	}
	if w.from != "" {
		down = append(down, &types.TraversalSpec{Type: "Datacenter", Path: w.from, SelectSet: next})
	}
	var set []types.PropertySpec
	for kind := range w.steps {
		set = append(set, types.PropertySpec{Type: kind, PathSet: []string{"name", "parent"}})
	}
	for _, kind := range w.types {
		if w.steps[kind] == nil {
			set = append(set, types.PropertySpec{Type: kind, PathSet: append([]string{"name", "parent"}, w.props[kind]...)})
		}
	}
	return types.PropertyFilterSpec{PropSet: set, ObjectSet: []types.ObjectSpec{{Obj: start, SelectSet: down}}}
}

// named keeps of each object what its path is made from.
func named(contents []types.ObjectContent) []types.ObjectContent {
	all := make([]types.ObjectContent, len(contents))
	for i, c := range contents {
		all[i].Obj = c.Obj
		for _, p := range c.PropSet {
			if p.Name == "name" || p.Name == "parent" {
				all[i].PropSet = append(all[i].PropSet, p)
			}
		}
	}
	return all
}

// pathFrom is the path of o, which must lie below start.
func pathFrom(o *inventory.Object, start Item) (string, bool) {
	var names []string
	for ; o != nil; o = o.Parent {
		if o.Ref == Ref(start.Ref) {
			slices.Reverse(names)
			return path.Join(append([]string{start.Path}, names...)...), true
		}
		names = append(names, o.Name)
	}
	return "", false
}

// describe fills in what the properties say, and reports whether the object can be chosen at all.
func (i *Item) describe(props []types.DynamicProperty) bool {
	var capacity, free int64
	template := i.Ref.Type != "VirtualMachine"
	for _, p := range props {
		switch v := p.Val.(type) {
		case int64:
			if p.Name == "summary.capacity" {
				capacity = v
			} else {
				free = v
			}
		case bool:
			if p.Name == "config.uplink" && v {
				return false
			}
			template = template || p.Name == "config.template" && v
		case types.ArrayOfTag: // how uplinks were marked before config.uplink
			if slices.ContainsFunc(v.Tag, func(t types.Tag) bool { return t.Key == "SYSTEM/DVS.UPLINKPG" }) {
				return false
			}
		case types.ArrayOfManagedObjectReference:
			for _, ref := range v.ManagedObjectReference {
				if i.reach == nil {
					i.reach = map[types.ManagedObjectReference]bool{}
				}
				i.reach[ref] = true
			}
		}
	}
	switch {
	case capacity > 0:
		i.Note = fmt.Sprintf("%s, %s free", bytes(capacity), bytes(free))
	case i.Ref.Type == "DistributedVirtualPortgroup":
		i.Note = "distributed port group"
	case i.Ref.Type == "OpaqueNetwork":
		i.Note = "opaque network of NSX"
	}
	return template
}

// bytes is a size in the largest unit that leaves a number of at least one.
func bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	f, u := float64(n), 0
	for f >= 1024 && u < len(units)-1 {
		f /= 1024
		u++
	}
	if f < 10 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") + " " + units[u]
	}
	return fmt.Sprintf("%.0f %s", f, units[u])
}

// Machines lists the names of virtual machines (no templates) by the nearest of the folders or
// datacenters above, sorted. It is one request for at most limit objects, folders included; more
// tells that there are others.
func (s *Session) Machines(ctx context.Context, folders []inventory.Ref,
	limit int32,
) (names map[inventory.Ref][]string, more bool, err error) {
	contents, inv, more, err := s.machines(ctx, folders, limit, "config.template")
	if err != nil {
		return nil, false, err
	}
	names, seen := map[inventory.Ref][]string{}, map[inventory.Ref]bool{}
	for _, c := range contents {
		o := inv.Object(Ref(c.Obj))
		template := slices.ContainsFunc(c.PropSet, func(p types.DynamicProperty) bool {
			return p.Name == "config.template" && p.Val == true
		})
		if c.Obj.Type != "VirtualMachine" || o == nil || seen[o.Ref] || template {
			continue
		}
		seen[o.Ref] = true
		for at := o.Parent; at != nil; at = at.Parent {
			if slices.Contains(folders, at.Ref) {
				names[at.Ref] = append(names[at.Ref], o.Name)
				break
			}
		}
	}
	for _, list := range names {
		slices.Sort(list)
	}
	return names, more, nil
}

// Encrypted gives, for folders and virtual machines, the path from there to an encrypted virtual
// machine or template, "." for itself. It is one request, for at most limit objects.
func (s *Session) Encrypted(ctx context.Context, at []inventory.Ref, limit int32) (map[inventory.Ref]string, error) {
	contents, inv, _, err := s.machines(ctx, at, limit, "config.keyId")
	found := map[inventory.Ref]string{}
	for _, c := range contents {
		key := slices.ContainsFunc(c.PropSet, func(p types.DynamicProperty) bool { return p.Name == "config.keyId" })
		way := "."
		for o := inv.Object(Ref(c.Obj)); key && o != nil; o = o.Parent {
			if slices.Contains(at, o.Ref) && found[o.Ref] == "" {
				found[o.Ref] = way
			}
			way = path.Join(o.Name, way)
		}
	}
	return found, err
}

// machines reads the virtual machines in and below folders, with the folders on the way.
func (s *Session) machines(ctx context.Context, folders []inventory.Ref, limit int32,
	prop string,
) ([]types.ObjectContent, *inventory.Tree, bool, error) {
	steps := folderSteps()
	steps["Datacenter"] = []string{"vmFolder"}
	w := walk{types: []string{"VirtualMachine"}, steps: steps, props: map[string][]string{"VirtualMachine": {prop}}}
	var spec types.PropertyFilterSpec
	for _, f := range folders {
		one := w.filter(MOR(f))
		spec.PropSet = one.PropSet
		spec.ObjectSet = append(spec.ObjectSet, one.ObjectSet...)
	}
	contents, more, err := s.RetrieveFirst(ctx, limit, spec)
	if err != nil {
		return nil, nil, false, s.explain(err)
	}
	inv := inventory.NewTree()
	if err := add(inv, named(contents)); err != nil {
		return nil, nil, false, fmt.Errorf("%s: %w", s.Server, err)
	}
	return contents, inv, more, nil
}
