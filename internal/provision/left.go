package provision

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
)

// What left the specification is not what the cluster has left: machines stay in the folder of a failure domain that was removed
// until their machine sets go, and the CSI operator cleans up on its datastore afterwards. So permissions of ours on objects that
// the specification does not name go with --prune, as accounts do, and a run without it says what stays.

// named are the objects of failure domains. One above them is not: it may have been the folder of a domain that left.
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

// standsFor is the scope whose object an object of some type stands for where a failure domain names none.
var standsFor = map[string]privileges.Scope{"Datacenter": privileges.ScopeFolder, "ClusterComputeResource": privileges.ScopeResourcePool}

// narrows reports whether a step takes privileges from a permission of ours because no failure domain needs them on its object any
// more: the object is only on the way to others, or stood for one that a failure domain has below it now.
func (s *vcenterPlan) narrows(d *desired, step perms.Step) bool {
	if step.Verb != plan.Update || step.Restores || len(step.Loses) == 0 || s.facts[step.Had.RoleID].kind == foreignRole {
		return false
	}
	at := step.Had.Entity
	if !d.named[at] { // what it had is what a failure domain needs elsewhere
		return step.Had.Propagate && slices.ContainsFunc(d.All, func(e *access.Permission) bool {
			return e.Account.Key == step.Had.Key && e.Role == s.roles.Name(step.Had.RoleID)
		})
	}
	here := d.on(at, step.Had.Key)
	stood, stands := standsFor[at.Type]
	return here != nil && stands && !slices.Contains(here.Scopes, stood) && slices.ContainsFunc(d.All, func(e *access.Permission) bool {
		return e.Account.Key == step.Had.Key && slices.Contains(e.Scopes, stood) && len(lists.Without(step.Loses, e.Holds)) < len(step.Loses)
	})
}

// covered reports whether a permission gives all that the one in its place would.
func covered(step perms.Step) bool {
	had, _ := step.Before.(plan.PermissionState)
	after, _ := step.After.(plan.PermissionState)
	return len(step.Gains) == 0 && (had.Propagate || !after.Propagate)
}

// outlives reports whether a permission of ours, of which a run would take all or some, stays because of what left the
// specification. One that goes and whose rights come from above all the same can go.
func (dec *decision) outlives(s *snapshot, d *desired, p perms.Permission, goes bool) bool {
	if dec.Prune || p.Entity == s.root || goes && d.named[p.Entity] || slices.ContainsFunc(dec.prunable(s), func(a ownAccount) bool { return s.userKey(a.principal(s)) == p.Key }) {
		return false
	}
	o := s.inventory.Object(p.Entity)
	if o == nil {
		return true
	}
	var holds []string
	above := d.Counting(access.Subject{Key: p.Key, Group: p.Group}, o)
	for _, w := range above {
		holds = append(holds, w.Holds...)
	}
	return len(above) == 0 || len(lists.Without(s.roles.Privileges(s.roles.Name(p.RoleID)), holds)) > 0
}

// leftNotes say which permissions stay on objects that left the specification, how they go, and what still needs them; with --prune
// what still needs those that go.
func (dec *decision) leftNotes(p *vcenterPlan) []*plan.Change {
	const (
		stays = "the specification does not name this object: its permission stays until apply --prune removes it"
		wider = "no failure domain needs all that this permission gives here: it stays until apply --prune narrows it"
	)
	s := p.snapshot
	var notes []*plan.Change
	note := func(had perms.Permission, object, text string) *plan.Change {
		c := &plan.Change{Verb: plan.Note, Kind: plan.Permission, Principal: p.displayName(had), Group: had.Group, Object: object, Note: text}
		notes = append(notes, c)
		return c
	}
	needing := func(had perms.Permission, object string, goes bool) {
		c := s.componentOf(had)
		for _, k := range dec.machineKeepers() {
			if i := slices.IndexFunc(s.needing.left, func(m machinesBelow) bool { return m.ref == had.Entity }); i >= 0 && k.component == c {
				if text := s.needing.left[i].text("the "+kindOf(had.Entity), k.who); text != "" {
					note(had, object, text).Needed = goes
				}
			}
		}
		if c == dec.Spec.Account(component.CSIDriver).Component && had.Entity.Type == "Datastore" {
			note(had, object, "the CSI operator removes its tag and storage policy from a datastore with this account, after its failure domain is gone from the cluster")
		}
	}
	for _, had := range p.kept {
		object, _ := s.place(had.Entity)
		text := stays
		if p.wanted.on(had.Entity, had.Key) != nil {
			text = wider
		}
		note(had, object, text).Differs = true
		needing(had, object, false)
	}
	for _, step := range p.steps {
		if dec.Prune && step.Verb == plan.Delete && !p.wanted.named[step.Had.Entity] || p.narrows(p.wanted, step) {
			needing(*step.Had, step.Object, true)
		}
	}
	return notes
}

