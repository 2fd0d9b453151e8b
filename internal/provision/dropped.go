package provision

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// markedFor is the cluster whose marked accounts are of interest: to all but roles.
func (q *Request) markedFor() string {
	if q.Only == plan.Role {
		return ""
	}
	return q.Spec.Cluster
}

// dropped are the accounts that bear our mark for this cluster and that the specification has no use for: their component
// is no longer in it, works with somebody else's account, or has one of another name. What --components and --vcenters
// leave out was not dropped.
func (s *snapshot) dropped() []ownAccount {
	whole := s.request.Spec.Whole()
	named := func(name string) bool {
		return slices.ContainsFunc(whole.ComponentNames(), func(c component.Name) bool {
			a := whole.Account(c)
			return a.Ours() && a.Generation(name) > 0
		})
	}
	var all []ownAccount
	for _, u := range s.sso.Marked {
		_, c, _ := sso.ParseMark(u.Description)
		adopted := s.namesHolder(perms.Permission{Principal: u.Name + "@" + s.sso.Domain})
		if !adopted && !named(u.Name) {
			all = append(all, ownAccount{name: u.Name, component: c})
		}
	}
	return all
}

// droppedWhileRotating are the accounts of components that the specification dropped while a rotation of theirs was unfinished: there are
// several of one component.
func (s *snapshot) droppedWhileRotating() []ownAccount {
	if !s.request.unnarrowed() {
		return nil
	}
	of := map[component.Name]int{}
	all := s.dropped()
	for _, a := range all {
		of[a.component]++
	}
	return slices.DeleteFunc(all, func(a ownAccount) bool { return of[a.component] < 2 })
}

// unnarrowed reports whether the run is about all components: only then something can be told to be left over.
func (q *Request) unnarrowed() bool {
	return len(q.Spec.ComponentNames()) == len(q.Spec.Whole().ComponentNames())
}

// prunable are the accounts that a run removes for good: those that leave for another generation and, with --prune, dropped ones
// whose password is known here. One that this machine did not make may serve another cluster of the same name.
func (e *snapshots) prunable(s *snapshot) []ownAccount {
	if e.op != accounts.Keep {
		return s.leavingAccounts()
	}
	if !e.prunes() {
		return nil
	}
	return slices.DeleteFunc(s.dropped(), func(a ownAccount) bool { return !e.storedHere(s, a) })
}

// prunes reports whether a run removes what the specification dropped.
func (q *snapshots) prunes() bool {
	return q.Prune && !q.Additive && !q.undoing && q.op == accounts.Keep
}

// otherwise is how a dropped account goes whose password is not here: the file has room for it, or another account in its place.
func (e *snapshots) otherwise(s *snapshot, a ownAccount) string {
	if _, taken := e.Credentials.Get(s.spec.Server, a.component); taken {
		return "run destroy --components " + string(a.component) + " with the specification and the credentials file that it was made with"
	}
	return "credentials import takes its password, and then apply --prune removes it"
}

// storedHere reports whether the credentials file or its journal has an account's password, for any vCenter of its SSO domain.
func (e *snapshots) storedHere(s *snapshot, a ownAccount) bool {
	return slices.ContainsFunc(e.all, func(other *snapshot) bool {
		return other.domainKey == s.domainKey && e.stored(other.spec.Server, a.principal(s), a.component)
	}) || !s.journaled(a).Empty()
}

// notPruned names the accounts that the specification dropped and that stay: a typing error must not delete an account in
// use, so that takes --prune.
func (e *snapshots) notPruned(s *snapshot) []*plan.Change {
	var notes []*plan.Change
	pruned := e.prunable(s)
	for _, a := range s.dropped() {
		if slices.Contains(pruned, a) {
			continue
		}
		text := "no longer in the specification of this cluster (" + string(a.component) + "): kept, with " +
			term.Count(len(s.perms.Held(s.userKey(a.principal(s)))), "permission") + " here, until apply --prune"
		switch {
		case !e.storedHere(s, a):
			why := "the specification does not name it (" + string(a.component) + "), its password is not in " + e.Credentials.Path() + ", and another cluster with this name may use it"
			if !e.undoing {
				why += "; if none does, " + e.otherwise(s, a)
			}
			notes = append(notes, plan.Left("kept", why, plan.Change{Kind: plan.User, Name: a.principal(s), Differs: true, Stays: e.prunes()}))
			continue
		case e.undoing: // nothing that this prints may create anything again
			notes = append(notes, plan.Left("kept", "the specification does not name it ("+string(a.component)+"); to remove it, name it there again and run destroy --components "+
				string(a.component), plan.Change{Kind: plan.User, Name: a.principal(s), Differs: true, Stays: e.unnarrowed()}))
			continue
		}
		notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: a.principal(s), Note: text, Differs: true})
	}
	return notes
}

// leftEntries are the components of which the credentials file has an account of this cluster for a vCenter that the specification
// does not name, by that vCenter.
func (e *snapshots) leftEntries() map[string][]component.Name {
	if e.Credentials == nil || e.Spec.Cluster == "" {
		return nil
	}
	found := map[string][]component.Name{}
	for _, server := range e.Credentials.Servers() {
		if slices.ContainsFunc(e.Spec.Whole().VCenters, func(v spec.VCenter) bool { return strings.EqualFold(v.Server, server) }) {
			continue
		}
		for _, c := range component.Names() {
			if a, ok := e.Credentials.Get(server, c); ok && e.Spec.Whole().Account(c).Generation(a.User) > 0 {
				found[server] = append(found[server], c)
			}
		}
	}
	return found
}

// left names the vCenters that the credentials file still has accounts of this cluster for and the specification does not
// name.
func (e *snapshots) left() []*plan.Change {
	if !e.does(plan.User) {
		return nil
	}
	var notes []*plan.Change
	found := e.leftEntries()
	for _, server := range slices.Sorted(maps.Keys(found)) {
		notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: server, Note: "the specification no longer names this vCenter, and " +
			e.Credentials.Path() + " has accounts of this cluster for it (" + strings.Join(component.Words(found[server]), ", ") +
			"): to remove them with these entries, add it to the specification again and run destroy --vcenters " + server +
			", which keeps what the other vCenters use; if this vCenter no longer exists, remove the entries from the file by hand"})
	}
	return notes
}

// leftBehind says of a destroy which accounts of this cluster it does not reach, because the specification no longer names their
// vCenter.
func (e *snapshots) leftBehind() []*plan.Change {
	if e.Only != "" {
		return nil
	}
	var notes []*plan.Change
	found := e.leftEntries()
	for _, server := range slices.Sorted(maps.Keys(found)) {
		for _, c := range found[server] {
			a, _ := e.Credentials.Get(server, c)
			notes = append(notes, plan.Left("kept", "on "+server+", for which "+e.Credentials.Path()+" has entries, and which the specification does not name; name it there again and run destroy --vcenters "+
				server+", or remove the entries by hand if this vCenter no longer exists", plan.Change{Kind: plan.User, Name: a.User, Stays: e.unnarrowed()}))
		}
	}
	return notes
}
