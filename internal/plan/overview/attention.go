package overview

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// attention is what to consider before approval, each thing once.
type attention struct {
	names *names
	full  bool     // each change has a line, with its note
	vocab []string // names with blanks, which are not broken
	items []*item
	open  map[[2]string]bool // server and path of datacenters of which a finding says what reaches below
}

type item struct {
	sign     string // think or know
	text     string
	subjects []*subject
	on       []int    // vCenters, if there are no subjects; nil = the text says it
	below    []string // commands and changes, a line each
	ways     bool     // below has the hints of its notes
}

type subject struct {
	who, object string
	domain      bool // who is a failure domain
	on          []int
}

// signs of items.
const (
	think = "!"
	know  = "i"
)

func attentionOf(p *plan.Plan, n *names, full bool) *attention {
	a := &attention{names: n, full: full, vocab: vocabulary(p), open: map[[2]string]bool{}}
	for i, v := range p.VCenters {
		a.unread(p, i, v)
	}
	a.fold()
	for _, f := range p.Findings {
		if f.Object == nil {
			a.items = append(a.items, &item{sign: think, text: term.Line(f.Text), below: hints(f.Remedies)})
		}
	}
	a.displacing(p)
	a.told(p)
	for i, v := range p.VCenters {
		for _, c := range v.Changes {
			a.of(i, v, c)
		}
	}
	a.losing(p)
	slices.SortStableFunc(a.items, func(x, y *item) int { return strings.Compare(x.sign, y.sign) }) // ! before i
	return a
}

func hints(commands []string) []string {
	out := make([]string, len(commands))
	for i, c := range commands {
		out[i] = hintMark + term.Line(c)
	}
	return out
}

const hintMark = "hint: "

// vocabulary is the names of a plan that have blanks in them.
func vocabulary(p *plan.Plan) []string {
	var all []string
	add := func(names ...string) {
		for _, name := range names {
			if strings.Contains(name, " ") {
				all = lists.AppendNew(all, term.Line(name))
			}
		}
	}
	for _, c := range p.Changes() {
		add(c.Name, c.Object, c.Principal)
	}
	for _, f := range p.Findings {
		if f.Object != nil {
			add(f.Object.Name, f.Object.Path, f.Object.Principal)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

// displacing adds each change that alters what others granted, as it needs confirmation.
func (a *attention) displacing(p *plan.Plan) {
	on := map[string][]int{}
	var order []string
	for i, v := range p.VCenters {
		for _, c := range v.Changes {
			if c.Displaces {
				line := c.Sign() + " " + c.Line()
				if on[line] == nil {
					order = append(order, line)
				}
				if !slices.Contains(on[line], i) {
					on[line] = append(on[line], i)
				}
			}
		}
	}
	for _, line := range order {
		at := slices.IndexFunc(a.items, func(x *item) bool { return x.text == displaces && slices.Equal(x.on, on[line]) })
		if at < 0 {
			at, a.items = len(a.items), append(a.items, &item{sign: think, text: displaces, on: on[line]})
		}
		a.items[at].below = append(a.items[at].below, line)
	}
}

const displaces = "changes permissions or roles that this tool does not own; requires --displace:"

// told adds the findings about objects, each once for the vCenters where it is the same.
func (a *attention) told(p *plan.Plan) {
	index := indexOf(p)
	for _, f := range p.Findings {
		if f.Object == nil {
			continue
		}
		sign := think
		if f.Severity == finding.Note {
			sign = know
		}
		if f.Code == finding.WholeDatacenter {
			a.open[[2]string{f.Server, f.Object.Path}] = true
		}
		on, known := index[f.Server]
		if !known {
			on = -1
		}
		a.about(sign, term.Line(f.Text), on, plan.About(f), f.Remedies...)
	}
}

// indexOf finds the vCenters of a plan by server.
func indexOf(p *plan.Plan) map[string]int {
	index := map[string]int{}
	for i, v := range p.VCenters {
		index[v.Server] = i
	}
	return index
}

func (a *attention) of(i int, v *plan.VCenter, c *plan.Change) {
	text, sign := term.Line(c.Note), think
	switch {
	case c.Displaces: // its note is in its line
		text = ""
	case besideName(c.Kind): // it is beside the name
		text = ""
	case c.Verb == plan.Update && c.Kind == plan.Permission:
		if sign = know; c.Displaced != nil && c.Remark == "" { // the matrix says it
			text = ""
		}
	case c.Verb == plan.Create:
		sign = know
	}
	if a.full && sign == know { // it is in its line
		text = ""
	}
	if text != "" {
		a.about(sign, text, i, c)
	}
	if lost := lists.Without(privilegesOf(c.Before), privilegesOf(c.After)); c.Verb == plan.Update && len(lost) > 0 {
		a.about(think, "loses "+strings.Join(lines(lost), ", "), i, c)
	}
	if after, ok := c.After.(plan.PermissionState); ok && after.Propagate &&
		!reads(after.Role) && c.Datacenter == "" && !a.open[[2]string{v.Server, c.Object}] {
		a.about(think, "reaches everything below", i, c)
	}
}

// about adds a text about a change to the item with the same text. A change without names stands
// for the whole vCenter, whose index is vcenter; below 0 = none.
func (a *attention) about(sign, text string, vcenter int, c *plan.Change, remedies ...string) {
	var of *subject
	switch {
	case c.Name == "" && c.Object == "" && c.Principal == "":
	case c.Kind == plan.Permission && c.Principal != "":
		of = &subject{who: account{c.Principal, c.Group}.String(), object: c.Object}
	case c.Kind == plan.Permission:
		of = &subject{who: label(c.Object)}
	case c.Kind == plan.User:
		of = &subject{who: label(c.Name)}
	case c.Kind == plan.FailureDomain:
		of = &subject{who: string(c.Kind) + " " + label(c.Name), object: c.Object, domain: true}
	default:
		of = &subject{who: string(c.Kind) + " " + label(c.Name)}
	}
	at := slices.IndexFunc(a.items, func(x *item) bool {
		return x.sign == sign && x.text == text && (len(x.below) == 0 || x.ways) && (x.subjects == nil) == (of == nil)
	})
	if at < 0 {
		at, a.items = len(a.items), append(a.items, &item{sign: sign, text: text})
	}
	x := a.items[at]
	if len(remedies) > 0 {
		x.ways, x.below = true, lists.AppendNew(x.below, hints(remedies)...)
	}
	if of == nil {
		x.on = joined(x.on, vcenter)
		return
	}
	known := slices.IndexFunc(x.subjects, func(s *subject) bool { return s.who == of.who && s.object == of.object })
	if known < 0 {
		known, x.subjects = len(x.subjects), append(x.subjects, of)
	}
	x.subjects[known].on = joined(x.subjects[known].on, vcenter)
}

func joined(on []int, vcenter int) []int {
	if vcenter < 0 || slices.Contains(on, vcenter) {
		return on
	}
	return append(on, vcenter)
}

// reads reports whether a role only reads, by its name: the system's, or ours for adopted accounts.
func reads(role string) bool {
	return role == privileges.ReadOnly || slices.ContainsFunc(component.Names(), func(c component.Name) bool {
		o, ok := oursOf(role, c)
		return ok && o.For == readShort
	})
}
