package provision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// ownAccount is one of ours: of a component of the specification, or of one that it no longer names.
type ownAccount struct {
	name      string // without domain
	component component.Name
}

func (a ownAccount) principal(s *site) string { return a.name + "@" + s.sso.Domain }

// markedFor is the cluster whose marked accounts are of interest: those of a run that changes accounts.
func (j *Job) markedFor() string {
	if !j.does(plan.User) {
		return ""
	}
	return j.o.Spec.Cluster
}

// ownAccounts are those of the specification.
func (j *Job) ownAccounts() []ownAccount {
	var all []ownAccount
	for _, c := range j.o.Spec.ComponentNames() {
		if j.owns(c) {
			all = append(all, ownAccount{j.o.Spec.Account(c).Name, c})
		}
	}
	return all
}

// dropped are the accounts that bear our mark for this cluster and that the specification has no use for: their component
// is no longer in it, works with somebody else's account, or has one of another name. What --components and --vcenters
// leave out was not dropped.
func (j *Job) dropped(s *site) []ownAccount {
	whole := j.o.Spec.Whole()
	var named []string
	for _, c := range whole.ComponentNames() {
		if a := whole.Account(c); a.Ours() {
			named = append(named, strings.ToLower(a.Name))
		}
	}
	var all []ownAccount
	for _, u := range s.sso.Marked {
		_, c, _ := sso.ParseMark(u.Description)
		adopted := j.namesHolder(s, perms.Permission{Principal: u.Name + "@" + s.sso.Domain})
		if !adopted && !slices.Contains(named, strings.ToLower(u.Name)) {
			all = append(all, ownAccount{u.Name, c})
		}
	}
	return all
}

// unnarrowed tells whether the run is about all components: only then something can be told to be left over.
func (j *Job) unnarrowed() bool {
	return len(j.o.Spec.ComponentNames()) == len(j.o.Spec.Whole().ComponentNames())
}

// prunable are the accounts that --prune removes: dropped ones whose password is known here. One that this machine did not
// make may serve another cluster of the same name.
func (j *Job) prunable(s *site) []ownAccount {
	if !j.o.Prune || j.o.Additive {
		return nil
	}
	return slices.DeleteFunc(j.dropped(s), func(a ownAccount) bool { return !j.storedHere(s, a) })
}

// storedHere tells whether the credentials file has an account's password, for any vCenter of its SSO domain.
func (j *Job) storedHere(s *site, a ownAccount) bool {
	return slices.ContainsFunc(j.sites, func(other *site) bool {
		if other.domainKey != s.domainKey {
			return false
		}
		in, ok := j.o.Credentials.Get(other.spec.Server, a.component)
		return ok && strings.EqualFold(in.User, a.principal(s))
	})
}

// notPruned names the accounts that the specification dropped and that stay: a typing error must not delete an account in
// use, so that takes --prune.
func (j *Job) notPruned(s *site) []*plan.Change {
	var notes []*plan.Change
	pruned := j.prunable(s)
	for _, a := range j.dropped(s) {
		if slices.Contains(pruned, a) {
			continue
		}
		text := "is an account of this cluster (" + string(a.component) + ") that the specification no longer names; it keeps " +
			permissionCount(len(s.perms.Held(s.userKey(a.principal(s))))) + " here until apply --prune removes it"
		if !j.storedHere(s, a) {
			text = "is an account of a cluster of this name (" + string(a.component) + ") that the specification does not name, and its password is not in " +
				j.o.Credentials.Path() + ": it may be another cluster's, and stays"
		}
		notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: a.principal(s), Note: text, Differs: true})
	}
	return notes
}

// left names the vCenters that the credentials file still has accounts of this cluster for and the specification does not
// name.
func (j *Job) left() []*plan.Change {
	if j.o.Credentials == nil || j.o.Spec.Cluster == "" || !j.does(plan.User) {
		return nil
	}
	var servers []string
	for _, v := range j.o.Spec.Whole().VCenters {
		servers = append(servers, strings.ToLower(v.Server))
	}
	var notes []*plan.Change
	for _, server := range j.o.Credentials.Servers() {
		if slices.Contains(servers, strings.ToLower(server)) {
			continue
		}
		var found []string
		for _, c := range component.Names() {
			user, ok := j.o.Credentials.Get(server, c)
			if name, _, _ := strings.Cut(user.User, "@"); ok && strings.EqualFold(name, j.o.Spec.Whole().Account(c).Name) {
				found = append(found, string(c))
			}
		}
		if len(found) > 0 {
			notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: server, Note: "the specification no longer names this vCenter, and " +
				j.o.Credentials.Path() + " has accounts of this cluster for it (" + strings.Join(found, ", ") +
				"): destroy with a specification that names it removes them"})
		}
	}
	return notes
}
