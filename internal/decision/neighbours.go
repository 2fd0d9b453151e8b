package decision

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// deletesMachines is what deletes virtual machines: it is asked for on the machine and on its folder, and a permission on a folder
// reaches both.
const deletesMachines = "VirtualMachine.Inventory.Delete"

// neighbours say where accounts of this cluster and of another one can delete each other's machines, because both are permitted in
// the same folder, or one of them above the other. Another cluster's permissions are told by their roles.
func (s *VCenterPlan) neighbours(d *snapshot.Desired) {
	type place struct{ here, there string }
	var order []place
	who := map[place][]string{}
	text := map[place]string{}
	ours := map[string]bool{}
	for _, a := range s.Principals() {
		ours[a.Key] = true
	}
	for _, e := range d.All {
		if !e.Propagate || !holdsMachines(e.At.Ref.Type) || !slices.Contains(e.Holds, deletesMachines) {
			continue
		}
		for _, p := range s.Perms.All {
			there := s.Inventory.Object(p.Entity)
			if there == nil || ours[p.Key] || !p.Propagate || !holdsMachines(p.Entity.Type) || !s.ofAnother(p) {
				continue
			}
			at := place{e.At.Path(), there.Path()}
			switch {
			case there == e.At:
				text[at] = "works here too: each of the two clusters can delete the machines of the other"
			case there.Within(e.At):
				text[at] = "works below, in " + at.there + ": this cluster can delete the machines of the other there"
			case e.At.Within(there):
				text[at] = "works above, in " + at.there + ": it can delete the machines of this cluster"
			default:
				continue
			}
			if who[at] == nil {
				order = append(order, at)
			}
			who[at] = lists.AppendNew(who[at], PrincipalOf(p).String())
		}
	}
	for _, at := range order {
		s.tell(plan.Change{Kind: plan.Permission, Object: at.here}.Tell(finding.SharedPlace, "another cluster ("+lists.Few(who[at])+") "+text[at]))
	}
}

// holdsMachines reports whether permissions on objects of a type reach the machines in folders below.
func holdsMachines(kind string) bool { return kind == "Folder" || kind == "Datacenter" }

// ofAnother reports whether a permission is one that deletes machines and that this tool gave an account of another cluster.
func (s *VCenterPlan) ofAnother(p perms.Permission) bool {
	facts := s.Facts[p.RoleID]
	if facts.Kind != snapshot.SharedRole && facts.Kind != snapshot.PrefixedRole && (facts.Owner == "" || facts.Owner == s.Request.Spec.Cluster) ||
		!slices.Contains(s.Roles.Privileges(s.Roles.Name(p.RoleID)), deletesMachines) || s.NamesHolder(p) {
		return false
	}
	mine := func(name string) bool { return s.UserKey(name+"@"+s.SSO.Domain) == p.Key }
	if slices.ContainsFunc(s.SSO.Marked, func(u sso.User) bool { return mine(u.Name) }) { // dropped from the specification
		return false
	}
	name, _ := s.SSO.Split(p.Principal)
	return !slices.ContainsFunc(component.Names(), func(c component.Name) bool {
		a := s.Request.Spec.Whole().Account(c)
		return a.Ours() && a.Generation(name) > 0 && mine(name)
	})
}
