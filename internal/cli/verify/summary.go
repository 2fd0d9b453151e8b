package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// summaryOf is the last line of a verification, in units of a report of changes; "" = none read.
func summaryOf(v *verify.Result) string {
	unread, faulty := 0, 0
	for _, f := range v.Findings {
		if v.View == verify.ViewAccounts && !f.Advice() {
			faulty++
		}
	}
	for _, vc := range v.VCenters {
		if vc.Error != "" {
			unread++
		}
	}
	if unread == len(v.VCenters) {
		return ""
	}
	for _, vc := range v.VCenters {
		if v.View == verify.ViewAccounts && vc.Error == "" && !slices.ContainsFunc(vc.Accounts,
			func(a verify.Account) bool { return a.Login == login.OK }) {
			unread++ // not looked at
		}
	}
	s, how := v.Summary, "verified"
	each := s.Accounts - s.Unverified - s.Failed - s.Disabled
	proven := term.Count(each, "account")
	if n := repeats(v); n > 0 {
		proven = term.Count(each-n, "account") + fmt.Sprintf(" (%d counted per vCenter)", each)
	}
	if n, told := computed(v); n > 0 && each == 0 {
		how, proven = "computed, not verified", told
		s.Unverified, s.Computed = s.Unverified-s.Computed, 0
	} else if v.View == verify.ViewAccounts {
		proven += " of the cluster"
	} else {
		proven += ", " + term.Count(s.Permissions, "permission")
	}
	parts := []string{fmt.Sprintf(how+": %s on %s: %s missing, %d excess",
		proven, term.Count(len(v.VCenters)-unread, "vCenter"), term.Count(s.Missing, "privilege"), s.Excess)}
	for _, wrong := range []struct {
		n          int
		what, fate string
	}{
		{s.Failed, "account", "failed"},
		{s.Unable, "account", "unable, see above"},
		{s.Computed, "account", "computed, not verified"},
		{s.Unverified - s.Computed, "account", "unverified"},
		{s.PreflightFailed, "check", "of the installer failed"},
		{unread, "vCenter", "not verified"},
		{faulty, "problem", "with the secrets, see above"},
	} {
		if wrong.n > 0 {
			parts = append(parts, term.Count(wrong.n, wrong.what)+" "+wrong.fate)
		}
	}
	var global []string // who has more through global permissions: no object of the table shows that
	for _, f := range v.Findings {
		if f.Code == finding.GlobalPermission {
			global = lists.AppendNew(global, f.Principals()...)
		}
	}
	switch n := len(global); n {
	case 0:
	case 1:
		parts = append(parts, "1 account has a global permission")
	default:
		parts = append(parts, fmt.Sprintf("%d accounts have a global permission", n))
	}
	return strings.Join(parts, "; ")
}

// computed counts accounts that the vCenter reported; words are those that are right.
func computed(v *verify.Result) (n int, words string) {
	permissions := 0
	for _, vc := range v.VCenters {
		for _, a := range vc.Accounts {
			if a.Login != verify.LoginComputed {
				continue
			}
			if n++; !a.Failed() {
				permissions += a.Permissions
			}
		}
	}
	return n, term.Count(v.Summary.Computed, "account") + ", " + term.Count(permissions, "permission")
}

// repeats counts an account's proofs on other vCenters of its SSO domain, which count once.
func repeats(v *verify.Result) (n int) {
	seen := map[[2]string]bool{}
	for _, vc := range v.VCenters {
		for _, a := range vc.Accounts {
			if key := [2]string{vc.Domain, strings.ToLower(a.Principal)}; vc.Domain != "" &&
				a.Login == login.OK && !a.Failed() {
				if seen[key] {
					n++
				}
				seen[key] = true
			}
		}
	}
	return n
}
