package snapshot

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Unread returns the snapshot of a vCenter that is not asked. It has the objects of the
// specification, with port groups of a distributed switch as networks, and its accounts of others.
// It knows every privilege, has nothing of this tool, and the SSO domain that vCenter's installer
// proposes.
func Unread(q *Request, v spec.VCenter) *Snapshot {
	s := New(q, v)
	var others []sso.Found
	for _, c := range q.Spec.ComponentNames() {
		if a := q.Spec.Account(c); a.Principal != "" {
			group := a.Group != nil && *a.Group
			others = append(others, sso.Found{Principal: a.Principal, User: !group, Group: group})
		}
	}
	s.SSO = sso.Presumed("vsphere.local", others)
	s.SettleUsers()
	s.Alone()
	s.Inventory = inventory.NewTree()
	root := s.Inventory.Node(inventory.Ref{Type: "Folder", Value: "root"})
	s.Inventory.SetRoot(root)
	s.Inventory.SetPath("/", root)
	s.Root = root.Ref
	s.Inventory.Assume(q.Places(v))
	for _, fd := range v.FailureDomains {
		for _, n := range fd.Networks {
			pg := s.Inventory.At(n)
			pg.Ref.Type = "DistributedVirtualPortgroup"
			dvs := inventory.Ref{Type: "VmwareDistributedVirtualSwitch"}
			pg.Switch = &inventory.Object{Ref: dvs, Parent: pg.Parent}
		}
	}
	s.Roles = roles.Of(v.Server, nil, nil)
	s.Perms = perms.Of(v.Server, nil, s.KeyOf)
	s.Facts = map[int32]RoleFacts{}
	return s
}

// RoleSet returns the roles of the failure domains, as [access.Wanted.Roles] does, and their
// topologies.
func (s *Snapshot) RoleSet() ([]privileges.RoleDef, []privileges.Topology, error) {
	t := s.topology()
	d, err := s.satisfy(t, access.Bind(s.Request.Matrix, s.Principals(), t.domains))
	if err != nil {
		return nil, nil, err
	}
	var all []privileges.Topology
	for _, domain := range t.domains {
		all = append(all, privileges.Topology{
			Name: domain.Name, Holds: domain.Holds,
			Template: domain.Template != nil && !domain.Template.Within(domain.Folder),
		})
	}
	return d.Wanted.Roles(t.domains), all, nil
}
