package overview

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// legend explains the signs that the tables and sheets use. Without permissions, what + and - mean goes without saying.
func legend(c *canvas, sheets []*sheet, n *names) {
	used := maps.Clone(c.used)
	if used == nil {
		used = map[string]bool{}
	}
	if len(sheets) == 0 && !used["~"] && !used["?"] {
		return
	}
	for _, s := range sheets {
		for _, b := range s.blocks {
			for _, o := range b.objects {
				used["·"] = used["·"] || len(o.change) < len(s.columns)
				for _, m := range o.marks(s.columns) {
					used[m.sign] = true
					used[down] = used[down] || m.reaches || strings.Contains(m.role, down)
					used[readShort] = used[readShort] || n.plain() && slices.Contains(strings.Fields(m.role), readShort)
				}
			}
		}
	}
	var all []string
	for _, e := range []struct{ sign, says string }{
		{"+", "+ create"},
		{"~", "~ update"},
		{"-", "- delete"},
		{"·", "· nothing"},
		{"?", "? not known"},
		{down, down + " reaches everything below"},
		{readShort, readShort + ": role " + privileges.ReadOnly},
	} {
		if used[e.sign] {
			all = append(all, e.says+" ")
		}
	}
	all[len(all)-1] = strings.TrimSpace(all[len(all)-1])
	c.fill(0, 0, all...)
	c.text("\n")
}
