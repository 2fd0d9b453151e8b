package snapshot

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// On returns the request with the accounts of one vCenter and, once SSO was read, whose they are.
func (q *Request) On(s *Snapshot) *Request {
	if !q.Spec.NamesAccounts() {
		return q
	}
	here := *q
	if here.Spec = q.Spec.At(s.VCenter.Server); s.settled != nil {
		here.Spec = q.Spec.Settle(s.VCenter.Server, s.settled)
	}
	return &here
}

// SettleUsers decides whose the users are that the specification names on a vCenter. An existing
// one without our mark belongs to others. A missing one of the SSO domain is ours to create, unless
// several components have it. The run's administrator is the installer only in an install-config.
func (s *Snapshot) SettleUsers() {
	s.settled = map[component.Name]spec.Settled{}
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
		case s.SSO.Users == nil || same != s.SSO.Same(name+"@"+s.SSO.Domain): // of another directory, or not read
		case exists:
			is.Ours = u.Description == sso.Mark(whole.Cluster, c)
		default:
			is.Ours = times[same] == 1
		}
		s.settled[c] = is
	}
	s.Request = s.Request.On(s)
}

// UserNames returns the users that the specification names on a vCenter, without domain.
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

// Owns reports whether a component's account is ours to create and remove on a vCenter.
func (s *Snapshot) Owns(c component.Name) bool { return s.Request.Owns(c) }

// GivenPassword is an install-config's password of an account of ours; empty if none.
func (q *Request) GivenPassword(server string, c component.Name, user string) secret.Secret {
	if a, ok := q.Given.Get(server, c); ok && spec.SameUser(a.User, user) {
		return a.Password
	}
	return secret.Secret{}
}

// fromGiven returns an install-config's account for a component without a stored one.
func (q *Request) fromGiven(server string, c component.Name, filed credfile.Account) (credfile.Account, bool) {
	a, ok := q.Given.Get(server, c)
	if !ok {
		return a, false
	}
	of := q.Spec.At(server).Account(c)
	return a, of.MayBe(a.User) && of.Generation(filed.User) == 0
}

// ReplacedElsewhere is a stored account whose successor's password is in no file here.
type ReplacedElsewhere struct {
	Next   OwnAccount // the later one
	now    OwnAccount
	exists bool // it exists
}

// Older returns the accounts for which the credentials file is older than a vCenter.
func (s *Snapshot) Older() []ReplacedElsewhere {
	var all []ReplacedElsewhere
	for _, c := range s.Request.Spec.ComponentNames() {
		l := s.Domain.Accounts[c]
		if later := l.Elsewhere(); l.Stored && len(later) > 0 {
			now := s.Request.OwnAccount(c, l.Current)
			_, exists := s.Ours(now)
			all = append(all, ReplacedElsewhere{Next: s.Request.OwnAccount(c, later[len(later)-1]), now: now, exists: exists})
		}
	}
	return all
}

// CheckOlder refuses a credentials file older than an account of ours: what it has was, or will be,
// removed and must not return. The later account can be removed while the earlier one exists and
// the cluster's secrets prove that it is used.
func (s *Snapshot) CheckOlder() error {
	var errs []error
	var nexts, keys, gone, there []string
	for _, r := range s.Older() {
		c := string(r.now.Component)
		switch user, password := credfile.Keys(r.now.Component); {
		case r.exists && s.Request.Op == accounts.Withdraw && s.Request.Proved:
			continue
		case r.exists:
			there = append(there, c)
		default:
			gone, keys = append(gone, c), append(keys, user, password)
		}
		errs, nexts = append(errs, fmt.Errorf("%s: %s is older than %s, which replaced %s",
			s.VCenter.Server, s.Request.Credentials.Path(), r.Next.Principal(s), r.now.Principal(s))),
			append(nexts, r.Next.Principal(s))
	}
	if errs == nil {
		return nil
	}
	hints := []string{"import the credentials file that has " + lists.Few(nexts) + ": " + s.Request.Command("credentials import", "FILE", "--replace")}
	if there != nil { // first, or an import from the cluster would loop
		hints = append(hints, "if nobody has their passwords, remove them, which is refused while the cluster holds one: "+
			openshift.From(s.Request.Spec.Profile)+s.Request.Command("rotate undo", "--secrets", "-", "--components", strings.Join(there, ",")))
	}
	hints = append(hints, "or import the accounts that the cluster uses: "+
		openshift.From(s.Request.Spec.Profile)+s.Request.Command("credentials import", "--secrets", "-", "--replace",
		"--components", strings.Join(slices.Concat(gone, there), ",")))
	if gone != nil {
		hints = append(hints, "if nobody has their passwords, remove "+strings.Join(keys, ", ")+" from "+s.Request.Credentials.Path()+
			"; then set new ones, with an outage of "+strings.Join(gone, ", ")+" until the new secrets are applied: "+
			s.Request.Command("rotate", "--in-place", "--components", strings.Join(gone, ",")))
	}
	return hint.Wrap(errors.Join(errs...), hints...)
}

// Command is a command with the flags of this run.
func (q *Request) Command(name string, own ...string) string {
	if q.Line == nil {
		return strings.Join(append([]string{"ocp-vsphere-admin", name}, own...), " ")
	}
	return q.Line(name, own...)
}

// Presume takes principals of permissions with names of our accounts for these where the SSO domain
// was not read, to see rotations. A vCenter removes missing principals' permissions once a day.
func (s *Snapshot) Presume() {
	if s.SSO.Why == nil {
		return
	}
	at := map[string]sso.User{}
	for _, c := range s.Request.Spec.ComponentNames() {
		if !s.Request.Owns(c) {
			continue
		}
		account := s.Request.Spec.Account(c)
		for _, p := range s.Perms.All {
			name, _ := s.SSO.Split(p.Principal)
			if !p.Group && account.Generation(name) > 0 && s.SSO.Same(p.Principal) == s.SSO.Same(name+"@"+s.SSO.Domain) {
				at[strings.ToLower(name)] = sso.User{Name: strings.ToLower(name), Description: sso.Mark(s.Request.Spec.Cluster, c)}
			}
		}
	}
	presumed := *s.SSO
	presumed.Marked = slices.SortedFunc(maps.Values(at), func(a, b sso.User) int { return strings.Compare(a.Name, b.Name) })
	s.SSO = &presumed
	s.Request.Generate(s.Domain, []*Snapshot{s})
}

// Unseen reports whether accounts of ours were requested and SSO could not be read.
func (s *Snapshot) Unseen() bool {
	return s.Err == nil && s.SSO != nil && s.SSO.Why != nil && s.Request.OwnsAny()
}
