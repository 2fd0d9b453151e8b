package provision

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// ssoAdministrators is the group of an SSO domain whose members administer it, and by default every vCenter of the domain.
const ssoAdministrators = "Administrators"

// groupsOf are the groups that a principal is known to be in, through other groups too.
func (s *snapshot) groupsOf(p access.Principal) []string {
	if found, asked := s.sso.Principal(p.Name); asked {
		return found.Groups
	}
	name, domain := s.sso.Split(p.Name)
	u, exists := s.sso.Own(name)
	if !exists || !strings.EqualFold(domain, s.sso.Domain) {
		return nil
	}
	return u.Groups
}

// administering is the group by which a principal administers the vCenter; "" where it does not.
func (s *snapshot) administering(p access.Principal) string { return s.administrating(s.groupsOf(p)) }

// administrating is the one of some groups that administers the vCenter, or its SSO domain; "" where none does. Who lists
// accounts alone reads no permissions, and knows the group of the SSO domain only.
func (s *snapshot) administrating(groups []string) string {
	i := slices.IndexFunc(groups, func(g string) bool {
		return s.sso.Same(g) == s.sso.Same(ssoAdministrators+"@"+s.sso.Domain) || s.perms != nil &&
			slices.ContainsFunc(s.held(access.Principal{Name: g, Group: true}), s.administers)
	})
	if i < 0 {
		return ""
	}
	return groups[i]
}

// administers reports whether a permission lets its holder do everything everywhere.
func (s *snapshot) administers(p perms.Permission) bool {
	return p.RoleID == roles.AdminID && p.Entity == s.root
}

// trace finds out by which groups the accounts became administrators: who takes one out of a group that it is in through another
// changes nothing.
func (t *target) trace(ctx context.Context, q *asked) error {
	t.through = map[string][]string{}
	names := q.adopted()
	for _, u := range t.sso.Users {
		names = append(names, u.Name+"@"+t.sso.Domain)
	}
	for _, name := range names {
		group := t.administering(access.Principal{Name: name})
		if group == "" {
			continue
		}
		through, err := t.directory.Through(ctx, name, group)
		if err != nil {
			return err
		}
		t.through[t.sso.Same(name)] = through
	}
	return nil
}

// unseen says what cannot be told because the administrator may not read SSO domains, where nothing else asks for that.
func (e *estate) unseen() []*finding.Finding {
	if e.Only != "" { // commands for a part say it in their own words
		return nil
	}
	f := finding.New(finding.UnseenAccounts, "", "")
	var where, who []string
	for _, s := range e.all {
		if s.err == nil && s.sso != nil && s.sso.Why != nil {
			where, who = append(where, s.spec.Server), appendNew(who, s.administrator)
		}
	}
	if len(where) == 0 {
		return nil
	}
	f.Text = fmt.Sprintf("accounts and groups of %s were not read, because %s may not administer SSO: whether they exist, are locked or administer a vCenter is not known, nor what other accounts this tool made",
		few(where), few(who))
	return []*finding.Finding{f}
}

// administrators are the accounts that may do everything because of a group, each group in one finding: neither permissions nor
// roles keep them from anything.
func (e *estate) administrators() []*finding.Finding {
	var all []*finding.Finding
	at := map[string]*finding.Finding{} // by group
	for _, s := range e.all {
		if s.err != nil || s.sso == nil {
			continue
		}
		for _, a := range e.principals(s) {
			group := s.administering(a.Principal)
			if group == "" {
				continue
			}
			if at[group] == nil {
				at[group] = finding.New(finding.AdministratorFound, "", "")
				all = append(all, at[group])
			}
			at[group].Accounts = append(at[group].Accounts, finding.Account{Server: s.spec.Server, Component: a.Component, Principal: a.Principal.Name, Group: group, Through: s.through[s.sso.Same(a.Principal.Name)]})
		}
	}
	for _, f := range all {
		f.Text = folded(f.Accounts) + " may do everything, because " + many(f, "it is a member", "they are members") + " of " + f.Accounts[0].Group
	}
	return all
}
