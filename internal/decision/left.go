package decision

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// standsFor maps an object's type to the scope that it takes where none is named for that.
var standsFor = map[string]privileges.Scope{"Datacenter": privileges.ScopeFolder, "ClusterComputeResource": privileges.ScopeResourcePool}

// narrows reports whether a step takes privileges that no failure domain needs there any more.
func (v *VCenterPlan) narrows(d *snapshot.Desired, step perms.Step) bool {
	if step.Verb != plan.Update || step.Restores || len(step.Loses) == 0 ||
		v.At.Facts[step.Had.RoleID].Kind == snapshot.ForeignRole {
		return false
	}
	at := step.Had.Entity
	if !d.Named[at] { // another failure domain needs its rights elsewhere
		return step.Had.Propagate && slices.ContainsFunc(d.Wanted.All, func(e *access.Permission) bool {
			return e.Account.Key == step.Had.Key && e.Role == v.At.Roles.Name(step.Had.RoleID)
		})
	}
	here := d.On(at, step.Had.Key)
	stood, stands := standsFor[at.Type]
	return here != nil && stands && !slices.Contains(here.Scopes, stood) && slices.ContainsFunc(d.Wanted.All, func(e *access.Permission) bool {
		return e.Account.Key == step.Had.Key && slices.Contains(e.Scopes, stood) &&
			2*len(lists.Without(step.Loses, e.Holds)) < len(step.Loses) // not a part, as of a move
	})
}

// Kept reports which permissions apply leaves wider than wanted without --prune.
func Kept(s *snapshot.Snapshot, d *snapshot.Desired) func(perms.Permission) bool {
	dec, p := &Decision{Request: s.Request, Read: SnapshotsOf(s.Request, nil)}, &VCenterPlan{At: s}
	return func(had perms.Permission) bool {
		w := d.On(had.Entity, had.Key)
		if w == nil {
			return false
		}
		want := perms.Want{At: w.At, Key: had.Key, Role: w.Role, Holds: w.Holds, Propagate: w.Propagate}
		return slices.ContainsFunc(perms.Diff([]perms.Want{want}, s.Perms, s.Roles, perms.Options{}), func(step perms.Step) bool {
			return covered(step) && p.narrows(d, step) && dec.outlives(s, d, had, false)
		})
	}
}

// covered reports whether a permission gives all that its replacement would.
func covered(step perms.Step) bool {
	had, _ := step.Before.(plan.PermissionState)
	after, _ := step.After.(plan.PermissionState)
	return len(step.Gains) == 0 && (had.Propagate || !after.Propagate)
}

// outlives reports whether a permission that a run would remove or narrow stays for objects that
// left the specification. It can go where the same rights come from above.
func (d *Decision) outlives(s *snapshot.Snapshot, desired *snapshot.Desired, p perms.Permission, goes bool) bool {
	if d.Request.Prune || p.Entity == s.Root || goes && desired.Named[p.Entity] || d.leaves(s, p.Key) {
		return false
	}
	o := s.Inventory.Object(p.Entity)
	if o == nil {
		return true
	}
	var holds []string
	above := desired.Wanted.Counting(access.Subject{Key: p.Key, Group: p.Group}, o)
	for _, w := range above {
		holds = append(holds, w.Holds...)
	}
	return len(above) == 0 || len(lists.Without(s.Roles.Privileges(s.Roles.Name(p.RoleID)), holds)) > 0
}

func (d *Decision) leaves(s *snapshot.Snapshot, key string) bool {
	return slices.ContainsFunc(d.Read.Prunable(s),
		func(a snapshot.OwnAccount) bool { return s.UserKey(a.Principal(s)) == key })
}

