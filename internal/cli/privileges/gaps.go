package privileges

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Gaps are what components that a matrix has rows for cannot do with it, with the accounts of a profile, where some conditions hold, on
// a vCenter that knows some privileges (nil = all).
func Gaps(m *privileges.Matrix, p openshift.Profile, holds map[privileges.Condition]bool, known []string) []*privileges.Gap {
	of := slices.DeleteFunc(m.Components(), func(c component.Name) bool { return len(privileges.Duties(c)) == 0 })
	into := map[component.Name]component.Name{}
	for _, c := range of {
		into[c] = p.AccountOf(c)
	}
	return access.Gaps(m.Fold(into, nil), privileges.RoleSetOptions{Components: of, Holds: holds, Known: known}, p.AccountOf)
}
