package decision

import (
	"cmp"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Unseen are the vCenters of which accounts of ours were asked for and not read.
func (e *Snapshots) Unseen() (servers []string) {
	for _, s := range e.All {
		if s.Unseen() {
			servers = append(servers, s.VCenter.Server)
		}
	}
	return servers
}

// LetSee is how the accounts of an SSO domain are seen.
const LetSee = "to see them, use an account of the SSO group Administrators, or one that has the role RegularUser in SSO"

// unseen says what cannot be told because the administrator may not read SSO domains, where nothing else asks for that.
func (e *Snapshots) unseen() []*finding.Finding {
	if e.Only != "" && e.Only != plan.User { // commands for a part say it in their own words
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
	if ours && e.Only == "" {
		f.Text += "; what has the name of an account of ours was taken for it"
	}
	if ours || e.Only == plan.User {
		f.Remedies = append(f.Remedies, LetSee)
	}
	if ours && !reads {
		f.Remedies = append(f.Remedies, "or leave the accounts to others: components.NAME.principal and group: false for each component")
	}
	return []*finding.Finding{f}
}

// administrators are the accounts that a group lets do everything, or what no permission shows, each group in one finding: neither
// permissions nor roles keep them from it.
func (e *Snapshots) administrators() []*finding.Finding {
	var all []*finding.Finding
	at, whole := map[string]*finding.Finding{}, map[string]bool{} // by group
	for _, s := range e.All {
		if s.Err != nil || s.SSO == nil {
			continue
		}
		for _, a := range s.Principals() {
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
			at[group].Accounts = append(at[group].Accounts, finding.Account{Server: s.VCenter.Server, Component: a.Component, Principal: a.Principal.Name, Group: group, Through: through})
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
		f.Text = folded(f.Accounts) + " " + may + ", because " + many(f, "it is a member", "they are members") + " of " + group
	}
	return all
}
