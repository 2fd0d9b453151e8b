// Package inventory holds inventory objects of a vCenter as plain values: names, types and parents.
package inventory

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Ref identifies an object on its vCenter.
type Ref struct{ Type, Value string }

func (r Ref) String() string { return r.Type + ":" + r.Value }

// GlobalPath stands for the path of [Global].
const GlobalPath = "global"

// Global carries global permissions, above the root folder and outside the inventory. Its reference
// is the REST API's (vSphere Automation SDK, samples of vcenter.authorization.Permissions).
var Global = &Object{Ref: Ref{Type: "GlobalAcl", Value: "GlobalAcl"}, Name: GlobalPath}

// Object is one object of the inventory, with the way up to the root.
type Object struct {
	Ref    Ref    // Value is "" for a folder that is to be made
	Name   string // as stored: / is %2f
	Parent *Object
	Pool   *Object // virtual machines: their resource pool
	Switch *Object // port groups: their distributed switch

	// Networks of a cluster are those with a name that was asked for, in the vCenter's order.
	Networks []*Object

	root    bool
	assumed bool   // see [Tree.Assume]
	apart   string // ends the path, where another object has the same one
}

// Network reports whether a machine's card can be on the object.
func (r Ref) Network() bool { return slices.Contains(NetworkTypes(), r.Type) }

// NetworkTypes are the types of networks, standard ones first.
func NetworkTypes() []string {
	return []string{"Network", "DistributedVirtualPortgroup", "OpaqueNetwork"}
}

// Exists tells an object of the vCenter from a folder that is to be made.
func (o *Object) Exists() bool { return o.Known() || o.assumed }

// Known reports whether a vCenter can be asked about the object: it was seen, or one below it was.
func (o *Object) Known() bool { return o.Ref.Value != "" }

// Path is the inventory path, "/" for the root folder. Below an object that the session does not
// see it begins with that object's reference.
func (o *Object) Path() string {
	switch {
	case o.root:
		return "/"
	case o == Global:
		return GlobalPath
	case o.Parent == nil:
		return o.Ref.String()
	}
	return path.Join(o.Parent.Path(), o.Name) + o.apart
}

// Ancestors are the objects above, nearest first, the root folder last.
func (o *Object) Ancestors() []*Object {
	var all []*Object
	for p := o.Parent; p != nil; p = p.Parent {
		all = append(all, p)
	}
	return all
}

// Up is the parent of o that hands permissions down; [Global] for the root folder, then nil.
func (o *Object) Up() *Object {
	if o.root {
		return Global
	}
	return o.Parent
}

// Datacenter is the path of the datacenter above the object; "" for datacenters and above.
func (o *Object) Datacenter() string {
	for _, a := range o.Ancestors() {
		if a.Ref.Type == "Datacenter" {
			return a.Path()
		}
	}
	return ""
}

// Within reports whether o is a or below it.
func (o *Object) Within(a *Object) bool {
	return o == a || slices.Contains(o.Ancestors(), a)
}

// Unassignable says why an object takes no permission, and which object above it to use; nil if it
// does. Source: vSphere Web Services API reference, SetEntityPermissions; vSphere Security,
// hierarchical inheritance.
func (o *Object) Unassignable() (instead *Object, why string) {
	switch parent := o.Parent; {
	case parent == nil:
		return nil, ""
	case o.Ref.Type == "Folder" && parent.Ref.Type == "Datacenter":
		return parent, "it is a datacenter's own vm, host, datastore or network folder"
	// also a cluster's
	case o.Ref.Type == "ResourcePool" && strings.HasSuffix(parent.Ref.Type, "ComputeResource"):
		return parent, "it is the root pool of a cluster"
	case o.Ref.Type == "HostSystem" && parent.Ref.Type == "ComputeResource":
		return parent, "it is a standalone host"
	case strings.HasSuffix(o.Ref.Type, "VirtualSwitch"):
		return parent.Carrier(), "it is a switch"
	}
	return nil, ""
}

