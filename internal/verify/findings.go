package verify

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Failings are the problems and unknowns of the accounts as findings, which the table shows in
// rows. s tells whose the accounts are; line spells a command.
func (v *Result) Failings(s *spec.Spec, line func(name string, own ...string) string) []*finding.Finding {
	var all []*finding.Finding
	for _, vc := range v.VCenters {
		for _, a := range vc.Accounts {
			of := failing{v: v, server: vc.Server, made: vc, a: a, from: openshift.From(s.Profile), line: line, ours: true}
			for _, name := range strings.Split(a.Component, ",") {
				of.ours = of.ours && s.Account(component.Name(name)).Ours()
			}
			all = append(all, of.findings()...)
		}
		var failed []string // checks of the installer
		for _, p := range vc.Preflight {
			if len(p.Missing) > 0 {
				failed = append(failed, p.Check+" ("+lists.Few(p.Missing)+")")
			}
		}
		if failed != nil {
			f := finding.New(finding.FailedPreflight, "", "%s of openshift-install failed on %s: %s",
				term.Count(len(failed), "check"), vc.Server, lists.Few(failed))
			all = append(all, f.About(vc.Server, ""))
		}
	}
	return all
}

type failing struct {
	v      *Result
	server string
	made   VCenter
	a      Account
	ours   bool
	from   string // what prints the cluster's secrets, for a pipe
	line   func(name string, own ...string) string
}

func (f failing) findings() []*finding.Finding {
	var all []*finding.Finding
	apply := func() []string {
		if !f.ours {
			return []string{}
		}
		if f.made.MadeWith != "" { // apply alone is refused
			return []string{f.line("apply", "--additive")}
		}
		return []string{f.line("apply")}
	}
	switch result := f.a.Login; {
	case result == login.OK, result == LoginComputed, result == LoginDisabled, result == LoginReplaced,
		result == LoginNext, result == LoginUnknown && f.said():
	case result == LoginUnverified && !f.a.Failed():
		all = append(all, f.found(finding.UnverifiedAccount, f.verifies(), "is unverified", f.a.Reason))
	case result == LoginUnverified: // what it holds is wrong
	case result == LoginAbsent:
		all = append(all, f.found(finding.AbsentAccount, apply(), "does not exist"))
	case result == LoginEnabled:
		all = append(all, f.found(finding.RefusedAccount, apply(), "is "+result))
	case strings.Contains(result, LoginOutside):
		remedies := apply()
		if !f.ours {
			remedies = append(remedies, "have it put into the group, or give the account of a member")
		}
		all = append(all, f.found(finding.RefusedAccount, remedies, "cannot be used", result))
	case result == login.NoPermission:
		all = append(all, f.found(finding.RefusedAccount, []string{f.line("permissions grant")}, "cannot be used", result))
	case f.v.View == ViewAccounts:
		all = append(all, f.found(finding.RefusedAccount, []string{CompareSecret}, "cannot be used", result, "it is in "+lists.Few(f.a.Secrets)))
	default:
		all = append(all, f.found(finding.RefusedAccount, f.reopens(), "cannot be used", result, f.a.Reason))
	}
	for _, u := range f.a.Unseen() {
		remedies := []string{f.command(u.Remedy)}
		if u.Matrix != "" && f.v.View != ViewAccounts {
			remedies = append(remedies,
				"to see what matrix "+u.Matrix+" changes: "+f.line("plan", "--matrix", u.Matrix))
		}
		all = append(all, f.found(finding.MissingPrivileges, remedies, u.String()))
	}
	for _, kind := range []struct {
		code finding.Code
		verb string
		of   func(Object) []string
	}{
		{finding.MissingPrivileges, "lacks", func(o Object) []string {
			if o.HiddenBy != "" { // said above
				return nil
			}
			return o.Missing
		}},
		{finding.ExcessPrivileges, "holds more than it needs:", func(o Object) []string { return o.Excess }},
		{finding.UnknownPrivileges, "needs what its vCenter does not know:", func(o Object) []string { return o.Unknown }},
	} {
		var ids, paths, remedies []string
		for _, o := range f.a.Objects {
			wrong := kind.of(o)
			if len(wrong) == 0 {
				continue
			}
			ids, paths = lists.Union(ids, wrong), append(paths, o.Path)
			for _, r := range o.Reasons {
				if r.Remedy != "" && len(lists.Without(r.Privileges, wrong)) == 0 {
					remedies = lists.AppendNew(remedies, f.command(r.Remedy))
				}
			}
		}
		if len(ids) > 0 {
			all = append(all, f.found(kind.code, remedies, kind.verb+" "+lists.Few(ids)+" on "+lists.Few(paths)))
		}
	}
	if len(f.a.Cannot) > 0 {
		remedy := "to accept it: " + f.line("verify", "--allow", "unable")
		if len(f.a.Others) > 0 {
			remedy = ownAccount(f.a.Others)
		}
		all = append(all, f.found(finding.UnableComponent, []string{remedy}, "cannot do all of the work of "+f.a.Component, Cannots(f.a.Cannot)))
	}
	return all
}

