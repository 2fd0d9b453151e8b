package decision

import (
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
)

// UnseenGlobal says once of which vCenters the global permissions are not known. Of a release that has no API for them that is said
// only where it matters: i is the number of the vCenter.
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

// global are the accounts of ours that have global permissions, by themselves or through a group: whatever the matrix gives them, they
// have more. Those of the groups that administer a vCenter are said as that.
func (e *Snapshots) global() []*finding.Finding {
	var all []*finding.Finding
	by := map[string]*finding.Finding{} // by whose it is, and its role
	for _, s := range e.All {
		if s.Err != nil || s.SSO == nil || s.Perms == nil {
			continue
		}
		for _, a := range s.Principals() {
			if !s.Request.Owns(a.Component) {
				continue
			}
			for _, p := range s.HeldGlobally(a) {
				role := s.Roles.Name(p.RoleID)
				of := "of its own"
				if p.Key != a.Key {
					of = "of " + PrincipalOf(p).String()
				}
				why := "role " + role + " through a global permission " + of
				if by[why] == nil {
					by[why] = finding.New(finding.GlobalPermission, "", "")
					by[why].Remedies = []string{perms.GlobalRemedy}
					all = append(all, by[why])
				}
				by[why].Accounts = append(by[why].Accounts, finding.Account{Server: s.VCenter.Server, Component: a.Component, Principal: a.Principal.Name})
				by[why].Text = fmt.Sprintf("%s %s more than the matrix gives: %s", folded(by[why].Accounts), many(by[why], "has", "have"), why)
			}
		}
	}
	return all
}
