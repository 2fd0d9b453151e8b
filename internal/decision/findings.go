package decision

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Findings returns what no change repairs: accounts that administer their vCenter, lost or outdated
// passwords, unfinished rotations, and passwords that expire. Call it once all vCenters are read.
func (e *Snapshots) Findings() []*finding.Finding {
	administrators := slices.Concat(e.unseen(), e.administrators(), e.global())
	if e.Request.Credentials == nil || !e.Request.Does(plan.User) {
		return administrators
	}
	lost := finding.New(finding.LostPassword, "", "")
	outdated := finding.New(finding.OutdatedPassword, "", "")
	unfinished := finding.New(finding.UnfinishedRotation, "", "")
	begun := finding.New(finding.BegunRotation, "", "")
	announced := finding.New(finding.AnnouncedRotation, "", "")
	overtaken := false // by the record, a password that is not the journal's was set
	for _, s := range e.All {
		for _, c := range e.Request.Spec.ComponentNames() {
			account := finding.Account{Server: s.VCenter.Server, Component: c, Principal: e.Request.Files().Section(s.VCenter.Server, c).Pending()}
			open := account.Principal != ""
			others := s.Err == nil && s.Domain.Accounts[c].Outdated // the record says that this tool did not set the last password
			if s.Err == nil {
				_, why, _ := s.Domain.Accounts[c].Next(accounts.Revert, s.AccountConditions(c))
				account.Undo = why == nil
			}
			switch {
			case !s.Owns(c):
			case open && s.Err == nil && !strings.EqualFold(account.Principal, s.Principal(c)):
				name, _, _ := strings.Cut(account.Principal, "@")
				of := begun
				u, exists := s.SSO.Own(name)
				if !exists && s.SSO.Why == nil {
					of = announced
				}
				account.Disabled = u.Disabled && !e.Request.Spec.Disabled(c)
				of.Accounts = append(of.Accounts, account)
			case open && !others:
				unfinished.Accounts = append(unfinished.Accounts, account)
			case s.Err == nil && e.lost(s, c):
				if slices.ContainsFunc(s.OtherSections(),
					func(name string) bool { return e.Request.Stored(name, s.Principal(c), c) }) {
					continue // see renamed
				}
				account.Principal, overtaken = s.Principal(c), overtaken || others
				lost.Accounts = append(lost.Accounts, account)
			case others:
				account.Principal, account.Earlier = s.Principal(c), s.Earlier(c)
				outdated.Accounts = append(outdated.Accounts, account)
			}
		}
	}
	all := e.renamed()
	if len(unfinished.Accounts) > 0 {
		what := "the rotation of " + many(unfinished, "an account is", "%d accounts is") +
			" unfinished, and " + many(unfinished, "its new password is", "their new passwords are")
		unfinished.Text = what + " in " + e.Request.Journal.Path() + ": " + folded(unfinished.Accounts)
		all = append(all, unfinished)
	}
	if len(begun.Accounts) > 0 {
		begun.Text = begunText(begun, "")
		all = append(all, begun)
	}
	if len(announced.Accounts) > 0 {
		announced.Text = "a rotation was interrupted before " + many(announced, "its account was",
			"its %d accounts were") + " created: only " + e.Request.Journal.Path() + " has " +
			many(announced, "it", "them") + ": " + folded(announced.Accounts)
		all = append(all, announced)
	}
	if len(lost.Accounts) > 0 {
		what := many(lost, "the password of an existing account is", "the passwords of %d existing accounts are")
		where := " not in " + e.Request.Credentials.Path()
		switch {
		case e.Request.Credentials.Sealed():
			where = " not known here"
		case overtaken:
			where += ", and " + e.Request.Journal.Path() + " has others than were set last"
		}
		lost.Text = what + where + ": " + folded(lost.Accounts)
		all = append(all, lost)
	}
	if len(outdated.Accounts) > 0 {
		what := many(outdated, "another password of an account than was",
			"other passwords of %d accounts than were")
		outdated.Text = e.Request.Credentials.Path() + " has " + what + " set last: " + folded(outdated.Accounts)
		all = append(all, outdated)
	}
	return slices.Concat(administrators, all, e.expiring(), e.Request.Given.Differing(e.Request.Credentials, e.Request.Servers(), e.Request.Spec.ComponentNames()))
}

func begunText(f *finding.Finding, besides string) string {
	what := many(f, "an account exists, but your credentials file does not use it",
		"%d accounts exist, but your credentials file does not use them")
	return what + ": a rotation was interrupted, undone, or done elsewhere" + besides + ": " + folded(f.Accounts)
}

// SeparateHeld moves accounts of begun rotations that the cluster's secrets hold into their own
// finding, because the cluster needs them. holders is as in [provision.Job.RotationStatus].
func SeparateHeld(findings []*finding.Finding, holders func(server, user string) []component.Ref) []*finding.Finding {
	i := slices.IndexFunc(findings, func(f *finding.Finding) bool { return f.Code == finding.BegunRotation })
	if i < 0 || holders == nil {
		return findings
	}
	held, free := finding.New(finding.BegunRotation, "", ""), finding.New(finding.BegunRotation, "", "")
	var secrets []string
	for _, a := range findings[i].Accounts {
		for _, ref := range holders(a.Server, a.Principal) {
			a.Secrets = append(a.Secrets, ref.String())
			secrets = lists.AppendNew(secrets, ref.String())
		}
		of := free
		if len(a.Secrets) > 0 {
			of = held
		}
		of.Accounts = append(of.Accounts, a)
	}
	var apart []*finding.Finding
	if len(held.Accounts) > 0 {
		held.Text = begunText(held,
			"; the cluster holds "+many(held, "it", "them")+" ("+strings.Join(secrets, ", ")+")")
		apart = append(apart, held)
	}
	if len(free.Accounts) > 0 {
		free.Text = begunText(free, "")
		apart = append(apart, free)
	}
	return slices.Replace(findings, i, i+1, apart...)
}

