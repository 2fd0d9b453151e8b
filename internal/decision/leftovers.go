package decision

import (
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// scripted is how the script of openshift/enhancements#1931 begins the names of its roles: a component follows.
const scripted = "openshift-"

// leftovers name the roles that have the names of the enhancement's script and that nobody holds: the script makes them first, and ends
// at the first id that the vCenter does not know. They belong to whoever ran it, so the command is for them.
func (s *VCenterPlan) leftovers() (notes []*plan.Change) {
	for _, c := range component.Names() {
		role, there := s.Roles.ByName(scripted + string(c))
		if !there || len(s.Perms.Holders(role.ID)) > 0 {
			continue
		}
		notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.Role, Name: role.Name, Note: fmt.Sprintf(
			"nobody holds this role, which was not created by this tool and has a name of the enhancement's script: if that left it, '%s' on %s removes it",
			script.Line("govc", "role.remove", role.Name), s.VCenter.Server)})
	}
	return notes
}
