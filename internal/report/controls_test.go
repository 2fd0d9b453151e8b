package report

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// clean is a report in which nothing is wrong and everything was read, with policies that meet every control.
func clean() *Report {
	r := sample("v", "p", "o")
	r.Verification.Findings = nil
	r.Verification.Summary = verify.Summary{Accounts: 1, Permissions: 1}
	r.Verification.VCenters[0].Accounts[0].Objects[0].Missing = []string{}
	r.VCenters[0].Others = []Other{}
	r.Domains[0].Lockout = inspect.LockoutPolicy{MaxFailedAttempts: 10, WithinSeconds: 180, UnlockSeconds: 1800}
	r.Domains[0].Password = inspect.PasswordPolicy{LifetimeDays: 90, MinLength: 12, MinDigits: 1, MinLetters: 1}
	r.Complete()
	return r
}

func (r *Report) control(t *testing.T, name string) Control {
	t.Helper()
	i := slices.IndexFunc(r.Controls, func(c Control) bool { return c.name() == name })
	if i < 0 {
		t.Fatalf("no control %s", name)
	}
	return r.Controls[i]
}

func stranger(r *Report, who, allows string) {
	r.VCenters[0].Others = append(r.VCenters[0].Others, Other{Principal: who, Role: "R", Object: "/o", Allows: allows, Removal: "govc"})
}

// A control is met only where everything that decides it was read and nothing is against it.
func TestControlStatus(t *testing.T) {
	t.Parallel()
	const (
		rights, lockout, length, days, review = "SOC 2 CC6.1", "PCI DSS 4.0.1 8.3.4", "PCI DSS 4.0.1 8.3.6", "PCI DSS 4.0.1 8.3.9", "PCI DSS 4.0.1 7.2.5.1"
	)
	for name, tt := range map[string]struct {
		change                            func(*Report)
		control, status, found, threshold string
	}{
		"clean":          {func(*Report) {}, rights, ControlMet, "1 of 1 account as the matrix asks", ""},
		"stranger":       {func(r *Report) { stranger(r, `CORP\bob`, MayChange) }, rights, ControlNotMet, "; against it: stranger-changes", ""},
		"reader":         {func(r *Report) { stranger(r, `CORP\bob`, MayRead) }, rights, ControlMet, "", ""},
		"unread":         {func(r *Report) { r.VCenters[0].Error = "refused" }, rights, ControlNotCovered, "", ""},
		"others unknown": {func(r *Report) { r.VCenters[0].Others = nil }, rights, ControlNotCovered, "", ""},
		"not verified":   {func(r *Report) { r.Verification = nil }, rights, ControlNotCovered, "nothing was verified", ""},
		"computed":       {func(r *Report) { r.Verification.Findings = finding.List{finding.New(finding.ComputedRights, "", "x")} }, rights, ControlNotCovered, "", ""},
		"unread and against": {func(r *Report) {
			stranger(r, `CORP\bob`, MayAdminister)
			r.VCenters[0].Notes, r.VCenters[0].Error = nil, "refused"
		}, rights, ControlNotMet, "stranger-administers", ""},
		"lockout": {func(*Report) {}, lockout, ControlMet, "dom-v: 10 failed logins, 1800 lockout seconds", "at most 10 failed logins, at least 1800 lockout seconds"},
		"lockout of vSphere": {func(r *Report) {
			r.Domains[0].Lockout = inspect.LockoutPolicy{MaxFailedAttempts: 5, UnlockSeconds: 300}
		}, lockout, ControlNotMet, "5 failed logins, 300 lockout seconds", "1800"},
		"11 attempts":        {func(r *Report) { r.Domains[0].Lockout.MaxFailedAttempts = 11 }, lockout, ControlNotMet, "11 failed logins", ""},
		"never locks":        {func(r *Report) { r.Domains[0].Lockout.MaxFailedAttempts = 0 }, lockout, ControlNotMet, "no limit of failed logins", ""},
		"person unlocks":     {func(r *Report) { r.Domains[0].Lockout.UnlockSeconds = 0 }, lockout, ControlMet, "no limit of lockout seconds", ""},
		"11 characters":      {func(r *Report) { r.Domains[0].Password.MinLength = 11 }, length, ControlNotMet, "11 characters", "at least 12 characters, at least 1 digit"},
		"13 characters":      {func(r *Report) { r.Domains[0].Password.MinLength = 13 }, "CIS Controls 8.1 5.2", ControlNotMet, "13 characters", "at least 14 characters"},
		"no digits":          {func(r *Report) { r.Domains[0].Password.MinDigits = 0 }, length, ControlNotMet, "0 digits", ""},
		"policy unread":      {func(r *Report) { r.Domains = nil }, lockout, ControlNotCovered, "could not be read", "at most 10"},
		"one policy unread":  {func(r *Report) { r.VCenters = append(r.VCenters, VCenter{Server: "w"}) }, lockout, ControlNotCovered, "10 failed logins", ""},
		"for ever":           {func(r *Report) { r.Domains[0].Password.LifetimeDays = 0 }, days, ControlNotMet, "no limit of days", ""},
		"nothing decides it": {func(*Report) {}, review, ControlNotCovered, "", ""},
	} {
		r := clean()
		tt.change(r)
		r.Complete()
		c := r.control(t, tt.control)
		if c.Status != tt.status || !strings.Contains(c.Found, tt.found) || !strings.Contains(c.Threshold, tt.threshold) {
			t.Errorf("%s: %s, found %q, threshold %q", name, c.Status, c.Found, c.Threshold)
		}
	}
}

