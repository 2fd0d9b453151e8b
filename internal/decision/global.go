package decision

import (
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
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
	all := e.globally(func(access.Account, perms.Permission) bool { return true })
	for _, f := range all {
		f.Text = fmt.Sprintf("%s %s more than the matrix gives: %s", folded(f.Accounts), many(f, "has", "have"), f.Text)
	}
	return all
}

// LeftGlobal are the accounts of ours whose global permissions stay when they, or their permissions, are removed. Those of groups stay
// theirs only where the accounts do.
func (e *Snapshots) LeftGlobal() []*finding.Finding {
	if e.Only == plan.Role {
		return nil
	}
	all := e.globally(func(a access.Account, p perms.Permission) bool { return e.Only == plan.Permission || p.Key == a.Key })
	for _, f := range all {
		f.Text = fmt.Sprintf("%s: %s stays", folded(f.Accounts), f.Text)
	}
	return all
}

// globally are the accounts of ours that have some global permissions, those of one permission together. The texts say which one.
func (e *Snapshots) globally(some func(access.Account, perms.Permission) bool) []*finding.Finding {
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
				if !some(a, p) {
					continue
				}
				role := s.Roles.Name(p.RoleID)
				of := "of its own"
				if p.Key != a.Key {
					of = "of " + PrincipalOf(p).String()
				}
				why := "role " + role + " through a global permission " + of
				if by[why] == nil {
					by[why] = finding.New(finding.GlobalPermission, "", "%s", why)
					by[why].Remedies = []string{perms.GlobalRemedy}
					all = append(all, by[why])
				}
				by[why].Accounts = append(by[why].Accounts, finding.Account{Server: s.VCenter.Server, Component: a.Component, Principal: a.Principal.Name})
			}
		}
	}
	return all
}
