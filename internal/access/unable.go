package access

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Rights are what somebody has on objects: what permissions would give him ([Wanted.Rights]), or what he was seen to have.
type Rights interface {
	Held(o *inventory.Object) []string              // nil: does not see it
	HiddenBy(o *inventory.Object) *inventory.Object // what keeps the object from being found by its path; nil = nothing
}

// Inability is a duty that somebody cannot do, with the first thing that keeps him from it.
type Inability struct {
	Duty    *privileges.Duty
	Ask     privileges.Ask // of the duty
	Object  *inventory.Object
	Missing []string          // privileges that he lacks on Object; none: he cannot find it
	Hidden  *inventory.Object // what he does not see, and therefore not Object
}

// Work is the objects of a failure domain on which duties are done: some exist only later, and stand for any.
type Work struct {
	Domain
	machine, host, folder *inventory.Object
}

// WorkIn is what there is to do in a failure domain.
func WorkIn(d Domain) Work {
	w := Work{Domain: d, folder: d.Folder}
	if d.folderMade() {
		w.folder = &inventory.Object{Ref: inventory.Ref{Type: "Folder"}, Name: "*", Parent: d.Folder}
	}
	w.machine = &inventory.Object{Ref: inventory.Ref{Type: "VirtualMachine"}, Name: "*", Parent: w.folder, Pool: d.Pool}
	w.host = &inventory.Object{Ref: inventory.Ref{Type: "HostSystem"}, Name: "*", Parent: d.Cluster}
	return w
}

// Places are the objects of a scope, those that are made later too.
func (w Work) Places(s privileges.Scope) []*inventory.Object {
	switch {
	case s == privileges.ScopeMachine, s == privileges.ScopeTemplate && w.Template == nil: // which is imported
		return []*inventory.Object{w.machine}
	case s == privileges.ScopeTemplate:
		return []*inventory.Object{w.Template}
	case s == privileges.ScopeHost:
		return []*inventory.Object{w.host}
	case s == privileges.ScopeFolder:
		return []*inventory.Object{w.folder}
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

// Unable are the duties that somebody with some rights cannot do on a vCenter that knows some privileges: it asks for no others.
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
			missing := slices.DeleteFunc(slices.Clone(a.Privileges), func(id string) bool { return !knows(id) || slices.Contains(held, id) })
			if len(missing) > 0 {
				return &Inability{Duty: d, Ask: a, Object: o, Missing: missing}
			}
		}
	}
	return nil
}

// Rights are those that the permissions give a subject.
func (w *Wanted) Rights(who Subject) Rights { return wantedRights{w, who} }

type wantedRights struct {
	wanted *Wanted
	who    Subject
}

func (r wantedRights) Held(o *inventory.Object) []string { return r.wanted.Granted(r.who, o) }

func (r wantedRights) HiddenBy(o *inventory.Object) *inventory.Object {
	for _, step := range slices.Backward(append([]*inventory.Object{o}, o.Ancestors()...)) {
		if !r.wanted.Sees(r.who, step) {
			return step
		}
	}
	return nil
}
