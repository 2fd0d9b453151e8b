package provision

import (
	"fmt"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// soon is how long before its end plan and verify speak of a password: enough for a change that has to be approved.
const soon = 14 * 24 * time.Hour

// expiring are the passwords of accounts in use that expire soon, or have: of ours, which a rotation renews, and of adopted ones,
// whose owners are asked. Without days from SSO the record tells of ours, and nothing of the others. What is being rotated
// already is another finding.
func (e *estate) expiring() []*finding.Finding {
	ours := finding.New(finding.ExpiringPassword, "", "")
	adopted := finding.New(finding.ExpiringAdopted, "", "")
	first := map[*finding.Finding]life{}
	for _, s := range e.all {
		if s.err != nil {
			continue
		}
		for _, c := range e.Spec.ComponentNames() {
			lasts, f := e.lasts(s, c), ours
			if !e.owns(c) {
				f = adopted
			}
			if _, open := e.pending(s.spec.Server, c); open || !lasts.within(soon) {
				continue
			}
			if had, known := first[f]; !known || lasts.days < had.days {
				first[f] = lasts
			}
			f.Accounts = append(f.Accounts, finding.Account{Server: s.spec.Server, Component: c, Principal: e.principal(s, c), Earlier: e.earlier(s, c)})
		}
	}
	var all []*finding.Finding
	for _, f := range []*finding.Finding{ours, adopted} {
		if len(f.Accounts) == 0 {
			continue
		}
		whose := ""
		if f == adopted {
			whose = " of others"
		}
		when := first[f].words()
		f.Text = fmt.Sprintf("%s: %s", many(f, "the password of an account"+whose+" "+when,
			"the passwords of %d accounts"+whose+" expire within "+term.Count(int(soon/(24*time.Hour)), "day")+", the first "+when), folded(f.Accounts))
		all = append(all, f)
	}
	return all
}

// lasts is how long the password of a component's account lasts, as far as it was read; of an account that is not there, is
// not the one that is meant, or is disabled, nothing.
func (e *estate) lasts(s *snapshot, c component.Name) life {
	if !e.owns(c) {
		found, _ := s.sso.Principal(e.Spec.Account(c).Principal)
		if found.DaysLeft == nil {
			return life{}
		}
		return lifeOf(sso.User{DaysLeft: found.DaysLeft}, s.sso.Policy.LifetimeDays, e.Now)
	}
	u, exists := s.sso.Own(e.account(s, c).Name)
	if !exists || u.Disabled || u.Description != sso.Mark(e.Spec.Cluster, c) {
		return life{}
	}
	return lifeOf(u, s.sso.Policy.LifetimeDays, e.Now)
}
