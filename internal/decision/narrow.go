package decision

import (
	"errors"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// narrow keeps the changes of the kinds that this job does, and what explains them.
func (dec *Decision) narrow(p *VCenterPlan) {
	p.Changes = slices.DeleteFunc(p.Changes, func(c *plan.Change) bool { return !dec.Does(c.Kind) })
	p.Told = slices.DeleteFunc(p.Told, func(f *finding.Finding) bool {
		kind := plan.Kind(f.Object.Kind)
		explains := dec.Only != plan.User && (kind == plan.Privilege || kind == plan.Role && dec.Only == plan.Permission)
		return !dec.Does(kind) && !explains
	})
}

// checkPresent refuses to grant what is not there, and says where a role is not what the matrix asks for: making and changing roles
// and accounts is another command's, and perhaps another team's.
func (s *VCenterPlan) checkPresent(changes []*plan.Change) error {
	absent := map[plan.Kind][]string{}
	for _, c := range changes {
		switch {
		case c.Verb == plan.Create:
			absent[c.Kind] = append(absent[c.Kind], c.Name)
		case c.Verb == plan.Update && c.Kind == plan.Role:
			s.tell(c.Tell(finding.PlanNote, "is granted as it is, but differs from the matrix: roles diff shows how"))
		}
	}
	var errs []error
	for _, kind := range []plan.Kind{plan.Role, plan.User} {
		if names := absent[kind]; len(names) > 0 {
			errs = append(errs, hint.Errorf("to create them: "+s.Request.Command(string(kind)+"s create"), "%s: %ss not found: %s", s.VCenter.Server, kind, lists.Few(names)))
		}
	}
	return errors.Join(errs...)
}