// The tables of all frameworks can be read, name each control once, and have those that auditors ask about.
func TestRequirements(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, q := range requirements() {
		name := q.framework + " " + q.ID
		if seen[name] || q.framework == "" || q.Title == "" || q.Supports == "" || q.Lacks == "" || !slices.Contains([]string{"access", "accounts", "passwords"}, q.Shows) {
			t.Errorf("%+v", q)
		}
		seen[name] = true
		for _, code := range slices.Concat(q.Findings, q.Open) {
			if _, known := finding.Explain(code); !known {
				t.Errorf("%s: no finding has the code %s", name, code)
			}
		}
		for _, b := range q.Policies {
			if settings[b.Setting].of == nil || (b.Most == 0) == (b.Least == 0) {
				t.Errorf("%s: %+v", name, b)
			}
		}
	}
	for _, name := range []string{
		"SOC 2 CC6.1", "PCI DSS 4.0.1 7.2.5", "PCI DSS 4.0.1 8.3.4", "PCI DSS 4.0.1 8.3.6", "ISO 27001:2022 A.5.15", "ISO 27001:2022 A.5.17",
		"ISO 27001:2022 A.5.18", "ISO 27001:2022 A.8.2", "ISO 27001:2022 A.8.5", "NIST 800-53 r5 AC-2", "NIST 800-53 r5 AC-3", "NIST 800-53 r5 AC-6", "NIST 800-53 r5 IA-5",
		"CIS Controls 8.1 5.2", "CIS Controls 8.1 5.4", "CIS Controls 8.1 5.5", "CIS Controls 8.1 6.8",
	} {
		if !seen[name] {
			t.Errorf("no %s", name)
		}
	}
}

const accepted = `apiVersion: ocp-vsphere-admin/v1
kind: Exceptions
exceptions:
- {finding: stranger-changes, subject: CORP\bob, vcenter: v, objects: [/o], owner: jane, reason: backups, expires: 2026-11-26}
- {control: pci dss 4.0.1 8.3.4, owner: joe, reason: VPN locks, expires: 2027-01-31}
`

