package privileges

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// declaration is what a file says about one component.
type declaration struct {
	component component.Name
	line      int
	like      component.Name
	rows      []Row
	lines     []int // of rows; 0 for rows taken over
}

func (p *parser) components(o yamldoc.Object, m *Matrix) {
	var all []*declaration
	for _, name := range o.Names {
		all = append(all, p.component(component.Name(name), o.Object(name, componentFields()...), m))
	}
	for _, d := range all {
		p.takeOver(d, all)
	}
	slices.SortStableFunc(all, func(a, b *declaration) int {
		return cmp.Compare(slices.Index(component.Names(), a.component),
			slices.Index(component.Names(), b.component))
	})
	for _, d := range all {
		p.duplicates(d)
		m.Rows = append(m.Rows, d.rows...)
	}
	if len(m.Rows) == 0 && p.Count() == 0 {
		p.Report(o.Line, "the matrix is empty: no component has a grant")
	}
}

func (p *parser) component(c component.Name, o yamldoc.Object, m *Matrix) *declaration {
	d := &declaration{component: c, line: o.Line}
	if up := o.Text("upstream").Value; up != "" {
		m.Upstream[c] = up
	}
	if stated := o.Text("stated").Value; stated != "" {
		m.Stated[c] = stated
	}
	if o.Has("from") && o.Has("like") {
		p.Report(o.Where("from").Line, "from and like exclude each other in component %s", c)
		return d
	}
	p.from(d, word(p, o, "from", "matrix", Names()))
	d.like = word(p, o, "like", "component", component.Names())
	grants, _ := o.List("grants")
	for _, g := range grants {
		p.grant(d, g, m)
	}
	if len(d.rows) == 0 && !o.Has("from") && !o.Has("like") && p.Count() == 0 {
		p.Report(o.Line, "component %s has no grants: omit it if it needs none", c)
	}
	return d
}

