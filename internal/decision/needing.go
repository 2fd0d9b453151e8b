package decision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// stillNeeded reports what still needs the accounts that are removed: machines where permissions
// are removed, sessions where the account is. It must be silent about accounts that stay here:
// forgetting passwords takes a finding as the reason why an account stays.
func (d *Decision) stillNeeded(p *VCenterPlan) {
	s := p.At
	if d.Request.Op != accounts.Keep || !d.Read.Removes {
		return
	}
	removal := func(kind plan.Kind, principal string) *plan.Change { // the first removal; nil = none
		i := slices.IndexFunc(p.Changes, func(c *plan.Change) bool {
			name := map[plan.Kind]string{plan.User: c.Name, plan.Permission: c.Principal}[kind]
			return c.Verb == plan.Delete && c.Kind == kind && s.KeyOf(name, c.Group) == s.KeyOf(principal, c.Group)
		})
		if i < 0 {
			return nil
		}
		return p.Changes[i]
	}
	goes := func(kind plan.Kind, principal string) bool { return removal(kind, principal) != nil }
	for _, k := range d.Request.MachineKeepers() {
		for _, principal := range d.leavers(s, k.Component) {
			switch {
			case !d.Request.Orphans():
			case d.Request.Only == plan.User: // the SSO domain has one account for all vCenters
				if goes(plan.User, principal) {
					d.needingUser(p, principal, k.Who)
				}
			case goes(plan.Permission, principal):
				for _, m := range s.Needing.Below {
					if text := m.Text("the folder", k.Who); text != "" {
						p.tell(plan.Change{Kind: plan.Permission, Principal: principal, Object: m.Folder}.Tell(finding.Consequence, text))
					}
				}
			}
		}
	}
	d.needingVolumes(p, removal)
	for _, a := range s.OwnAccounts() {
		name := a.Principal(s)
		if text := d.inSession(p.At.Domain.Key, name); text != "" && goes(plan.User, name) {
			p.tell(ofUser(name).Tell(finding.Consequence, text))
		}
	}
}

// inSession lists the vCenters of an SSO domain with sessions of an account; "" if none.
func (d *Decision) inSession(domainKey, principal string) string {
	var open []string
	for _, p := range d.domainPlan(domainKey).VCenters {
		if n := p.At.SessionsOf(principal); n > 0 {
			open = append(open, fmt.Sprintf("%s (%d)", p.At.VCenter.Server, n))
		}
	}
	if len(open) == 0 {
		return ""
	}
	return "in use now: open sessions on " + strings.Join(open, ", ")
}

// needingUser reports which machines below an SSO domain's folders still need an account.
func (d *Decision) needingUser(at *VCenterPlan, principal, who string) {
	for _, p := range at.DomainPlan.VCenters {
		for _, m := range p.At.Needing.Below {
			if text := m.Text("the folder "+m.Folder+" of "+p.At.VCenter.Server, who); text != "" {
				at.tell(ofUser(principal).Tell(finding.Consequence, text))
			}
		}
	}
}

// leavers returns a component's principals that a run may remove.
func (d *Decision) leavers(s *snapshot.Snapshot, c component.Name) []string {
	if d.Request.Undoing {
		if slices.Contains(d.Request.Spec.ComponentNames(), c) {
			return []string{s.Principal(c)}
		}
		return nil
	}
	var all []string
	for _, a := range d.Read.Prunable(s) {
		if a.Component == c {
			all = append(all, a.Principal(s))
		}
	}
	return all
}

// needingVolumes reports which volumes still need the CSI driver's account. A volume object does
// not name its vCenter, so each vCenter's finding names all volumes.
func (d *Decision) needingVolumes(p *VCenterPlan, removal func(plan.Kind, string) *plan.Change) {
	text := volumesText(d.Request.Volumes)
	if text == "" {
		return
	}
	for _, principal := range d.leavers(p.At, d.Request.Spec.Account(component.CSIDriver).Component) {
		if d.Request.Only == plan.User {
			if removal(plan.User, principal) != nil {
				p.tell(ofUser(principal).Tell(finding.Consequence, text))
			}
		} else if first := removal(plan.Permission, principal); first != nil {
			p.tell(first.Tell(finding.Consequence, text))
		}
	}
}

// volumesText says which volumes still need an account; "" if none do or none were read.
func volumesText(v *openshift.Volumes) string {
	switch {
	case v == nil:
		return ""
	case v.Unknown != "":
		return "cannot determine whether volumes of the cluster still need it: " + v.Unknown
	case len(v.Names) == 0:
		return ""
	}
	return fmt.Sprintf("the cluster has %s (%s): without this account nothing can attach, detach, expand or delete them; their data stays",
		term.Count(len(v.Names), "volume"), snapshot.Some(v.Names))
}

// deletesMachines is checked on a machine and its folder; a permission on a folder reaches both.
const deletesMachines = "VirtualMachine.Inventory.Delete"

// neighbours reports where accounts of this and of another cluster can delete each other's machines
// in a folder. Roles identify the other cluster's permissions.
func (v *VCenterPlan) neighbours(d *snapshot.Desired) {
	type place struct{ here, there string }
	var order []place
	who := map[place][]string{}
	text := map[place]string{}
	ours := map[string]bool{}
	for _, a := range v.At.Principals() {
		ours[a.Key] = true
	}
	for _, e := range d.Wanted.All {
		if !e.Propagate || !holdsMachines(e.At.Ref.Type) || !slices.Contains(e.Holds, deletesMachines) {
			continue
		}
		for _, p := range v.At.Perms.All {
			there := v.At.Inventory.Object(p.Entity)
			if there == nil || ours[p.Key] || !p.Propagate || !holdsMachines(p.Entity.Type) || !v.ofAnother(p) {
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
		v.tell(plan.Change{Kind: plan.Permission, Object: at.here}.Tell(finding.SharedPlace, "another cluster ("+lists.Few(who[at])+") "+text[at]))
	}
}

// holdsMachines reports whether permissions on a type of object reach machines below.
func holdsMachines(kind string) bool { return kind == "Folder" || kind == "Datacenter" }

// ofAnother reports whether a permission lets another cluster's account delete machines.
func (v *VCenterPlan) ofAnother(p perms.Permission) bool {
	facts := v.At.Facts[p.RoleID]
	if facts.Kind != snapshot.SharedRole && facts.Kind != snapshot.PrefixedRole &&
		(facts.Owner == "" || facts.Owner == v.At.Request.Spec.Cluster) ||
		!slices.Contains(v.At.Roles.Privileges(v.At.Roles.Name(p.RoleID)), deletesMachines) || v.At.NamesHolder(p) {
		return false
	}
	mine := func(name string) bool { return v.At.UserKey(name+"@"+v.At.SSO.Domain) == p.Key }
	if slices.ContainsFunc(v.At.SSO.Marked, func(u sso.User) bool { return mine(u.Name) }) { // dropped from the specification
		return false
	}
	name, _ := v.At.SSO.Split(p.Principal)
	return !slices.ContainsFunc(component.Names(), func(c component.Name) bool {
		a := v.At.Request.Spec.Whole().Account(c)
		return a.Ours() && a.Generation(name) > 0 && mine(name)
	})
}
