package privileges

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Unconfirmed is an id of a matrix that a catalogue does not confirm. An error is an id that no recorded vCenter has either: most
// likely misspelt. A warning is a real id that the catalogue at hand lacks, or one marked unknown that it does have. A note is an
// id marked unknown.
type Unconfirmed struct {
	Component component.Name
	Scope     Scope
	Privilege string
	Nearest   string // the id of the catalogue that may be meant, "" if none is near
	Lost      string // what the component cannot do without it
	Severity  finding.Severity
}

// String is the finding in one line.
func (f Unconfirmed) String() string {
	s := fmt.Sprintf("%s %s: privilege %q ", f.Component, f.Scope, f.Privilege)
	switch {
	case f.Severity == finding.Note:
		s += "exists on no vCenter and is never sent"
	case f.Severity == finding.Warning && f.Nearest == f.Privilege:
		return s + "is marked unknown, so it is not sent, but this catalogue has it"
	default:
		s += "is not in this catalogue"
	}
	if f.Nearest != "" {
		s += fmt.Sprintf("; nearest: %q", f.Nearest)
	}
	if f.Lost != "" {
		s += "; lost: " + f.Lost
	}
	return s
}

// Lint returns the ids that the catalogue does not have, and those marked unknown, by component, scope and id. The catalogue is
// Catalogue() or the live list of a vCenter; an empty one confirms nothing, so fill it first. The implicit ids need no
// confirmation.
func (m *Matrix) Lint(catalogue []string) []Unconfirmed {
	have := make(map[string]bool, len(catalogue))
	for _, id := range catalogue {
		have[id] = true
	}
	recorded := Catalogue()
	seen := map[Unconfirmed]bool{}
	var out []Unconfirmed
	for _, r := range m.Rows {
		if Implicit(r.Privilege) || have[r.Privilege] && !r.Unknown {
			continue
		}
		f := Unconfirmed{
			Component: r.Component, Scope: r.Scope, Privilege: r.Privilege,
			Lost: cmp.Or(Operation(r.Privilege), r.Why),
		}
		_, isReal := slices.BinarySearch(recorded, r.Privilege)
		switch {
		case have[r.Privilege]: // marked unknown all the same
			f.Severity, f.Nearest = finding.Warning, r.Privilege
		case r.Unknown:
			f.Severity, f.Nearest = finding.Note, hint.Nearest(r.Privilege, catalogue)
		case isReal: // not misspelt, so a neighbour would mislead
			f.Severity = finding.Warning
		default:
			f.Severity, f.Nearest = finding.Error, hint.Nearest(r.Privilege, catalogue)
		}
		// One id may stand at a scope twice, with and without propagation.
		if !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Unconfirmed) int {
		return cmp.Or(
			cmp.Compare(slices.Index(component.Names(), a.Component), slices.Index(component.Names(), b.Component)),
			cmp.Compare(slices.Index(Scopes(), a.Scope), slices.Index(Scopes(), b.Scope)),
			cmp.Compare(a.Privilege, b.Privilege))
	})
	return out
}
