package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// controls are the requirements on access to a vCenter, and what this report supports of each.
// Source: AICPA Trust Services Criteria 2017 with the points of focus of 2022, CC6.1 to CC6.3; PCI
// DSS 4.0.1, requirements 7.2, 8.3 and 8.6.
func controls(r *Report) []Control {
	access, accounts, passwords := r.foundAccess(), r.foundAccounts(), r.foundPasswords()
	return []Control{
		{
			"SOC 2", "CC6.1", "Logical access to protected assets is restricted.",
			"Which account has which role on which object of each vCenter, and which logins were proved.",
			"Networks, operating systems, storage and encryption of data.", access,
		},
		{
			"SOC 2", "CC6.2", "Users are registered and authorized before they get credentials, and removed when they are no longer authorized.",
			"Which accounts exist, for which component, in which generation, and which of them are left over.",
			"Who authorized an account: keep the approved plan or change request beside this report.", accounts,
		},
		{
			"SOC 2", "CC6.3", "Access follows roles, least privilege and segregation of duties, and is changed when these change.",
			"Each privilege with its reason and source, what is missing and what is in excess, and one account per component.",
			"Whether the reasons suit your organization, and privileges that were granted and are not used.", access,
		},
		{
			"PCI DSS 4.0.1", "7.2", "Access is defined and assigned by job function with the least privileges, also for application and system accounts (7.2.1, 7.2.2, 7.2.5), and reviewed (7.2.4, 7.2.5.1).",
			"The access model (the matrix), what each system account holds against it, and the state for a review.",
			"That somebody reviewed it, at the required interval, and management's approval.", access,
		},
		{
			"PCI DSS 4.0.1", "8.3", "Strong authentication: lockout (8.3.4), length of passwords (8.3.6), their change (8.3.9).",
			"The lockout and password policy of each SSO domain, and the age of each password.",
			"The length of passwords (8.3.6), and multi-factor authentication (8.4), which vSphere does not ask of service accounts.", passwords,
		},
		{
			"PCI DSS 4.0.1", "8.6", "Application and system accounts: interactive login is prevented (8.6.1), passwords are in no script or file (8.6.2), and protected and changed (8.6.3).",
			"Which accounts are system accounts, which secrets of the cluster hold them, and when their passwords were changed.",
			"vCenter cannot refuse an interactive login of an account. How the credentials file and the secrets are protected.", passwords,
		},
	}
}

func (r *Report) foundAccess() string {
	if r.Verification == nil {
		return "nothing was verified"
	}
	s := r.Verification.Summary
	right := s.Accounts - s.Failed - s.Unverified - s.Disabled + s.Computed
	parts := []string{fmt.Sprintf("%d of %s as the matrix asks", right, term.Count(s.Accounts+r.unseenAccounts(), "account"))}
	if slices.ContainsFunc(r.Domains, func(d inspect.UserDomain) bool { return len(d.VCenters) > 1 }) {
		parts[0] += " (counted per vCenter)"
	}
	compared := 0
	for _, v := range r.Verification.VCenters {
		for _, a := range v.Accounts {
			if measured(a) {
				compared++
			}
		}
	}
	if compared > 0 {
		parts = append(parts, term.Count(s.Missing, "missing privilege"), term.Count(s.Excess, "excess privilege"))
	}
	if s.Computed > 0 {
		parts = append(parts, fmt.Sprintf("%d of them computed, not proved by a login", s.Computed))
	}
	if compared < s.Accounts {
		parts = append(parts, fmt.Sprintf("privileges were compared of %d", compared))
	}
	if s.Unavoidable > 0 {
		parts = append(parts, fmt.Sprintf("%s as a side effect of the topology", term.Count(s.Unavoidable, "privilege")))
	}
	if s.Disabled > 0 {
		parts = append(parts, fmt.Sprintf("%d disabled, as specified", s.Disabled))
	}
	if names := r.unread(); names != nil {
		parts = append(parts, "could not be read to the end: "+strings.Join(names, " and "))
	}
	if r.Scope.Partial {
		parts = append(parts, "a part of the cluster only")
	}
	if n := s.Unverified - s.Computed; n > 0 {
		parts = append(parts, fmt.Sprintf("%d not verified", n))
	}
	return strings.Join(parts, ", ")
}

func (r *Report) foundAccounts() string {
	accounts, other, unknown, adopted := 0, 0, 0, 0
	for _, v := range r.VCenters {
		for _, a := range v.Accounts {
			switch a.Stage {
			case inspect.StageMissing:
				continue
			case inspect.StageUnknown:
				unknown++
			case inspect.StageInUse:
			default:
				other++
			}
			accounts++
		}
	}
	for _, d := range r.Domains {
		for _, u := range d.Users {
			if u.Adopted {
				adopted += len(d.VCenters)
			}
		}
	}
	text := fmt.Sprintf("%s of this tool on %s that were read, %d of them not in use",
		term.Count(accounts, "account"), term.Count(len(r.VCenters)-len(r.unread()), "vCenter"), other)
	if unknown > 0 {
		text += fmt.Sprintf(", of %d it is not known", unknown)
	}
	if adopted > 0 {
		text += fmt.Sprintf("; %s of others", term.Count(adopted, "account"))
	}
	return text
}

func (r *Report) foundPasswords() string {
	oldest, unknown := -1, 0
	for _, v := range r.VCenters {
		for _, a := range v.Accounts {
			switch {
			case a.Stage == inspect.StageMissing:
			case a.AgeDays == nil:
				unknown++
			default:
				oldest = max(oldest, *a.AgeDays)
			}
		}
	}
	var parts []string
	for _, d := range r.Domains {
		for _, u := range d.Users {
			if u.Adopted && u.PasswordAgeDays == nil {
				unknown++
			}
		}
		parts = lists.AppendNew(parts,
			fmt.Sprintf("%s locks after %d failed logins, passwords last %s", d.Domain,
				d.Lockout.MaxFailedAttempts, lifetime(d.Password.LifetimeDays)))
	}
	if oldest >= 0 {
		parts = append(parts, "the oldest password is "+term.Count(oldest, "day")+" old")
	}
	if unknown > 0 {
		parts = append(parts, fmt.Sprintf("the age of %d is not known", unknown))
	}
	return strings.Join(parts, "; ")
}

// unread are the vCenters that were not read to the end.
func (r *Report) unread() (names []string) {
	for _, v := range r.VCenters {
		if v.Error != "" {
			names = append(names, v.Server)
		}
	}
	return names
}

// unseenAccounts is how many accounts the vCenters have that were not read: as many as others.
func (r *Report) unseenAccounts() (n int) {
	most, without := 0, 0
	for _, v := range r.Verification.VCenters {
		if most = max(most, len(v.Accounts)); v.Error != "" && len(v.Accounts) == 0 {
			without++
		}
	}
	return without * cmp.Or(most, len(r.Scope.Components))
}

func lifetime(days int) string {
	if days == 0 {
		return "for ever"
	}
	return term.Count(days, "day")
}
