package provision

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// account is an account that is verified: all components that share it together. A group is verified by an account that
// is in it.
type account struct {
	components []component.Name
	principals []access.Principal
	who        access.Subject // the account itself, with the groups that it is to be in
	member     string         // who logs in for groups
	session    *vcenter.Session
	result     string
	reason     string // why it is unverified
}

// principal names all of the account's.
func (a *account) principal() string {
	names := make([]string, len(a.principals))
	for i, g := range a.principals {
		names[i] = g.Name
	}
	return strings.Join(names, ", ")
}

// loggedIn is the key of the account of a component, "" where it did not log in.
func loggedIn(accounts []*account, c component.Name) string {
	i := slices.IndexFunc(accounts, func(a *account) bool { return slices.Contains(a.components, c) })
	if i < 0 || accounts[i].session == nil || accounts[i].result != login.OK {
		return ""
	}
	return accounts[i].who.Key
}

// keep remembers sessions, so that closing the vCenter ends them.
func (t *target) keep(logins []*attempt) {
	for _, l := range logins {
		if l.session != nil {
			t.accounts = append(t.accounts, l.session)
		}
	}
}

// late are the accounts that only the vCenter's identity sources could tell to be the right ones: members of a group
// that the specification did not call one, other spellings of a name, and other generations of an account.
func (s *target) late(supplied map[component.Name]credfile.Account, tried []*attempt) []*attempt {
	var all []*attempt
	for _, c := range s.request.Spec.ComponentNames() {
		a, ok := supplied[c]
		if ok && !s.request.Spec.Disabled(c) && find(tried, a.User) == nil && find(all, a.User) == nil && s.serves(c, a.User) {
			all = append(all, &attempt{user: a.User, password: a.Password})
		}
	}
	for _, a := range s.otherGenerations() {
		if password := s.journaled(a.ownAccount); !a.disabled && !password.Empty() {
			all = append(all, &attempt{user: a.principal(s.snapshot), password: password})
		}
	}
	return all
}

// otherGeneration is an account that exists beside the one that is in use, before its rotation began or after it.
type otherGeneration struct {
	ownAccount
	disabled bool
}

// otherGenerations are the accounts that exist beside those that are in use.
func (s *snapshot) otherGenerations() []otherGeneration {
	var all []otherGeneration
	for _, a := range s.ownAccounts() {
		if u, exists := s.sso.Own(a.name); exists && !s.inUse(a) {
			all = append(all, otherGeneration{a, u.Disabled})
		}
	}
	return all
}

// serves reports whether a user is the account of a component, or may be a member of its group.
func (s *target) serves(c component.Name, user string) bool {
	g := s.holder(c)
	return g.Group || s.sso.Same(user) == s.sso.Same(g.Name)
}

// accountsToVerify are those to be verified, with their logins.
func (s *target) accountsToVerify(supplied map[component.Name]credfile.Account, logins []*attempt) []*account {
	var all []*account
	byKey := map[string]*account{}
	for _, c := range s.request.Spec.ComponentNames() {
		g := s.holder(c)
		own, ok := supplied[c]
		key, user := s.key(g), g.Name
		if g.Group && ok {
			user = own.User
			key = s.key(access.Principal{Name: user})
		}
		a := byKey[key]
		if a == nil {
			a = &account{who: access.Subject{Key: key, Group: g.Group && !ok}}
			a.result, a.reason = s.unopened(c, g, own.User)
			byKey[key] = a
			all = append(all, a)
		}
		if g.Group && ok {
			a.member = user
		}
		a.components = append(a.components, c)
		if !slices.Contains(a.principals, g) {
			a.principals = append(a.principals, g)
		}
		if g.Group {
			a.who.Groups = lists.AppendNew(a.who.Groups, s.key(g))
		}
		for _, l := range logins {
			if a.session == nil && s.sso.Same(l.user) == s.sso.Same(user) && (ok || !g.Group) {
				a.session = l.session
				a.result, a.reason = s.barred(c, l)
			}
		}
	}
	for _, b := range s.otherGenerations() {
		g := access.Principal{Name: b.principal(s.snapshot)}
		a := &account{
			components: []component.Name{b.component}, principals: []access.Principal{g}, who: access.Subject{Key: s.key(g)},
			result: verify.LoginUnverified, reason: "it is not in use, and its password is not on this machine",
		}
		switch {
		case !b.disabled:
		case s.request.Spec.Disabled(b.component):
			a.result, a.reason = verify.LoginDisabled, ""
		case b.generation < s.generations[b.component].Current:
			a.result, a.reason = verify.LoginReplaced, ""
		default:
			a.result, a.reason = verify.LoginNext, ""
		}
		if l := find(logins, g.Name); l != nil {
			a.session, a.result, a.reason = l.session, l.result, ""
		}
		all = append(all, a)
	}
	return all
}

