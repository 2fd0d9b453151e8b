package decision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// Unseen returns the vCenters whose accounts were requested and not read.
func (e *Snapshots) Unseen() (servers []string) {
	for _, s := range e.All {
		if s.Unseen() {
			servers = append(servers, s.VCenter.Server)
		}
	}
	return servers
}

// LetSee says how to see the accounts of an SSO domain.
const LetSee = "to see them, use an account of the SSO group Administrators, or one that has the role RegularUser in SSO"

// unseen reports what is unknown because the administrator may not read SSO domains.
func (e *Snapshots) unseen() []*finding.Finding {
	if e.Request.Only != "" && e.Request.Only != plan.User { // commands for a part report this themselves
		return nil
	}
	f := finding.New(finding.UnseenAccounts, "", "")
	var where, who []string
	ours, reads := false, true
	for _, s := range e.All {
		if s.Err == nil && s.SSO != nil && s.SSO.Why != nil {
			where, who = append(where, s.VCenter.Server), lists.AppendNew(who, s.Administrator)
			ours, reads = ours || s.Unseen(), reads && s.Reads
		}
	}
	if len(where) == 0 {
		return nil
	}
	f.Text = fmt.Sprintf("accounts and groups of %s were not read, because %s may not administer SSO: whether they exist, are locked or administer a vCenter is not known, nor what other accounts this tool made",
		lists.Few(where), lists.Few(who))
	if ours && e.Request.Only == "" {
		f.Text += "; what has the name of an account of ours was taken for it"
	}
	if ours || e.Request.Only == plan.User {
		f.Remedies = append(f.Remedies, LetSee)
	}
	if ours && !reads {
		f.Remedies = append(f.Remedies,
			"or leave the accounts to others: components.NAME.principal and group: false for each component")
	}
	return []*finding.Finding{f}
}

// administrators finds accounts that get everything from a group, or rights that no permission
// shows, by group.
func (e *Snapshots) administrators() []*finding.Finding {
	var all []*finding.Finding
	at, whole := map[string]*finding.Finding{}, map[string]bool{} // by group
	for _, s := range e.All {
		if s.Err != nil || s.SSO == nil {
			continue
		}
		for _, a := range s.Logins() {
			groups := s.GroupsOf(a.Principal)
			everything := s.Administrating(groups)
			group := cmp.Or(everything, s.Empowering(groups))
			if group == "" {
				continue
			}
			if at[group] == nil {
				at[group] = finding.New(finding.AdministratorFound, "", "")
				whole[group] = everything != ""
				all = append(all, at[group])
			}
			through := s.Through[s.SSO.Same(a.Principal.Name)]
			at[group].Accounts = append(at[group].Accounts, finding.Account{
				Server:    s.VCenter.Server,
				Component: a.Component, Principal: a.Principal.Name, Group: group, Through: through,
			})
			for _, from := range through {
				at[group].Remedies = lists.AppendNew(at[group].Remedies, s.Leaving(a.Component, a.Principal, from))
			}
		}
	}
	for _, f := range all {
		group, may := f.Accounts[0].Group, "may do everything"
		if !whole[group] {
			may = many(f, "has", "have") + " rights that no permission shows"
		}
		f.Text = folded(f.Accounts) + " " + may + ", because " +
			many(f, "it is a member", "they are members") + " of " + group
	}
	return all
}

// strangers are the members of a component's group that are no account of the component.
func strangers(s *snapshot.Snapshot, c component.Name) []string {
	return slices.DeleteFunc(slices.Clone(s.SSO.Members(s.Holder(c).Name)), func(member string) bool {
		return slices.ContainsFunc(s.OwnAccounts(), func(a snapshot.OwnAccount) bool {
			return a.Component == c && s.SSO.Same(a.Principal(s)) == s.SSO.Same(member)
		})
	})
}

// joined reports whether the account of a component is in its group.
func joined(s *snapshot.Snapshot, c component.Name) bool {
	u, exists := s.SSO.Own(s.Account(c).Name)
	return exists && s.SSO.Joined(u, s.Holder(c).Name)
}