// from starts a component with its rows in an embedded matrix.
func (p *parser) from(d *declaration, name string) {
	if name == "" {
		return
	}
	m, err := loadEmbedded(name)
	if err != nil {
		p.Report(d.line, "%v", err)
		return
	}
	before := len(d.rows)
	for _, r := range m.Rows {
		if r.Component == d.component {
			d.rows, d.lines = append(d.rows, r), append(d.lines, 0)
		}
	}
	if len(d.rows) == before {
		p.Report(d.line, "matrix %s has no rows for %s", name, d.component)
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
		p.Report(d.line, "%s is like %s, which this file does not list", d.component, d.like)
		return
	case all[i].like != "":
		p.Report(d.line, "%s is like %s, which is itself like %s: use %[3]s", d.component, d.like, all[i].like)
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

func (p *parser) grant(d *declaration, item yamldoc.Item, m *Matrix) {
	before := p.Count()
	o := item.Object(grantFields()...)
	misspelt := p.Count() > before // then what is missing most likely is there under a wrong name
	r := Row{
		Component:       d.component,
		Scope:           word(p, o, "scope", "scope", Scopes()),
		Propagate:       o.Truth("propagate"),
		Conditions:      words(p, o, "conditions", "condition", Conditions()),
		GrantConditions: words(p, o, "grant-conditions", "condition", Conditions()),
		Source:          cmp.Or(p.sourceText(o), p.source),
		Why:             o.Text("why").Value,
		Evidence:        word(p, o, "evidence", "evidence", evidence()),
	}
	if !o.Given("conditions") {
		r.Conditions = []Condition{Always}
	}
	for _, need := range []string{"scope", "propagate", "privileges"} {
		if !o.Has(need) && !misspelt {
			p.Report(o.Line, "%s is missing in a grant of %s", need, d.component)
		}
	}
	if list, ok := o.List("conditions"); ok && len(list) == 0 && o.Given("conditions") {
		p.Report(o.Where("conditions").Line,
			"the list of conditions is empty, so the grant would never apply; omit it for always")
	}
	if slices.Contains(r.Conditions, Always) && len(r.Conditions) > 1 {
		p.Report(o.Where("conditions").Line, "always makes the other conditions redundant: remove it or them")
	}
	var ids []string
	list, ok := o.List("privileges")
	for _, item := range list {
		row := p.privilege(item, r)
		if row.Privilege == "" {
			continue
		}
		ids = append(ids, row.Privilege)
		d.rows, d.lines = append(d.rows, row), append(d.lines, item.Line)
	}
	if ok && len(list) == 0 && o.Has("privileges") {
		p.Report(o.Where("privileges").Line, "the list of privileges is empty")
	}
	if o.Given("preflight") {
		p.preflight(o.Object("preflight", preflightFields()...), r, ids, m)
	}
}

// privilege reads one entry of a list of privileges: an id, or an id with what only it has.
func (p *parser) privilege(item yamldoc.Item, r Row) Row {
	if target := p.Resolve(item.Node); target == nil || target.Kind != yaml.MappingNode {
		return p.checkID(item.Text(), r)
	}
	before := p.Count()
	o := item.Object(privilegeFields()...)
	if !o.Has("id") {
		if p.Count() == before {
			p.Report(o.Line, "id is missing in a privilege")
		}
		return r
	}
	r.Unknown = o.Truth("unknown")
	r.Why = cmp.Or(o.Text("why").Value, r.Why)
	r.Source = cmp.Or(p.sourceText(o), r.Source)
	r.Evidence = cmp.Or(word(p, o, "evidence", "evidence", evidence()), r.Evidence)
	return p.checkID(o.Text("id"), r)
}

func (p *parser) checkID(t yamldoc.Text, r Row) Row {
	if t.Bad {
		return r
	}
	if err := CheckID(t.Value); err != nil {
		p.Report(t.Line, "%v", err)
		return r
	}
	r.Privilege = t.Value
	return r
}

func (p *parser) preflight(o yamldoc.Object, r Row, ids []string, m *Matrix) {
	g := PreflightGroup{
		Group: o.Text("group").Value, Description: o.Text("description").Value,
		Scope: r.Scope, Privileges: ids, Conditions: r.Conditions,
	}
	if g.Group == "" || g.Description == "" {
		p.Report(o.Line, "preflight needs group and description")
	}
	m.Preflight = append(m.Preflight, g)
}

// duplicates refuses a privilege that a component gets twice at one scope with one propagation. Two
// conditions belong in one list.
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
			p.Report(d.lines[i], "%s %s: %s is already in the rows that the component starts with",
				d.component, r.Scope, r.Privilege)
		default:
			p.Report(d.lines[i], "%s %s: %s is already in line %d: put the conditions of both into one grant", d.component, r.Scope, r.Privilege, d.lines[j])
		}
	}
}

// word reads a field that has to be one of known; "" where it is left out or wrong.
func word[T ~string](p *parser, o yamldoc.Object, field, kind string, known []T) T {
	t := o.Text(field)
	if t.Bad || !o.Has(field) {
		return ""
	}
	return oneOf(p, t, kind, known)
}

// words reads a list of scalars that each have to be one of known, once.
func words[T ~string](p *parser, o yamldoc.Object, field, kind string, known []T) []T {
	var out []T
	list, _ := o.Texts(field)
	for _, t := range list {
		switch w := oneOf(p, t, kind, known); {
		case w == "":
		case slices.Contains(out, w):
			p.Report(t.Line, "%s %q is listed twice", kind, w)
		default:
			out = append(out, w)
		}
	}
	return out
}

func oneOf[T ~string](p *parser, t yamldoc.Text, kind string, known []T) T {
	if w := T(t.Value); slices.Contains(known, w) {
		return w
	}
	p.Report(t.Line, "%v", unknown(kind, t.Value, component.Words(known)))
	return ""
}

// values are the strings of a list.
func values(list []yamldoc.Text, _ bool) []string {
	var out []string
	for _, t := range list {
		out = append(out, t.Value)
	}
	return out
}
