package perms

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// compareSteps says in the steps of a Diff which privileges their principals gain and lose on the objects: role names do not tell.
// Taking everything back, as Removals alone does, takes everything.
func compareSteps(steps []Step, want []Want, r Roles) []Step {
	for _, step := range steps {
		before, had := step.Before.(plan.PermissionState)
		if !had {
			continue
		}
		old := r.Privileges(before.Role)
		switch after, stays := step.After.(plan.PermissionState); {
		case step.want != nil:
			step.Gains, step.Loses = lists.Without(step.want.Holds, old), lists.Without(old, step.want.Holds)
		case stays:
			step.Gains, step.Loses = lists.Without(r.Privileges(after.Role), old), lists.Without(old, r.Privileges(after.Role))
		default:
			above, sees := inherited(want, step)
			step.Loses = lists.Without(old, above)
			if !sees && r.Reads(step.Had.RoleID) { // the object itself
				step.Loses = append(step.Loses, privileges.ImplicitIDs()...)
			}
		}
	}
	return steps
}

// inherited is what a principal is wanted to have further up, and gets on an object where it has nothing of its own. sees: there is
// any such permission, so that it still sees the object.
func inherited(want []Want, step Step) (all []string, sees bool) {
	for _, w := range want {
		if w.Propagate && w.Key == step.Had.Key && strings.HasPrefix(step.Object, strings.TrimSuffix(w.At.Path(), "/")+"/") {
			all, sees = append(all, w.Holds...), true
		}
	}
	return all, sees
}
