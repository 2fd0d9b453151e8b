package decision

import (
	"cmp"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// unseen says what cannot be told because the administrator may not read SSO domains, where nothing else asks for that.
func (e *Snapshots) unseen() []*finding.Finding {
	if e.Only != "" { // commands for a part say it in their own words
		return nil
	}
	f := finding.New(finding.UnseenAccounts, "", "")
	var where, who []string
	for _, s := range e.All {
		if s.Err == nil && s.SSO != nil && s.SSO.Why != nil {
			where, who = append(where, s.VCenter.Server), lists.AppendNew(who, s.Administrator)
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