// A file of exceptions is refused for whatever it might not have meant.
func TestParseExceptions(t *testing.T) {
	t.Parallel()
	all, err := ParseExceptions("x.yaml", []byte(accepted))
	want := []Exception{
		{Finding: finding.StrangerChanges, Subject: `CORP\bob`, VCenter: "v", Objects: []string{"/o"}, Owner: "jane", Reason: "backups", Expires: "2026-11-26"},
		{Control: "pci dss 4.0.1 8.3.4", Owner: "joe", Reason: "VPN locks", Expires: "2027-01-31"},
	}
	if d := cmp.Diff(want, all); d != "" || err != nil {
		t.Error(err, d)
	}
	for change, want := range map[string]string{
		"kind: Exceptions -> kind: Exemptions":              `"Exemptions" is unknown`,
		"kind: Exceptions -> # none":                        "kind: is missing",
		"owner: jane, -> ":                                  "exceptions[0].owner: is missing",
		"reason: backups, -> ":                              "exceptions[0].reason: is missing",
		", expires: 2026-11-26 -> ":                         "exceptions[0].expires: is missing",
		"2026-11-26 -> 2026-11-31":                          `"2026-11-31" is no day`,
		"2026-11-26 -> soon":                                `"soon" is no day`,
		"subject: CORP\\bob, -> ":                           "exceptions[0].subject: is missing",
		"stranger-changes -> strangers":                     `"strangers" is no code of a finding`,
		"finding: stranger-changes, -> ":                    "must name a finding by its code, or a control",
		"control: -> finding: stranger-changes, control: ":  "must name a finding by its code, or a control",
		"control: -> subject: x, control: ":                 "a control has no subject",
		"control: -> privileges: [x], control: ":            "no objects and no privileges",
		"objects: [/o] -> objects: /o":                      "exceptions[0].objects: must be a list",
		"stranger-changes -> unused-exception":              "exceptions[0].finding: an exception is renewed or removed",
		"stranger-changes -> expired-exception":             "exceptions[0].finding: an exception is renewed or removed",
		"8.3.4 -> 8.3.5":                                    `"pci dss 4.0.1 8.3.5" is no code of a finding, and no control`,
		"vcenter: v -> vcentre: v":                          "vcentre",
		"- {control: pci dss 4.0.1 8.3.4, -> - {control: [": "x.yaml:4: not valid YAML",
	} {
		from, to, _ := strings.Cut(change, " -> ")
		_, err := ParseExceptions("x.yaml", []byte(strings.Replace(accepted, from, to, 1)))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "x.yaml") || strings.Count(err.Error(), "\n") > 1 {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// An exception accepts what it names until the end of its day, and nothing else; then it is a finding itself.
func TestExceptions(t *testing.T) {
	t.Parallel()
	at := func(change func(*Report)) *Report {
		r := clean()
		stranger(r, `CORP\bob`, MayChange)
		r.Domains[0].Lockout.UnlockSeconds = 300
		r.Exceptions, _ = ParseExceptions("x", []byte(accepted))
		change(r)
		r.Complete()
		return r
	}
	for name, tt := range map[string]struct {
		change  func(*Report)
		differs bool
		codes   string
	}{
		"accepted":        {func(*Report) {}, false, "stranger-changes"},
		"another case":    {func(r *Report) { r.Exceptions[0].Subject = `corp\BOB` }, false, "stranger-changes"},
		"any vCenter":     {func(r *Report) { r.Exceptions[0].VCenter = "" }, false, "stranger-changes"},
		"another vCenter": {func(r *Report) { r.Exceptions[0].VCenter = "w" }, true, "stranger-changes unused-exception"},
		"another object": {func(r *Report) {
			r.VCenters[0].Others = append(r.VCenters[0].Others, Other{Principal: `CORP\bob`, Role: "R", Object: "/", Allows: MayChange})
		}, true, "stranger-changes unused-exception"},
		"another stranger":       {func(r *Report) { stranger(r, "mallory", MayChange) }, true, "stranger-changes stranger-changes"},
		"he got more":            {func(r *Report) { r.VCenters[0].Others[0].Allows = MayAdminister }, true, "stranger-administers unused-exception"},
		"his last second":        {func(r *Report) { r.Made = r.Made.Truncate(24 * 3600e9).Add(24*3600e9 - 1) }, false, "stranger-changes"},
		"expired":                {func(r *Report) { r.Made = r.Made.Truncate(24 * 3600e9).Add(24 * 3600e9) }, true, "stranger-changes expired-exception"},
		"the control is met":     {func(r *Report) { r.Domains[0].Lockout.UnlockSeconds = 1800 }, false, "stranger-changes unused-exception"},
		"its value was not read": {func(r *Report) { r.Domains = nil }, false, "stranger-changes"},
		"accepted twice":         {func(r *Report) { r.Exceptions = append(r.Exceptions, r.Exceptions[0]) }, false, "stranger-changes"},
		"nothing to accept":      {func(r *Report) { r.VCenters[0].Others = []Other{} }, false, "unused-exception"},
		"others were not read":   {func(r *Report) { r.VCenters[0].Others = nil }, false, ""},
		"broken day":             {func(r *Report) { r.Exceptions[0].Expires = "" }, true, "stranger-changes expired-exception"},
		"failed as well": {func(r *Report) {
			r.Verification.Summary.Failed = 1
			r.Verification.Findings = finding.List{finding.New(finding.MissingPrivileges, "p", "x")}
		}, true, "missing-privileges stranger-changes"},
		"failed, and nothing says why": {func(r *Report) { r.Verification.Summary.Failed, r.Exceptions[0].Finding = 1, finding.MissingTags }, true, "stranger-changes unused-exception"},
		"failure accepted": {func(r *Report) {
			r.Verification.Summary.Failed = 1
			r.Verification.Findings = finding.List{finding.New(finding.MissingPrivileges, "p", "x")}
			r.Exceptions = append(r.Exceptions, Exception{Finding: finding.MissingPrivileges, Subject: "p", Owner: "o", Reason: "r", Expires: "2027-01-01"})
		}, false, "missing-privileges stranger-changes"},
	} {
		r := at(tt.change)
		var codes []string
		for _, f := range r.foundRows() {
			codes = append(codes, string(f.Code))
		}
		if got := strings.Join(codes, " "); got != tt.codes || r.Differs(r.Verification, verify.Standard{}) != tt.differs {
			t.Errorf("%s: %s, differs %t", name, got, !tt.differs)
		}
	}
	r := at(func(*Report) {})
	if c := r.control(t, "PCI DSS 4.0.1 8.3.4"); c.status() != "not met, accepted by joe until 2027-01-31: VPN locks" {
		t.Errorf("%q", c.status())
	}
	if c := r.control(t, "SOC 2 CC6.1"); c.status() != "not met, accepted by jane until 2026-11-26: backups" {
		t.Errorf("%q", c.status())
	}
	stranger(r, "mallory", MayChange)
	r.Complete()
	if c := r.control(t, "SOC 2 CC6.1"); c.status() != ControlNotMet {
		t.Errorf("%q, with another stranger", c.status())
	}
	if text := r.Verdict(); !strings.Contains(text, "1 principal who is not of the cluster") || !strings.Contains(text, "1 finding accepted by exceptions") {
		t.Error(text)
	}
	redacted := r.Redact(nil)
	data, _ := json.Marshal(redacted)
	for _, name := range []string{"bob", "CORP", "mallory", "jane", "joe", "backups", "VPN"} {
		if strings.Contains(string(data)+string(redacted.Markdown()), name) {
			t.Errorf("%s is left", name)
		}
	}
	if redacted.foundRows()[0].Exception == nil {
		t.Error("redacted, nothing is accepted")
	}
}

// An exception accepts what somebody read when it was written: whatever makes the finding wider, that is the same code about the same
// account or person, is not accepted by it, and neither is it as somebody else reads it, in a redacted report.
func TestExceptionIsNoBlankCheque(t *testing.T) {
	t.Parallel()
	of := func(code finding.Code, accounts ...finding.Account) func(*Report) {
		return func(r *Report) {
			f := finding.New(code, "", "x")
			f.Accounts, f.Severity = accounts, finding.Error
			r.Verification.Findings = append(r.Verification.Findings, f)
			r.Verification.Summary.Failed = 1
		}
	}
	p := finding.Account{Server: "v", Component: "csi-driver", Principal: "p"}
	with := func(change func(*finding.Account)) finding.Account { a := p; change(&a); return a }
	object := func(change func(*verify.Object)) func(*Report) {
		return func(r *Report) { change(&r.Verification.VCenters[0].Accounts[0].Objects[0]) }
	}
	admin := with(func(a *finding.Account) { a.Group = "Operators@d" })
	member := finding.Account{Server: "v", Component: "csi-driver", Principal: "eve@d", Group: "storage@d"}
	global := with(func(a *finding.Account) { a.Group, a.Role = `CORP\ops`, "reader" })
	for name, tt := range map[string]struct{ is, then func(*Report) }{
		"another member":   {of(finding.SharedGroup, member), of(finding.SharedGroup, finding.Account{Server: "v", Component: "csi-driver", Principal: "mallory@d", Group: "storage@d"})},
		"a group in it":    {of(finding.SharedGroup, member), of(finding.SharedGroup, finding.Account{Server: "v", Component: "csi-driver", Principal: "group eve@d", Group: "storage@d"})},
		"another group":    {of(finding.SharedGroup, member), of(finding.SharedGroup, finding.Account{Server: "v", Component: "csi-driver", Principal: "eve@d", Group: "network@d"})},
		"administers more": {of(finding.AdministratorFound, admin), of(finding.AdministratorFound, with(func(a *finding.Account) { a.Group = "Administrators@d" }))},
		"another account":  {of(finding.AdministratorFound, admin), of(finding.AdministratorFound, with(func(a *finding.Account) { a.Principal, a.Group = "q", "Operators@d" }))},
		"global role":      {of(finding.GlobalPermission, global), of(finding.GlobalPermission, with(func(a *finding.Account) { a.Group, a.Role = `CORP\ops`, "Admin" }))},
		"global holder":    {of(finding.GlobalPermission, global), of(finding.GlobalPermission, with(func(a *finding.Account) { a.Role = "reader" }))},
		"global elsewhere": {of(finding.GlobalPermission, global), of(finding.GlobalPermission, with(func(a *finding.Account) { a.Server, a.Group, a.Role = "w", `CORP\ops`, "reader" }))},
		"excess": {func(r *Report) {
			object(func(o *verify.Object) { o.Excess = []string{"Host.Config.Storage"} })(r)
			of(finding.ExcessPrivileges, p)(r)
		}, object(func(o *verify.Object) { o.Excess = append(o.Excess, "Datastore.Delete") })},
		"excess elsewhere": {func(r *Report) {
			object(func(o *verify.Object) { o.Excess = []string{"Host.Config.Storage"} })(r)
			of(finding.ExcessPrivileges, p)(r)
		}, func(r *Report) {
			a := &r.Verification.VCenters[0].Accounts[0]
			a.Objects = append(a.Objects, verify.Object{Path: "/p", Excess: []string{"Host.Config.Storage"}})
		}},
		"missing": {func(r *Report) {
			object(func(o *verify.Object) { o.Missing = []string{"Datastore.Browse"} })(r)
			of(finding.MissingPrivileges, p)(r)
		}, object(func(o *verify.Object) { o.Missing = append(o.Missing, "Datastore.Delete") })},
		"cannot": {func(r *Report) {
			r.Verification.VCenters[0].Accounts[0].Cannot = []verify.Cannot{{Object: "/o", Missing: []string{"Datastore.Browse"}}}
			of(finding.UnableComponent, p)(r)
		}, func(r *Report) {
			a := &r.Verification.VCenters[0].Accounts[0]
			a.Cannot = append(a.Cannot, verify.Cannot{Object: "/o", Missing: []string{"Datastore.Delete"}})
		}},
		"stranger's object": {func(r *Report) { stranger(r, `CORP\bob`, MayAdminister) }, func(r *Report) {
			r.VCenters[0].Others = append(r.VCenters[0].Others, Other{Principal: `CORP\bob`, Object: "/", Allows: MayAdminister})
		}},
		"a group of his name": {func(r *Report) { stranger(r, `CORP\bob`, MayAdminister) }, func(r *Report) {
			r.VCenters[0].Others = append(r.VCenters[0].Others, Other{Principal: `CORP\bob`, Group: true, Object: "/o", Allows: MayAdminister})
		}},
		"refused elsewhere": {of(finding.RefusedAccount, p), of(finding.RefusedAccount, with(func(a *finding.Account) { a.Server = "w" }))},
	} {
		r := clean()
		tt.is(r)
		r.Complete()
		row := r.foundRows()[0]
		e := Exception{Finding: row.Code, Subject: row.Subject, VCenter: "v", Objects: row.Objects, Privileges: row.Privileges, Owner: "o", Reason: "r", Expires: "2027-01-31"}
		r.Exceptions = []Exception{e}
		r.Complete()
		if r.Differs(r.Verification, verify.Standard{}) || r.Redact(nil).foundRows()[0].Exception == nil {
			t.Errorf("%s: %+v is not accepted by %+v", name, row, e)
		}
		tt.then(r)
		r.Complete()
		if !r.Differs(r.Verification, verify.Standard{}) {
			t.Errorf("%s: it is accepted by %+v", name, e)
		}
	}
}

// Without exceptions a report differs as the verification does, by each standard, and by strangers.
func TestDiffersAsVerify(t *testing.T) {
	t.Parallel()
	codes := []finding.Code{finding.MissingPrivileges, finding.UnverifiedAccount, finding.ComputedRights, finding.UnableComponent, finding.UnseenAccounts, finding.MissingTags}
	rapid.Check(t, func(t *rapid.T) {
		r := clean()
		s := &r.Verification.Summary
		s.Failed, s.Unverified, s.Unable = rapid.IntRange(0, 1).Draw(t, "failed"), rapid.IntRange(0, 1).Draw(t, "unverified"), rapid.IntRange(0, 1).Draw(t, "unable")
		for _, c := range rapid.SliceOfDistinct(rapid.SampledFrom(codes), func(c finding.Code) finding.Code { return c }).Draw(t, "codes") {
			r.Verification.Findings = append(r.Verification.Findings, finding.New(c, "p", "x"))
		}
		words := []string{verify.AllowUnable, verify.AllowUnseen, verify.AllowUnverified, AllowStrangers}
		by := verify.Standard{Allow: rapid.SliceOfDistinct(rapid.SampledFrom(words), func(w string) string { return w }).Draw(t, "allow")}
		strange := rapid.Bool().Draw(t, "stranger")
		if strange {
			stranger(r, `CORP\bob`, MayAdminister)
		}
		r.Complete()
		want := !r.Verification.Meets(by) || strange && !by.Allows(AllowStrangers)
		if got := r.Differs(r.Verification, by); got != want {
			t.Errorf("%t, want %t", got, want)
		}
	})
}

// What decides approval is said on the first screen, and another specification is a finding.
func TestApproved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		approval *Approval
		says     string
		differs  bool
	}{
		{nil, "is not recorded: apply plans with 'apply --plan FILE --digest D'", false},
		{&Approval{"sha256:9", true}, "The approved plan sha256:9 was made from it. Who read that plan is not recorded", false},
		{&Approval{"sha256:9", false}, "sha256:9 was made from another specification", true},
	} {
		r := clean()
		r.Scope.Specification, r.Approval = "sha256:1", tt.approval
		r.Complete()
		page, err := r.HTML()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{r.Approved(), string(r.Markdown()), strings.ReplaceAll(string(page), "&#39;", "'")} {
			if !strings.Contains(text, tt.says) || !strings.Contains(text, "sha256:1") {
				t.Errorf("no %q in %.80s", tt.says, text)
			}
		}
		if got := r.Differs(r.Verification, verify.Standard{}); got != tt.differs {
			t.Errorf("%+v: differs %t", tt.approval, got)
		}
	}
}

