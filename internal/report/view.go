package report

import (
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
	Words                 []Grant // each privilege once
	Effects               []effect
}

type tile struct {
	Noun string
	N    int
}

type section struct{ ID, Title string }

// foundRow is a finding with what filters look for.
type foundRow struct {
	*finding.Finding
	Components, Servers []string
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
	v := &view{Report: r, Effects: r.effects()}
	v.Reasons, v.Words = r.reasons()
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
	return strings.Join(parts, "; ") + ".", r.unread() != nil || len(r.Findings) > 0 || !r.Verification.Meets(verify.Standard{})
}

// strange are the strangers of the findings, each once.
func (r *Report) strange() (names []string) {
	for _, f := range r.Findings {
		names = lists.AppendNew(names, f.Subject)
	}
	return names
}

func (r *Report) tiles() []tile {
	all := []tile{{"vCenters", len(r.VCenters)}}
	if r.Verification == nil {
		return all
	}
	s := r.Verification.Summary
	return append(all, tile{"accounts", s.Accounts}, tile{"failed", s.Failed},
		tile{"not verified", s.Unverified}, tile{"permissions proved", s.Permissions},
		tile{"privileges missing", s.Missing}, tile{"privileges in excess", s.Excess},
		tile{"side effects", s.Unavoidable}, tile{"strangers who change", len(r.strange())}, tile{"findings", len(r.found())})
}

// found are all findings, the worst first.
func (r *Report) found() (all []*finding.Finding) {
	if r.Verification != nil {
		all = slices.Clone(r.Verification.Findings)
	}
	all = append(all, r.Findings...)
	finding.Sort(all)
	return all
}

func (r *Report) foundRows() (rows []foundRow) {
	for _, f := range r.found() {
		row := foundRow{Finding: f}
		for _, a := range f.Accounts {
			if a.Component != "" {
				row.Components = lists.AppendNew(row.Components, string(a.Component))
			}
			row.Servers = lists.AppendNew(row.Servers, a.Server)
		}
		rows = append(rows, row)
	}
	return rows
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
			row := proofRow{Server: v.Server, Principal: a.Principal, Login: a.Login, Components: strings.Split(a.Component, ","), Objects: "-", Missing: "-", Excess: "-"}
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
