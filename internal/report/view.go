package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/usage"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// view is a report as its page shows it.
type view struct {
	*Report
	Style                 template.CSS
	Script                template.JS
	StyleHash, ScriptHash string
	Verdict               string
	Bad                   bool
	Tiles                 []tile
	Sections              []section
	Findings, Worst       []foundRow // the worst are on the first screen
	Maps                  []mapView
	Proofs                []proofRow
	Unread, Read          int  // vCenters
	Recorded              bool // what was used is known of some vCenter
	Caution               string
	Reasons               []reason
	Words                 []Grant  // each privilege once
	Sources               []string // of the reasons, each once
	isolated              *strings.Replacer
	Effects               []effect
}

type tile struct{ Noun, Value string }

type section struct{ ID, Title string }

// foundRow is a finding with what filters look for, and with a subject, places and remedies always.
type foundRow struct {
	*finding.Finding
	Subject             string
	Places, Remedies    []string
	Components, Servers []string
	Objects, Privileges []string   // that an exception must name
	Exception           *Exception // that accepts it; nil = none
}

// proofRow is an account in the table of the verification.
type proofRow struct {
	Server, Principal, Login string
	Components               []string
	Objects, Missing, Excess string // "-" = not measured
	Bad                      bool
	Details                  []string
}

func (r *Report) view() *view {
	r = shown(r)
	v := &view{Report: r, Effects: r.effects(), isolated: r.isolated()}
	v.Reasons, v.Words = r.reasons()
	for i := range v.Reasons {
		for source := range strings.SplitSeq(v.Reasons[i].Source, "; ") {
			v.Sources = lists.AppendNew(v.Sources, source)
			v.Reasons[i].Sources = append(v.Reasons[i].Sources, slices.Index(v.Sources, source)+1)
		}
	}
	v.Verdict, v.Bad = r.verdict()
	v.Tiles = r.tiles()
	v.Findings, v.Proofs = r.foundRows(), r.proofs()
	v.Worst = v.Findings[:min(len(v.Findings), 5)]
	if r.Since != nil {
		v.Sections = append(v.Sections, section{"since", "Changes"})
	}
	v.Sections = append(v.Sections, section{"findings", "Findings"}, section{"controls", "Controls"},
		section{"limits", "Limits"}, section{"accounts", "Accounts"}, section{"others", "Others"},
		section{"map", "Permission map"}, section{"privileges", "Privileges"},
		section{"verification", "Verification"}, section{"effects", "Side effects"})
	if v.Recorded = slices.ContainsFunc(r.VCenters,
		func(vc VCenter) bool { return vc.Usage != nil }); v.Recorded {
		v.Sections = append(v.Sections, section{"used", "Used"})
	}
	v.Sections = append(v.Sections, section{"differences", "Differences"},
		section{"administrators", "Administrators"}, section{"history", "History"})
	v.Caution, v.Unread = usage.Caution, len(r.unread())
	v.Read = len(r.VCenters) - v.Unread
	for i, vc := range r.VCenters {
		v.Maps = append(v.Maps, r.drawn(i, vc))
	}
	return v
}

// Verdict is the whole in one sentence.
func (r *Report) Verdict() string {
	text, _ := r.verdict()
	return text
}

// verdict is that sentence, and whether something is wrong.
func (r *Report) verdict() (text string, bad bool) {
	if r.Verification == nil {
		return "Nothing was verified.", true
	}
	s := r.Verification.Summary
	parts := []string{r.foundAccess()}
	if n := len(r.strange()); n > 0 {
		parts = append(parts, fmt.Sprintf("%s who %s not of the cluster may change or administer its objects", term.Count(n, "principal"), map[bool]string{true: "is", false: "are"}[n == 1]))
	}
	if s.Unable > 0 {
		parts = append(parts, fmt.Sprintf("the matrix leaves %s unable to do all of the work", term.Count(s.Unable, "account")))
	}
	if r.Approval != nil && !r.Approval.Same {
		parts = append(parts, "the approved plan is of another specification")
	}
	accepted, standing := 0, []string{}
	for _, f := range r.foundRows() {
		switch {
		case f.Exception != nil:
			accepted++
		case f.Code == finding.ExpiredException, !f.Advice() && f.Code != finding.MissingPrivileges && f.Code != finding.ExcessPrivileges:
			standing = lists.AppendNew(standing, string(f.Code))
		}
	}
	if len(standing) > 0 {
		parts = append(parts, "found: "+strings.Join(standing, ", "))
	}
	if accepted > 0 {
		parts = append(parts, term.Count(accepted, "finding")+" accepted by exceptions")
	}
	bad = r.unread() != nil || r.Differs(r.Verification, verify.Standard{})
	return strings.Join(parts, "; ") + ".", bad
}

