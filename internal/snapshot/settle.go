package snapshot

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// On is the request as it is for one vCenter: with the accounts that the specification names there, and, once SSO was read, with
// what they are.
func (q *Request) On(s *Snapshot) *Request {
	if !q.Spec.NamesAccounts() {
		return q
	}
	here := *q
	if here.Spec = q.Spec.At(s.VCenter.Server); s.standing != nil {
		here.Spec = q.Spec.Settle(s.VCenter.Server, s.standing)
	}
	return &here
}

// SettleUsers tells what the users are that the specification names for components on a vCenter. One that exists without our mark is
// somebody else's. One of the SSO domain that does not exist is ours to create, unless several components have it: our accounts
// are of one component. Whoever administers the run is not the installer's account; an install-config may have nobody else.
func (s *Snapshot) SettleUsers() {
	s.standing = map[component.Name]spec.Settled{}
	whole := s.Request.Spec.Whole()
	times := map[string]int{}
	for _, user := range s.VCenter.Accounts {
		times[s.SSO.Same(user)]++
	}
	for c, user := range s.VCenter.Accounts {
		name, domain := s.SSO.Split(user)
		is := spec.Settled{Principal: user}
		if !strings.ContainsAny(user, `@\`) {
			is.Principal = user + "@" + domain
		}
		u, exists := s.SSO.Own(name)
		switch same := s.SSO.Same(user); {
		case c == component.Installer && same == s.SSO.Same(s.Administrator):
			continue
		case s.SSO.Users == nil || same != s.SSO.Same(name+"@"+s.SSO.Domain): // of another directory, or nobody looked
		case exists:
			is.Ours = u.Description == sso.Mark(whole.Cluster, c)
		default:
			is.Ours = times[same] == 1
		}
		s.standing[c] = is
	}
	s.Request = s.Request.On(s)
}

// UserNames are the names, without domain, of the users that the specification names on a vCenter.
func (s *Snapshot) UserNames() []string {
	var names []string
	for _, c := range component.Names() {
		if user := s.VCenter.Accounts[c]; user != "" {
			name, _ := (&sso.Names{}).Split(user)
			names = append(names, name)
		}
	}
	return names
}

// Owns reports whether the account of a component is ours to create and remove on a vCenter.
func (s *Snapshot) Owns(c component.Name) bool { return s.Request.Owns(c) }

// GivenPassword is the password that an install-config has for an account of ours; empty where it has none.
func (q *Request) GivenPassword(server string, c component.Name, user string) secret.Secret {
	if a, ok := q.Given.Get(server, c); ok && spec.SameUser(a.User, user) {
		return a.Password
	}
	return secret.Secret{}
}

// fromGiven is the account of an install-config where the credentials file has none of the component's, in any generation.
func (q *Request) fromGiven(server string, c component.Name, filed credfile.Account) (credfile.Account, bool) {
	of := q.Spec.At(server).Account(c)
	a, ok := q.Given.Get(server, c)
	return a, ok && of.MayBe(a.User) && of.Generation(filed.User) == 0
}
