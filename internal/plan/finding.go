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

// Differs reports whether the vCenters are not as the specification asks: there is something to change, or something that
// no change of this plan puts right.
func (p *Plan) Differs() bool {
	return !p.Empty() || finding.Differing(p.Findings) || p.Any(func(c *Change) bool { return c.Differs })
}

// Staying are findings about what the run was asked to take away or to replace and leaves, one for each kind and reason. Its changes
// say so, too.
func (p *Plan) Staying() []*finding.Finding {
	type cause struct {
		kind Kind
		why  string
	}
	var order []cause
	names, ways := map[cause][]string{}, map[cause][]string{}
	for _, c := range p.Changes() {
		of, name := cause{c.Kind, c.why}, cmp.Or(c.Name, "of "+c.Principal)
		switch {
		case !c.Stays || slices.Contains(names[of], name):
			continue
		case names[of] == nil:
			order = append(order, of)
		}
		names[of], ways[of] = append(names[of], name), lists.AppendNew(ways[of], c.Ways...)
	}
	var all []*finding.Finding
	for _, of := range order {
		what, stays := string(of.kind), " stays: "
		if len(names[of]) > 1 {
			what, stays = what+"s", " stay: "
		}
		if of.kind == Tag { // what stays is the other one
			stays = map[bool]string{true: " is not attached: ", false: " are not attached: "}[len(names[of]) == 1]
		}
		f := finding.New(finding.StaysBehind, "", "%s", what+" "+lists.Few(names[of])+stays+of.why)
		f.Remedies = append(f.Remedies, ways[of]...)
		all = append(all, f)
	}
	return all
}

// Found prints findings, each with what it is about before it and the commands that fix it below it, and an empty line behind them. Lines have at most width
// columns, 0 = as many as they take, but for names and commands.
func Found(w io.Writer, width int, findings []*finding.Finding) error {
	var b strings.Builder
	for _, f := range findings {
		text := strings.TrimPrefix(f.Subject+" ", " ") + f.Text
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

// Concerns reports whether a finding that is not only advice is about a vCenter.
func (p *Plan) Concerns(server string) bool {
	return slices.ContainsFunc(p.Findings, func(f *finding.Finding) bool {
		return !f.Advice() && slices.ContainsFunc(f.Accounts, func(a finding.Account) bool { return a.Server == server })
	})
}

// outsideText says in the headline that not all is in the changes.
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