// Approved says by which specification and plan the estate was approved, as far as it is recorded.
func (r *Report) Approved() string {
	text := "The digest of the specification is " + r.Scope.Specification + ". "
	if r.Scope.Specification == "" {
		text = "The specification is in no file, so it has no digest. "
	}
	switch a := r.Approval; {
	case a == nil:
		return text + "Which plan was approved is not recorded: apply plans with " +
			"'apply --plan FILE --digest D', and name that file here with --plan."
	case a.Same:
		text += "The approved plan " + a.Plan + " was made from it."
	default:
		text += "The approved plan " + a.Plan + " was made from another specification or matrix."
	}
	return text + " Who read that plan is not recorded: keep the change request."
}

// strange are the strangers of the findings that no exception accepts, each once.
func (r *Report) strange() (names []string) {
	for _, f := range r.foundRows() {
		if allowing[f.Code] == AllowStrangers && f.Exception == nil {
			names = lists.AppendNew(names, f.Subject)
		}
	}
	return names
}

func (r *Report) tiles() []tile {
	count := func(noun string, n int) tile { return tile{noun, strconv.Itoa(n)} }
	all := []tile{count("vCenters", len(r.VCenters))}
	if r.Verification == nil {
		return all
	}
	s := r.Verification.Summary
	proved := count("permissions proved", s.Permissions)
	if s.Permissions == 0 && s.Computed > 0 {
		proved.Value = "not tried"
	}
	return append(all, count("accounts", s.Accounts), count("failed", s.Failed),
		count("not verified", s.Unverified), proved, count("privileges missing", s.Missing),
		count("privileges in excess", s.Excess), count("side effects", s.Unavoidable),
		count("strangers who change", len(r.strange())), count("findings", len(r.found())))
}

// found are all findings, the worst first.
func (r *Report) found() (all []*finding.Finding) {
	all = slices.Clone(r.Findings)
	if r.Verification != nil {
		all = append(all, r.Verification.Findings...)
	}
	finding.Sort(all)
	return all
}

func (r *Report) foundRows() (rows []foundRow) {
	for _, f := range r.found() {
		row := foundRow{Finding: f, Subject: f.Subject, Remedies: f.Remedies}
		if f.Server != "" {
			row.Servers = []string{f.Server}
		}
		var principals, through []string
		for _, a := range f.Accounts {
			if a.Component != "" {
				row.Components = lists.AppendNew(row.Components, string(a.Component))
			}
			row.Servers = lists.AppendNew(row.Servers, a.Server)
			if name := cmp.Or(a.Principal, string(a.Component)); name != "" {
				principals = lists.AppendNew(principals, name)
			}
			if a.Group != "" {
				through = lists.AppendNew(through, whom(a.Group, true))
			}
			if a.Role != "" {
				through = lists.AppendNew(through, "role "+a.Role)
			}
		}
		row.Subject = cmp.Or(row.Subject, strings.Join(append(principals, through...), ", "),
			strings.Join(row.Servers, ", "), "cluster "+r.Cluster)
		if about, _ := finding.Explain(f.Code); len(row.Remedies) == 0 {
			row.Remedies = []string{about.Remedy}
		}
		r.place(&row)
		row.Exception = r.exception(row)
		rows = append(rows, row)
	}
	return rows
}

