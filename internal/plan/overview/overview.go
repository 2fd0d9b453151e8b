// Package overview draws a plan as a map for its approver: roles and users once for all vCenters,
// permissions as a matrix of inventory tree and accounts, and at the end what deserves attention.
// It depends on the plan alone, so a saved plan looks the same. Names are never broken.
package overview

import (
	"io"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Options say how a plan is drawn.
type Options struct {
	Width      int                 // columns of a line; 0 = any, and a page's for the tables
	Paint      plan.Paint          // nil = no colours
	Own        func(string) string // a sign of ours as the reader's locale shows it; nil = as it is
	Privileges bool                // with the ids of each role
	Full       bool                // one line per change instead of the map

	// Approving adds, for an approver, why each privilege is needed, from these rows of the matrix,
	// and how to take the plan back; nil = it does not.
	Approving []privileges.Row
}

// Renderer returns a function that draws a plan.
func Renderer(p *plan.Plan, o Options) func(io.Writer) error {
	return func(w io.Writer) error { return render(w, p, o) }
}

func render(w io.Writer, p *plan.Plan, o Options) error {
	c := &canvas{width: o.Width, paint: o.Paint}
	n := namesOf(p)
	if o.Own != nil {
		n.own = o.Own
	}
	draw(c, p, n, o)
	if o.Approving != nil && !p.Empty() {
		c.text("why each privilege\n")
		drawReasons(c, p, o.Approving)
		c.text("\nroll-back\n")
		for _, note := range notesOf(p) {
			c.fill(0, 2, words(note)...)
		}
		c.text("\n")
	}
	for line := range strings.Lines(p.Headline()) {
		c.fill(0, 2, words(line)...)
	}
	_, err := io.WriteString(w, c.String())
	return err
}

func draw(c *canvas, p *plan.Plan, n *names, o Options) {
	a := attentionOf(p, n, o.Full)
	if o.Full {
		full(c, p, a)
	} else {
		over(c, p, n, o)
	}
	if len(a.items) > 0 {
		c.text("attention\n")
		a.draw(c)
		c.text("\n")
	}
}

// over draws all of the map but its attention.
func over(c *canvas, p *plan.Plan, n *names, o Options) {
	if p.Empty() {
		return
	}
	if c.width <= 0 { // a pipe: sentences are whole lines there
		c.width = pageWidth
		defer func() { c.width = 0 }()
	}
	c.fill(0, 2, title(p, n)...)
	c.text("\n")
	drawTables(c, n, tablesOf(p, o))
	drawPermissions(c, p, n)
	if idle := n.idle(p); len(idle) > 0 {
		c.fill(0, 2, slices.Concat(words("nothing to change on"), listed(idle))...)
		c.text("\n")
	}
}

// kinds are those of changes, in the order of the map.
func kinds() []plan.Kind {
	return []plan.Kind{plan.Folder, plan.Tag, plan.Role, plan.Group, plan.User, plan.Permission}
}

// title summarizes the plan: "cluster1: 21 roles, 10 users to create on 2 vCenters".
func title(p *plan.Plan, n *names) []string {
	var parts []string
	for _, verb := range []plan.Verb{plan.Create, plan.Update, plan.Delete} {
		var counts []string
		for _, kind := range kinds() {
			if n := number(p, func(c *plan.Change) bool { return c.Kind == kind && c.Verb == verb && replaced(c) == "" }); n > 0 {
				counts = append(counts, term.Count(n, string(kind)))
			}
		}
		if len(counts) > 0 {
			parts = append(parts, strings.Join(counts, ", ")+" to "+string(verb))
		}
	}
	if n := number(p, func(c *plan.Change) bool { return replaced(c) != "" }); n > 0 {
		parts = append(parts, term.Count(n, "account")+" to replace in the credentials file")
	}
	line := words(strings.Join(parts, "; ") + " on")
	if p.Cluster != "" {
		line = append([]string{label(p.Cluster) + ":"}, line...)
	}
	acting := slices.DeleteFunc(slices.Clone(n.read), func(i int) bool { return n.idleAt(p, i) })
	if len(acting) == 1 {
		return append(line, n.servers[acting[0]])
	}
	return append(line, term.Count(len(acting), "vCenter"))
}

func number(p *plan.Plan, is func(*plan.Change) bool) int {
	total := 0
	for _, c := range p.Changes() {
		if is(c) {
			total++
		}
	}
	return total
}
