package decision

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// homeless says which component no secret of the profile is for, as secrets emit does.
func (e *Snapshots) homeless() (all []*finding.Finding) {
	profile, _ := openshift.FindProfile(e.Request.Spec.Profile)
	for _, c := range e.Request.Spec.ComponentNames() {
		if c == component.MachineConfig && !profile.Writes(c) && e.Request.Does(plan.User) && !e.Request.Undoing {
			f := finding.New(finding.PlanNote, "", "profile %s has no secret for %s", profile.Name, c)
			f.Remedies = []string{"'secrets emit --profile " + openshift.ProfileManual + "' writes that of its CredentialsRequest"}
			all = append(all, f)
		}
	}
	return all
}

// Findings returns what no change repairs: accounts that administer their vCenter, lost or outdated
// passwords, unfinished rotations, and passwords that expire. Call it once all vCenters are read.
func (e *Snapshots) Findings() []*finding.Finding {
	administrators := slices.Concat(e.unseen(), e.administrators(), e.global(), e.shared(), e.homeless())
	if e.Request.Credentials == nil || !e.Request.Does(plan.User) {
		return administrators
	}
	found := map[finding.Code]*finding.Finding{}
	for _, s := range e.All {
		for _, c := range e.Request.Spec.ComponentNames() {
			code, account := e.stored(s, c)
			if code == "" {
				continue
			}
			if found[code] == nil {
				found[code] = finding.New(code, "", "")
			}
			found[code].Accounts = append(found[code].Accounts, account)
		}
	}
	all := e.renamed()
	for _, code := range []finding.Code{
		finding.UnfinishedRotation, finding.BegunRotation, finding.AnnouncedRotation,
		finding.LostPassword, finding.OutdatedPassword,
	} {
		if f := found[code]; f != nil {
			f.Text = e.storedText(f) + ": " + folded(f.Accounts)
			all = append(all, f)
		}
	}
	return slices.Concat(administrators, all, e.expiring(), e.Request.Given.Differing(e.Request.Credentials,
		e.Request.Servers(), e.Request.Spec.ComponentNames()))
}

// stored returns what is wrong with the stored account of a component; "" if nothing is.
func (e *Snapshots) stored(s *snapshot.Snapshot, c component.Name) (finding.Code, finding.Account) {
	read := s.Err == nil
	account := finding.Account{Server: s.VCenter.Server, Component: c, Principal: e.Request.Files().Section(s.VCenter.Server, c).Pending()}
	if !s.Owns(c) {
		return "", account
	}
	var l accounts.Line
	if read {
		l = s.Domain.Accounts[c]
		_, why, _ := l.Next(accounts.Revert, s.AccountConditions(c))
		account.Undo = why == nil
	}
	switch open := account.Principal != ""; {
	case open && read && !strings.EqualFold(account.Principal, s.Principal(c)):
		name, _, _ := strings.Cut(account.Principal, "@")
		u, exists := s.SSO.Own(name)
		if !exists && s.SSO.Why == nil {
			return finding.AnnouncedRotation, account
		}
		account.Disabled = u.Disabled && !e.Request.Spec.Disabled(c)
		return finding.BegunRotation, account
	case !read && !open:
		return "", account
	case open && (!read || !l.Outdated):
		return finding.UnfinishedRotation, account
	}
	account.Principal = s.Principal(c)
	switch {
	case e.lost(s, c):
		if slices.ContainsFunc(s.OtherSections(),
			func(name string) bool { return e.Request.Stored(name, s.Principal(c), c) }) {
			return "", account // see renamed
		}
		return finding.LostPassword, account
	case l.Outdated:
		account.Earlier = s.Earlier(c)
		return finding.OutdatedPassword, account
	}
	return "", account
}