// place notes where a finding is: its objects, else its vCenters, else the cluster.
func (r *Report) place(f *foundRow) {
	on := func(server, object string, privileges []string) {
		f.Places, f.Objects = lists.AppendNew(f.Places, server+" "+object), lists.AppendNew(f.Objects, object)
		f.Privileges = lists.AppendNew(f.Privileges, privileges...)
	}
	for _, v := range r.VCenters {
		for _, o := range v.Others {
			if o.code() == f.Code && whom(o.Principal, o.Group) == f.Subject && v.Server == f.Server {
				on(v.Server, o.Object, nil)
			}
		}
	}
	for _, of := range f.Accounts {
		a := r.verified(of.Server, of.Principal)
		for _, o := range a.Objects {
			wrong := map[finding.Code][]string{
				finding.MissingPrivileges: o.Missing, finding.ExcessPrivileges: o.Excess,
				finding.UnknownPrivileges: o.Unknown,
			}[f.Code]
			if len(wrong) > 0 {
				on(of.Server, o.Path, wrong)
			}
		}
		for _, c := range a.Cannot {
			if f.Code == finding.UnableComponent {
				on(of.Server, c.Object, c.Missing)
			}
		}
	}
	if f.Places == nil {
		f.Places = slices.Clone(f.Servers)
	}
	if f.Places == nil {
		f.Places = []string{"cluster " + r.Cluster}
	}
}

// verified is what the verification says of an account.
func (r *Report) verified(server, principal string) (a verify.Account) {
	if r.Verification == nil {
		return a
	}
	for _, v := range r.Verification.VCenters {
		for _, of := range v.Accounts {
			if v.Server == server && of.Principal == principal {
				a = of
			}
		}
	}
	return a
}

func (r *Report) proofs() (rows []proofRow) {
	if r.Verification == nil {
		return nil
	}
	for _, v := range r.Verification.VCenters {
		if v.Error != "" {
			rows = append(rows, proofRow{Server: v.Server, Login: "not verified", Bad: true, Objects: "-", Missing: "-", Excess: "-", Details: []string{v.Error}})
		}
		for _, a := range v.Accounts {
			row := proofRow{
				Server: v.Server, Principal: a.Principal, Login: a.Login,
				Components: strings.Split(a.Component, ","), Objects: "-", Missing: "-", Excess: "-",
			}
			if missing, excess := a.Count(); measured(a) || missing+excess > 0 {
				row.Objects, row.Missing, row.Excess = strconv.Itoa(len(a.Objects)), strconv.Itoa(missing),
					strconv.Itoa(excess)
			}
			row.Bad = a.Failed() || a.Login != login.OK || len(a.Cannot) > 0
			row.Details = details(a)
			rows = append(rows, row)
		}
	}
	return rows
}

// measured reports whether it is known what an account may do.
func measured(a verify.Account) bool { return a.Login == login.OK || a.Login == verify.LoginComputed }

// most is how many privileges of an object are named: one with the role Admin has hundreds.
const most = 40

// details are what is not as the matrix asks of an account.
func details(a verify.Account) (all []string) {
	if a.Reason != "" {
		all = append(all, a.Reason)
	}
	named := func(ids []string) string {
		if len(ids) > most {
			return fmt.Sprintf("%d privileges", len(ids))
		}
		return strings.Join(ids, ", ")
	}
	for _, o := range a.Objects {
		if len(o.Missing) > 0 {
			all = append(all, "missing on "+o.Path+": "+named(o.Missing))
		}
		if len(o.Excess) > 0 {
			all = append(all, "in excess on "+o.Path+": "+named(o.Excess))
		}
		if len(o.Unknown) > 0 {
			all = append(all, "unknown to vCenter on "+o.Path+": "+named(o.Unknown))
		}
	}
	if a.Administrator != "" {
		all = append(all, everything+", as a member of "+a.Administrator)
	}
	for _, why := range a.ToMend() {
		text := why.Why
		if why.Remedy != "" {
			text += "; " + why.Remedy
		}
		all = lists.AppendNew(all, text)
	}
	if len(a.Cannot) > 0 {
		all = append(all, "cannot: "+verify.Cannots(a.Cannot))
	}
	var lacks, checks []string
	for _, alarm := range a.Alarms {
		lacks, checks = lists.AppendNew(lacks, alarm.Missing...), lists.AppendNew(checks, alarm.Check)
	}
	if checks != nil {
		all = append(all, fmt.Sprintf("%s will report %s that it lacks and its work does not need",
			strings.Join(checks, ", "), term.Count(len(lacks), "privilege")))
	}
	return slices.Clip(all)
}
