package overview

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// unread says why a vCenter could not be planned and what to do about it, together with those for which both are the same.
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
