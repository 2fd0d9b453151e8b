// Package inventory holds the objects of a vCenter's inventory as plain values: names, types and the way up.
package inventory

import (
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

// Global is what carries global permissions: it is above the root folder, and no object of the inventory. Its reference is that of the
// REST API (vSphere Automation SDK, samples of vcenter.authorization.Permissions).
var Global = &Object{Ref: Ref{Type: "GlobalAcl", Value: "GlobalAcl"}, Name: GlobalPath}

// Object is one object of the inventory, with the way up to the root.
type Object struct {
	Ref    Ref    // Value is "" for a folder that is to be made
	Name   string // as stored: / is %2f
	Parent *Object
	Pool   *Object // virtual machines: their resource pool
	Switch *Object // port groups: their distributed switch

	root    bool
	assumed bool // see [Tree.Assume]
}

// Exists tells an object of the vCenter from a folder that is to be made.
func (o *Object) Exists() bool { return o.Known() || o.assumed }

// Known reports whether a vCenter can be asked about the object: somebody saw it, or something below it.
func (o *Object) Known() bool { return o.Ref.Value != "" }

// Path is the inventory path, "/" for the root folder. Below an object that the session may not see it begins with that
// object's reference.
func (o *Object) Path() string {
	switch {
	case o.root:
		return "/"
	case o == Global:
		return GlobalPath
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

// Up is what hands global or other permissions down to o: its parent; above the root folder [Global], and nothing above that.
func (o *Object) Up() *Object {
	if o.root {
		return Global
	}
	return o.Parent
}

// Datacenter is the inventory path of the datacenter that the object is below; "" for a datacenter and what is above one.
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

// Unassignable says why an object takes no permission, and which object above it to use instead; nil where it does.
// Source: vSphere Web Services API reference, SetEntityPermissions; vSphere Security, hierarchical inheritance.
func (o *Object) Unassignable() (instead *Object, why string) {
	switch parent := o.Parent; {
	case parent == nil:
		return nil, ""
	case o.Ref.Type == "Folder" && parent.Ref.Type == "Datacenter":
		return parent, "it is a datacenter's own vm, host, datastore or network folder"
	case o.Ref.Type == "ResourcePool" && strings.HasSuffix(parent.Ref.Type, "ComputeResource"): // of a cluster, too
		return parent, "it is the root pool of a cluster"
	case o.Ref.Type == "HostSystem" && parent.Ref.Type == "ComputeResource":
		return parent, "it is a standalone host"
	case strings.HasSuffix(o.Ref.Type, "VirtualSwitch"):
		return parent.Carrier(), "it is a switch"
	}
	return nil, ""
}

// Carrier is the object that takes the permissions for this one: itself, or the nearest one above where it takes none.
func (o *Object) Carrier() *Object {
	if above, _ := o.Unassignable(); above != nil {
		return above.Carrier()
	}
	return o
}

// Complex reports whether the object has the permissions of its parent, whether or not these propagate: a datacenter's own four
// folders, the root pool of a cluster, pool and host of a standalone host.
// Source: vSphere Web Services API reference, SetEntityPermissions ("always have the same permissions as their parent").
func (o *Object) Complex() bool {
	instead, _ := o.Unassignable()
	return instead != nil && !strings.HasSuffix(o.Ref.Type, "VirtualSwitch")
}

// OneWith reports whether permissions on another object are the object's own: it is that object, or one object with it.
func (o *Object) OneWith(at *Object) bool { return o == at || o.Complex() && o.Parent == at }

// Above are the objects that hand permissions down to o: its parent; for a virtual machine its folder and its pool, in a vApp
// the vApp alone.
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

// SetRoot says which object is the root folder.
func (t *Tree) SetRoot(o *Object) {
	t.Root, o.root = o, true
}

// SetPath says what is at a path.
func (t *Tree) SetPath(p string, o *Object) { t.paths[p] = o }

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