// Carrier is the object that takes this one's permissions: itself, or the nearest possible above.
func (o *Object) Carrier() *Object {
	if above, _ := o.Unassignable(); above != nil {
		return above.Carrier()
	}
	return o
}

// Complex reports whether the object shares its parent's permissions, propagating or not: a
// datacenter's own four folders, a cluster's root pool, pool and host of a standalone host. Source:
// vSphere Web Services API reference, SetEntityPermissions ("always have the same permissions as
// their parent").
func (o *Object) Complex() bool {
	instead, _ := o.Unassignable()
	return instead != nil && !strings.HasSuffix(o.Ref.Type, "VirtualSwitch")
}

// OneWith reports whether the object shares another's permissions: the same, or complex with it.
func (o *Object) OneWith(at *Object) bool { return o == at || o.Complex() && o.Parent == at }

// Above are the objects that hand permissions down to o: its parent; for a virtual machine its
// folder and its pool, in a vApp that alone.
func (o *Object) Above() []*Object {
	all := slices.DeleteFunc([]*Object{o.Parent, o.Pool}, func(a *Object) bool { return a == nil })
	for _, a := range slices.Backward(all) {
		if a.Ref.Type == "VirtualApp" {
			return []*Object{a}
		}
	}
	return all
}

// Tree is a part of an inventory: some objects and all that is above them.
type Tree struct {
	Root  *Object
	byRef map[Ref]*Object
	paths map[string]*Object
}

// NewTree is an empty one.
func NewTree() *Tree { return &Tree{byRef: map[Ref]*Object{}, paths: map[string]*Object{}} }

// At is the object at a path that was asked for, nil if there is none.
func (t *Tree) At(p string) *Object { return t.paths[p] }

// Object by reference, nil if it is not part of the tree.
func (t *Tree) Object(ref Ref) *Object { return t.byRef[ref] }

// Node is the object with a reference, which becomes part of the tree.
func (t *Tree) Node(ref Ref) *Object {
	if t.byRef[ref] == nil {
		t.byRef[ref] = &Object{Ref: ref}
	}
	return t.byRef[ref]
}

// Adopt makes objects below those of the tree part of it, unless they lead to what it lacks: a vApp,
// a pool or a switch.
func (t *Tree) Adopt(children []*Object) {
	has := func(o *Object) bool { return o != nil && t.byRef[o.Ref] == o && (o.Name != "" || o.root) }
	for _, leads := range []bool{false, true} { // to another of them, perhaps
		for _, o := range children {
			for _, to := range []**Object{&o.Pool, &o.Switch} {
				if *to != nil {
					*to = cmp.Or(t.byRef[(*to).Ref], *to)
				}
			}
			to := cmp.Or(o.Pool, o.Switch)
			if (to != nil) == leads && (to == nil || has(to)) && has(o.Parent) && o.Name != "" && t.byRef[o.Ref] == nil {
				t.byRef[o.Ref] = o
			}
		}
	}
	t.TellApart()
}

// SetRoot says which object is the root folder.
func (t *Tree) SetRoot(o *Object) {
	t.Root, o.root = o, true
}

// SetPath says what is at a path.
func (t *Tree) SetPath(p string, o *Object) { t.paths[p] = o }

// TellApart ends the paths of networks that share one with their types or, of one type, with their
// references: NSX makes opaque networks and port groups of one name in one folder.
func (t *Tree) TellApart() {
	type place struct {
		in   *Object
		name string
	}
	at := map[place][]*Object{}
	for ref, o := range t.byRef {
		if o.apart = ""; ref.Network() && o.Parent != nil && o.Name != "" {
			at[place{o.Parent, o.Name}] = append(at[place{o.Parent, o.Name}], o)
		}
	}
	for _, all := range at {
		for _, o := range all {
			for _, other := range all {
				if o.Ref.Type == other.Ref.Type && o != other {
					o.apart = " (" + o.Ref.String() + ")"
				} else if o.apart == "" && o != other {
					o.apart = " (" + o.Ref.Type + ")"
				}
			}
		}
	}
}

