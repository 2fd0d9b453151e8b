package vcenter

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// MOR is the reference of an object as calls of the vCenter take it.
func MOR(r inventory.Ref) types.ManagedObjectReference {
	return types.ManagedObjectReference{Type: r.Type, Value: r.Value}
}

// Ref is what an answer of the vCenter refers to.
func Ref(r types.ManagedObjectReference) inventory.Ref {
	return inventory.Ref{Type: r.Type, Value: r.Value}
}

// Look resolves inventory paths, then reads their ancestors and switches: two round trips for any
// size of inventory. At lacks paths whose objects the session does not see, and objects above may
// be missing, even the root folder. It reads known objects too.
func (s *Session) Look(ctx context.Context, paths []string, known ...inventory.Ref) (*inventory.Tree, error) {
	return s.look(ctx, paths, paths, known...)
}

// look asks for ends alone; paths are these and others, which are found if they lead to one.
func (s *Session) look(ctx context.Context, paths, ends []string, known ...inventory.Ref) (*inventory.Tree, error) {
	refs := make([]*types.ManagedObjectReference, len(ends), len(ends)+len(known))
	errs := make([]error, len(ends))
	var wg crash.Group
	for i, p := range ends {
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
	inv := inventory.NewTree()
	found := refs
	for _, ref := range known {
		found = append(found, new(MOR(ref)))
	}
	if err := s.read(ctx, inv, found, networkNames(paths)...); err != nil {
		return nil, err
	}
	for i, p := range ends {
		if refs[i] != nil {
			if o := inv.Object(Ref(*refs[i])); o != nil {
				inv.SetPath(p, o)
			}
		}
	}
	var rest []string // lead to what is missing, or are spelled otherwise
	for _, p := range lists.Without(paths, ends) {
		if o := inv.Named(p); o != nil {
			inv.SetPath(p, o)
		} else {
			rest = append(rest, p)
		}
	}
	if len(rest) > 0 {
		more, err := s.Look(ctx, rest)
		if err != nil {
			return nil, err
		}
		inv.Join(more)
	}
	for i, p := range ends {
		if refs[i] == nil {
			if err := s.networkByName(ctx, inv, paths, p); err != nil {
				return nil, err
			}
		}
	}
	return inv, nil
}

// Find is Look for a login that sees the whole inventory: a hidden ancestor is an error.
func (s *Session) Find(ctx context.Context, paths []string) (*inventory.Tree, error) {
	leads := func(p string) bool {
		return slices.ContainsFunc(paths, func(to string) bool { return strings.HasPrefix(to, p+"/") })
	}
	inv, err := s.look(ctx, paths, slices.DeleteFunc(slices.Clone(paths), leads))
	if err != nil {
		return nil, err
	}
	if inv.Root == nil {
		return nil, fmt.Errorf("%s: %s cannot see the root folder", s.Server, s.User)
	}
	for _, p := range paths {
		if o := inv.At(p); o != nil && !o.Within(inv.Root) {
			return nil, hint.Errorf("log in with an account that can read the inventory from the root folder down",
				"%s: %s can see %s, but not all objects above it", s.Server, s.User, p)
		}
	}
	return inv, nil
}

// Include adds objects known by reference, and their ancestors; those that are gone are ignored.
func (s *Session) Include(ctx context.Context, inv *inventory.Tree, refs []inventory.Ref) error {
	var missing []*types.ManagedObjectReference
	for _, ref := range refs {
		if inv.Object(ref) == nil {
			missing = append(missing, new(MOR(ref)))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return s.read(ctx, inv, missing)
}

// read adds objects and what is above them and, of the clusters among them, networks by names.
func (s *Session) read(ctx context.Context, inv *inventory.Tree, refs []*types.ManagedObjectReference, networks ...string) error {
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
	steps := []types.BaseSelectionSpec{&up, &dvs, &pool}
	if len(networks) > 0 {
		up.SelectSet = append(up.SelectSet, &types.SelectionSpec{Name: "networks"})
		steps = append(steps, &types.TraversalSpec{
			SelectionSpec: types.SelectionSpec{Name: "networks"}, Type: "ClusterComputeResource", Path: "network",
			SelectSet: []types.BaseSelectionSpec{&types.SelectionSpec{Name: "parent"}},
		})
		spec.PropSet = append(spec.PropSet, types.PropertySpec{Type: "ClusterComputeResource", PathSet: []string{"network"}})
	}
	seen := map[types.ManagedObjectReference]bool{}
	for _, ref := range append(refs, &s.Content.RootFolder) {
		if ref != nil && !seen[*ref] {
			seen[*ref] = true
			spec.ObjectSet = append(spec.ObjectSet, types.ObjectSpec{Obj: *ref, SelectSet: steps})
		}
	}
	objects, err := s.Retrieve(ctx, spec)
	if err != nil {
		return s.explain(err)
	}
	objects = slices.DeleteFunc(objects, func(c types.ObjectContent) bool { // of a cluster, with other names
		return len(networks) > 0 && Ref(c.Obj).Network() && !seen[c.Obj] &&
			!slices.ContainsFunc(c.PropSet, func(p types.DynamicProperty) bool {
				name, ok := p.Val.(string)
				return ok && slices.Contains(networks, name)
			})
	})
	if err := add(inv, objects); err != nil {
		return fmt.Errorf("%s: %w", s.Server, err)
	}
	if root := inv.Object(Ref(s.Content.RootFolder)); root != nil && root.Name != "" {
		inv.SetRoot(root)
	}
	return nil
}

// add is an error where the objects do not lead up.
func add(t *inventory.Tree, objects []types.ObjectContent) error {
	listed := map[*inventory.Object][]types.ManagedObjectReference{}
	for _, content := range objects {
		if len(content.PropSet) == 0 {
			continue
		}
		o := t.Node(Ref(content.Obj))
		for _, p := range content.PropSet {
			switch v := p.Val.(type) {
			case string:
				o.Name = v
			case types.ArrayOfManagedObjectReference:
				listed[o] = v.ManagedObjectReference
			case types.ManagedObjectReference:
				switch p.Name {
				case "config.distributedVirtualSwitch":
					o.Switch = t.Node(Ref(v))
				case "resourcePool":
					o.Pool = t.Node(Ref(v))
				default:
					o.Parent = t.Node(Ref(v))
				}
			}
		}
	}
	for cluster, refs := range listed {
		cluster.Networks = nil
		for _, ref := range refs {
			if n := t.Object(Ref(ref)); n != nil && n.Name != "" {
				cluster.Networks = append(cluster.Networks, n)
			}
		}
	}
	t.TellApart()
	return t.Check()
}

// Nearest is the error for a missing path of an object of a type, "" = any: where one of that name
// is instead, which found reports, else the longest existing part of the path and a similar name
// below it.
func (s *Session) Nearest(ctx context.Context, p, kind string) (found bool, err error) {
	dir := p
	for dir != "/" && dir != "." {
		dir = path.Dir(dir)
		inv, err := s.Find(ctx, []string{dir})
		if err != nil {
			return false, err
		}
		if o := inv.At(dir); o != nil {
			missing := strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
			elsewhere := s.elsewhere(ctx, o, p, missing, kind)
			missing, _, _ = strings.Cut(missing, "/")
			h := "the nearest existing path is " + dir
			if len(elsewhere) > 0 {
				h = "did you mean " + strings.Join(elsewhere, " or ") + "?"
				if strings.Contains(h, "%2f") {
					h += " (a / in a name is written as %2f)"
				}
			} else if near := s.sibling(ctx, o, missing); near != "" {
				h = "did you mean " + path.Join(dir, near) + "?"
			}
			return len(elsewhere) > 0, hint.Errorf(h, "%s: there is no %s%s", s.Server, p, s.orHidden(ctx))
		}
	}
	return false, hint.Errorf("inventory paths look like /DC1/host/Cluster1",
		"%s: there is no %s%s", s.Server, p, s.orHidden(ctx))
}

// kinds are what is looked for below a datacenter's folder, by the type that is wanted.
var kinds = map[string]Kind{
	"ClusterComputeResource": Clusters, "Datastore": Datastores, "Network": Networks,
	"Folder": Folders, "VirtualMachine": Templates, "ResourcePool": Pools,
}

// elsewhere are the paths, at most three, of objects with the name of a missing one: of missing, the
// rest of its path below an object that exists, or of its last part.
func (s *Session) elsewhere(ctx context.Context, below *inventory.Object, p, missing, kind string) []string {
	start, looked := s.Top(), Datacenters
	for _, o := range append([]*inventory.Object{below}, below.Ancestors()...) {
		if o.Ref.Type == "Datacenter" && kinds[kind] != Datacenters ||
			o.Ref.Type == "ClusterComputeResource" && kind == "ResourcePool" {
			start, looked = Item{Ref: MOR(o.Ref), Path: o.Path()}, kinds[kind]
			break
		}
	}
	inside := below.Ref.Type == "Datacenter" || below.Datacenter() != ""
	deeper := strings.Contains(missing, "/")
	switch {
	case looked == Datacenters && (inside || deeper), looked == Pools && start.Ref.Type == "Datacenter",
		looked == Folders && (deeper || path.Base(path.Dir(p)) != "vm"): // a whole path is meant as it is
		return nil
	}
	all, err := s.Browse(ctx, looked, start)
	if err != nil {
		return nil
	}
	var paths []string
	for _, item := range all {
		name := path.Base(item.Path)
		if strings.EqualFold(name, path.Base(p)) || strings.EqualFold(name, inventory.Stored(missing)) {
			paths = append(paths, item.Path)
		}
	}
	if len(paths) > 3 {
		return nil
	}
	return paths
}

// orHidden is a hint that the login may not see an object, unless it may change permissions on the
// root folder.
func (s *Session) orHidden(ctx context.Context) string {
	held, err := s.Privileges(ctx, Ref(s.Content.RootFolder))
	if err == nil && slices.Contains(held[0], "Authorization.ModifyPermissions") {
		return ""
	}
	return ", or " + s.User + " may not see it"
}

// below are the properties that hold the objects one level below.
var below = map[string][]string{
	"Folder":                 {"childEntity"},
	"StoragePod":             {"childEntity"},
	"Datacenter":             {"vmFolder", "hostFolder", "datastoreFolder", "networkFolder"},
	"ClusterComputeResource": {"resourcePool", "host"},
	"ComputeResource":        {"resourcePool", "host"},
	"ResourcePool":           {"resourcePool"},
	"VirtualApp":             {"resourcePool"},
}

// Below reads at most limit objects one level below o, with their names.
func (s *Session) Below(ctx context.Context, o *inventory.Object, limit int32, props ...string) ([]*inventory.Object, error) {
	if len(props) == 0 {
		props = below[o.Ref.Type]
	}
	if len(props) == 0 {
		return nil, nil
	}
	spec := types.PropertyFilterSpec{
		PropSet: []types.PropertySpec{
			{Type: "ManagedEntity", PathSet: []string{"name", "parent"}},
			{Type: "VirtualMachine", PathSet: []string{"parentVApp", "resourcePool"}},
			{Type: "DistributedVirtualPortgroup", PathSet: []string{"config.distributedVirtualSwitch"}},
		},
		ObjectSet: []types.ObjectSpec{{Obj: MOR(o.Ref), Skip: new(true)}},
	}
	for _, prop := range props {
		spec.ObjectSet[0].SelectSet = append(spec.ObjectSet[0].SelectSet,
			&types.TraversalSpec{Type: o.Ref.Type, Path: prop})
	}
	contents, _, err := s.RetrieveFirst(ctx, limit, spec)
	if err != nil {
		return nil, err
	}
	inv := inventory.NewTree()
	if err := add(inv, contents); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Server, err)
	}
	var all []*inventory.Object
	for _, content := range contents {
		child := inv.Node(Ref(content.Obj))
		if child.Parent == nil || child.Parent.Ref == o.Ref {
			child.Parent = o
		}
		if len(content.MissingSet) > 0 && child.Pool == nil { // unknown: not to be taken for none
			child.Pool = &inventory.Object{}
		}
		all = append(all, child)
	}
	return all, nil
}

// sibling is the name below o that is most like name, "" when none is near.
func (s *Session) sibling(ctx context.Context, o *inventory.Object, name string) string {
	children, err := s.Below(ctx, o, 2000)
	if err != nil {
		return ""
	}
	best, bestDistance := "", len([]rune(name))/2+1
	for _, child := range children {
		if d := hint.Distance(strings.ToLower(child.Name), strings.ToLower(name)); d < bestDistance {
			best, bestDistance = child.Name, d
		}
	}
	return best
}