// shared finds members of our accounts' groups that are none of ours: they have the rights, too.
func (e *Snapshots) shared() (all []*finding.Finding) {
	at := map[[3]string]*finding.Finding{} // by component, group and member
	for _, s := range e.All {
		if s.Err != nil || s.SSO == nil {
			continue
		}
		for _, c := range s.Request.Spec.ComponentNames() {
			holder, strangers := s.Holder(c), strangers(s, c)
			if !holder.Group || len(strangers) == 0 || !joined(s, c) {
				continue
			}
			for _, member := range strangers {
				key := [3]string{string(c), holder.Name, member}
				if at[key] == nil {
					at[key] = finding.New(finding.SharedGroup, "", "")
					all = append(all, at[key])
				}
				f := at[key]
				f.Accounts = append(f.Accounts, finding.Account{
					Server: s.VCenter.Server, Component: c, Principal: member, Group: holder.Name,
				})
				f.Text = fmt.Sprintf("%s has the rights of %s, and is not its account: it is a member of group %s",
					folded(f.Accounts), c, holder.Name)
				f.Remedies = lists.AppendNew(f.Remedies, takeOut(s, c, []string{member})...)
			}
		}
	}
	return all
}

// takeOut are the commands that take members out of the group of a component.
func takeOut(s *snapshot.Snapshot, c component.Name, members []string) (commands []string) {
	for _, member := range members {
		name, isGroup := strings.CutPrefix(member, "group ")
		who := access.Principal{Name: name, Group: isGroup}
		commands = append(commands, s.Leaving(c, who, s.Holder(c).Name))
	}
	return commands
}

// UnseenGlobal reports once which vCenters' global permissions are unknown. A release without an
// API for them is reported only where matters(i) is true, i being the index of the vCenter.
func (e *Snapshots) UnseenGlobal(matters func(i int) bool) []*finding.Finding {
	servers, why := make([]string, len(e.All)), make([]string, len(e.All))
	for i, s := range e.All {
		if s.Err == nil && s.Perms != nil && (s.Perms.Unseen != perms.UnseenRelease || matters(i)) {
			servers[i], why[i] = s.VCenter.Server, s.Perms.Unseen
		}
	}
	text := perms.NotKnownOn(servers, why)
	if text == "" {
		return nil
	}
	return []*finding.Finding{finding.New(finding.UnseenGlobal, "", "%s", text)}
}

// global finds accounts with global permissions, except of a vCenter's administrators.
func (e *Snapshots) global() []*finding.Finding {
	all := e.globally(func(access.Account, perms.Permission) bool { return true })
	for _, f := range all {
		f.Text = fmt.Sprintf("%s %s more than the matrix gives: %s", folded(f.Accounts),
			many(f, "has", "have"), f.Text)
	}
	return all
}

// LeftGlobal finds accounts of ours whose global permissions stay when the accounts or their other
// permissions are removed. Permissions of groups are left out where the account is removed.
func (e *Snapshots) LeftGlobal() []*finding.Finding {
	if e.Request.Only == plan.Role {
		return nil
	}
	all := e.globally(func(a access.Account, p perms.Permission) bool {
		return e.Request.Only == plan.Permission || p.Key == a.Key
	})
	for _, f := range all {
		f.Text = fmt.Sprintf("%s: %s stays", folded(f.Accounts), f.Text)
	}
	return all
}

// globally finds the accounts of ours for which some is true, one finding for each permission.
func (e *Snapshots) globally(some func(access.Account, perms.Permission) bool) []*finding.Finding {
	var all []*finding.Finding
	by := map[string]*finding.Finding{} // by principal and role
	for _, s := range e.All {
		if s.Err != nil || s.SSO == nil || s.Perms == nil {
			continue
		}
		for _, a := range s.Logins() {
			if !s.Request.Owns(a.Component) {
				continue
			}
			for _, p := range s.HeldGlobally(a) {
				if !some(a, p) {
					continue
				}
				role := s.Roles.Name(p.RoleID)
				of, group := "of its own", ""
				if p.Key != a.Key {
					of, group = "of "+PrincipalOf(p).String(), p.Principal
				}
				why := "role " + role + " through a global permission " + of
				if by[why] == nil {
					by[why] = finding.New(finding.GlobalPermission, "", "%s", why)
					by[why].Remedies = []string{perms.GlobalRemedy}
					all = append(all, by[why])
				}
				by[why].Accounts = append(by[why].Accounts, finding.Account{
					Server: s.VCenter.Server, Component: a.Component, Principal: a.Principal.Name,
					Group: group, Role: role,
				})
			}
		}
	}
	return all
}
