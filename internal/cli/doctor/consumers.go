package doctor

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// consumersTable has a row for each report of a component, and one for each component without any.
func consumersTable(all []decision.Consumer) *term.Table {
	t := term.NewTable("vcenter", "component", "will report", "because", "lacks")
	for _, c := range all {
		if len(c.Cannot)+len(c.Alarms) == 0 {
			t.Row(c.Server, c.Component, "nothing: it can do its work", "-", "-")
		}
		for _, d := range c.Cannot {
			lacks := few(d.Missing) + " on " + d.Object
			if d.HiddenBy != "" {
				lacks = "sight of " + d.HiddenBy
			}
			t.Row(c.Server, c.Component, d.Reports, "it cannot "+d.Does, lacks)
		}
		for _, a := range c.Alarms {
			t.Row(c.Server, c.Component, a.Alert, a.Check+" asks for more than its work needs",
				few(a.Missing)+" on "+a.Object)
		}
	}
	return t
}

func few(ids []string) string {
	const most = 4
	if len(ids) > most {
		return term.Count(len(ids), "privilege") + " (see -o json)"
	}
	return strings.Join(ids, ", ")
}
