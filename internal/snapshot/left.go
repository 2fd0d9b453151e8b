package snapshot

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// The cluster may still use what left the specification: machines stay in a removed failure
// domain's folder until their machine sets go, and the CSI operator cleans up its datastore
// afterwards. So only --prune removes these permissions, and other runs report them.

// named returns the objects of failure domains. One above them may be the folder of a removed one.
func named(domains []access.Domain) map[inventory.Ref]bool {
	all := map[inventory.Ref]bool{}
	add := func(objects ...*inventory.Object) {
		for _, o := range objects {
			if o != nil {
				all[o.Ref] = true
			}
		}
	}
	for _, d := range domains {
		add(d.Datacenter, d.Cluster, d.Pool, d.Folder, d.Datastore, d.Template)
		for _, n := range d.Networks {
			add(n, n.Switch)
		}
	}
	return all
}

// ComponentOf is the component whose account holds a permission; "" if none of the specification.
func (s *Snapshot) ComponentOf(p perms.Permission) component.Name {
	for _, a := range s.Principals() {
		if a.Key == p.Key {
			return s.Request.Spec.Account(a.Component).Component
		}
	}
	return ""
}

// LeftFolders returns unspecified folders and datacenters with permissions of machine removers.
func (s *Snapshot) LeftFolders() (below []MachinesBelow, refs []inventory.Ref) {
	if s.Request.Undoing || s.Request.Additive || s.Request.Op != accounts.Keep || !s.Request.Does(plan.Permission) {
		return nil, nil
	}
	domains := s.topology().domains
	named := named(domains)
	dropped := func(p perms.Permission) bool { // a datacenter may have stood for a folder
		return !named[p.Entity] || p.Entity.Type == "Datacenter" && !slices.ContainsFunc(domains,
			func(d access.Domain) bool { return d.Folder != nil && d.Folder.Carrier().Ref == p.Entity })
	}
	works := func(p perms.Permission) bool { // on machines there, beyond cloning them
		return len(lists.Without(s.Roles.Privileges(s.Roles.Name(p.RoleID)), privileges.Cloning())) > 0
	}
	keepers := s.Request.MachineKeepers()
	for _, p := range s.Perms.All {
		if !p.Propagate || p.Entity == s.Root || !slices.Contains([]string{"Folder", "Datacenter"}, p.Entity.Type) ||
			slices.Contains(refs, p.Entity) || !dropped(p) || !works(p) {
			continue
		}
		if of := s.ComponentOf(p); slices.ContainsFunc(keepers, func(k Keeper) bool { return k.Component == of }) {
			refs, below = append(refs, p.Entity), append(below, MachinesBelow{Ref: p.Entity, Whole: p.Entity.Type == "Datacenter"})
		}
	}
	for _, d := range domains { // the account keeps its rights there
		if len(refs) > 0 && d.Folder != nil && d.Folder.Exists() && !slices.Contains(refs, d.Folder.Ref) {
			refs = append(refs, d.Folder.Ref)
		}
	}
	return below, refs
}

// MarkedFor is the cluster whose marked accounts matter: everywhere but for roles.
func (q *Request) MarkedFor() string {
	if q.Only == plan.Role {
		return ""
	}
	return q.Spec.Cluster
}

// Dropped returns accounts with our mark for this cluster that the specification does not use:
// their component is gone, works with an account of others, or has another name.
func (s *Snapshot) Dropped() []OwnAccount {
	whole := s.Request.Spec.Whole()
	var all []OwnAccount
	for _, u := range s.SSO.Marked {
		_, c, _ := sso.ParseMark(u.Description)
		adopted := s.NamesHolder(perms.Permission{Principal: u.Name + "@" + s.SSO.Domain})
		if !adopted && !whole.Makes(u.Name) {
			all = append(all, OwnAccount{Name: u.Name, Component: c})
		}
	}
	return all
}

// DroppedWhileRotating returns the accounts of components that were dropped during a rotation.
func (s *Snapshot) DroppedWhileRotating() []OwnAccount {
	if !s.Request.Unnarrowed() {
		return nil
	}
	of := map[component.Name]int{}
	all := s.Dropped()
	for _, a := range all {
		of[a.Component]++
	}
	return slices.DeleteFunc(all, func(a OwnAccount) bool { return of[a.Component] < 2 })
}

// Unnarrowed reports whether the run covers all components, so that leftovers can be recognized.
func (q *Request) Unnarrowed() bool {
	return len(q.Spec.ComponentNames()) == len(q.Spec.Whole().ComponentNames())
}
