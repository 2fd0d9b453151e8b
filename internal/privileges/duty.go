package privileges

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Duty is something that a component does with its account, as its code does it: what a matrix grants is one question, whether
// the component can do its work with that another.
type Duty struct {
	Component  component.Name
	Name       string // what it does: what it "cannot", in messages
	Conditions []Condition
	Asks       []Ask
	Reports    string // what the component or the cluster reports when it is refused
	Source     string
}

// Ask is what calls of a duty need on the objects of a scope.
type Ask struct {
	Calls      []string // methods of the SOAP API, of PBM and CNS, and operations of the REST API; none: it is only found or read
	Scope      Scope
	Find       bool     // the account finds the object by its path, from the root folder down
	Privileges []string // that it holds on it; System.View: it sees it
}

// Scopes that duties have beside those of matrices.
const (
	ScopeMachine Scope = "machine" // a virtual machine in the folder and the pool
	ScopeHost    Scope = "host"    // a host of the cluster
)

// Holds reports whether the duty exists where some conditions hold.
func (d *Duty) Holds(holds map[Condition]bool) bool {
	return len(d.Conditions) == 0 || anyHolds(d.Conditions, holds)
}

// Duties are those of a component, in the order in which it does them.
func Duties(c component.Name) []*Duty {
	var all []*Duty
	for i := range duties {
		if duties[i].Component == c {
			all = append(all, &duties[i])
		}
	}
	return all
}

// Calls are the requests to a vCenter of which a duty is made, in its order. What is only found and read has none: every method may
// refuse that.
func (d *Duty) Calls() (calls []string) {
	for _, a := range d.Asks {
		for _, call := range a.Calls {
			if !slices.Contains(calls, call) {
				calls = append(calls, call)
			}
		}
	}
	return calls
}

// Privileges are all that a duty needs besides finding and reading its objects: for one of its calls, "" = for all it does.
func (d *Duty) Privileges(call string) []string {
	var all []string
	for _, a := range d.Asks {
		if call == "" || slices.Contains(a.Calls, call) {
			all = append(all, a.Privileges...)
		}
	}
	return Strip(all)
}

// find asks that an object is found.
func find(s Scope) []Ask { return []Ask{{Scope: s, Find: true}} }

// on asks for privileges on an object.
func on(s Scope, ids ...string) Ask { return Ask{Scope: s, Privileges: ids} }

// by says which calls, with spaces between them, ask for something.
func by(calls string, asks ...Ask) []Ask {
	for i := range asks {
		asks[i].Calls = strings.Fields(calls)
	}
	return asks
}
