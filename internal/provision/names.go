package provision

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// roleKind says whose a role is, by its name and what it holds.
type roleKind int

const (
	foreignRole roleKind = iota
	sharedRole           // of every cluster with the same needs
	plainRole            // the same, made by a version before names had digests
	ownRole              // of this cluster, for adopted accounts
	changedRole          // named like one of the first two, but somebody changed its privileges
	changedOwn           // the same of this cluster's own
)

// roleFacts is what is worked out of a role once, because thousands of permissions may have it.
type roleFacts struct {
	kind  roleKind
	owner string // the cluster of a role for adopted accounts; "" = none, or somebody changed its privileges
}

// role tells what a role of the vCenter is.
func (j *Job) role(s *site, id int32) roleFacts {
	if facts, ok := s.facts[id]; ok {
		return facts
	}
	facts := roleFacts{}
	if r, ok := s.roles.ByID(id); ok && !r.System {
		unknown := j.unknown(s)
		if facts.owner = j.o.Spec.Cluster; facts.owner == "" || !privileges.Intact(r.Name, facts.owner, r.Privileges, unknown) {
			facts.owner = privileges.RoleOwner(r.Name, r.Privileges, unknown)
		}
		facts.kind = j.kind(r, facts.owner, unknown)
	}
	if s.facts == nil {
		s.facts = map[int32]roleFacts{}
	}
	s.facts[id] = facts
	return facts
}

func (j *Job) kind(r roles.Role, owner string, unknown []string) roleKind {
	components := component.Names()
	if !j.unnarrowed() {
		components = j.o.Spec.ComponentNames()
	}
	names := j.o.Matrix.RoleNames(j.o.Spec.Privileges.RolePrefix, j.o.Spec.Cluster, components)
	switch {
	case owner != "" && owner == j.o.Spec.Cluster:
		return ownRole
	case owner == "" && names.Owned(r.Name):
		return changedOwn
	case names.Sealed(r.Name) && privileges.Intact(r.Name, "", r.Privileges, unknown):
		return sharedRole
	case names.Sealed(r.Name):
		return changedRole
	case names.Plain(r.Name) && len(without(r.Privileges, j.explained())) > 0:
		return changedRole
	case names.Plain(r.Name):
		return plainRole
	}
	return foreignRole
}

// explained is everything that the matrix gives anybody under whatever condition.
func (j *Job) explained() []string {
	j.explaining.Do(func() {
		for _, row := range j.whole.Rows {
			j.ids = append(j.ids, row.Privilege)
		}
		j.ids = privileges.Strip(j.ids)
	})
	return j.ids
}

// unknown are those of them that a vCenter does not know.
func (j *Job) unknown(s *site) []string {
	if s.unknown == nil {
		s.unknown = without(j.explained(), s.roles.Catalogue())
	}
	return s.unknown
}