// Why SSO refuses an account, where it tells.
const (
	IsDisabled = "the account is disabled"
	IsLocked   = "the account is locked"
	IsExpired  = "the password has expired"
)

// Why an account that no secret is given any more, or yet, did not log in.
const (
	IsReplaced = "it was replaced, and its password is not on this machine"
	IsNext     = "it is not in use, and its password is not on this machine"
)

// verifies are the ways to an account that is verified, or no longer there.
func (f failing) verifies() []string {
	all := []string{f.line("verify", "--ask-passwords")}
	remove := func(name string) string { // all of them, as each that stays is the next finding
		var alike []string
		for _, vc := range f.v.VCenters {
			for _, a := range vc.Accounts {
				if a.Login == f.a.Login && a.Reason == f.a.Reason {
					alike = lists.AppendNew(alike, a.Component)
				}
			}
		}
		return f.from + f.line(name, "--secrets", "-", "--components", strings.Join(alike, ","))
	}
	switch f.a.Reason {
	case IsReplaced:
		all[0] = "once the cluster works with the account that replaced it: " + remove("rotate finish")
	case IsNext:
		all[0] = "to remove it, unless the cluster holds it: " + remove("rotate undo")
	}
	return append(all, "to accept it: "+f.line("verify", "--allow", "unverified"))
}

// reopens are the ways to an account that can be used again.
func (f failing) reopens() []string {
	switch {
	case f.a.Reason == IsLocked:
		return []string{"wait until it unlocks, or ask an administrator of the SSO domain to unlock it; each wrong login extends the lock", "then: " + f.line("verify")}
	case f.ours && f.a.Reason == IsDisabled:
		return []string{"to enable it: " + f.line("users enable", "--components", f.a.Component)}
	case f.ours && f.a.Reason == IsExpired:
		return []string{"to replace it, without an outage: " + f.line("rotate", "--components", f.a.Component)}
	}
	return []string{
		"to see whether it is locked or disabled: " + f.line("users list"),
		"if the cluster works with another password: " + f.from +
			f.line("credentials import", "--secrets", "-", "--replace"),
	}
}

// Mends are the flags with which apply corrects the accounts: none, or --prune. mends: it can.
func (v *Result) Mends() (own []string, mends bool) {
	for _, vc := range v.VCenters {
		for _, a := range vc.Accounts {
			for _, r := range a.ToMend() {
				mends = mends || r.Remedy == remedyApply || r.Remedy == remedyPrune
				if r.Remedy == remedyPrune {
					own = []string{"--prune"}
				}
			}
		}
	}
	return own, mends
}

// command is the remedy of a reason as programs take it.
func (f failing) command(remedy string) string {
	switch remedy {
	case remedyApply:
		return f.line("apply")
	case remedyPrune:
		return f.line("apply", "--prune")
	case RemedyMatrix:
		return "to compare with the " + f.made.MadeBy + " that it was made with: " +
			f.line("verify", "--"+f.made.MadeBy, f.made.MadeWith)
	}
	return remedy
}

// said reports whether another finding says what is wrong with the account.
func (f failing) said() bool {
	return slices.ContainsFunc(f.v.Findings, func(of *finding.Finding) bool {
		return !of.Advice() && slices.ContainsFunc(of.Accounts,
			func(a finding.Account) bool { return a.Server == f.server && a.Principal == f.a.Principal })
	})
}

// found is a finding about the account; parts are what is said of it, empty ones left out.
func (f failing) found(c finding.Code, remedies []string, parts ...string) *finding.Finding {
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	of := finding.New(c, "", "%s on %s %s", f.a.Principal, f.server, strings.Join(parts, ": "))
	for _, name := range strings.Split(f.a.Component, ",") {
		of.Accounts = append(of.Accounts,
			finding.Account{Server: f.server, Component: component.Name(name), Principal: f.a.Principal})
	}
	of.Remedies = append(of.Remedies, remedies...)
	return of
}