// tellLeft reports which permissions stay on objects that left the specification, how to remove
// them, and what still needs them; with --prune, what still needs the removed ones.
func (d *Decision) tellLeft(p *VCenterPlan) {
	const (
		stays = "the specification does not name this object: its permission stays until apply --prune removes it"
		wider = "no failure domain needs all that this permission gives here: it stays until apply --prune narrows it"
	)
	s := p.At
	tell := func(code finding.Code, had perms.Permission, object, text string) {
		p.tell(plan.Change{Kind: plan.Permission, Principal: p.displayName(had), Group: had.Group, Object: object}.Tell(code, text))
	}
	needing := func(code finding.Code, had perms.Permission, object string) {
		c := s.ComponentOf(had)
		for _, k := range d.Request.MachineKeepers() {
			if i := slices.IndexFunc(s.Needing.Left, func(m snapshot.MachinesBelow) bool { return m.Ref == had.Entity }); i >= 0 &&
				k.Component == c {
				if text := s.Needing.Left[i].Text("the "+strings.ToLower(had.Entity.Type), k.Who); text != "" {
					tell(code, had, object, text)
				}
			}
		}
		if c == d.Request.Spec.Account(component.CSIDriver).Component && had.Entity.Type == "Datastore" {
			tell(finding.Consequence, had, object, "the CSI operator removes its tag and storage policy from a datastore with this account, after its failure domain is gone from the cluster")
		}
	}
	for _, had := range p.kept {
		object, _ := s.Place(had.Entity)
		text := stays
		if p.Wanted.On(had.Entity, had.Key) != nil {
			text = wider
		}
		tell(finding.NotAsSpecified, had, object, text)
		needing(finding.Consequence, had, object)
	}
	for _, step := range p.Steps {
		if d.Request.Prune && step.Verb == plan.Delete && !p.Wanted.Named[step.Had.Entity] ||
			p.narrows(p.Wanted, step) {
			needing(finding.StillNeeded, *step.Had, step.Object)
		}
	}
}

// displayName spells the principal of a permission of ours as other changes do.
func (v *VCenterPlan) displayName(p perms.Permission) string {
	for _, a := range v.At.OwnAccounts() {
		if name := a.Principal(v.At); v.At.UserKey(name) == p.Key {
			return name
		}
	}
	return p.Principal
}

// copied returns permissions outside the specification that a new account takes over.
func (d *Decision) copied(s *snapshot.Snapshot, kept []perms.Permission) []perms.Want {
	var wants []perms.Want
	for _, a := range s.OwnAccounts() {
		if s.InUse(a) || a.Generation < s.Domain.Generations[a.Component].Current || s.Leaves(a) {
			continue
		}
		before := s.UserKey(s.Principal(a.Component))
		for _, p := range kept {
			o, role := s.Inventory.Object(p.Entity), s.Roles.Name(p.RoleID)
			if p.Key != before || o == nil ||
				s.Facts[p.RoleID].Kind == snapshot.ForeignRole && role != privileges.ReadOnly {
				continue
			}
			wants = append(wants, perms.Want{
				At: o, Principal: a.Principal(s), Key: s.UserKey(a.Principal(s)), Role: role,
				Holds: s.Roles.Privileges(role), Propagate: p.Propagate,
				Needs: []string{plan.Key(s.Domain.Key, plan.User, a.Name)},
			})
		}
	}
	return wants
}

// Prunable returns the accounts that a run removes: replaced generations and, with --prune, dropped
// ones whose password is stored here. Others may serve another cluster of the same name.
func (e *Snapshots) Prunable(s *snapshot.Snapshot) []snapshot.OwnAccount {
	if e.Request.Op != accounts.Keep {
		return s.LeavingAccounts()
	}
	if !e.prunes() {
		return nil
	}
	return slices.DeleteFunc(s.Dropped(), func(a snapshot.OwnAccount) bool { return !e.storedHere(s, a) })
}

func (e *Snapshots) prunes() bool {
	return e.Request.Prune && !e.Request.Additive && !e.Request.Undoing && e.Request.Op == accounts.Keep
}

// storedHere reports whether a file has an account's password for a vCenter of its SSO domain.
func (e *Snapshots) storedHere(s *snapshot.Snapshot, a snapshot.OwnAccount) bool {
	return slices.ContainsFunc(e.All, func(other *snapshot.Snapshot) bool {
		return other.Domain.Key == s.Domain.Key && e.Request.Stored(other.VCenter.Server, a.Principal(s), a.Component)
	}) || !s.Journaled(a).Empty()
}

