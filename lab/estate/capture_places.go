package estate

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// down are the properties that lead one level down, by type.
var down = map[string][]string{
	folder:     {"childEntity"},
	pod:        {"childEntity"},
	datacenter: {"vmFolder", "hostFolder", "datastoreFolder", "networkFolder"},
	cluster:    {"resourcePool", "host"},
	compute:    {"resourcePool", "host"},
	pool:       {"resourcePool"},
	vApp:       {"resourcePool", "vm"},
}

// inventoryFilter reads the whole inventory with one request, or one for each page that the vCenter cuts its answer into.
func inventoryFilter(root types.ManagedObjectReference) types.PropertyFilterSpec {
	var next, steps []types.BaseSelectionSpec
	for kind, properties := range down {
		for _, p := range properties {
			next = append(next, &types.SelectionSpec{Name: kind + "." + p})
		}
	}
	for kind, properties := range down {
		for _, p := range properties {
			steps = append(steps, &types.TraversalSpec{
				SelectionSpec: types.SelectionSpec{Name: kind + "." + p}, Type: kind, Path: p, SelectSet: next,
			})
		}
	}
	return types.PropertyFilterSpec{
		PropSet: []types.PropertySpec{
			{Type: "ManagedEntity", PathSet: []string{"name", "parent"}},
			{Type: machine, PathSet: []string{"config.keyId", "config.template", "parentVApp", "resourcePool"}},
			{Type: dvPortgroup, PathSet: []string{"config.distributedVirtualSwitch", "config.uplink", "tag"}},
		},
		ObjectSet: []types.ObjectSpec{{Obj: root, SelectSet: steps}},
	}
}

// objects are the inventory as it was read.
type objects struct {
	tree     *inventory.Tree
	paths    map[*inventory.Object]string
	all      []*inventory.Object
	template map[*inventory.Object]bool
	secret   map[*inventory.Object]bool // encrypted
	uplink   map[*inventory.Object]bool
	listed   map[*inventory.Object]bool // part of the estate, or part of something that is
}

func newObjects(contents []types.ObjectContent, root inventory.Ref) (*objects, error) {
	o := &objects{
		tree: inventory.NewTree(), paths: map[*inventory.Object]string{},
		template: map[*inventory.Object]bool{}, secret: map[*inventory.Object]bool{},
		uplink: map[*inventory.Object]bool{}, listed: map[*inventory.Object]bool{},
	}
	for _, content := range contents {
		at := o.tree.Node(vcenter.Ref(content.Obj))
		if !slices.Contains(o.all, at) || at.Name == "" {
			o.all = append(o.all, at)
		}
		for _, p := range content.PropSet {
			o.property(at, p)
		}
	}
	if err := o.tree.Check(); err != nil {
		return nil, err
	}
	o.tree.SetRoot(o.tree.Node(root))
	return o, nil
}

func (o *objects) property(at *inventory.Object, p types.DynamicProperty) {
	switch v := p.Val.(type) {
	case string:
		at.Name = v
	case bool:
		if p.Name == "config.template" {
			o.template[at] = v
		} else if v {
			o.uplink[at] = true
		}
	case types.CryptoKeyId:
		o.secret[at] = true
	case types.ArrayOfTag: // how uplinks were marked before config.uplink
		if slices.ContainsFunc(v.Tag, func(t types.Tag) bool { return t.Key == "SYSTEM/DVS.UPLINKPG" }) {
			o.uplink[at] = true
		}
	case types.ManagedObjectReference:
		to := o.tree.Node(vcenter.Ref(v))
		switch p.Name {
		case "config.distributedVirtualSwitch":
			at.Switch = to
		case "resourcePool":
			at.Pool = to
		default: // parent, or for a machine of a vApp that one
			at.Parent = to
		}
	}
}

// places fills in the objects, the upper ones first so that nothing is listed below something that is left out.
func (c *capture) places(o *objects, machines bool) {
	o.listed[o.tree.Root] = true
	paths := o.paths
	for _, at := range o.all {
		paths[at] = at.Path()
	}
	slices.SortFunc(o.all, func(a, b *inventory.Object) int {
		return cmp.Or(strings.Count(paths[a], "/")-strings.Count(paths[b], "/"), strings.Compare(paths[a], paths[b]),
			strings.Compare(a.Ref.String(), b.Ref.String()))
	})
	pools := map[string]*inventory.Object{}
	taken := map[string]int{} // index of the object at a path; -1 = it comes with another
	for _, at := range o.all {
		p := paths[at]
		kind := strings.TrimPrefix(at.Ref.Type, "Vmware")
		one := Object{Path: p, Type: kind, Template: o.template[at], Encrypted: o.secret[at]}
		switch {
		case at == o.tree.Root, at.Parent == nil || !o.listed[at.Parent], o.uplink[at], kind == machine && !machines && !one.Template:
			continue
		case !writable(at.Name):
			c.note("%q and what is below it are omitted: the name cannot be written", p)
			continue
		}
		_, twice := taken[p]
		if _, again := taken[p+besideOther]; twice && kind == opaque && !again {
			p, twice = p+besideOther, false
			paths[at] = p
		}
		if twice {
			c.note("a second object at %s (%s) is omitted", p, at.Ref)
			continue
		}
		taken[p], o.listed[at] = -1, true
		if kind == host {
			if at.Parent.Ref.Type == cluster {
				of := &c.v.Objects[taken[paths[at.Parent]]]
				of.Hosts = append(of.Hosts, at.Name)
			}
			continue
		}
		if at.Complex() {
			continue
		}
		if !slices.Contains(Types(), kind) {
			c.note("%s is omitted: it is a %s", p, at.Ref.Type)
			o.listed[at] = false
			continue
		}
		if at.Switch != nil {
			one.Switch = paths[at.Switch]
		}
		if at.Pool != nil && at.Parent.Ref.Type != vApp {
			one.Pool = paths[at.Pool]
			pools[one.Pool] = at.Pool
		}
		taken[p] = len(c.v.Objects)
		c.v.Objects = append(c.v.Objects, one)
	}
	for i := range c.v.Objects { // a pool can be deeper down than its machine, so whether it is there is known now
		if one := &c.v.Objects[i]; !o.listed[pools[one.Pool]] {
			one.Pool = ""
		}
	}
	c.withSwitches(o)
}

// withSwitches leaves out port groups whose switch is not seen: no estate can hold them.
func (c *capture) withSwitches(o *objects) {
	lost := map[string]bool{}
	for _, at := range o.all {
		if o.listed[at] && at.Ref.Type == dvPortgroup && (at.Switch == nil || !o.listed[at.Switch]) {
			o.listed[at], lost[o.paths[at]] = false, true
			c.note("%s is omitted: its switch is not visible", o.paths[at])
		}
	}
	for at, p := range o.paths {
		if alone, beside := strings.CutSuffix(p, besideOther); beside && lost[alone] {
			o.paths[at] = alone
		}
	}
	c.v.Objects = slices.DeleteFunc(c.v.Objects, func(one Object) bool { return lost[one.Path] && one.Type == dvPortgroup })
}

// writable reports whether a name can be written and read again.
func writable(name string) bool {
	return strings.TrimSpace(name) != "" && name != "." && name != ".." && path.Base(name) == name &&
		!strings.ContainsFunc(name, yamldoc.Unprintable)
}
