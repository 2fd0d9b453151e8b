package roles

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Ids of the system roles that hold less than the three privileges that every other role has. Measured on a recorded
// vCenter; the ids of system roles are the same on every one.
const (
	viewID      = -3
	anonymousID = -4
	noAccessID  = -5
)

// Implicit are the privileges that the role has besides Privileges: System.Anonymous, System.Read and System.View for
// every role that somebody made, fewer for some of the system's.
func (r Role) Implicit() []string {
	if r.System {
		switch r.ID {
		case viewID:
			return []string{"System.Anonymous", "System.View"}
		case anonymousID:
			return []string{"System.Anonymous"}
		case noAccessID:
			return nil
		}
	}
	return privileges.ImplicitIDs()
}

// Reads reports whether the role with an id lets its holders read, as every role but three of the system's does.
func (s *State) Reads(id int32) bool {
	r, ok := s.ByID(id)
	return ok && len(r.Implicit()) == 3
}

// ByID finds a role by its id.
func (s *State) ByID(id int32) (Role, bool) {
	r, ok := s.byID[id]
	return r, ok
}

// All lists every role, the system's too, by name.
func (s *State) All() []Role {
	all := make([]Role, 0, len(s.byID))
	for _, r := range s.byID {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Role) int { return strings.Compare(a.Name, b.Name) })
	return all
}
