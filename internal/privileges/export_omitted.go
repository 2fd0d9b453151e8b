package privileges

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// omitted says, a sentence for each id, what the tables of the components list and no script sends, for whom and why: what no
// vCenter has, and what every role has by itself.
func (e *export) omitted() []string {
	var ids, said []string
	for _, r := range e.kept() {
		if !r.Unknown && !Implicit(r.Privilege) || slices.Contains(ids, r.Privilege) {
			continue
		}
		ids = append(ids, r.Privilege)
		why := cmp.Or(r.Why, "no vCenter has this id")
		if !r.Unknown {
			why = fmt.Sprintf("every role has it, and %s, without being given them",
				strings.Join(slices.DeleteFunc(ImplicitIDs(), func(id string) bool { return id == r.Privilege }), " and "))
		}
		said = append(said, fmt.Sprintf("%s, listed for %s: %s", r.Privilege, e.listing(r.Privilege), why))
	}
	return said
}

// listing names the components whose tables list an id, each with its scopes.
func (e *export) listing(id string) string {
	scopes := map[component.Name][]Scope{}
	for _, r := range e.kept() {
		if r.Privilege == id && !slices.Contains(scopes[r.Component], r.Scope) {
			scopes[r.Component] = append(scopes[r.Component], r.Scope)
		}
	}
	var parts []string
	for _, c := range e.m.Components() {
		if len(scopes[c]) > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", c, strings.Join(component.Words(scopes[c]), ", ")))
		}
	}
	return strings.Join(parts, ", ")
}
