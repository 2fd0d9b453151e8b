package overview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
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

// learn finds the roles of a plan. The tool named new roles, but perhaps not the old ones.
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
			n.roles[c.Name] = nil // it has only its own name
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

// readShort is the map's name of the system's role ReadOnly, and of a role of ours that only reads.
const readShort = privileges.ReadWord

// role is the short name of a role in an account's column: its purpose if unique, else with the
// component, else with its digest, else its name. No two roles of a column have the same.
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

// claims are short names for a role in an account's column, the shortest first, its own last.
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

// plain reports whether [readShort] can only mean the system's role.
func (n *names) plain() bool {
	for role, all := range n.roles {
		if role == readShort || slices.ContainsFunc(all, func(o ours) bool { return o.For == readShort }) {
			return false
		}
	}
	return true
}

// swap is what holders gain and lose by a role that replaces another one.
type swap struct {
	from        string
	gets, loses []string
}

// swapsOf finds the roles that each new one replaces, except what others granted.
func swapsOf(v *plan.VCenter) map[string][]swap {
	all := map[string][]swap{}
	for _, c := range v.Changes {
		before, had := c.Before.(plan.PermissionState)
		after, has := c.After.(plan.PermissionState)
		if !had || !has || c.Displaces || before.Role == after.Role || len(c.Gains)+len(c.Loses) == 0 {
			continue
		}
		s := swap{before.Role, c.Gains, c.Loses}
		if !slices.ContainsFunc(all[after.Role], func(other swap) bool { return other.key() == s.key() }) {
			all[after.Role] = append(all[after.Role], s)
		}
	}
	return all
}

func (s swap) key() string {
	return s.from + "\x00" + strings.Join(s.gets, "\x01") + "\x00" + strings.Join(s.loses, "\x01")
}

func keyOf(swaps []swap) string {
	var key strings.Builder
	for _, s := range swaps {
		key.WriteString("\x00" + s.key())
	}
	return key.String()
}

// ids are those that come and go, each as a word.
func (s swap) ids() []string {
	var all []string
	for _, id := range s.gets {
		all = append(all, "+"+term.Line(id))
	}
	for _, id := range s.loses {
		all = append(all, "-"+term.Line(id))
	}
	return all
}

func (s swap) tally() string {
	return fmt.Sprintf("+%d -%d privileges", len(s.gets), len(s.loses))
}

// few are the ids of a row that have a line of their own if there is no room beside it.
func (r *row) few() []string {
	if len(r.ids) > fewIDs {
		return nil
	}
	return r.ids
}

// drawSwaps draws what a role changes for holders of another: ids if they fit, else numbers.
func (r *row) drawSwaps(c *canvas) {
	for _, s := range r.swaps {
		line := append(words("instead of"), label(s.from)+":")
		ids := s.ids()
		if !r.all && len(ids) > fewIDs && !c.fits(4+term.Width(strings.Join(append(slices.Clone(line), ids...), " "))) {
			ids = words(s.tally())
		}
		c.fill(4, 6, append(line, ids...)...)
	}
}

const mostNamed = 12

// losing says who loses privileges on an object, except for removed accounts.
func (a *attention) losing(p *plan.Plan) {
	goes := map[string]bool{}
	for _, c := range p.Changes() {
		if c.Kind == plan.User && c.Verb == plan.Delete {
			goes[strings.ToLower(c.Name)] = true
		}
	}
	for i, v := range p.VCenters {
		for _, c := range v.Changes {
			if len(c.Loses) > 0 && (c.Group || !goes[strings.ToLower(c.Principal)]) {
				a.about(think, loss(c), i, c)
			}
			before, _ := c.Before.(plan.PermissionState)
			if after, stays := c.After.(plan.PermissionState); stays && before.Propagate && !after.Propagate {
				a.about(think, "loses its permission ("+label(before.Role)+") below it", i, c)
			}
		}
	}
}

func loss(c *plan.Change) string {
	before, _ := c.Before.(plan.PermissionState)
	if c.Verb == plan.Delete && slices.Contains(c.Loses, "System.View") {
		return "loses its permission (" + label(before.Role) + ") and no longer sees it"
	}
	if len(c.Loses) > mostNamed {
		return "loses " + term.Count(len(c.Loses), "privilege") + " of role " + label(before.Role)
	}
	return "loses " + strings.Join(lines(c.Loses), ", ")
}
