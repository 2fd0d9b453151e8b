package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Paint colours a line that begins with the sign + ~ - or i; nil leaves it plain. The sign carries the meaning. Lines that
// it gets hold nothing that steers a terminal.
type Paint func(sign, line string) string

// Subject names what a Change is about: "role openshift-csi-driver-datastore".
func (c *Change) Subject() string {
	if c.Kind == Permission && c.Group {
		return fmt.Sprintf("permission of group %s on %s", c.Principal, c.Object)
	}
	if c.Kind == Permission {
		return fmt.Sprintf("permission of %s on %s", c.Principal, c.Object)
	}
	return string(c.Kind) + " " + c.Name
}

// Sign is + ~ - or i.
func (c *Change) Sign() string {
	switch c.Verb {
	case Create:
		return "+"
	case Update:
		return "~"
	case Delete:
		return "-"
	case Note:
	}
	return "i"
}

// Line is the Change in one line, without its sign, whatever the names in it hold.
func (c *Change) Line() string { return term.Line(c.line()) }

func (c *Change) line() string {
	var b strings.Builder
	switch {
	case c.Verb == Note && c.Name == "" && c.Object == "":
		return c.Note
	case c.Verb == Note:
		return c.Subject() + ": " + c.Note
	default:
		b.WriteString(c.Subject())
		if d := c.detail(); d != "" {
			b.WriteString(": " + d)
		}
	}
	if c.Note != "" {
		b.WriteString(" (" + c.Note + ")")
	}
	return b.String()
}

func (c *Change) detail() string {
	switch after := c.After.(type) {
	case RoleState:
		before, _ := c.Before.(RoleState)
		if c.Verb == Create {
			return count(len(after.Privileges), "privilege")
		}
		var parts []string
		for _, id := range after.Privileges {
			if !slices.Contains(before.Privileges, id) {
				parts = append(parts, "+"+id)
			}
		}
		for _, id := range before.Privileges {
			if !slices.Contains(after.Privileges, id) {
				parts = append(parts, "-"+id)
			}
		}
		return strings.Join(parts, " ")
	case PermissionState:
		if before, ok := c.Before.(PermissionState); ok {
			return before.String() + " → " + after.String()
		}
		return after.String()
	case UserState:
		if after.NewPassword {
			return "new password"
		}
		return after.Description
	}
	if before, ok := c.Before.(PermissionState); ok {
		return before.String()
	}
	return ""
}

// String is the role and whether it propagates.
func (p PermissionState) String() string {
	if p.Propagate {
		return p.Role + ", propagates"
	}
	return p.Role
}

// String is the summary in words: "12 to create, 1 to update, 0 to delete".
func (s Summary) String() string {
	return fmt.Sprintf("%d to create, %d to update, %d to delete", s.Create, s.Update, s.Delete)
}

// Render prints the changes per vCenter, one summary line and, where there is something to approve, the digest.
func (p *Plan) Render(w io.Writer, paint Paint) error {
	if err := Found(w, p.Findings); err != nil {
		return err
	}
	if err := p.list(w, paint); err != nil {
		return err
	}
	last := p.headline() + p.apart() + "\n"
	if p.Digest != "" && !p.Empty() && p.Kind == KindPlan {
		last += "digest: " + p.Digest + "\n"
	}
	_, err := io.WriteString(w, last)
	return err
}

func (p *Plan) list(w io.Writer, paint Paint) error {
	if paint == nil {
		paint = func(_, line string) string { return line }
	}
	var b strings.Builder
	for _, v := range p.VCenters {
		term.Fprintf(&b, "%s\n", v.Server)
		for line := range strings.Lines(v.Error) { // one for each joined error: newlines from elsewhere are escaped
			term.Fprintf(&b, "  ! %s\n", strings.TrimSuffix(line, "\n"))
		}
		acts, others := false, false
		say := func(apart bool) {
			for _, c := range v.Changes {
				acts = acts || c.Acts()
				if apart != (c.Displaces && c.Acts()) {
					continue
				}
				if apart && !others {
					b.WriteString("  changes of what others gave, to be confirmed apart (--displace):\n")
					others = true
				}
				b.WriteString("  " + paint(c.Sign(), c.Sign()+" "+c.Line()) + "\n")
				if c.Error != "" {
					term.Fprintf(&b, "      ! %s: %s\n", c.Status, c.Error)
				}
			}
		}
		say(false)
		say(true)
		switch {
		case acts || v.Error != "":
		case p.concerns(v.Server):
			b.WriteString("  nothing else to change\n")
		default:
			b.WriteString("  nothing to change\n")
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Plan) headline() string {
	where := "on " + count(len(p.VCenters), "vCenter")
	if p.Kind == KindApplied {
		var done, failed, skipped int
		for _, v := range p.VCenters {
			for _, c := range v.Changes {
				switch c.Status {
				case Done:
					done++
				case Failed:
					failed++
				case Skipped:
					skipped++
				}
			}
		}
		return fmt.Sprintf("applied: %d done, %d failed, %d skipped %s", done, failed, skipped, where)
	}
	unknown := 0
	for _, v := range p.VCenters {
		if v.Error != "" {
			unknown++
		}
	}
	switch {
	case unknown == len(p.VCenters):
		return "plan: none, because no vCenter could be planned"
	case unknown > 0:
		return fmt.Sprintf("plan: %s on %s; %d could not be read", p.Summary, count(len(p.VCenters)-unknown, "vCenter"), unknown)
	case p.Empty():
		return "plan: nothing to change " + where
	}
	return fmt.Sprintf("plan: %s %s", p.Summary, where)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Renderer is Render as a function of where to.
func (p *Plan) Renderer(paint Paint) func(io.Writer) error {
	return func(w io.Writer) error { return p.Render(w, paint) }
}

// Reporter prints what went wrong and the count, for somebody who has just read the plan.
func (p *Plan) Reporter(paint Paint) func(io.Writer) error {
	return func(w io.Writer) error {
		bad := New(p.Cluster)
		for _, v := range p.VCenters {
			var changes []*Change
			for _, c := range v.Changes {
				if c.Status == Failed || c.Status == Skipped {
					changes = append(changes, c)
				}
			}
			if len(changes) > 0 {
				bad.VCenters = append(bad.VCenters, &VCenter{Server: v.Server, Changes: changes})
			}
		}
		if len(bad.VCenters) > 0 {
			if err := bad.list(w, paint); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, p.headline()+"\n")
		return err
	}
}
