package job

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// narrows says what takes privileges from accounts that stay in use, which no secret shows to be needed or not. "" = nothing.
func narrows(p *plan.Plan) string {
	var causes []string
	from := map[string][]string{}
	for _, x := range p.Changes() {
		if x.TakenBy != "" {
			causes = lists.AppendNew(causes, x.TakenBy)
			from[x.TakenBy] = lists.AppendNew(from[x.TakenBy], x.Principal)
		}
	}
	if causes == nil {
		return ""
	}
	slices.Sort(causes)
	slices.Reverse(causes) // what names itself stands last
	for i, by := range causes {
		causes[i] = by + " takes privileges from " + firstOf(from[by])
	}
	return strings.Join(causes, ", and ") + ", which components work with"
}

// unnarrowed refuses to narrow accounts in use without word, and says how they keep what they have. applied is what gives it.
func (w *Run) unnarrowed(c Change, narrows, applied string) error {
	hints := []string{"see which: " + w.CommandLine("plan", w.Invocation, "--full")}
	if len(c.Own) == 0 && (c.Command == "apply" || c.Command == "permissions grant") {
		hints = append(hints, "to keep them and add what is missing: "+w.CommandLine(c.Command, w.Invocation.Without("prune"), "--additive"))
	}
	own := append(slices.Clone(c.Own), "--applied")
	return hint.Wrap(fmt.Errorf("%s: %s; nothing was done", c.Subject, narrows),
		append(hints, "if no component needs them: "+applied+": "+w.CommandLine(c.Command, w.Invocation.Without(c.Within...), own...))...)
}
