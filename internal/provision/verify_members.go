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

// account is an account to verify, with all components that share it. A member verifies its group.
type account struct {
	components []component.Name
	principals []access.Principal
	who        access.Subject // the account itself, with its expected groups
	member     string         // who logs in for groups of others
	session    *vcenter.Session
	result     string
	reason     string // why it is unverified
	waits      bool   // apply leaves its permissions to rotate finish or undo, which remove it
}

func (a *account) principal() string {
	names := make([]string, len(a.principals))
	for i, g := range a.principals {
		names[i] = g.Name
	}
	return strings.Join(names, ", ")
}

// loggedIn is the key of a component's account; "" if its rights are unknown.
func loggedIn(accounts []*account, c component.Name) string {
	i := slices.IndexFunc(accounts, func(a *account) bool { return slices.Contains(a.components, c) })
	if i < 0 || accounts[i].result != verify.LoginComputed &&
		(accounts[i].session == nil || accounts[i].result != login.OK) {
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

// late returns accounts that only identity sources could recognize, such as members of groups.
func (t *target) late(supplied map[component.Name]credfile.Account, attempts []*attempt) []*attempt {
	var all []*attempt
	for _, c := range t.at.Request.Spec.ComponentNames() {
		a, ok := supplied[c]
		if ok && !t.at.Request.Spec.Disabled(c) && find(attempts, a.User) == nil &&
			find(all, a.User) == nil && t.serves(c, a.User) {
			all = append(all, &attempt{user: a.User, password: a.Password})
		}
	}
	for _, a := range t.at.OtherGenerations() {
		u, _ := t.at.SSO.Own(a.Name)
		password := t.at.Journaled(a)
		wrong := u.PasswordTag != "" && !password.Bears(u.PasswordTag) && // and what works with it would be locked out
			!u.SetByOthers(t.at.SSO.Policy.LifetimeDays, t.at.Request.Now)
		if !u.Disabled && !password.Empty() && !wrong {
			all = append(all, &attempt{user: a.Principal(t.at), password: password})
		}
	}
	return all
}

// serves reports whether a user is a component's account, or may be a member of its group.
func (t *target) serves(c component.Name, user string) bool {
	g := t.at.Login(c)
	return g.Group || t.at.SSO.Same(user) == t.at.SSO.Same(g.Name)
}

// accountsToVerify returns the accounts to verify, with their logins.
func (t *target) accountsToVerify(supplied map[component.Name]credfile.Account, logins []*attempt) []*account {
	var all []*account
	byKey := map[string]*account{}
	for _, c := range t.at.Request.Spec.ComponentNames() {
		g := t.at.Login(c)
		own, ok := supplied[c]
		key, user := t.at.Key(g), g.Name
		if g.Group && ok {
			user = own.User
			key = t.at.Key(access.Principal{Name: user})
		}
		a := byKey[key]
		if a == nil {
			a = &account{who: access.Subject{Key: key, Group: g.Group && !ok}}
			a.result, a.reason = t.unopened(c, g, own.User)
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
			a.who.Groups = lists.AppendNew(a.who.Groups, t.at.Key(g))
		} else if t.at.Holder(c).Group {
			a.who = t.at.Working(c, g.Name)
		}
		for _, l := range logins {
			if a.session == nil && t.at.SSO.Same(l.user) == t.at.SSO.Same(user) && (ok || !g.Group) {
				a.session = l.session
				a.result, a.reason = t.barred(c, l)
			}
		}
	}
	for _, b := range t.at.OtherGenerations() {
		g := access.Principal{Name: b.Principal(t.at)}
		a := &account{
			components: []component.Name{b.Component}, principals: []access.Principal{g}, who: t.at.Working(b.Component, g.Name),
			result: verify.LoginUnverified, reason: verify.IsNext,
			waits: t.at.Journaled(b).Empty() || t.at.Retired(b),
		}
		replaced := b.Generation < t.at.Domain.Generations[b.Component].Current
		switch u, _ := t.at.SSO.Own(b.Name); {
		case !u.Disabled && replaced:
			a.reason = verify.IsReplaced
		case !u.Disabled:
		case t.at.Request.Spec.Disabled(b.Component):
			a.result, a.reason = verify.LoginDisabled, ""
		case replaced:
			a.result, a.reason = verify.LoginReplaced, ""
		default:
			a.result, a.reason = verify.LoginNext, ""
		}
		if l := find(logins, g.Name); l != nil {
			a.session, a.result, a.reason = l.session, l.result, ""
		}
		all = append(all, a)
	}
	for _, a := range all {
		if t.computes(a) {
			a.result, a.reason = verify.LoginComputed, ""
		}
		entered := a.result == login.OK || a.result == login.NoPermission || a.result == verify.LoginComputed
		if c := a.components[0]; entered && t.at.Outside(c, a.principals[0].Name) {
			a.result, a.reason = verify.LoginOutside+t.at.Holder(c).Name, ""
		}
	}
	return all
}

// computes reports whether an account without a stored password is judged by what vCenter reports
// to the administrator, which may be a reader. For a group vCenter reports nothing.
func (t *target) computes(a *account) bool {
	unopened := a.session == nil && (a.result == verify.LoginUnknown || a.result == verify.LoginUnverified)
	return unopened && (t.at.Reads || t.at.Unseen()) && !a.who.Group &&
		!slices.ContainsFunc(a.principals, func(p access.Principal) bool { return p.Group })
}

// unopened says why an account does not log in; supplied is the one with a known password.
func (t *target) unopened(c component.Name, g access.Principal, supplied string) (result, reason string) {
	switch {
	case t.at.Request.Owns(c) && t.at.SSO.Why != nil: // and whether it exists or is disabled is unknown
		return verify.LoginUnverified, "its password is not in the credentials file"
	case t.at.Request.Owns(c):
		switch u, exists := t.at.SSO.Own(t.at.Account(c).Name); {
		case !exists:
			return verify.LoginAbsent, ""
		case t.at.Request.Spec.Disabled(c) && !u.Disabled:
			return verify.LoginEnabled, ""
		case t.at.Request.Spec.Disabled(c):
			return verify.LoginDisabled, ""
		}
		if supplied != "" {
			return verify.LoginUnknown, "the given password is that of " + supplied
		}
		return verify.LoginUnknown, ""
	case g.Group:
		return verify.LoginUnverified, "a group cannot log in, and no member account is given"
	case supplied != "" && !t.serves(c, supplied):
		return verify.LoginUnverified, "the given password is that of " + supplied
	}
	return verify.LoginUnverified, "its password is not given"
}

// barred is the result of a login, with SSO's reason for a refusal if known.
func (t *target) barred(c component.Name, l *attempt) (result, reason string) {
	u, exists := t.at.SSO.Own(t.at.Account(c).Name)
	switch {
	case !t.at.Request.Owns(c) || l.result == login.OK || t.at.SSO.Why != nil:
		return l.result, ""
	case !exists:
		return verify.LoginAbsent, ""
	case u.Disabled:
		reason = verify.IsDisabled
	case u.Locked:
		reason = verify.IsLocked
	case u.Expired():
		reason = verify.IsExpired
	}
	if reason != "" && l.result == login.RefusedOrLocked {
		return login.Refused, reason
	}
	return l.result, reason
}

// members checks membership of those who logged in for a group, as rights may come from others.
func (t *target) members(ctx context.Context, accounts []*account) {
	var wg crash.Group
	for _, a := range accounts {
		member := a.member
		if member == "" || a.session == nil {
			continue
		}
		wg.Go(func() {
			found, err := t.directory.Look(ctx, member)
			if err == nil {
				err = found.GroupsErr
			}
			if t.at.SSO.Why != nil {
				a.result, a.reason = verify.LoginUnverified, "whether "+member+" is a member is not known"
				return
			}
			if err != nil {
				a.result = fmt.Sprintf("cannot determine whether %s is a member: %v", member, err)
				return
			}
			for _, g := range a.principals {
				in := slices.ContainsFunc(found.Groups, func(name string) bool { return t.at.SSO.Same(name) == t.at.SSO.Same(g.Name) })
				if g.Group && !in {
					a.result = member + " is " + verify.LoginOutside + g.Name
				}
			}
		})
	}
	wg.Wait()
}