// Each finding has a subject, a place and a remedy, whatever it was made with.
func TestFindingsArePlaced(t *testing.T) {
	t.Parallel()
	r := clean()
	stranger(r, `CORP\bob`, MayChange)
	r.Verification.VCenters[0].Accounts[0].Objects[0].Missing = []string{"Datastore.Browse"}
	lacks := finding.New(finding.MissingPrivileges, "", "p lacks it")
	lacks.Accounts = []finding.Account{{Server: "v", Component: "csi-driver", Principal: "p"}}
	r.Verification.Findings = finding.List{lacks, finding.New(finding.MissingTags, "", "x"), finding.New(finding.FailedPreflight, "", "x").About("v", "")}
	r.Complete()
	var got [][]string
	for _, f := range r.foundRows() {
		got = append(got, append([]string{string(f.Code), f.Subject}, f.Places...))
		if len(f.Remedies) == 0 || f.Remedies[0] == "" {
			t.Errorf("%s has no remedy", f.Code)
		}
	}
	want := [][]string{
		{"missing-privileges", "p", "v /o"},
		{"failed-preflight", "v", "v"},
		{"stranger-changes", `CORP\bob`, "v /o"},
		{"missing-tags", "cluster c1", "cluster c1"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// What is only computed was not tried, and an account that may do everything is no account as the matrix asks.
func TestComputedAndAdministrators(t *testing.T) {
	t.Parallel()
	r := clean()
	r.Verification.Summary = verify.Summary{Accounts: 1, Unverified: 1, Computed: 1}
	r.Verification.VCenters[0].Accounts[0].Login = verify.LoginComputed
	page, err := r.HTML()
	if err != nil || !strings.Contains(string(page), "<dt>permissions proved</dt><dd>not tried</dd>") || !strings.Contains(r.Verdict(), "1 of 1 account as the matrix asks, 0 missing privileges, 0 excess privileges, 1 of them computed: no login was tried") {
		t.Errorf("%v: %s", err, r.Verdict())
	}
	r = clean()
	r.Verification.VCenters[0].Accounts[0].Administrator = "Administrators@v"
	r.Complete()
	if text := string(r.Markdown()); !strings.Contains(text, "may do everything, as a member of Administrators@v") || !strings.Contains(text, "in use, ok, may do everything") {
		t.Error(text)
	}
	if got := verdict(r.Verification.VCenters[0].Accounts[0]); got != "may do everything" {
		t.Error(got)
	}
}

// sarif are the members that SARIF 2.1.0 requires, and those that consumers read.
type sarif struct {
	Schema  string `json:"$schema"`
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string
				Rules []struct {
					ID                   string
					FullDescription      struct{ Text string }
					DefaultConfiguration struct{ Level string }
				}
			}
		}
		Invocations []struct {
			ExecutionSuccessful        *bool
			ToolExecutionNotifications []struct{ Message struct{ Text string } }
		}
		Results []struct {
			RuleID    string
			RuleIndex int
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				LogicalLocations []struct{ FullyQualifiedName string }
			}
			PartialFingerprints map[string]string
			Suppressions        []struct{ Kind, Status, Justification string }
		}
	}
}

