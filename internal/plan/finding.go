package plan

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// FindingKind says what is wrong that no Change of a Plan puts right.
type FindingKind string

// The kinds. Those of passwords that expire are advice: until then everything is as it must be, and whether one has expired
// shows where its account logs in. So are components that the matrix leaves unable, which was asked for,
// what the administrator may not see, and what nobody recorded.
const (
	LostPassword       FindingKind = "lost-password"       // an account of ours exists, and its password is not in the credentials file
	UnfinishedRotation FindingKind = "unfinished-rotation" // an account's new password is in the rotation journal
	BegunRotation      FindingKind = "begun-rotation"      // an account that a rotation made is not in use, or not any more
	ExpiringPassword   FindingKind = "expiring-password"   // an account's password expires soon, or has expired
	ExpiringAdopted    FindingKind = "expiring-adopted"    // the same, of an account that others look after
	BlockedRotation    FindingKind = "blocked-rotation"    // in the plan of a rotation: an account that is due cannot be rotated
	StaysBehind        FindingKind = "stays"               // something that a run was asked to take away or to replace stays
	UnableComponent    FindingKind = "unable-component"    // what the matrix grants does not let a component do all of its work
	AdministratorFound FindingKind = "administrator"       // an account is in a group that administers the vCenter: it may do everything
	UnseenAccounts     FindingKind = "unseen-accounts"     // the administrator may not read the SSO domain
	UnknownBefore      FindingKind = "unknown-before"      // what an adopted account had before is not recorded, so it does not get it back
)

// Finding is one cause for which the vCenters are not as the specification asks and stay so after an apply, with all
// accounts that it concerns.
type Finding struct {
	Kind     FindingKind    `json:"kind"`
	Text     string         `json:"text"` // what is wrong, in one line, with the accounts
	Accounts []FoundAccount `json:"accounts"`
	Remedies []string       `json:"remedies"` // the commands that fix it
}

// Advice reports whether a finding is no difference between the vCenters and the specification.
func (f *Finding) Advice() bool {
	return f.Kind == ExpiringPassword || f.Kind == ExpiringAdopted || f.Kind == BegunRotation || f.Kind == UnableComponent || f.Kind == UnseenAccounts || f.Kind == UnknownBefore
}

// Differing reports whether a finding is among these that is not only advice.
func Differing(findings []*Finding) bool {
	return slices.ContainsFunc(findings, func(f *Finding) bool { return !f.Advice() })
}

// FoundAccount is one account on one vCenter.
type FoundAccount struct {
	Server    string         `json:"server"`
	Component component.Name `json:"component"`
	Principal string         `json:"principal"`
	Group     string         `json:"group,omitempty"`   // that makes it an administrator
	Earlier   []string       `json:"earlier,omitempty"` // accounts that it has replaced and that are still there: its rotation is unfinished
	Secrets   []string       `json:"secrets,omitempty"` // of the cluster, namespace/name, that hold an account which is not in use
}

// Principals names the accounts, each once.
func (f *Finding) Principals() []string {
	var names []string
	for _, a := range f.Accounts {
		if !slices.Contains(names, a.Principal) {
			names = append(names, a.Principal)
		}
	}
	return names
}

// Differs reports whether the vCenters are not as the specification asks: there is something to change, or something that
// no change of this plan puts right.
func (p *Plan) Differs() bool {
	return !p.Empty() || Differing(p.Findings) || p.Any(func(c *Change) bool { return c.Differs })
}

// Staying are findings about what the run was asked to take away or to replace and leaves, one for each kind and reason. Its changes
// say so, too.
func (p *Plan) Staying() []*Finding {
	type cause struct {
		kind Kind
		why  string
	}
	var order []cause
	names := map[cause][]string{}
	for _, v := range p.VCenters {
		for _, c := range v.Changes {
			of, name := cause{c.Kind, c.Note}, cmp.Or(c.Name, "of "+c.Principal)
			switch {
			case !c.Stays || slices.Contains(names[of], name):
				continue
			case names[of] == nil:
				order = append(order, of)
			}
			names[of] = append(names[of], name)
		}
	}
	var all []*Finding
	for _, of := range order {
		_, why, _ := strings.Cut(of.why, ": ") // behind "kept" or "unchanged"
		what, stays := string(of.kind), " stays: "
		if len(names[of]) > 1 {
			what, stays = what+"s", " stay: "
		}
		all = append(all, &Finding{Kind: StaysBehind, Text: what + " " + few(names[of]) + stays + why, Accounts: []FoundAccount{}, Remedies: []string{}})
	}
	return all
}

// few names the first of many.
func few(names []string) string {
	const most = 4
	if len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Found prints findings, each with the commands that fix it below it, and an empty line behind them. Lines have at most width
// columns, 0 = as many as they take, but for names and commands.
func Found(w io.Writer, width int, findings []*Finding) error {
	var b strings.Builder
	for _, f := range findings {
		b.WriteString(term.Prose("! "+term.Line(f.Text), width, 2) + "\n")
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
	return slices.ContainsFunc(p.Findings, func(f *Finding) bool {
		return !f.Advice() && slices.ContainsFunc(f.Accounts, func(a FoundAccount) bool { return a.Server == server })
	})
}

// apart says in the headline that not all is in the changes.
func (p *Plan) apart() string {
	var names []string
	one, several := "", ""
	for _, f := range p.Findings {
		if f.Advice() {
			continue
		}
		what, all := "1 account needs rotate", "%d accounts need rotate"
		switch f.Kind {
		case BlockedRotation:
			what, all = "1 account cannot be rotated", "%d accounts cannot be rotated"
		case AdministratorFound:
			what, all = "1 account administers a vCenter", "%d accounts administer a vCenter"
		case LostPassword, UnfinishedRotation, BegunRotation, ExpiringPassword, ExpiringAdopted, StaysBehind, UnableComponent, UnseenAccounts, UnknownBefore:
		}
		if one != "" && one != what {
			what, all = "1 account needs attention", "%d accounts need attention"
		}
		one, several = what, all
		for _, name := range f.Principals() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	if len(names) == 1 {
		return "; " + one + ", see above"
	}
	return fmt.Sprintf("; "+several+", see above", len(names))
}