// unopened is what can be said of an account that does not log in, supplied being whose password is known instead.
func (s *target) unopened(c component.Name, g access.Principal, supplied string) (result, reason string) {
	switch {
	case s.request.owns(c):
		switch u, exists := s.sso.Own(s.account(c).Name); {
		case !exists:
			return verify.LoginAbsent, ""
		case s.request.Spec.Disabled(c) && !u.Disabled:
			return verify.LoginEnabled, ""
		case s.request.Spec.Disabled(c):
			return verify.LoginDisabled, ""
		}
		if supplied != "" {
			return verify.LoginUnknown, "the given password is that of " + supplied
		}
		return verify.LoginUnknown, ""
	case g.Group:
		return verify.LoginUnverified, "a group cannot log in, and no member account is given"
	case supplied != "" && !s.serves(c, supplied):
		return verify.LoginUnverified, "the given password is that of " + supplied
	}
	return verify.LoginUnverified, "its password is not given"
}

// barred is the outcome of a login, and why an account of ours was refused, where SSO tells.
func (s *target) barred(c component.Name, l *attempt) (result, reason string) {
	u, exists := s.sso.Own(s.account(c).Name)
	switch {
	case !s.request.owns(c) || l.result == login.OK:
		return l.result, ""
	case !exists:
		return verify.LoginAbsent, ""
	case u.Disabled:
		reason = "the account is disabled"
	case u.Locked:
		reason = "the account is locked"
	case u.Expired():
		reason = "the password has expired"
	}
	if reason != "" && l.result == login.RefusedOrLocked {
		return login.Refused, reason
	}
	return l.result, reason
}

// members looks whether those who logged in for a group are in it, through other groups too. Their rights alone would
// not tell: somebody may have given them the same.
func (t *target) members(ctx context.Context, accounts []*account) {
	var wg crash.Group
	for _, a := range accounts {
		if a.member == "" || a.session == nil {
			continue
		}
		wg.Go(func() {
			found, err := t.directory.Look(ctx, a.member)
			if err == nil {
				err = found.GroupsErr
			}
			if t.sso.Why != nil {
				a.result, a.reason = verify.LoginUnverified, "whether "+a.member+" is a member is not known"
				return
			}
			if err != nil {
				a.result = fmt.Sprintf("cannot determine whether %s is a member: %v", a.member, err)
				return
			}
			for _, g := range a.principals {
				in := slices.ContainsFunc(found.Groups, func(name string) bool { return t.sso.Same(name) == t.sso.Same(g.Name) })
				if g.Group && !in {
					a.result = a.member + " is not a member of " + g.Name
				}
			}
		})
	}
	wg.Wait()
}

// unspecified are accounts with our mark for this cluster that the specification does not name: whatever they hold is in
// excess. Those whose password is not here may be another cluster's of the same name.
func (e *snapshots) unspecified(s *snapshot) []verify.Account {
	var all []verify.Account
	for _, u := range s.dropped() {
		if !e.storedHere(s, u) {
			continue
		}
		name := u.principal(s)
		in, ok := e.Credentials.Get(s.spec.Server, u.component)
		named := ok && e.Spec.Whole().Has(u.component) && strings.EqualFold(in.User, name)
		all = append(all, verify.Account{
			Component: string(u.component), Principal: name, Login: verify.LoginUnverified, Reason: "not in the specification",
			Objects: s.expected(&desired{}).Unneeded(s.userKey(name), named),
		})
	}
	return all
}
