package privileges

import (
	"cmp"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// declaration is what a file says about one component.
type declaration struct {
	component component.Name
	node      *yaml.Node
	like      component.Name
	rows      []Row
	lines     []int // of rows; 0 for rows taken over
}

func (p *parser) components(n *yaml.Node, m *Matrix) {
	var all []*declaration
	for _, c := range p.pairs(n, "components", "component", names(component.Names())) {
		all = append(all, p.component(component.Name(c.key.Value), c.value, m))
	}
	for _, d := range all {
		p.takeOver(d, all)
	}
	slices.SortStableFunc(all, func(a, b *declaration) int {
		return cmp.Compare(slices.Index(component.Names(), a.component), slices.Index(component.Names(), b.component))
	})
	for _, d := range all {
		p.duplicates(d)
		m.Rows = append(m.Rows, d.rows...)
	}
	if len(m.Rows) == 0 && len(p.errs) == 0 {
		p.errorf(n, "the matrix is empty: no component has a grant")
	}
}

func (p *parser) component(c component.Name, n *yaml.Node, m *Matrix) *declaration {
	what := "component " + string(c)
	f := p.fields(n, what, "upstream", "from", "like", "grants")
	d := &declaration{component: c, node: n}
	if up := p.text(f["upstream"], "upstream"); up != "" {
		m.Upstream[c] = up
	}
	if f["from"] != nil && f["like"] != nil {
		p.errorf(f["from"], "from and like exclude each other in %s", what)
		return d
	}
	if f["from"] != nil {
		p.from(d, word(&p.reader, f["from"], "matrix", Names()))
	}
	if f["like"] != nil {
		d.like = word(&p.reader, f["like"], "component", component.Names())
	}
	for _, g := range p.items(f["grants"], "grants") {
		p.grant(d, g, m)
	}
	if len(d.rows) == 0 && f["from"] == nil && f["like"] == nil && len(p.errs) == 0 {
		p.errorf(n, "%s has no grants: leave it out if it needs none", what)
	}
	return d
}

// from starts a component with its rows in an embedded matrix.
func (p *parser) from(d *declaration, name string) {
	if name == "" {
		return
	}
	if p.loaded == nil {
		p.loaded = map[string]*Matrix{}
	}
	if p.loaded[name] == nil {
		m, err := loadEmbedded(name)
		if err != nil {
			p.errorf(d.node, "%w", err)
			return
		}
		p.loaded[name] = m
	}
	before := len(d.rows)
	for _, r := range p.loaded[name].Rows {
		if r.Component == d.component {
			d.rows, d.lines = append(d.rows, r), append(d.lines, 0)
		}
	}
	if len(d.rows) == before {
		p.errorf(d.node, "matrix %s has no rows for %s", name, d.component)
	}
}

// takeOver puts the rows of another component of the same file before those of d.
func (p *parser) takeOver(d *declaration, all []*declaration) {
	if d.like == "" {
		return
	}
	i := slices.IndexFunc(all, func(o *declaration) bool { return o.component == d.like })
	switch {
	case i < 0:
		p.errorf(d.node, "%s is like %s, which this file does not list", d.component, d.like)
		return
	case all[i].like != "":
		p.errorf(d.node, "%s is like %s, which is like %s itself: name that one", d.component, d.like, all[i].like)
		return
	}
	var rows []Row
	for _, r := range all[i].rows {
		r.Component = d.component
		rows = append(rows, r)
	}
	d.lines = append(make([]int, len(rows)), d.lines...)
	d.rows = append(rows, d.rows...)
}

func (p *parser) grant(d *declaration, n *yaml.Node, m *Matrix) {
	before := len(p.errs)
	f := p.fields(n, "a grant of "+string(d.component),
		"scope", "propagate", "conditions", "grant-conditions", "preflight", "evidence", "source", "why", "privileges")
	misspelt := len(p.errs) > before // then what is missing most likely is there under a wrong name
	r := Row{
		Component:       d.component,
		Scope:           word(&p.reader, f["scope"], "scope", Scopes()),
		Propagate:       p.flag(f["propagate"], "propagate"),
		Conditions:      words(&p.reader, f["conditions"], "condition", Conditions()),
		GrantConditions: words(&p.reader, f["grant-conditions"], "condition", Conditions()),
		Source:          cmp.Or(p.sourceText(f["source"]), p.source),
		Why:             p.text(f["why"], "why"),
	}
	if f["evidence"] != nil {
		r.Evidence = word(&p.reader, f["evidence"], "evidence", evidence())
	}
	if f["conditions"] == nil {
		r.Conditions = []Condition{Always}
	}
	for _, need := range []string{"scope", "propagate", "privileges"} {
		if f[need] == nil && !misspelt {
			p.errorf(n, "%s is missing in a grant of %s", need, d.component)
		}
	}
	if v := f["conditions"]; v != nil && len(v.Content) == 0 {
		p.errorf(v, "the list of conditions is empty: the grant would never hold; leave it out for always")
	}
	if slices.Contains(r.Conditions, Always) && len(r.Conditions) > 1 {
		p.errorf(f["conditions"], "one condition is enough, so always makes the others pointless: drop it or them")
	}
	var ids []string
	for _, item := range p.items(f["privileges"], "privileges") {
		row := p.privilege(item, r)
		if row.Privilege == "" {
			continue
		}
		ids = append(ids, row.Privilege)
		d.rows, d.lines = append(d.rows, row), append(d.lines, item.Line)
	}
	if v := f["privileges"]; v != nil && v.Kind == yaml.SequenceNode && len(v.Content) == 0 {
		p.errorf(v, "the list of privileges is empty")
	}
	p.preflight(f["preflight"], r, ids, m)
}

// privilege reads one entry of a list of privileges: an id, or an id with what only it has.
func (p *parser) privilege(n *yaml.Node, r Row) Row {
	if n.Kind != yaml.MappingNode {
		r.Privilege = p.text(n, "a privilege")
		return p.checkID(n, r)
	}
	before := len(p.errs)
	f := p.fields(n, "a privilege", "id", "unknown", "why", "source", "evidence")
	if f["id"] == nil {
		if len(p.errs) == before {
			p.errorf(n, "id is missing in a privilege")
		}
		return r
	}
	r.Privilege = p.text(f["id"], "id")
	r.Unknown = p.flag(f["unknown"], "unknown")
	r.Why = cmp.Or(p.text(f["why"], "why"), r.Why)
	r.Source = cmp.Or(p.sourceText(f["source"]), r.Source)
	if f["evidence"] != nil {
		r.Evidence = word(&p.reader, f["evidence"], "evidence", evidence())
	}
	return p.checkID(f["id"], r)
}

// checkID refuses what cannot be an id, whatever the catalogue: an id is sent as it is and printed into scripts.
func (p *parser) checkID(n *yaml.Node, r Row) Row {
	for _, c := range r.Privilege {
		if c != '.' && c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			p.errorf(n, "privilege %q holds %q: an id consists of letters, digits and dots", r.Privilege, c)
			r.Privilege = ""
			return r
		}
	}
	if r.Privilege == "" && n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		p.errorf(n, "a privilege is empty")
	}
	return r
}

