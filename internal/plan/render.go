package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Paint colours a line by its sign, which has the meaning; nil leaves it plain. Lines are safe.
type Paint func(sign, line string) string

// Subject names what a Change is about: "role openshift-csi-driver-datastore".
func (c *Change) Subject() string {
	if c.Kind == Permission {
		subject := string(c.Kind)
		if c.Principal != "" {
			subject += " of " + strings.Repeat("group ", map[bool]int{true: 1}[c.Group]) + c.Principal
		}
		return subject + strings.TrimSuffix(" on "+c.Object, " on ")
	}
	if c.Kind == FailureDomain {
		return fmt.Sprintf("failure domain %s on %s", c.Name, c.Object)
	}
	if c.Kind == Tag && c.Object != "" {
		return fmt.Sprintf("tag %s on %s", c.Name, c.Object)
	}
	return string(c.Kind) + " " + c.Name
}

// Sign is + ~ or -.
func (c *Change) Sign() string { return map[Verb]string{Create: "+", Update: "~", Delete: "-"}[c.Verb] }

// Line is the Change in one line, without its sign, whatever the names in it contain.
func (c *Change) Line() string { return term.Line(c.line()) }

func (c *Change) line() string {
	line := strings.TrimSuffix(c.Subject()+": "+c.detail(), ": ")
	if c.Note != "" {
		line += " (" + c.Note + ")"
	}
	return line
}

// Detail is the change to the object, without its name and note.
func (c *Change) Detail() string { return term.Line(c.detail()) }

func (c *Change) detail() string {
	switch after := c.After.(type) {
	case RoleState:
		before, _ := c.Before.(RoleState)
		if c.Verb == Create {
			return after.String()
		}
		var parts []string
		for _, id := range lists.Without(after.Privileges, before.Privileges) {
			parts = append(parts, "+"+id)
		}
		for _, id := range lists.Without(before.Privileges, after.Privileges) {
			parts = append(parts, "-"+id)
		}
		return strings.Join(parts, " ")
	case PermissionState:
		if before, ok := c.Before.(PermissionState); ok {
			return before.String() + " -> " + after.String()
		}
		return after.String()
	case UserState:
		return after.against(c.Name, c.Before)
	}
	if before, ok := c.Before.(PermissionState); ok {
		return before.String()
	}
	return ""
}

// against describes the change of an account, or all of a new one.
func (u UserState) against(name string, state State) string {
	before, existed := state.(UserState)
	switch {
	case u.NewPassword:
		return "new password"
	case u.InsteadOf != "" && u.InsteadOf == name:
		return "keeps its password in the credentials file"
	case u.InsteadOf != "":
		return "replaces " + u.InsteadOf + " in the credentials file"
	}
	var parts []string
	switch {
	case !existed && u.Description != "":
		parts = append(parts, u.Description)
	case !u.Disabled && before.Disabled:
		parts = append(parts, "enabled")
	}
	if u.Disabled && !before.Disabled {
		parts = append(parts, "disabled")
	}
	switch {
	case u.MemberOf == before.MemberOf:
	case u.MemberOf == "":
		parts = append(parts, "leaves group "+before.MemberOf)
	case existed:
		parts = append(parts, "is not a member of group "+u.MemberOf+", and becomes one")
	default:
		parts = append(parts, "becomes a member of group "+u.MemberOf)
	}
	if parts == nil {
		return u.Description
	}
	return strings.Join(parts, ", ")
}

// String is the number of the role's privileges, or that it only reads.
func (r RoleState) String() string {
	if len(r.Privileges) == 0 {
		return "read only (" + strings.Join(privileges.ImplicitIDs(), ", ") + ")"
	}
	return term.Count(len(r.Privileges), "privilege")
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

// Headline is the last lines of a plan or report: the summary and any digest to approve.
func (p *Plan) Headline() string {
	last := p.headline() + p.outsideText() + "\n"
	if p.Digest != "" && !p.Empty() && p.Kind == KindPlan {
		last += "digest: " + p.Digest + "\n"
	}
	return last
}

const mostUnplanned = 3

// Part says what an incomplete plan covers: "on 1 of 2 vCenters (vc2 could not be planned)", or "".
func (p *Plan) Part() string {
	out := p.Unread()
	unplanned := strings.Join(out, ", ")
	switch {
	case len(out) == 0:
		return ""
	case len(out) > mostUnplanned:
		unplanned = strconv.Itoa(len(out))
	}
	return fmt.Sprintf("on %d of %s (%s could not be planned)", len(p.VCenters)-len(out),
		term.Count(len(p.VCenters), "vCenter"), unplanned)
}

func (p *Plan) headline() string {
	where := "on " + term.Count(len(p.VCenters), "vCenter")
	if p.Kind == KindApplied {
		return p.applied()
	}
	if n := len(p.Incomplete); n > 0 {
		where += "; the accounts of " + term.Count(n, "vCenter") + " could not be read"
	}
	switch unknown := len(p.Unread()); {
	case unknown == len(p.VCenters):
		return "plan: none, because no vCenter could be planned"
	case unknown > 0:
		return fmt.Sprintf("plan: %s on %s; %d could not be read", p.Summary,
			term.Count(len(p.VCenters)-unknown, "vCenter"), unknown)
	case p.Empty() && len(p.Incomplete) > 0:
		return "plan: nothing to change as far as can be seen " + where
	case p.Empty():
		return "plan: nothing to change " + where
	}
	return fmt.Sprintf("plan: %s %s", p.Summary, where)
}
