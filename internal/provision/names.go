package provision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// Role layouts of the specification.
const layoutComponent = "component"

// sayUnion says where one permission serves several scopes or components.
func (b *binder) sayUnion(e *entry) {
	var scopes []string
	for _, s := range e.naming {
		scopes = append(scopes, string(s))
	}
	if len(scopes) > 1 {
		e.note("one permission for scopes " + strings.Join(scopes, ", "))
	}
	if len(e.components) > 1 {
		e.note(fmt.Sprintf("one permission for %d components that share the account", len(e.components)))
	}
}

// base is the name of an entry's role without the digest. The role for an adopted account names the cluster: whose a
// permission is, nothing else tells there.
func (b *binder) base(e *entry) string {
	p := b.job.o.Spec.Privileges
	name := privileges.RoleName{
		Prefix: p.RolePrefix, Layout: p.RoleLayout, Components: e.components, Scopes: e.naming, Variants: e.variants,
	}
	if e.adopted {
		name.Cluster = b.job.o.Spec.Cluster
	}
	if len(e.privileges) == 0 { // also where everything was unknown to the vCenter
		name.Scopes, name.Variants = nil, nil
	}
	return b.job.o.Matrix.Base(name)
}

// roles gives every entry the role that it will have, and collects them: the system's ReadOnly where an account of ours
// only reads, else one named after component, scope and what is wanted of it (openshift-csi-driver-datastore-3f9a1c). Names follow
// from the failure domain that asks, not from its neighbours, so that adding one renames nothing. In the component layout
// a role holds what its component needs anywhere, and the excess on each object is said.
func (b *binder) roles() {
	if b.job.o.Spec.Privileges.RoleLayout == layoutComponent {
		b.component()
	}
	for _, e := range b.out.entries {
		b.sayUnion(e)
		if len(e.privileges) == 0 && !e.adopted {
			e.role = roles.ReadOnly
			continue
		}
		e.role = privileges.Sealed(b.base(e), b.owner(e), e.asked)
		if !slices.ContainsFunc(b.out.roles, func(w roles.Want) bool { return w.Name == e.role }) {
			b.out.roles = append(b.out.roles, roles.Want{Name: e.role, Privileges: e.privileges})
		}
	}
	slices.SortFunc(b.out.roles, func(x, y roles.Want) int { return strings.Compare(x.Name, y.Name) })
}

func (b *binder) owner(e *entry) string {
	if e.adopted {
		return b.job.o.Spec.Cluster
	}
	return ""
}

// component gives each entry of the component layout what its role holds anywhere.
func (b *binder) component() {
	union, asked := map[string][]string{}, map[string][]string{}
	for _, e := range b.out.entries {
		if base := b.base(e); len(e.privileges) > 0 {
			union[base], asked[base] = privileges.Strip(append(union[base], e.privileges...)), privileges.Strip(append(asked[base], e.asked...))
		}
	}
	for _, e := range b.out.entries {
		if len(e.privileges) == 0 {
			continue
		}
		base := b.base(e)
		if more := len(union[base]) - len(e.privileges); more > 0 {
			e.note(fmt.Sprintf("%d privileges more than needed here", more))
		}
		e.privileges, e.asked = union[base], asked[base]
	}
}

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
	components := privileges.Components()
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
