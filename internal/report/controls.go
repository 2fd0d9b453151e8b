package report

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// tables are the requirements on access to a vCenter, a file for each framework.
//
//go:embed controls
var tables embed.FS

// What a report says of a control.
const (
	ControlMet        = "met"
	ControlNotMet     = "not met"
	ControlNotCovered = "not covered" // nothing here decides it, or it could not be read
)

// requirement is a control and what decides it: that there are no findings of these codes, or
// policies. Codes that are open leave it undecided.
type requirement struct {
	framework, ID, Title, Supports, Lacks string

	Shows          string // what is found of it: access, accounts or passwords
	Findings, Open []finding.Code
	Policies       []bound
}

// bound is what a setting of an SSO domain must be; 0 = no bound.
type bound struct {
	Setting     string
	Most, Least int
}

type domain = inspect.UserDomain

// settings are what a policy of an SSO domain decides.
var settings = map[string]struct {
	unit    string
	of      func(domain) int
	endless bool // 0 is no limit
}{
	"attempts": {"failed login", func(d domain) int { return d.Lockout.MaxFailedAttempts }, true},
	"lockout":  {"lockout second", func(d domain) int { return d.Lockout.UnlockSeconds }, true},
	"length":   {"character", func(d domain) int { return d.Password.MinLength }, false},
	"digits":   {"digit", func(d domain) int { return d.Password.MinDigits }, false},
	"letters":  {"letter", func(d domain) int { return d.Password.MinLetters }, false},
	"days":     {"day", func(d domain) int { return d.Password.LifetimeDays }, true},
}

// requirements are those of all frameworks; a table of the program that is wrong is a defect.
var requirements = sync.OnceValue(func() (all []requirement) {
	entries, err := tables.ReadDir("controls")
	for _, e := range entries {
		var t struct {
			Framework string
			Controls  []requirement
		}
		data, readErr := tables.ReadFile("controls/" + e.Name())
		in := yaml.NewDecoder(bytes.NewReader(data))
		in.KnownFields(true)
		err = errors.Join(err, readErr, in.Decode(&t))
		for _, q := range t.Controls {
			q.framework = t.Framework
			all = append(all, q)
		}
	}
	if err != nil {
		panic(err)
	}
	return all
})

// name is what people call a control.
func (c Control) name() string { return c.Standard + " " + c.ID }

// status is what a report says of it, with what accepts it.
func (c Control) status() string {
	return strings.TrimSuffix(c.Status+", "+c.Exception.String(), ", ")
}

// controls are what this report says of each requirement.
func controls(r *Report) []Control {
	all, found := []Control{}, r.foundRows()
	shown := map[string]string{
		"access": r.foundAccess(), "accounts": r.foundAccounts(), "passwords": r.foundPasswords(),
	}
	for _, q := range requirements() {
		c := Control{
			Standard: q.framework, ID: q.ID, Asks: q.Title, Supports: q.Supports, Lacks: q.Lacks,
			Status: ControlNotCovered, Found: shown[q.Shows],
		}
		unmet, decided := false, false
		if q.Policies != nil {
			unmet, decided = q.measured(r, &c)
		} else if q.Findings != nil {
			unmet, decided = q.against(r, found, &c)
		}
		if unmet {
			c.Status = ControlNotMet
		} else if decided {
			c.Status = ControlMet
		}
		for i, e := range r.Exceptions {
			if unmet && !e.Expired && strings.EqualFold(e.Control, c.name()) {
				c.Exception = &r.Exceptions[i]
			}
		}
		all = append(all, c)
	}
	return all
}

// verifiedWhole reports whether all was verified, and who else may do something there was read.
func (r *Report) verifiedWhole() bool {
	return r.Verification != nil && r.unread() == nil &&
		!slices.ContainsFunc(r.VCenters, func(v VCenter) bool { return v.Others == nil })
}

// against looks for findings against a control, and whether they would be known. An exception that
// covers all of them is the control's.
func (q requirement) against(r *Report, found []foundRow, c *Control) (unmet, decided bool) {
	decided = r.verifiedWhole()
	var codes []string
	standing := false
	for _, f := range found {
		decided = decided && !slices.Contains(q.Open, f.Code)
		if slices.Contains(q.Findings, f.Code) {
			codes = lists.AppendNew(codes, string(f.Code))
			standing, c.Exception = standing || f.Exception == nil, f.Exception
		}
	}
	if standing {
		c.Exception = nil
	}
	if codes != nil {
		c.Found += "; against it: " + strings.Join(codes, ", ")
	}
	return codes != nil, decided
}

// measured compares the policies of every SSO domain with the bounds of a control.
func (q requirement) measured(r *Report, c *Control) (unmet, decided bool) {
	var values, bounds, read []string
	for _, b := range q.Policies {
		word := "at least "
		if b.Most > 0 {
			word = "at most "
		}
		bounds = append(bounds, word+term.Count(max(b.Most, b.Least), settings[b.Setting].unit))
	}
	for _, d := range r.Domains {
		var has []string
		for _, b := range q.Policies {
			s := settings[b.Setting]
			n := s.of(d)
			has = append(has, term.Count(n, s.unit))
			if n == 0 && s.endless {
				n, has[len(has)-1] = math.MaxInt, "no limit of "+s.unit+"s"
			}
			unmet = unmet || b.Most > 0 && n > b.Most || n < b.Least
		}
		values = lists.AppendNew(values, d.Domain+": "+strings.Join(has, ", "))
		read = lists.Union(read, d.VCenters)
	}
	c.Threshold = strings.Join(bounds, ", ")
	c.Found = cmp.Or(strings.Join(values, "; "), "the policies could not be read")
	return unmet, len(read) == len(r.VCenters)
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
		parts = append(parts, fmt.Sprintf("%d of them computed: no login was tried", s.Computed))
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