// lost reports whether a component's account exists, is ours, and has no stored password.
func (e *Snapshots) lost(s *snapshot.Snapshot, c component.Name) bool {
	account := s.Account(c)
	keeps := func(server string) bool {
		return slices.ContainsFunc(e.Request.Spec.ComponentNames(), func(c component.Name) bool {
			return e.Request.Files().Section(server, c).File.User != ""
		})
	}
	if s.SSO.Why != nil || s.Reads && !slices.ContainsFunc(e.Request.Servers(), keeps) { // a reader needs no passwords
		return false
	}
	if !s.Compared(account.Name, c).Ours() {
		return false
	}
	password, err := e.password(s, s.Request.OwnAccount(c, account.Generation(account.Name)), true)
	return err == nil && password.Empty()
}

// many returns the text for one account or for several.
func many(f *finding.Finding, one, several string) string {
	n := len(f.Principals())
	switch {
	case n == 1:
		return one
	case strings.Contains(several, "%d"):
		return fmt.Sprintf(several, n)
	}
	return several
}

// folded lists accounts in one line, grouped by their vCenters.
func folded(accounts []finding.Account) string {
	servers := map[string][]string{}
	var names []string
	for _, a := range accounts {
		if servers[a.Principal] == nil {
			names = append(names, a.Principal)
		}
		servers[a.Principal] = append(servers[a.Principal], a.Server)
	}
	together := map[string][]string{}
	var order []string
	for _, name := range names {
		on := lists.Few(servers[name])
		if len(servers[name]) > 1 {
			on = fmt.Sprintf("%d vCenters (%s)", len(servers[name]), on)
		}
		if together[on] == nil {
			order = append(order, on)
		}
		together[on] = append(together[on], name)
	}
	parts := make([]string, len(order))
	for i, on := range order {
		parts[i] = strings.Join(together[on], ", ") + " on " + on
	}
	return strings.Join(parts, "; ")
}

// OlderFile finds accounts that replaced those of the credentials file and are not in it.
func (e *Snapshots) OlderFile() []*finding.Finding {
	f := finding.New(finding.OlderFile, "", "")
	for _, s := range e.All {
		if s.Err != nil {
			continue
		}
		for _, r := range s.Older() {
			f.Accounts = append(f.Accounts, finding.Account{Server: s.VCenter.Server, Component: r.Next.Component, Principal: r.Next.Principal(s)})
		}
		if refusal := (*hint.Error)(nil); errors.As(s.CheckOlder(), &refusal) {
			f.Remedies = lists.AppendNew(f.Remedies, refusal.Hints()...)
		}
	}
	if len(f.Accounts) == 0 {
		return nil
	}
	f.Text = e.Request.Credentials.Path() + " is older than " + many(f, "an account that replaced the one it has", "%d accounts that replaced those it has") + ": " + folded(f.Accounts)
	return []*finding.Finding{f}
}

// soon is how long before expiry plan and verify report a password, to leave time for approval.
const soon = 14 * 24 * time.Hour

// expiring finds accounts in use whose passwords have expired or expire soon: ours, to be rotated,
// and adopted ones, to be renewed by their owners. Ages are from SSO or our records.
func (e *Snapshots) expiring() []*finding.Finding {
	ours := finding.New(finding.ExpiringPassword, "", "")
	adopted := finding.New(finding.ExpiringAdopted, "", "")
	first := map[*finding.Finding]sso.Life{}
	for _, s := range e.All {
		if s.Err != nil {
			continue
		}
		for _, c := range e.Request.Spec.ComponentNames() {
			lasts, f := e.lasts(s, c), ours
			if !s.Owns(c) {
				f = adopted
			}
			if e.Request.Files().Section(s.VCenter.Server, c).Pending() != "" || !lasts.Within(soon) {
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
			"the passwords of %d accounts"+whose+" expire within "+
				term.Count(int(soon/(24*time.Hour)), "day")+", the first "+when), folded(f.Accounts))
		all = append(all, f)
	}
	return all
}

// lasts returns the life of a component's password; empty for a missing or disabled account.
func (e *Snapshots) lasts(s *snapshot.Snapshot, c component.Name) sso.Life {
	if !s.Owns(c) {
		found, _ := s.SSO.Principal(s.Request.Spec.Account(c).Principal)
		if found.DaysLeft == nil {
			return sso.Life{}
		}
		return s.SSO.Of(found.Principal, &sso.User{DaysLeft: found.DaysLeft}).Life(e.Request.Now)
	}
	a := s.Compared(s.Account(c).Name, c)
	if !a.Ours() || a.User.Disabled {
		return sso.Life{}
	}
	return a.Life(e.Request.Now)
}

// DaysLeft returns the days until a password expires, at most 0 = expired; nil = never or unknown.
func (e *Snapshots) DaysLeft(s *snapshot.Snapshot, c component.Name) *int {
	l := e.lasts(s, c)
	if l.Source == "" || l.Endless {
		return nil
	}
	return &l.Days
}
