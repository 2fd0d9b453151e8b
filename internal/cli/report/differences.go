package report

import (
	"cmp"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/report"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// differences are changes since the earlier report, then differences between vCenters.
func differences(r *report.Report) *term.Table {
	t := term.NewTable("differs", "what", "vcenter", "value", "before")
	if r.Since != nil {
		for _, c := range r.Since.Changes {
			t.Row("since "+r.Since.Made.Format("2006-01-02"), c.What, cmp.Or(c.Server, "all"),
				cmp.Or(c.After, "none"), cmp.Or(c.Before, "none"))
		}
	}
	for _, d := range r.Differences {
		for _, v := range d.Values {
			t.Row("between vCenters", d.What, strings.Join(v.Servers, ", "), v.Value, command.Some(""))
		}
	}
	return t
}
