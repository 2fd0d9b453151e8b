package decision

import (
	"errors"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// narrowed keeps the changes of the kinds that this job does, and the notes that explain them.
func (q *Snapshots) narrowed(changes []*plan.Change) []*plan.Change {
	return slices.DeleteFunc(changes, func(c *plan.Change) bool {
		explains := c.Verb == plan.Note && q.Only != plan.User &&
			(c.Kind == plan.Privilege || c.Kind == plan.Role && q.Only == plan.Permission)
		return !q.Does(c.Kind) && !explains
	})
}

// checkPresent refuses to grant what is not there, and says where a role is not what the matrix asks for: making and changing roles
// and accounts is another command's, and perhaps another team's.
func (s *VCenterPlan) checkPresent(changes []*plan.Change) (notes []*plan.Change, err error) {
	absent := map[plan.Kind][]string{}
	for _, c := range changes {
		switch {
		case c.Verb == plan.Create:
			absent[c.Kind] = append(absent[c.Kind], c.Name)
		case c.Verb == plan.Update && c.Kind == plan.Role:
			notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.Role, Name: c.Name, Note: "is granted as it is, but differs from the matrix: roles diff shows how"})
		}
	}
	var errs []error
	for _, kind := range []plan.Kind{plan.Role, plan.User} {
		if names := absent[kind]; len(names) > 0 {
			errs = append(errs, hint.Errorf("to create them: "+s.Request.Command(string(kind)+"s create"), "%s: %ss not found: %s", s.VCenter.Server, kind, lists.Few(names)))
		}
	}
	return notes, errors.Join(errs...)
}
