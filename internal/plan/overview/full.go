package overview

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// full draws a line for every change, vCenter by vCenter. What is no change is left to the attention part.
func full(c *canvas, p *plan.Plan, a *attention) {
	for i, v := range p.VCenters {
		c.fill(0, 0, a.names.servers[i])
		for _, change := range v.Changes {
			c.filled(change.Sign(), 2, 6, append([]string{change.Sign()}, a.split(change.Line())...)...)
		}
		switch {
		case len(v.Changes) > 0:
		case v.Error != "":
			c.text("  could not be read\n")
		case p.Concerns(v.Server):
			c.text("  nothing else to change\n")
		default:
			c.text("  nothing to change\n")
		}
		c.text("\n")
	}
}
