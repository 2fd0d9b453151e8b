package overview

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func (a *attention) draw(c *canvas) {
	for _, x := range a.items {
		c.filled("", 0, 2, append([]string{x.sign}, a.words(x)...)...)
		for _, line := range x.below {
			if strings.HasPrefix(line, hintMark) {
				c.fill(2, 4, term.Words(line)...)
				continue
			}
			c.fill(4, 6, a.split(line)...)
		}
	}
}

// words returns an item as words that are not broken.
func (a *attention) words(x *item) []string {
	var all []string
	on, same := x.on, true
	for i, s := range x.subjects {
		if i == 0 {
			on = s.on
		}
		same = same && slices.Equal(on, s.on)
	}
	if where := a.names.where(on); len(where) > 0 && same {
		if strings.HasPrefix(where[0], "all ") && len(on) == len(a.names.read) {
			if where[0] = "all " + term.Count(len(on), "vCenter"); len(on) == 2 {
				where[0] = "both vCenters"
			}
		}
		all = append(all, where...)
		all[len(all)-1] += ":"
	}
	if len(x.subjects) > 0 {
		all = append(all, a.subjects(x.subjects, !same)...)
		all[len(all)-1] += ":"
	}
	return append(all, a.split(x.text)...)
}

// subjects says whom an item is about, by objects, and on which vCenters if these differ.
func (a *attention) subjects(all []*subject, where bool) []string {
	type group struct {
		who   []string
		place []string
	}
	var groups []*group
	var order []string
	of := map[string][]*subject{}
	for _, s := range counted(all) {
		if of[s.who] == nil {
			order = append(order, s.who)
		}
		of[s.who] = append(of[s.who], s)
	}
	for _, who := range order {
		place := a.places(of[who], where)
		i := slices.IndexFunc(groups, func(g *group) bool { return slices.Equal(g.place, place) })
		if i < 0 {
			i, groups = len(groups), append(groups, &group{place: place})
		}
		groups[i].who = append(groups[i].who, who)
	}
	var out []string
	for i, g := range groups {
		out = append(append(out, listed(g.who)...), g.place...)
		if i < len(groups)-1 {
			out[len(out)-1] += ";"
		}
	}
	return out
}

const mostDomains = 3

// counted replaces the names of many failure domains by their number.
func counted(all []*subject) []*subject {
	domains := 0
	for _, s := range all {
		if s.domain {
			domains += len(s.on)
		}
	}
	if domains <= mostDomains {
		return all
	}
	var out []*subject
	for _, s := range all {
		if s.domain {
			s = &subject{who: term.Count(domains, string(plan.FailureDomain)), object: s.object, on: s.on}
		}
		same := slices.IndexFunc(out, func(o *subject) bool { return o.who == s.who && o.object == s.object })
		if same < 0 {
			out = append(out, s)
			continue
		}
		for _, v := range s.on {
			out[same].on = joined(out[same].on, v)
		}
	}
	return out
}

// places are the objects of a subject, with the vCenters behind the last object that they share.
func (a *attention) places(all []*subject, where bool) []string {
	var out []string
	if all[0].object != "" {
		out = append(out, "on")
	}
	for len(all) > 0 {
		s, run := all[0], 1
		if where {
			run = runOf(len(all), func(i int) (string, string, bool) {
				return all[i].object, a.names.short[all[i].on[0]], len(all[i].on) == 1
			})
		}
		last := all[run-1]
		all = all[run:]
		if s.object != "" {
			out = append(out, label(s.object))
		}
		on := a.names.where(s.on)
		if run > 1 {
			out = append(out, "to", label(last.object))
			on = append(append(on, "to"), a.names.where(last.on)...)
		}
		if where && len(on) > 0 && (len(all) == 0 || !slices.Equal(all[0].on, s.on)) {
			on[0] = "(" + on[0]
			on[len(on)-1] += ")"
			out = append(out, on...)
		}
		if len(all) > 0 && len(out) > 0 {
			out[len(out)-1] += ","
		}
	}
	return out
}

// split cuts a text between words, not within a name.
func (a *attention) split(text string) []string {
	const blank = "\x00" // in no text that is safe for a terminal
	for _, name := range a.vocab {
		text = strings.ReplaceAll(text, name, strings.ReplaceAll(name, " ", blank))
	}
	out := strings.Fields(text)
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], blank, " ")
	}
	return out
}

// unread says why vCenters could not be planned and what to do, once for each text.
func (a *attention) unread(p *plan.Plan, vcenter int, v *plan.VCenter) {
	for _, cause := range v.Causes() {
		for line := range strings.Lines(cause.Text) {
			line = term.Line(strings.TrimSuffix(line, "\n"))
			if len(p.VCenters) > 1 { // else nothing says which one
				line = strings.TrimPrefix(line, term.Line(v.Server)+": ")
			}
			below := hints(cause.Hints)
			at := slices.IndexFunc(a.items, func(x *item) bool { return x.text == line && slices.Equal(x.below, below) })
			if at < 0 {
				at, a.items = len(a.items), append(a.items, &item{sign: think, text: line, below: below})
			}
			a.items[at].on = joined(a.items[at].on, vcenter)
		}
	}
}

// fold leaves hints below the last of the items that share them.
func (a *attention) fold() {
	for i, x := range a.items[:max(0, len(a.items)-1)] {
		if slices.Equal(x.below, a.items[i+1].below) {
			x.below = nil
		}
	}
}
