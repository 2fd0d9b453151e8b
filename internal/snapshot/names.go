package snapshot

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// roleKind says whose a role is, by its name and what it holds.
type roleKind int

// Whose a role is. [Request.Classify] tells.
const (
	ForeignRole  roleKind = iota // somebody else's
	SharedRole                   // of every cluster with the same needs
	PrefixedRole                 // the same for a specification with another privileges.rolePrefix: ours where accounts of ours hold it
	OwnRole                      // of this cluster, for adopted accounts
	changedRole                  // named like one of the first two, with a digest of other privileges
)

// RoleFacts is what is worked out of a role once, because thousands of permissions may have it.
type RoleFacts struct {
	Kind  roleKind
	Owner string // the cluster of a role for adopted accounts; "" = none, or somebody changed its privileges
}

// Classify tells what the roles of a vCenter are, by id.
func (q *Request) Classify(live *roles.State) map[int32]RoleFacts {
	unknown := lists.Without(q.sealed, live.Catalogue())
	components := component.Names()
	if !q.Unnarrowed() {
		components = q.Spec.ComponentNames()
	}
	names := q.Matrix.RoleNames(q.Spec.Privileges.RolePrefix, q.Spec.Cluster, components)
	all := map[int32]RoleFacts{}
	for _, r := range live.All() {
		if r.System {
			continue
		}
		owner := q.Spec.Cluster
		if owner == "" || !privileges.Intact(r.Name, owner, r.Privileges, unknown) {
			owner = privileges.RoleOwner(r.Name, r.Privileges, unknown)
		}
		all[r.ID] = RoleFacts{q.kind(r, owner, names, unknown), owner}
	}
	return all
}

func (q *Request) kind(r roles.Role, owner string, names privileges.RoleNames, unknown []string) roleKind {
	switch {
	case owner != "" && owner == q.Spec.Cluster:
		return OwnRole
	case privileges.Intact(r.Name, "", r.Privileges, unknown):
		if !names.Sealed(r.Name) {
			return PrefixedRole
		}
		return SharedRole
	case names.Sealed(r.Name), names.Owned(r.Name):
		return changedRole
	}
	return ForeignRole
}
