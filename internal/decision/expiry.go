package decision

import (
	"fmt"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// soon is how long before its end plan and verify speak of a password: enough for a change that has to be approved.
const soon = 14 * 24 * time.Hour

// expiring are the passwords of accounts in use that expire soon, or have: of ours, which a rotation renews, and of adopted ones,
// whose owners are asked. Without days from SSO the record tells of ours, and nothing of the others. What is being rotated
// already is another finding.
func (e *Snapshots) expiring() []*finding.Finding {
	ours := finding.New(finding.ExpiringPassword, "", "")
	adopted := finding.New(finding.ExpiringAdopted, "", "")
	first := map[*finding.Finding]sso.Life{}
	for _, s := range e.All {
		if s.Err != nil {
			continue
		}
		for _, c := range e.Spec.ComponentNames() {
			lasts, f := e.lasts(s, c), ours
			if !s.Owns(c) {
				f = adopted
			}
			if e.Files().Section(s.VCenter.Server, c).Pending() != "" || !lasts.Within(soon) {
				continue
			}
			if had, known := first[f]; !known || lasts.Days < had.Days {
				first[f] = lasts
			}
			f.Accounts = append(f.Accounts, finding.Account{Server: s.VCenter.Server, Component: c, Principal: s.Principal(c), Earlier: s.Earlier(c)})
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
		when := first[f].Words()
		f.Text = fmt.Sprintf("%s: %s", many(f, "the password of an account"+whose+" "+when,
			"the passwords of %d accounts"+whose+" expire within "+term.Count(int(soon/(24*time.Hour)), "day")+", the first "+when), folded(f.Accounts))
		all = append(all, f)
	}
	return all
}

// lasts is how long the password of a component's account lasts, as far as it was read; of an account that is not there, is
// not the one that is meant, or is disabled, nothing.
func (e *Snapshots) lasts(s *snapshot.Snapshot, c component.Name) sso.Life {
	if !s.Owns(c) {
		found, _ := s.SSO.Principal(s.Request.Spec.Account(c).Principal)
		if found.DaysLeft == nil {
			return sso.Life{}
		}
		return s.SSO.Of(found.Principal, &sso.User{DaysLeft: found.DaysLeft}).Life(e.Now)
	}
	a := s.Compared(s.Account(c).Name, c)
	if !a.Ours() || a.User.Disabled {
		return sso.Life{}
	}
	return a.Life(e.Now)
}

// DaysLeft are the days until the password of a component's account expires, not more than 0 if it has; nil = it never does, or nobody
// knows.
func (e *Snapshots) DaysLeft(s *snapshot.Snapshot, c component.Name) *int {
	l := e.lasts(s, c)
	if l.Source == "" || l.Endless {
		return nil
	}
	return &l.Days
}