// SARIF has what the standard requires: each result a rule, a level, a message and a place, with any names.
func TestSARIF(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := sample(hostile.Draw(t, "server"), hostile.Draw(t, "principal"), strings.ReplaceAll(hostile.Draw(t, "object"), "/", "%2f"))
		stranger(r, `CORP\bob`, MayChange)
		stranger(r, "mallory", MayAdminister)
		r.Exceptions, _ = ParseExceptions("x", []byte(strings.Replace(accepted, "vcenter: v, objects: [/o]", "objects: [/o]", 1)))
		unread := rapid.Bool().Draw(t, "unread")
		if unread {
			r.VCenters[0].Error = "refused"
		}
		r.Complete()
		data, err := r.SARIF()
		if err != nil {
			t.Fatal(err)
		}
		var s sarif
		if err := json.Unmarshal(data, &s); err != nil || s.Version != "2.1.0" || !strings.HasSuffix(s.Schema, "/sarif-schema-2.1.0.json") || len(s.Runs) != 1 {
			t.Fatalf("%v: %.200s", err, data)
		}
		run := s.Runs[0]
		if run.Tool.Driver.Name != "ocp-vsphere-admin" || len(run.Results) != 3 || *run.Invocations[0].ExecutionSuccessful == unread || len(run.Invocations[0].ToolExecutionNotifications) == 0 == unread {
			t.Errorf("%+v", run)
		}
		prints := map[string]bool{}
		for _, res := range run.Results {
			rule := run.Tool.Driver.Rules[res.RuleIndex]
			about, known := finding.Explain(finding.Code(res.RuleID))
			if rule.ID != res.RuleID || !known || res.Level != string(about.Severity) || rule.DefaultConfiguration.Level != res.Level || rule.FullDescription.Text == "" || res.Message.Text == "" {
				t.Errorf("%+v of %+v", res, rule)
			}
			if len(res.Locations) != 1 || len(res.Locations[0].LogicalLocations) == 0 || res.Locations[0].LogicalLocations[0].FullyQualifiedName == "" {
				t.Errorf("%+v is nowhere", res)
			}
			prints[res.PartialFingerprints["finding/v1"]] = true
			if bob := res.RuleID == string(finding.StrangerChanges); bob != (len(res.Suppressions) == 1) || bob && !strings.Contains(res.Suppressions[0].Justification, "jane until 2026-11-26: backups") {
				t.Errorf("%+v", res)
			}
		}
		if len(prints) != 3 {
			t.Errorf("%d fingerprints", len(prints))
		}
	})
}