// storedText is the sentence of a finding of stored accounts, without their list.
func (e *Snapshots) storedText(f *finding.Finding) string {
	file := e.Request.Credentials.Path()
	switch f.Code {
	case finding.UnfinishedRotation:
		return "the rotation of " + many(f, "an account is", "%d accounts is") +
			" unfinished, and " + many(f, "its new password is", "their new passwords are") + " in " + e.Request.Journal.Path()
	case finding.BegunRotation:
		return begunText(f, "")
	case finding.AnnouncedRotation:
		return "a rotation was interrupted before " + many(f, "its account was",
			"its %d accounts were") + " created: only " + e.Request.Journal.Path() + " has " + many(f, "it", "them")
	case finding.OutdatedPassword:
		return file + " has " + many(f, "another password of an account than was",
			"other passwords of %d accounts than were") + " set last"
	}
	what := many(f, "the password of an existing account is", "the passwords of %d existing accounts are")
	if e.Request.Credentials.Sealed() {
		return what + " not known here"
	}
	what += " not in " + file
	if slices.ContainsFunc(e.All, func(s *snapshot.Snapshot) bool {
		return slices.ContainsFunc(f.Accounts, func(a finding.Account) bool {
			return a.Server == s.VCenter.Server && s.Domain.Accounts[a.Component].Outdated
		})
	}) {
		what += ", and " + e.Request.Journal.Path() + " has others than were set last"
	}
	return what
}

func begunText(f *finding.Finding, besides string) string {
	what := many(f, "an account exists, but your credentials file does not use it",
		"%d accounts exist, but your credentials file does not use them")
	return what + ": a rotation was interrupted, undone, or done elsewhere" + besides
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
			"; the cluster holds "+many(held, "it", "them")+" ("+strings.Join(secrets, ", ")+")") + ": " + folded(held.Accounts)
		apart = append(apart, held)
	}
	if len(free.Accounts) > 0 {
		free.Text = begunText(free, "") + ": " + folded(free.Accounts)
		apart = append(apart, free)
	}
	return slices.Replace(findings, i, i+1, apart...)
}

// onlyReads reports whether the administrator of a vCenter is a reader, who needs no passwords.
func (e *Snapshots) onlyReads(s *snapshot.Snapshot) bool {
	return s.Reads && !slices.ContainsFunc(e.Request.Servers(), func(server string) bool {
		return slices.ContainsFunc(e.Request.Spec.ComponentNames(), func(c component.Name) bool {
			return e.Request.Files().Section(server, c).File.User != ""
		})
	})
}

// Passwordless finds accounts of others whose passwords are not here; nil = none.
func (e *Snapshots) Passwordless() []*finding.Finding {
	if e.Request.Credentials == nil || !e.Request.Does(plan.User) {
		return nil
	}
	f := finding.New(finding.NoPassword, "", "")
	for _, s := range e.All {
		if s.Err != nil || e.onlyReads(s) {
			continue
		}
		for _, c := range e.Request.Spec.ComponentNames() {
			has := e.Request.Files().Section(s.VCenter.Server, c).File
			if !s.Owns(c) && (has.Password.Empty() || !s.Request.Spec.Account(c).MayBe(has.User)) {
				f.Accounts = append(f.Accounts, finding.Account{Server: s.VCenter.Server, Component: c, Principal: s.Principal(c)})
			}
		}
	}
	if len(f.Accounts) == 0 {
		return nil
	}
	f.Text = fmt.Sprintf("%s in %s, so no secret can be made with %s yet: %s", many(f, "the password of an account of others is not",
		"the passwords of %d accounts of others are not"), e.Request.Credentials.Path(), many(f, "it", "them"), folded(f.Accounts))
	return []*finding.Finding{f}
}

// lost reports whether a component's account exists, is ours, and has no stored password.
func (e *Snapshots) lost(s *snapshot.Snapshot, c component.Name) bool {
	account := s.Account(c)
	if s.SSO.Why != nil || e.onlyReads(s) {
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
		f.Remedies = lists.AppendNew(f.Remedies, term.Hints(s.CheckOlder())...)
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
			f.Accounts = append(f.Accounts, finding.Account{
				Server: s.VCenter.Server, Component: c,
				Principal: s.Principal(c), Earlier: s.Earlier(c),
			})
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

// lasts returns the life of a component's password; empty for a missing or disabled account, and
// for one past its end that logged in: it is exempt, which SSO does not tell.
func (e *Snapshots) lasts(s *snapshot.Snapshot, c component.Name) sso.Life {
	l := e.counted(s, c)
	if s.Opened[c] && l.Expired() {
		return sso.Life{}
	}
	return l
}

// counted is the life of a component's password as SSO or our record counts it.
func (e *Snapshots) counted(s *snapshot.Snapshot, c component.Name) sso.Life {
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