func kindOf(ref inventory.Ref) string {
	if ref.Type == "Folder" {
		return "folder"
	}
	return "datacenter"
}

// displayName is the principal of a permission of ours as other changes spell it.
func (s *vcenterPlan) displayName(p perms.Permission) string {
	for _, a := range s.ownAccounts() {
		if name := a.principal(s.snapshot); s.userKey(name) == p.Key {
			return name
		}
	}
	return p.Principal
}

// componentOf is the component whose account holds a permission; "" where none of the specification does.
func (s *snapshot) componentOf(p perms.Permission) component.Name {
	for _, a := range s.principals() {
		if a.Key == p.Key {
			return s.request.Spec.Account(a.Component).Component
		}
	}
	return ""
}

// leftFolders are the folders and datacenters that left the specification while an account that machines are removed with has a
// permission there.
func (s *snapshot) leftFolders() (below []machinesBelow, refs []inventory.Ref) {
	if s.request.undoing || s.request.Additive || s.request.op != accounts.Keep || !s.request.does(plan.Permission) {
		return nil, nil
	}
	domains := s.topology().domains
	named := named(domains)
	left := func(p perms.Permission) bool { // a datacenter may have stood for a folder
		return !named[p.Entity] || p.Entity.Type == "Datacenter" && len(s.roles.Privileges(s.roles.Name(p.RoleID))) > 0 &&
			!slices.ContainsFunc(domains, func(d access.Domain) bool { return d.Folder != nil && d.Folder.Carrier().Ref == p.Entity })
	}
	for _, p := range s.perms.All {
		kept := slices.ContainsFunc(s.request.machineKeepers(), func(k keeper) bool { return k.component == s.componentOf(p) })
		if kept && p.Propagate && p.Entity != s.root && left(p) && slices.Contains([]string{"Folder", "Datacenter"}, p.Entity.Type) && !slices.Contains(refs, p.Entity) {
			refs, below = append(refs, p.Entity), append(below, machinesBelow{ref: p.Entity, whole: p.Entity.Type == "Datacenter"})
		}
	}
	for _, d := range domains { // the account keeps its rights there
		if len(refs) > 0 && d.Folder != nil && d.Folder.Exists() && !slices.Contains(refs, d.Folder.Ref) {
			refs = append(refs, d.Folder.Ref)
		}
	}
	return below, refs
}

// copied are the permissions that an account which takes over needs on objects that left the specification: the one in use still
// has them.
func (dec *decision) copied(s *snapshot, kept []perms.Permission) []perms.Want {
	var wants []perms.Want
	for _, a := range s.ownAccounts() {
		if s.inUse(a) || a.generation < s.generations[a.component].Current || s.leaves(a) {
			continue
		}
		before := s.userKey(s.principal(a.component))
		for _, p := range kept {
			o, role := s.inventory.Object(p.Entity), s.roles.Name(p.RoleID)
			if p.Key != before || o == nil || s.facts[p.RoleID].kind == foreignRole && role != privileges.ReadOnly {
				continue
			}
			wants = append(wants, perms.Want{
				At: o, Principal: a.principal(s), Key: s.userKey(a.principal(s)), Role: role, Holds: s.roles.Privileges(role), Propagate: p.Propagate,
				Needs: []string{plan.Key(s.domainKey, plan.User, a.name)},
			})
		}
	}
	return wants
}
