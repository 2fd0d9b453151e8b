package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/markdown"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/usage"
)

// Markdown is the report as a page for tickets and repositories. Names in it are never markup.
func (r *Report) Markdown() []byte {
	var p markdown.Page
	v := r.view()
	r = v.Report
	part := ""
	if r.Scope.Partial {
		part = ", in part"
	}
	p.Say("# Access evidence: %s%s", markdown.Cell(r.Cluster), part)
	p.Say("Made %s by %s, with matrix %s (SHA-256 `%s`), profile %s.", formatTime(r.Made), r.Tool, markdown.Code(r.Scope.Matrix), r.Scope.Digest, r.Scope.Profile)
	p.Say("**%s**", v.Verdict)
	p.Say("%s", markdown.Cell(r.Approved()))
	if r.Since != nil {
		p.Say("## Changed since the report of %s", formatTime(r.Since.Made))
		t := table{heads: []string{"vCenter", "what", "before", "now"}, none: "Nothing that this report knows has changed."}
		for _, c := range r.Since.Changes {
			t.row(cmp.Or(c.Server, "all"), c.What, cmp.Or(c.Before, "none"), cmp.Or(c.After, "none"))
		}
		t.write(&p)
	}
	p.Say("## Findings")
	t := table{
		heads: []string{"severity", "code", "subject", "place", "found", "remedy", "accepted"},
		none:  "Nothing was found where it was read.",
	}
	for _, f := range v.Findings {
		t.row(string(f.Severity), string(f.Code), f.Subject, strings.Join(f.Places, ", "), f.Text,
			strings.Join(f.Remedies, "; "), cmp.Or(f.Exception.String(), "no"))
	}
	t.write(&p)
	r.markdownControls(&p)
	r.markdownAccounts(&p)
	r.markdownOthers(&p)
	p.Say("## Permission map")
	p.Say("What each account has on each object; ↓ propagates to what is below, and (in brackets) is inherited.")
	for _, m := range v.Maps {
		p.Say("### %s", markdown.Cell(m.Server))
		if m.Error != "" {
			p.Say("%s", markdown.Cell(m.Error))
		}
		t := table{heads: []string{"object"}, none: "There is no map."}
		for _, c := range m.Accounts {
			t.heads = append(t.heads, c.Principal)
		}
		for _, row := range m.Rows {
			cells := []string{row.Path}
			for _, b := range row.Cells {
				text := b.Text
				if b.Class == "from" {
					text = "(" + text + ")"
				}
				cells = append(cells, text)
			}
			t.row(cells...)
		}
		t.write(&p)
	}
	p.Say("## Privileges and their reasons")
	t = table{heads: []string{"component", "scope", "privileges", "why", "source"}, none: "None."}
	for _, g := range v.Reasons {
		t.row(strings.Join(g.Components, ", "), g.Scope, strings.Join(g.Privileges, ", "), g.Why, g.Source)
	}
	t.write(&p)
	t = table{heads: []string{"privilege", "in the vSphere Client", "it allows to"}}
	for _, g := range v.Words {
		t.row(g.Privilege, cmp.Or(g.Label, "-"), cmp.Or(g.Operation, "-"))
	}
	t.write(&p)
	p.Say("## Verification")
	t = table{heads: []string{"vCenter", "component", "account", "login", "objects", "missing", "excess", "details"}, none: "Nothing was verified."}
	for _, a := range v.Proofs {
		t.row(a.Server, strings.Join(a.Components, ", "), a.Principal, a.Login, a.Objects, a.Missing,
			a.Excess, strings.Join(a.Details, "; "))
	}
	t.write(&p)
	p.Say("## Side effects")
	t = table{heads: []string{"vCenter", "component", "account", "objects", "privileges", "why"}, none: "None where accounts were compared."}
	for _, e := range v.Effects {
		t.row(e.Server, strings.Join(e.Components, ", "), e.Principal, strings.Join(e.Objects, ", "),
			strings.Join(e.Privileges, ", "), e.Why)
	}
	t.write(&p)
	if v.Recorded {
		r.markdownUsage(&p)
	}
	r.markdownRest(&p, v.Maps)
	return []byte(p.String())
}

func (r *Report) markdownControls(p *markdown.Page) {
	p.Say("## Controls")
	p.Say("What this evidence supports of requirements that auditors ask about, and what it does not. It is no statement of conformance: met means that nothing which is covered here is against it.")
	t := table{heads: []string{"requirement", "asks", "status", "found", "threshold", "supported by", "not covered"}}
	for _, c := range r.Controls {
		t.row(c.name(), c.Asks, c.status(), c.Found, cmp.Or(c.Threshold, "-"), c.Supports, c.Lacks)
	}
	t.write(p)
	p.Say("## What this report cannot show")
	for _, l := range r.Limits {
		term.Fprintf(p, "- %s\n", markdown.Cell(l))
	}
	p.WriteString("\n")
}

