package overview

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// notesOf say how a plan is taken back, and what is not; nil = it changes nothing.
func notesOf(p *plan.Plan) (notes []string) {
	if p.Empty() {
		return nil
	}
	notes = []string{"For a new cluster, destroy removes the accounts, the permissions and the roles that nobody else uses; " +
		"before another change, apply the earlier provisioning file instead."}
	if p.Any(func(c *plan.Change) bool { return c.Kind == plan.Folder || c.Kind == plan.Tag }) {
		notes = append(notes, "destroy keeps folders and tags.")
	}
	if p.Any(func(c *plan.Change) bool { return c.Verb != plan.Create && !c.Displaces }) {
		notes = append(notes, "destroy does not restore what this plan updates (~) or deletes (-).")
	}
	if p.Any(func(c *plan.Change) bool { return c.Kind == plan.Role && c.Verb == plan.Update }) {
		notes = append(notes, "To keep a role that was made by hand, name another rolePrefix in the provisioning file and plan again.")
	}
	return notes
}

// servedBy are the rows of the matrix that the changed roles serve.
func servedBy(p *plan.Plan) (rows []privileges.Row) {
	for _, c := range p.Changes() {
		if c.Kind == plan.Role {
			for _, r := range c.Serves {
				rows = append(rows, *r)
			}
		}
	}
	return rows
}

// drawReasons says once of each need what it is for, and below it the privileges that roles of the
// plan hold for it.
func drawReasons(c *canvas, p *plan.Plan, rows []privileges.Row) {
	held := map[string]bool{}
	for _, change := range p.Changes() {
		for _, id := range privilegesOf(change.After) {
			held[id] = true
		}
	}
	var order []string
	of := map[string][]string{}
	for _, r := range rows {
		if !held[r.Privilege] || r.Why == "" {
			continue
		}
		why := string(r.Component) + ": " + term.Line(r.Why)
		order, of[why] = lists.AppendNew(order, why), lists.AppendNew(of[why], term.Line(r.Privilege))
	}
	for _, why := range order {
		c.fill(0, 2, words(why)...)
		c.fill(4, 4, of[why]...)
	}
}