// Apart are the references of the networks that share their path, by the paths of TellApart.
func (t *Tree) Apart() map[string]string {
	all := map[string]string{}
	for ref, o := range t.byRef {
		if o.apart != "" {
			all[o.Path()] = ref.String()
		}
	}
	return all
}

// Check finds an object that is its own ancestor: every walk to the root would go round for ever.
func (t *Tree) Check() error {
	leads := map[*Object]bool{} // to the end
	for _, o := range t.byRef {
		seen := map[*Object]bool{}
		for at := o; at != nil && !leads[at]; at = at.Parent {
			if seen[at] {
				return fmt.Errorf("vCenter reports that %s is below itself", at.Ref)
			}
			seen[at] = true
		}
		maps.Copy(leads, seen)
	}
	return nil
}

// Written is a name as people write it: inventory paths hold names as stored.
func Written(stored string) string {
	return strings.NewReplacer("%2f", "/", "%5c", `\`, "%25", "%").Replace(stored)
}

// Stored is a name as a vCenter stores it and inventory paths hold it.
func Stored(written string) string {
	return strings.NewReplacer("%", "%25", "/", "%2f", `\`, "%5c").Replace(written)
}

// Join adds what another part of the same inventory has: an account may see what another does not.
func (t *Tree) Join(other *Tree) {
	for ref, from := range other.byRef {
		o := t.Node(ref)
		if from.Name != "" {
			o.Name = from.Name
		}
		for _, link := range []struct{ to, from **Object }{{&o.Parent, &from.Parent}, {&o.Pool, &from.Pool}, {&o.Switch, &from.Switch}} {
			if *link.from != nil {
				*link.to = t.Node((*link.from).Ref)
			}
		}
		if len(from.Networks) > len(o.Networks) {
			o.Networks = nil
			for _, n := range from.Networks {
				o.Networks = append(o.Networks, t.Node(n.Ref))
			}
		}
	}
	if other.Root != nil {
		t.SetRoot(t.Node(other.Root.Ref))
	}
	for p, o := range other.paths {
		t.SetPath(p, t.Node(o.Ref))
	}
	t.TellApart()
}

// Place is a path at which there has to be an object of a type.
type Place struct{ Path, Type string }

// Assume adds unseen objects to a tree with a root, so that there is one in each of some places and
// above. They are not [Object.Known], unless one below names them. places lists objects above
// first.
func (t *Tree) Assume(places []Place) {
	types := map[string]string{}
	for _, p := range places {
		types[p.Path] = p.Type
	}
	for _, seen := range []bool{true, false} { // what is seen names what is above it
		for _, p := range places {
			if (t.At(p.Path) != nil) == seen {
				t.assume(p.Path, p.Type, types)
			}
		}
	}
}

func (t *Tree) assume(p, kind string, types map[string]string) *Object {
	if p == "/" || p == "." {
		return t.Root
	}
	o := t.Named(p)
	if o == nil {
		o = &Object{Ref: Ref{Type: kind}, Name: path.Base(p), assumed: true}
		t.SetPath(p, o)
	}
	if o.Within(t.Root) {
		return o
	}
	o.Name = cmp.Or(o.Name, path.Base(p))
	dir := path.Dir(p)
	if above := o.Parent; above != nil && t.Named(dir) == nil {
		t.SetPath(dir, above)
	}
	above := types[dir]
	switch {
	case above != "":
	case kind == "ResourcePool":
		above = kind
	default:
		above = "Folder"
	}
	o.Parent = t.assume(dir, above, types)
	return o
}

// Named is the object at a path, whether or not that was asked for; nil if none is known.
func (t *Tree) Named(p string) *Object {
	if o := t.At(p); o != nil {
		return o
	}
	for _, o := range t.byRef {
		if o.Name != "" && o.Within(t.Root) && o.Path() == p {
			return o
		}
	}
	return nil
}