// CSV has a line for each finding, and no cell that a spreadsheet would calculate.
func TestCSV(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"=cmd|'/c calc'!A1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "a,\"b\"\nc"}).Draw(t, "name") + hostile.Draw(t, "rest")
		r := sample(name, name, "o")
		stranger(r, name, MayChange)
		r.Complete()
		data, err := r.CSV()
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
		if err != nil || len(rows) != 3 {
			t.Fatalf("%d rows: %v", len(rows), err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\t\r") || strings.ContainsAny(cell, steering) {
					t.Errorf("%q", cell)
				}
			}
		}
		if rows[2][6] != "" || rows[1][1] != "missing-privileges" {
			t.Errorf("%q", rows)
		}
	})
}

// No field of the JSON is renamed, removed or of another type: testdata/fields.txt has all that there ever were.
func TestFieldsStay(t *testing.T) {
	t.Parallel()
	var all []string
	var walk func(reflect.Type, string)
	walk = func(typ reflect.Type, at string) {
		switch {
		case typ.Kind() == reflect.Pointer:
			walk(typ.Elem(), at)
		case typ.Kind() == reflect.Slice:
			walk(typ.Elem(), at+"[]")
		case typ.Kind() == reflect.Struct && typ != reflect.TypeFor[time.Time]():
			for field := range typ.Fields() {
				switch name, _, _ := strings.Cut(field.Tag.Get("json"), ","); {
				case field.Anonymous && name == "":
					walk(field.Type, at)
				case field.IsExported() && name != "-":
					walk(field.Type, at+"."+name)
				}
			}
		default:
			all = append(all, at+" "+typ.Kind().String())
		}
	}
	walk(reflect.TypeFor[Report](), "")
	slices.Sort(all)
	data, err := os.ReadFile("testdata/fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(strings.TrimSpace(string(data)), "\n"), all); d != "" {
		t.Errorf("a field may be added there, never taken away:\n%s", d)
	}
}
