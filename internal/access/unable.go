package access

import (
	"maps"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Rights are an account's on objects: by permissions ([Wanted.Rights]), or as seen.
type Rights interface {
	Held(o *inventory.Object) []string              // nil: does not see it
	HiddenBy(o *inventory.Object) *inventory.Object // unseen object on the path; or nil
}

// Inability is a duty that an account cannot do, with the first reason.
type Inability struct {
	Duty    *privileges.Duty
	Ask     privileges.Ask // of the duty
	Object  *inventory.Object
	Missing []string          // privileges that he lacks on Object; none: he cannot find it
	Hidden  *inventory.Object // what he does not see, and therefore not Object
}

// Work is the objects of duties in a failure domain; some exist only later, and stand for any.
type Work struct {
	Domain
	machine, host, folder, move *inventory.Object
}

// WorkIn is what there is to do in a failure domain.
func WorkIn(d Domain) Work {
	w := Work{Domain: d, folder: d.Folder}
	if d.Encrypted != "" { // whatever the specification says
		w.Holds = maps.Clone(d.Holds)
		w.Holds[privileges.VMEncryption] = true
	}
	if d.folderMade() {
		w.folder = &inventory.Object{Ref: inventory.Ref{Type: "Folder"}, Name: "*", Parent: d.Folder}
	}
	w.move = w.folder
	if own := d.ownFolder(); !d.MoveFolder && d.Folder != own {
		w.move = &inventory.Object{Ref: inventory.Ref{Type: "Folder"}, Name: "*", Parent: own}
	}
	w.machine = &inventory.Object{Ref: inventory.Ref{Type: "VirtualMachine"}, Name: "*", Parent: w.folder, Pool: d.Pool}
	w.host = &inventory.Object{Ref: inventory.Ref{Type: "HostSystem"}, Name: "*", Parent: d.Cluster}
	return w
}

// ownFolder is the datacenter's own folder for virtual machines.
func (d Domain) ownFolder() *inventory.Object { return under(d.Folder, d.Datacenter) }

// rootPool is the cluster's own resource pool.
func (d Domain) rootPool() *inventory.Object { return under(d.Pool, d.Cluster) }

// under is the object directly below another one on the way to o.
func under(o, top *inventory.Object) *inventory.Object {
	for o.Parent != nil && o.Parent != top {
		o = o.Parent
	}
	return o
}

// Places are the objects of a scope, those that are made later too.
func (w Work) Places(s privileges.Scope) []*inventory.Object {
	switch {
	// an imported template
	case s == privileges.ScopeMachine, s == privileges.ScopeTemplate && w.Template == nil:
		return []*inventory.Object{w.machine}
	case s == privileges.ScopeTemplate:
		return []*inventory.Object{w.Template}
	case s == privileges.ScopeHost:
		return []*inventory.Object{w.host}
	case s == privileges.ScopeFolder:
		return []*inventory.Object{w.folder}
	case s == privileges.ScopeMoveFolder:
		return []*inventory.Object{w.move}
	case s == privileges.ScopeRootPool:
		return []*inventory.Object{w.rootPool()}
	}
	return w.Domain.places(s)
}

// Objects are those that exist, and that duties are about.
func (w Work) Objects(duties []*privileges.Duty) []*inventory.Object {
	var all []*inventory.Object
	for _, d := range duties {
		if !d.Holds(w.Holds) {
			continue
		}
		for _, a := range d.Asks {
			for _, o := range w.Places(a.Scope) {
				for !o.Exists() {
					o = o.Parent
				}
				all = lists.AppendNew(all, o)
			}
		}
	}
	return all
}

// Unable are the duties that some rights do not allow, on a vCenter that knows some privileges and
// asks for no others.
func (w Work) Unable(duties []*privileges.Duty, r Rights, knows func(id string) bool) []Inability {
	var all []Inability
	for _, d := range duties {
		if !d.Holds(w.Holds) {
			continue
		}
		if why := w.unable(d, r, knows); why != nil {
			all = append(all, *why)
		}
	}
	return all
}

func (w Work) unable(d *privileges.Duty, r Rights, knows func(id string) bool) *Inability {
	for _, a := range d.Asks {
		for _, o := range w.Places(a.Scope) {
			if hidden := r.HiddenBy(o); a.Find && hidden != nil {
				return &Inability{Duty: d, Ask: a, Object: o, Hidden: hidden}
			}
			held := r.Held(o)
			missing := slices.DeleteFunc(slices.Clone(a.Privileges),
				func(id string) bool { return !knows(id) || slices.Contains(held, id) })
			if len(missing) > 0 {
				return &Inability{Duty: d, Ask: a, Object: o, Missing: missing}
			}
		}
	}
	return nil
}

// Rights are those that the permissions give a subject, each looked up once.
func (w *Wanted) Rights(who Subject) Rights {
	return wantedRights{w, who, map[*inventory.Object][]string{}}
}

type wantedRights struct {
	wanted *Wanted
	who    Subject
	held   map[*inventory.Object][]string
}

func (w wantedRights) Held(o *inventory.Object) []string {
	held, known := w.held[o]
	if !known {
		held = w.wanted.Granted(w.who, o)
		w.held[o] = held
	}
	return held
}

func (w wantedRights) HiddenBy(o *inventory.Object) *inventory.Object {
	for _, step := range slices.Backward(append([]*inventory.Object{o}, o.Ancestors()...)) {
		if w.Held(step) == nil {
			return step
		}
	}
	return nil
}

// Answers tell what each component cannot do with a matrix in a failure domain by options, on a
// vCenter that knows Known (nil = all). of returns the component whose account a component uses,
// for which the matrix is folded.
func Answers(m *privileges.Matrix, o privileges.RoleSetOptions, of func(component.Name) component.Name) map[component.Name][]Inability {
	return answers(m, Assumed(o), o, of)
}

func answers(m *privileges.Matrix, d Domain, o privileges.RoleSetOptions,
	of func(component.Name) component.Name,
) map[component.Name][]Inability {
	var accounts []Account
	for _, c := range m.Components() {
		accounts = append(accounts, Account{Component: c, Key: string(c), Principal: Principal{Name: string(c)}})
	}
	w := Permissions(Bind(m, accounts, []Domain{d}))
	w.Know(o.Known)
	knows := func(id string) bool {
		_, known := slices.BinarySearch(o.Known, id)
		return known || o.Known == nil
	}
	all := map[component.Name][]Inability{}
	for _, c := range o.Components {
		all[c] = WorkIn(d).Unable(privileges.Duties(c), w.Rights(Subject{Key: string(of(c))}), knows)
	}
	return all
}

// Gaps are the answers of all kinds of failure domains, under the conditions of o and, in turn,
// those of duties.
func Gaps(m *privileges.Matrix, o privileges.RoleSetOptions, of func(component.Name) component.Name) (gaps []*privileges.Gap) {
	for _, topology := range privileges.Topologies() {
		one := o
		one.Template = topology[privileges.FolderExisting]
		one.Holds = maps.Clone(topology)
		maps.Copy(one.Holds, o.Holds)
		base := Answers(m, one, of)
		for _, when := range conditionsOf(o.Components) {
			all := base
			if !one.Holds[when] && when != "" {
				more := one
				more.Holds = maps.Clone(one.Holds)
				more.Holds[when] = true
				all = Answers(m, more, of)
			}
			for _, c := range o.Components {
				for _, i := range all[c] {
					if slices.Contains(selectable(i.Duty), when) {
						g := gap(i, when, topology)
						if k := slices.IndexFunc(gaps, g.Same); k >= 0 {
							gaps[k].In = append(gaps[k].In, g.In...)
						} else {
							gaps = append(gaps, g)
						}
					}
				}
			}
		}
	}
	return gaps
}

// conditionsOf are the selectable conditions of the components' duties; "" for duties without any.
func conditionsOf(components []component.Name) (all []privileges.Condition) {
	for _, c := range components {
		for _, d := range privileges.Duties(c) {
			all = lists.AppendNew(all, selectable(d)...)
		}
	}
	return all
}

// selectable are a duty's conditions that a specification may name, or else "".
func selectable(d *privileges.Duty) []privileges.Condition {
	all := slices.DeleteFunc(slices.Clone(d.Conditions), privileges.Condition.Topology)
	if len(all) == 0 {
		return []privileges.Condition{""}
	}
	return all
}

func gap(i Inability, when privileges.Condition, topology map[privileges.Condition]bool) *privileges.Gap {
	g := &privileges.Gap{Duty: i.Duty, Ask: i.Ask, When: when, Missing: i.Missing, In: []map[privileges.Condition]bool{topology}}
	if i.Hidden != nil {
		if g.Hidden = i.Hidden.Name; !i.Hidden.Exists() {
			g.Hidden = string(i.Ask.Scope)
		}
	}
	return g
}

// Assumed is a failure domain of the given topology, alone in its inventory.
func Assumed(o privileges.RoleSetOptions) Domain {
	tree := inventory.NewTree()
	object := func(parent *inventory.Object, kind, name string) *inventory.Object {
		made := tree.Node(inventory.Ref{Type: kind, Value: name})
		made.Name, made.Parent = name, parent
		return made
	}
	root := object(nil, "Folder", "root")
	tree.SetRoot(root)
	dc := object(root, "Datacenter", "datacenter")
	vm := object(dc, "Folder", "vm")
	network := object(dc, "Folder", "network")
	d := Domain{
		Holds:      privileges.TopologyOf(o.Holds),
		Datacenter: dc,
		Cluster:    object(object(dc, "Folder", "host"), "ClusterComputeResource", "cluster"),
		Folder:     vm,
		Datastore:  object(object(dc, "Folder", "datastore"), "Datastore", "ds"),
		Networks:   []*inventory.Object{object(network, "DistributedVirtualPortgroup", "pg")},
	}
	d.Networks[0].Switch = object(network, "VmwareDistributedVirtualSwitch", "dvs")
	d.Pool = object(d.Cluster, "ResourcePool", "Resources")
	if d.Holds[privileges.PoolExisting] {
		d.Pool = object(d.Pool, "ResourcePool", "pool")
	}
	if d.Holds[privileges.FolderExisting] {
		d.Folder = object(vm, "Folder", "folder")
		if o.Template {
			d.Template = object(object(vm, "Folder", "templates"), "VirtualMachine", "template")
		}
	}
	return d
}