// notPruned reports dropped accounts that stay, so that a typing error deletes none in use.
func (e *Snapshots) notPruned(p *VCenterPlan) {
	s := p.At
	pruned := e.Prunable(s)
	for _, a := range s.Dropped() {
		if slices.Contains(pruned, a) {
			continue
		}
		switch {
		case !e.storedHere(s, a):
			why := "the specification does not name it (" + string(a.Component) + "), its password is not in " + e.Request.Credentials.Path() + ", and another cluster with this name may use it"
			if !e.Request.Undoing {
				way := "import its password, and then prune it"
				if _, taken := e.Request.Credentials.Get(s.VCenter.Server, a.Component); taken {
					way = "destroy it with the specification and the credentials file that it was made with"
				}
				why += "; if none does, " + way
			}
			p.tell(ofUser(a.Principal(s)).Tell(stays(e.prunes(), finding.NotAsSpecified), "kept: "+why))
		case e.Request.Undoing: // this text must not advise to create anything
			p.tell(ofUser(a.Principal(s)).Tell(stays(e.Request.Unnarrowed(), finding.NotAsSpecified),
				"kept: the specification does not name it ("+string(a.Component)+"); to remove it, name it there again",
				"then: "+e.Request.Command("destroy", "--components", string(a.Component))))
		default:
			p.tell(ofUser(a.Principal(s)).Tell(finding.NotAsSpecified, "no longer in the specification of this cluster ("+string(a.Component)+"): kept, with "+
				term.Count(len(s.Perms.Held(s.UserKey(a.Principal(s)))), "permission")+" here, until apply --prune"))
		}
	}
}

// Left finds vCenters with stored accounts of this cluster that a destroy does not reach.
func (e *Snapshots) Left() (all []*finding.Finding) {
	if !e.Request.Does(plan.User) || e.Request.Undoing && e.Request.Only != "" {
		return nil
	}
	found := e.unnamed()
	for _, server := range slices.Sorted(maps.Keys(found)) {
		for _, c := range found[server] {
			if a, _ := e.Request.Credentials.Get(server, c); e.Request.Undoing {
				all = append(all, ofUser(a.User).Tell(stays(e.Request.Unnarrowed(), finding.PlanNote), "kept: on "+server+", for which "+e.Request.Credentials.Path()+" has entries, and which the specification does not name; "+
					"name it there again and run destroy --vcenters "+server+", or remove the entries by hand if this vCenter no longer exists"))
			}
		}
		if !e.Request.Undoing {
			all = append(all, plan.Change{Kind: plan.VCenterKind, Name: server}.Tell(finding.PlanNote, "the specification no longer names this vCenter, and "+
				e.Request.Credentials.Path()+" has accounts of this cluster for it ("+strings.Join(component.Words(found[server]), ", ")+
				"): to remove them with these entries, add it to the specification again and run destroy --vcenters "+server+
				", which keeps what the other vCenters use; if this vCenter no longer exists, remove the entries from the file by hand"))
		}
	}
	return all
}

// Unspecified returns accounts with our mark for this cluster that the specification does not name.
// Those without a stored password may be another cluster's of the same name.
func (e *Snapshots) Unspecified(s *snapshot.Snapshot) []verify.Account {
	var all []verify.Account
	for _, u := range s.Dropped() {
		if !e.storedHere(s, u) {
			continue
		}
		name := u.Principal(s)
		in, ok := e.Request.Credentials.Get(s.VCenter.Server, u.Component)
		named := ok && e.Request.Spec.Whole().Has(u.Component) && strings.EqualFold(in.User, name)
		all = append(all, verify.Account{
			Component: string(u.Component), Principal: name, Login: verify.LoginUnverified,
			Reason:  "not in the specification",
			Objects: s.Expected(&snapshot.Desired{}).Unneeded(s.UserKey(name), named),
		})
	}
	return all
}
