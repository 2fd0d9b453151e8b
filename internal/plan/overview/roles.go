package overview

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// ours is the name of a role read as the tool makes them, for one component.
type ours struct {
	of component.Name
	privileges.RoleParts
}

func oursOf(role string, c component.Name) (o ours, ok bool) {
	parts, ok := privileges.PartsOf(role, c)
	return ours{c, parts}, ok && parts.For != ""
}

// learn finds the roles of a plan. What permissions get is named by the tool, what they had may not be.
func (n *names) learn(p *plan.Plan) {
	for _, c := range p.Changes() {
		before, had := c.Before.(plan.PermissionState)
		after, has := c.After.(plan.PermissionState)
		if had {
			n.meet(before.Role, c.Verb == plan.Delete)
		}
		if has {
			n.meet(after.Role, true)
		}
		if _, known := n.roles[c.Name]; c.Kind == plan.Role && !known {
			n.roles[c.Name] = nil // it is only there by its own name
		}
	}
}

func (n *names) meet(role string, made bool) {
	n.roles[role] = nil
	for _, name := range component.Names() {
		if o, ok := oursOf(role, name); ok {
			n.roles[role] = append(n.roles[role], o)
			n.prefix[o.Before] = n.prefix[o.Before] || made
		}
	}
}

// readShort is what the system's role ReadOnly is called in the map, and a role of ours that only reads.
const readShort = privileges.ReadWord

// role is what a role is called in the column of an account: what for, where that says which role of its component is meant,
// else with the component, else with its digest, else by its name. No two roles of a column are called the same.
func (n *names) role(role string, of account) string {
	if n.called[of] == nil {
		n.called[of] = map[string][]string{}
		for other := range n.roles {
			for _, short := range n.claims(other, of) {
				if !slices.Contains(n.called[of][short], other) {
					n.called[of][short] = append(n.called[of][short], other)
				}
			}
		}
	}
	for _, short := range n.claims(role, of) {
		switch {
		case short == readShort && role == privileges.ReadOnly && n.plain():
			return short
		case short != readShort && len(n.called[of][short]) == 1:
			return label(short)
		}
	}
	return label(role)
}

// claims are what a role could be called in the column of an account, the shortest first, its own name last.
func (n *names) claims(role string, of account) []string {
	var all []string
	if role == privileges.ReadOnly {
		all = append(all, readShort)
	}
	for _, o := range n.roles[role] {
		if !n.prefix[o.Before] {
			continue
		}
		before := string(o.of) + "-"
		for _, in := range frames(of.principal) {
			if in == string(o.of) || generated().MatchString(strings.TrimPrefix(in, string(o.of))) {
				before = ""
			}
		}
		all = append(all, before+o.For, before+o.For+"-"+o.Digest)
	}
	return append(all, role)
}

// plain reports whether [readShort] can be nothing but the system's role: no other one is called that, or is for reading.
func (n *names) plain() bool {
	for role, all := range n.roles {
		if role == readShort || slices.ContainsFunc(all, func(o ours) bool { return o.For == readShort }) {
			return false
		}
	}
	return true
}
