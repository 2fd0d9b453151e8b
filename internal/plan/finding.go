package plan

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Differs reports whether the vCenters differ from the specification, by changes or findings.
func (p *Plan) Differs() bool {
	return !p.Empty() || slices.ContainsFunc(p.Findings,
		func(f *finding.Finding) bool { return !f.Advice() || f.Code == finding.NotAsSpecified })
}

// Displacing finds the changes that apply asks about separately; nil = none.
func (p *Plan) Displacing() []*finding.Finding {
	what := p.Alters()
	if what == "" {
		return nil
	}
	return []*finding.Finding{finding.New(finding.Consequence, "",
		"%s: apply asks about them separately, and --yes does not confirm them; --displace does", what)}
}

// Fold joins findings that say the same of several objects of a kind.
func Fold(all []*finding.Finding) (folded []*finding.Finding) {
	names := map[*finding.Finding][]string{}
	for _, f := range all {
		i := slices.IndexFunc(folded, func(g *finding.Finding) bool {
			return f.Object != nil && g.Object != nil && g.Code == f.Code && g.Object.Kind == f.Object.Kind && g.Text == f.Text
		})
		if i < 0 {
			same := *f
			i, folded = len(folded), append(folded, &same)
		}
		g := folded[i]
		if f.Object != nil {
			names[g] = lists.AppendNew(names[g], cmp.Or(f.Object.Name, "of "+f.Object.Principal))
		}
		if len(names[g]) > 1 {
			g.Subject = f.Object.Kind + "s " + lists.Few(names[g])
		}
		g.Remedies = lists.AppendNew(slices.Clone(g.Remedies), f.Remedies...)
	}
	return folded
}

// Found prints findings, each with its subject before it and its commands below it, and a final
// empty line. Lines have at most width columns, 0 = any, except for names and commands.
func Found(w io.Writer, width int, findings []*finding.Finding) error {
	var b strings.Builder
	for _, f := range Fold(findings) {
		text := strings.TrimPrefix(f.Subject+" ", " ") + f.Text
		if f.Object != nil {
			text = f.String()
		}
		b.WriteString(term.Prose("! "+term.Line(text), width, 2) + "\n")
		for _, command := range f.Remedies {
			b.WriteString(term.Prose("  hint: "+term.Line(command), width, 2) + "\n")
		}
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Concerns reports whether a finding other than advice is about a vCenter.
func (p *Plan) Concerns(server string) bool {
	return slices.ContainsFunc(p.Findings, func(f *finding.Finding) bool {
		return !f.Advice() && slices.ContainsFunc(f.Accounts, func(a finding.Account) bool { return a.Server == server })
	})
}

// outsideText says in the headline that changes do not cover everything.
func (p *Plan) outsideText() string {
	var names []string
	one, several := "", ""
	for _, f := range p.Findings {
		if f.Advice() {
			continue
		}
		what, all := "1 account needs rotate", "%d accounts need rotate"
		switch f.Code {
		case finding.LostPassword:
			what, all = "1 account lacks its password", "%d accounts lack their passwords"
		case finding.RenamedVCenter:
			what, all = "1 password is under another name of its vCenter", "%d passwords are under another name of their vCenter"
		case finding.BlockedRotation:
			what, all = "1 account cannot be rotated", "%d accounts cannot be rotated"
		case finding.OutdatedPassword:
			what, all = "1 account has another password", "%d accounts have other passwords"
		case finding.AdministratorFound:
			what, all = "1 account administers a vCenter", "%d accounts administer a vCenter"
		default:
		}
		if one != "" && one != what {
			what, all = "1 account needs attention", "%d accounts need attention"
		}
		one, several = what, all
		names = lists.AppendNew(names, f.Principals()...)
	}
	if len(names) == 0 {
		return ""
	}
	if len(names) == 1 {
		return "; " + one + ", see above"
	}
	return fmt.Sprintf("; "+several+", see above", len(names))
}
