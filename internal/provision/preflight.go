package provision

import (
	"context"
	"fmt"
	"slices"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// invisible tells whether a fault says that the account may not see the object at all.
func invisible(err error) bool {
	return fault.Is(err, &types.ManagedObjectNotFound{}) || len(vcenter.MissingPrivileges(err)) > 0
}

// preflight replays what openshift-install checks as the account it is given: the groups of the installer matrix, in
// its order and with its names. Nothing is checked without the account
// that openshift-install works with.
func (j *Job) preflight(ctx context.Context, s *site, accounts []*account) []PreflightCheck {
	checks := []PreflightCheck{}
	i := slices.IndexFunc(accounts, func(a *account) bool {
		return slices.Contains(a.components, j.o.Spec.Account(component.Installer).Component)
	})
	if i < 0 || accounts[i].session == nil {
		return checks
	}
	matrix, err := privileges.Load("installer")
	if err != nil { // embedded, and tested
		return append(checks, PreflightCheck{Check: "installer matrix", Missing: []string{err.Error()}})
	}
	var objects []*vcenter.Object
	var wanted [][]string
	for _, fd := range s.spec.FailureDomains {
		holds := j.holds(s, fd)
		for _, g := range matrix.Preflight {
			if !g.Holds(holds) {
				continue
			}
			for _, o := range j.preflightObjects(s, fd, g.Scope) {
				check := PreflightCheck{Check: g.Description + " " + o.Path()}
				if slices.ContainsFunc(checks, func(had PreflightCheck) bool { return had.Check == check.Check }) {
					continue // failure domains share objects
				}
				checks, objects, wanted = append(checks, check), append(objects, o), append(wanted, g.Privileges)
			}
		}
	}
	for n := 0; ; n++ {
		missing := 0
		actual, err := effective(ctx, accounts[i].session, objects, func(*vcenter.Object) bool { return true })
		for k := range checks {
			if err != nil {
				checks[k].Missing = []string{fmt.Sprintf("unable to retrieve privileges: %v", err)}
			} else {
				checks[k].Missing = without(wanted[k], actual[k])
			}
			missing += len(checks[k].Missing)
		}
		if missing == 0 || err != nil || !again(ctx, n) {
			return checks
		}
	}
}

func (j *Job) preflightObjects(s *site, fd spec.FailureDomain, scope privileges.Scope) []*vcenter.Object {
	var paths []string
	switch scope {
	case privileges.ScopeVCenter:
		paths = []string{"/"}
	case privileges.ScopeDatacenter:
		paths = []string{fd.DatacenterPath()}
	case privileges.ScopeFolder:
		paths = []string{j.folderPath(s, fd)}
	case privileges.ScopeCluster:
		paths = []string{fd.ComputeCluster}
	case privileges.ScopeResourcePool:
		paths = []string{poolPath(fd)}
	case privileges.ScopeDatastore:
		paths = []string{fd.Datastore}
	case privileges.ScopeNetwork:
		paths = fd.Networks
	case privileges.ScopeSwitch:
	}
	var objects []*vcenter.Object
	for _, p := range paths {
		if o := s.inventory.At(p); o != nil {
			objects = append(objects, o)
		}
	}
	return objects
}