func (r *Report) markdownAccounts(p *markdown.Page) {
	p.Say("## Accounts")
	t := table{heads: []string{"vCenter", "component", "account", "generation", "state", "age in days", "days left", "sessions", "secrets"}, none: "None."}
	for _, v := range r.VCenters {
		for _, a := range v.Accounts {
			secrets := "-" // they were not looked at
			if r.Scope.Secrets {
				secrets = cmp.Or(strings.Join(a.Secrets, ", "), "none")
			}
			t.row(v.Server, a.Component, a.Principal, fmt.Sprint(a.Generation), states(a.Stage, a.States),
				formatCount(a.AgeDays), formatCount(a.DaysLeft), formatCount(a.Sessions), secrets)
		}
	}
	for _, d := range r.Domains {
		for _, u := range d.Users {
			if u.Adopted {
				t.row(strings.Join(d.VCenters, ", "), u.Component, u.Principal, "somebody else's",
					strings.Join(u.States, ", "), formatCount(u.PasswordAgeDays), formatCount(u.DaysLeft), "-",
					"-")
			}
		}
	}
	t.write(p)
	p.Say("Policies of SSO domains:")
	t = table{heads: []string{"SSO domain", "vCenters", "password lasts", "locks after", "unlocks after"}, none: "Not known."}
	for _, d := range r.Domains {
		unlock := "an administrator unlocks it"
		if d.Lockout.UnlockSeconds > 0 {
			unlock = fmt.Sprintf("%d seconds", d.Lockout.UnlockSeconds)
		}
		t.row(d.Domain, strings.Join(d.VCenters, ", "), lifetime(d.Password.LifetimeDays),
			fmt.Sprintf("%d failed logins within %d seconds", d.Lockout.MaxFailedAttempts,
				d.Lockout.WithinSeconds), unlock)
	}
	t.write(p)
}

func (r *Report) markdownOthers(p *markdown.Page) {
	p.Say("## Who else can touch it")
	t := table{heads: []string{"vCenter", "principal", "may", "object", "role", "expected"}, none: "Nobody, or it is not known."}
	for _, v := range r.VCenters {
		for _, o := range v.Others {
			t.row(v.Server, whom(o.Principal, o.Group), may(o), o.Object+arrow(o.Propagate), o.Role, cmp.Or(o.Expected, "no"))
		}
	}
	t.write(p)
	p.Say("What whoever has the password of one account can do with it, and below these objects where its permission propagates:")
	t = table{heads: []string{"vCenter", "component", "account", "can", "on"}, none: "Nothing of this kind is known."}
	for _, v := range r.VCenters {
		for _, w := range v.abuse() {
			t.row(v.Server, strings.Join(w.Components, ", "), w.Principal, w.Can, strings.Join(w.Objects, ", "))
		}
	}
	t.write(p)
}

func (r *Report) markdownUsage(p *markdown.Page) {
	p.Say("## Privileges that were used")
	p.Say("%s.", usage.Caution)
	t := table{heads: []string{"vCenter", "component", "object", "role", "used", "never used"}, none: "Nothing is recorded."}
	for _, v := range r.VCenters {
		if v.Usage == nil {
			continue
		}
		if v.Usage.Error != "" {
			t.row(v.Server, "", "", v.Usage.Error, "", "")
		}
		for _, a := range v.Usage.Accounts {
			for _, u := range a.Permissions {
				t.row(v.Server, strings.Join(a.Components, ", "), u.Object, u.Role, strings.Join(u.Used, ", "),
					strings.Join(u.Unused, ", "))
			}
			for _, n := range a.NotHeld {
				t.row(v.Server, strings.Join(a.Components, ", "), n.Object, "looked for, and not held", n.Privilege, "")
			}
		}
	}
	t.write(p)
}

func (r *Report) markdownRest(p *markdown.Page, maps []mapView) {
	p.Say("## Differences between vCenters")
	t := table{heads: []string{"what", "value", "vCenters"}, none: "None that this report knows."}
	for _, d := range r.Differences {
		for _, value := range d.Values {
			t.row(d.What, value.Value, strings.Join(value.Servers, ", "))
		}
	}
	t.write(p)
	p.Say("## Administrators")
	t = table{heads: []string{"vCenter", "principal", "how", "members"}, none: "Not known."}
	for _, v := range r.VCenters {
		for _, a := range v.Administrators {
			members := strings.Join(a.Members, ", ")
			if a.Unknown != "" {
				members = a.Unknown
			}
			t.row(v.Server, a.Principal, a.How, cmp.Or(members, "none"))
		}
		for _, g := range v.Global {
			how := "global permission with role " + g.Role
			if g.Component {
				how += ": an account of this cluster has it"
			}
			t.row(v.Server, g.Principal, how, "-")
		}
	}
	t.write(p)
	p.Say("## Changes of permissions")
	p.Say("Changes of permissions and roles of these accounts, as the vCenters logged them.")
	t = table{heads: []string{"vCenter", "time", "what", "by", "object", "principal", "role"}, none: "None is known."}
	for _, v := range maps {
		if v.Made != nil {
			t.row(v.Server, formatTime(v.Made[0].Time), "changes that made what stands and is wanted: "+madeBy(v.Made), "-", "-", "-", "-")
		}
		for _, e := range v.Events {
			t.row(v.Server, formatTime(e.Time), e.What, e.By, e.Object, e.Principal, e.Role)
		}
	}
	t.write(p)
}

// table is a table of a page; none is said where it has no row.
type table struct {
	heads []string
	none  string
	rows  [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(p *markdown.Page) {
	if t.rows == nil {
		p.Say("%s", t.none)
		return
	}
	line := func(cells []string) {
		for _, c := range cells {
			p.WriteString("| " + markdown.Cell(c) + " ")
		}
		p.WriteString("|\n")
	}
	line(t.heads)
	p.WriteString(strings.Repeat("|---", len(t.heads)) + "|\n")
	for _, cells := range t.rows {
		line(cells)
	}
	p.WriteString("\n")
}
