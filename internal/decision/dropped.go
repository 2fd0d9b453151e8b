package decision

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Prunable are the accounts that a run removes for good: those that leave for another generation and, with --prune, dropped ones
// whose password is known here. One that this machine did not make may serve another cluster of the same name.
func (e *Snapshots) Prunable(s *snapshot.Snapshot) []snapshot.OwnAccount {
	if e.Op != accounts.Keep {
		return s.LeavingAccounts()
	}
	if !e.prunes() {
		return nil
	}
	return slices.DeleteFunc(s.Dropped(), func(a snapshot.OwnAccount) bool { return !e.storedHere(s, a) })
}

// prunes reports whether a run removes what the specification dropped.
func (q *Snapshots) prunes() bool {
	return q.Prune && !q.Additive && !q.Undoing && q.Op == accounts.Keep
}

// storedHere reports whether the credentials file or its journal has an account's password, for any vCenter of its SSO domain.
func (e *Snapshots) storedHere(s *snapshot.Snapshot, a snapshot.OwnAccount) bool {
	return slices.ContainsFunc(e.All, func(other *snapshot.Snapshot) bool {
		return other.DomainKey == s.DomainKey && e.Stored(other.VCenter.Server, a.Principal(s), a.Component)
	}) || !s.Journaled(a).Empty()
}

// notPruned names the accounts that the specification dropped and that stay: a typing error must not delete an account in
// use, so that takes --prune.
func (e *Snapshots) notPruned(p *VCenterPlan) {
	s := p.Snapshot
	pruned := e.Prunable(s)
	for _, a := range s.Dropped() {
		if slices.Contains(pruned, a) {
			continue
		}
		switch {
		case !e.storedHere(s, a):
			why := "the specification does not name it (" + string(a.Component) + "), its password is not in " + e.Credentials.Path() + ", and another cluster with this name may use it"
			if !e.Undoing {
				way := "import its password, and then prune it"
				if _, taken := e.Credentials.Get(s.VCenter.Server, a.Component); taken {
					way = "destroy it with the specification and the credentials file that it was made with"
				}
				why += "; if none does, " + way
			}
			p.tell(ofUser(a.Principal(s)).Tell(stays(e.prunes()), "kept: "+why))
		case e.Undoing: // nothing that this prints may create anything again
			p.tell(ofUser(a.Principal(s)).Tell(stays(e.Unnarrowed()), "kept: the specification does not name it ("+string(a.Component)+"); to remove it, name it there again",
				"then: "+e.Command("destroy", "--components", string(a.Component))))
		default:
			p.tell(ofUser(a.Principal(s)).Tell(finding.NotAsSpecified, "no longer in the specification of this cluster ("+string(a.Component)+"): kept, with "+
				term.Count(len(s.Perms.Held(s.UserKey(a.Principal(s)))), "permission")+" here, until apply --prune"))
		}
	}
}

// Left names the vCenters that the credentials file still has accounts of this cluster for and the specification does not
// name. A destroy says of each account that it is not reached.
func (e *Snapshots) Left() (all []*finding.Finding) {
	if !e.Does(plan.User) || e.Undoing && e.Only != "" {
		return nil
	}
	found := e.unnamed()
	for _, server := range slices.Sorted(maps.Keys(found)) {
		for _, c := range found[server] {
			if a, _ := e.Credentials.Get(server, c); e.Undoing {
				code := finding.PlanNote
				if e.Unnarrowed() {
					code = finding.StaysBehind
				}
				all = append(all, ofUser(a.User).Tell(code, "kept: on "+server+", for which "+e.Credentials.Path()+" has entries, and which the specification does not name; "+
					"name it there again and run destroy --vcenters "+server+", or remove the entries by hand if this vCenter no longer exists"))
			}
		}
		if !e.Undoing {
			all = append(all, ofUser(server).Tell(finding.PlanNote, "the specification no longer names this vCenter, and "+
				e.Credentials.Path()+" has accounts of this cluster for it ("+strings.Join(component.Words(found[server]), ", ")+
				"): to remove them with these entries, add it to the specification again and run destroy --vcenters "+server+
				", which keeps what the other vCenters use; if this vCenter no longer exists, remove the entries from the file by hand"))
		}
	}
	return all
}

// Unspecified are accounts with our mark for this cluster that the specification does not name: whatever they hold is in
// excess. Those whose password is not here may be another cluster's of the same name.
func (e *Snapshots) Unspecified(s *snapshot.Snapshot) []verify.Account {
	var all []verify.Account
	for _, u := range s.Dropped() {
		if !e.storedHere(s, u) {
			continue
		}
		name := u.Principal(s)
		in, ok := e.Credentials.Get(s.VCenter.Server, u.Component)
		named := ok && e.Spec.Whole().Has(u.Component) && strings.EqualFold(in.User, name)
		all = append(all, verify.Account{
			Component: string(u.Component), Principal: name, Login: verify.LoginUnverified, Reason: "not in the specification",
			Objects: s.Expected(&snapshot.Desired{}).Unneeded(s.UserKey(name), named),
		})
	}
	return all
}
