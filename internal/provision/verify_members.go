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
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
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

// keep remembers sessions, so that closing the vCenter ends them.
func (t *target) keep(logins []*login) {
	for _, l := range logins {
		if l.session != nil {
			t.accounts = append(t.accounts, l.session)
		}
	}
}

// late are the accounts that only the vCenter's identity sources could tell to be the right ones: members of a group
// that the specification did not call one, and other spellings of a name.
func (q *asked) late(s *snapshot, supplied map[component.Name]credfile.Account, tried []*login) []*login {
	var all []*login
	for _, c := range q.Spec.ComponentNames() {
		a, ok := supplied[c]
		if ok && find(tried, a.User) == nil && find(all, a.User) == nil && q.serves(s, c, a.User) {
			all = append(all, &login{user: a.User, password: a.Password})
		}
	}
	return all
}

// serves tells whether a user is the account of a component, or may be a member of its group.
func (q *asked) serves(s *snapshot, c component.Name, user string) bool {
	g := q.holder(s, c)
	return g.Group || s.sso.Same(user) == s.sso.Same(g.Name)
}

// accounts are those to be verified, with their logins.
func (q *asked) accounts(s *snapshot, supplied map[component.Name]credfile.Account, logins []*login) []*account {
	var all []*account
	byKey := map[string]*account{}
	for _, c := range q.Spec.ComponentNames() {
		g := q.holder(s, c)
		own, ok := supplied[c]
		key, user := s.key(g), g.Name
		if g.Group && ok {
			user = own.User
			key = s.key(access.Principal{Name: user})
		}
		a := byKey[key]
		if a == nil {
			a = &account{who: access.Subject{Key: key, Group: g.Group && !ok}}
			a.result, a.reason = q.unproved(s, c, g, own.User)
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
			a.who.Groups = appendNew(a.who.Groups, s.key(g))
		}
		for _, l := range logins {
			if a.session == nil && s.sso.Same(l.user) == s.sso.Same(user) && (ok || !g.Group) {
				a.session, a.result, a.reason = l.session, l.result, ""
			}
		}
	}
	return all
}

// unproved is what can be said of an account that does not log in, supplied being whose password is known instead.
func (q *asked) unproved(s *snapshot, c component.Name, g access.Principal, supplied string) (result, reason string) {
	switch {
	case q.owns(c):
		if _, exists := s.sso.Own(q.Spec.Account(c).Name); !exists {
			return LoginAbsent, ""
		}
		return LoginUnknown, ""
	case g.Group:
		return LoginUnverified, "a group does not log in, and no account that is in it is supplied"
	case supplied != "" && !q.serves(s, c, supplied):
		return LoginUnverified, "the password that is supplied is that of " + supplied
	}
	return LoginUnverified, "its password is not supplied"
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
			if err != nil {
				a.result = fmt.Sprintf("whether %s is a member cannot be told: %v", a.member, err)
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
