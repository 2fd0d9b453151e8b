package inventory

import "path"

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
	}
	if other.Root != nil {
		t.SetRoot(t.Node(other.Root.Ref))
	}
	for p, o := range other.paths {
		t.SetPath(p, t.Node(o.Ref))
	}
}

// Place is a path at which there has to be an object of a type.
type Place struct{ Path, Type string }

// Assume completes a tree that has a root with what nobody sees, so that there is an object at each of some places, and all that is
// above it. What nobody sees is not known ([Object.Known]), unless something below it names it. Objects above come before those below
// in places.
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
	o := t.called(p)
	if o == nil {
		o = &Object{Ref: Ref{Type: kind}, Name: path.Base(p), assumed: true}
		t.SetPath(p, o)
	}
	if o.Within(t.Root) {
		return o
	}
	if o.Name == "" {
		o.Name = path.Base(p)
	}
	dir := path.Dir(p)
	if above := o.Parent; above != nil && t.called(dir) == nil {
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

// called is the object at a path, whether or not that was asked for; nil if none is known.
func (t *Tree) called(p string) *Object {
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