func (p *parser) preflight(n *yaml.Node, r Row, ids []string, m *Matrix) {
	if n == nil {
		return
	}
	f := p.fields(n, "preflight", "group", "description")
	g := PreflightGroup{
		Group: p.text(f["group"], "group"), Description: p.text(f["description"], "description"),
		Scope: r.Scope, Privileges: ids, Conditions: r.Conditions,
	}
	if g.Group == "" || g.Description == "" {
		p.errorf(n, "preflight needs group and description")
	}
	m.Preflight = append(m.Preflight, g)
}

// duplicates refuses a privilege that a component gets twice at one scope with one propagation. Two conditions belong in one
// list: rows are never added up or replaced silently.
func (p *parser) duplicates(d *declaration) {
	type key struct {
		scope     Scope
		propagate bool
		privilege string
	}
	first := map[key]int{}
	for i, r := range d.rows {
		k := key{r.Scope, r.Propagate, r.Privilege}
		j, twice := first[k]
		switch {
		case !twice:
			first[k] = i
		case d.lines[i] == 0: // reported where it was taken from
		case d.lines[j] == 0:
			p.errorf(&yaml.Node{Line: d.lines[i]}, "%s %s: %s is already among the rows that the component starts with", d.component, r.Scope, r.Privilege)
		default:
			p.errorf(&yaml.Node{Line: d.lines[i]}, "%s %s: %s stands in line %d already: put the conditions of both into one grant", d.component, r.Scope, r.Privilege, d.lines[j])
		}
	}
}
