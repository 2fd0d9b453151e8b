package provision

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// ssoAdministrators is the group of an SSO domain whose members administer it, and by default every vCenter of the domain.
const ssoAdministrators = "Administrators"

// powerful are the other groups of an SSO domain whose members have rights that no permission shows: they issue certificates, take the
// place of others, or administer services and appliances (vSphere Authentication, "Groups in the vCenter Single Sign-On Domain").
var powerful = []string{
	"ActAsUsers", "CAAdmins", "DCAdmins", "ComponentManager.Administrators", "LicenseService.Administrators", "SystemConfiguration.Administrators",
	"SystemConfiguration.BashShellAdministrators", "TrustedAdmins", "RegistryAdministrators", "NsxAdministrators", "NsxViAdministrators",
}

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

// administrating is the one of some groups that administers the vCenter, or its SSO domain; "" where none does. Who lists
// accounts alone reads no permissions, and knows the group of the SSO domain only.
func (s *snapshot) administrating(groups []string) string {
	i := slices.IndexFunc(groups, func(g string) bool {
		return s.sso.Same(g) == s.sso.Same(ssoAdministrators+"@"+s.sso.Domain) || s.perms != nil &&
			slices.ContainsFunc(s.permissionsOf(access.Principal{Name: g, Group: true}), s.administers)
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

// empowering is the one of some groups that is powerful; "" where none is.
func (s *snapshot) empowering(groups []string) string {
	for _, g := range groups {
		if slices.ContainsFunc(powerful, func(name string) bool { return s.sso.Same(g) == s.sso.Same(name+"@"+s.sso.Domain) }) {
			return g
		}
	}
	return ""
}

// trace finds out by which groups the accounts became administrators, or powerful: who takes one out of a group that it is in through another
// changes nothing.
func (t *target) trace(ctx context.Context) error {
	t.through = map[string][]string{}
	names := t.request.adopted()
	for _, u := range t.sso.Users {
		names = append(names, u.Name+"@"+t.sso.Domain)
	}
	for _, name := range names {
		groups := t.groupsOf(access.Principal{Name: name})
		group := cmp.Or(t.administrating(groups), t.empowering(groups))
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
func (e *snapshots) unseen() []*finding.Finding {
	if e.Only != "" { // commands for a part say it in their own words
		return nil
	}
	f := finding.New(finding.UnseenAccounts, "", "")
	var where, who []string
	for _, s := range e.all {
		if s.err == nil && s.sso != nil && s.sso.Why != nil {
			where, who = append(where, s.spec.Server), lists.AppendNew(who, s.administrator)
		}
	}
	if len(where) == 0 {
		return nil
	}
	f.Text = fmt.Sprintf("accounts and groups of %s were not read, because %s may not administer SSO: whether they exist, are locked or administer a vCenter is not known, nor what other accounts this tool made",
		lists.Few(where), lists.Few(who))
	return []*finding.Finding{f}
}

// administrators are the accounts that a group lets do everything, or what no permission shows, each group in one finding: neither
// permissions nor roles keep them from it.
func (e *snapshots) administrators() []*finding.Finding {
	var all []*finding.Finding
	at, whole := map[string]*finding.Finding{}, map[string]bool{} // by group
	for _, s := range e.all {
		if s.err != nil || s.sso == nil {
			continue
		}
		for _, a := range s.principals() {
			groups := s.groupsOf(a.Principal)
			everything := s.administrating(groups)
			group := cmp.Or(everything, s.empowering(groups))
			if group == "" {
				continue
			}
			if at[group] == nil {
				at[group] = finding.New(finding.AdministratorFound, "", "")
				whole[group] = everything != ""
				all = append(all, at[group])
			}
			through := s.through[s.sso.Same(a.Principal.Name)]
			at[group].Accounts = append(at[group].Accounts, finding.Account{Server: s.spec.Server, Component: a.Component, Principal: a.Principal.Name, Group: group, Through: through})
			for _, from := range through {
				at[group].Remedies = lists.AppendNew(at[group].Remedies, s.leaving(a.Principal, from))
			}
		}
	}
	for _, f := range all {
		group, may := f.Accounts[0].Group, "may do everything"
		if !whole[group] {
			may = many(f, "has", "have") + " rights that no permission shows"
		}
		f.Text = folded(f.Accounts) + " " + may + ", because " + many(f, "it is a member", "they are members") + " of " + group
	}
	return all
}

// leaving is how a principal leaves a group that it was put into. govc knows a principal of another domain by its full name only, and
// changes no groups of other directories.
func (s *snapshot) leaving(p access.Principal, group string) string {
	from, of := s.sso.Split(group)
	if !strings.EqualFold(of, s.sso.Domain) {
		return "take it out of the group " + group + " in its own directory"
	}
	who, domain := s.sso.Split(p.Name)
	if domain = s.sso.Source(domain).Name; !strings.EqualFold(domain, s.sso.Domain) {
		who += "@" + domain
	}
	words := []string{"govc", "sso.group.update", "-r", who, from}
	if p.Group {
		words = slices.Insert(words, 2, "-g")
	}
	return "take it out of the group: " + script.Line(words...)
}
