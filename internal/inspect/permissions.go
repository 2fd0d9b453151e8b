package inspect

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
)

// PermissionQuery selects permissions; by default those of accounts and roles of ours or specified.
type PermissionQuery struct {
	Principals []string // users or groups; none = any
	Objects    []string // none = any
	Inherited  bool     // with Objects: also those from above that reach them
	All        bool     // every permission
}

// PermissionList is existing permissions, and wanted ones if there are failure domains.
type PermissionList struct {
	Report
	VCenters   []PermissionsVCenter `json:"vcenters"`
	Incomplete []string             `json:"incomplete,omitempty"` // vCenters with permissions of unknown owners
}

// PermissionsVCenter is those of one vCenter, by object.
type PermissionsVCenter struct {
	Result
	Permissions []Permission `json:"permissions"`
}

// Results returns each vCenter's result.
func (l *PermissionList) Results() Results { return ResultsOf(l.VCenters) }

// Keep keeps permissions of selected components, and notes permissions without a known owner.
func (l *PermissionList) Keep(wants func(component string) bool) {
	for i := range l.VCenters {
		v := &l.VCenters[i]
		v.Permissions = slices.DeleteFunc(v.Permissions, func(p Permission) bool { return !wants(p.Component) })
		if slices.ContainsFunc(v.Permissions, func(p Permission) bool { return p.State == PermissionUnknown }) {
			l.Incomplete = append(l.Incomplete, v.Server)
		}
	}
}

// States of a permission.
const (
	PermissionWanted   = "wanted"
	PermissionDiffers  = "differs"    // wanted with another role or propagation
	PermissionUnwanted = "not wanted" // of an account of ours, and not in the specification
	PermissionMissing  = "missing"    // wanted and absent
	PermissionOurs     = "ours"       // of an account or with a role of ours; what is wanted is unknown
	PermissionForeign  = "foreign"
	PermissionGlobal   = "global"  // on all vCenters of the SSO domain; no command changes it
	PermissionUnknown  = "unknown" // of an account of the SSO domain, which was not read: perhaps ours
)

// Permission is one permission of a list. Component is its account's, "" if it is another's.
type Permission struct {
	Object    string `json:"object"`
	Principal string `json:"principal"`
	Group     bool   `json:"group"`
	Role      string `json:"role"`
	Propagate bool   `json:"propagate"`
	State     string `json:"state"`
	Wanted    string `json:"wanted,omitempty"` // differs: the wanted state
	Component string `json:"component,omitempty"`
	Reaches   string `json:"reaches,omitempty"` // inherited: the queried object
}

// PermissionState is the state of a compared permission. known: all wanted permissions were
// compared, so others are unwanted. ours says whose it is where the comparison does not.
func PermissionState(c perms.Compared, known, ours bool) string {
	switch {
	case c.Had == nil:
		return PermissionMissing
	case c.Had.Entity == inventory.Global.Ref:
		return PermissionGlobal
	case c.Want != nil && c.Step == nil && !c.Stays:
		return PermissionWanted
	case c.Want != nil:
		return PermissionDiffers
	case c.Owner != "" && known:
		return PermissionUnwanted
	case ours:
		return PermissionOurs
	}
	return PermissionForeign
}

// Places are the objects of a query and, with Inherited, those above, with the objects they reach.
type Places map[inventory.Ref][]reach

// reach is an object of a query that permissions reach.
type reach struct {
	path   string
	whole  bool // reached by all of them: they are on it, or on its other half
	itself bool
}

// Add adds an object of a query, with its parents if inherited.
func (at Places) Add(o *inventory.Object, path string, inherited bool) {
	at[o.Ref] = append(at[o.Ref], reach{path, true, true})
	if !inherited {
		return
	}
	at[inventory.Global.Ref] = append(at[inventory.Global.Ref], reach{path, false, false})
	for i, parent := range o.Above() {
		for half := i == 0 && o.Complex(); parent != nil; parent, half = parent.Parent, false {
			if r := (reach{path, half, false}); !slices.Contains(at[parent.Ref], r) {
				at[parent.Ref] = append(at[parent.Ref], r)
			}
		}
	}
}

// Reached names what a permission on an object reaches from above; "" on a queried object.
func (at Places) Reached(ref inventory.Ref) string {
	var paths []string
	for _, r := range at[ref] {
		if r.itself {
			return ""
		}
		if !slices.Contains(paths, r.path) {
			paths = append(paths, r.path)
		}
	}
	return strings.Join(paths, ", ")
}

// Chooses reports whether a permission is listed. same maps every spelling of a principal to one;
// ours: the permission is of an account or with a role of ours.
func (q PermissionQuery) Chooses(p perms.Permission, at Places, same func(string) string, ours bool) bool {
	switch {
	case len(q.Principals) > 0 && !slices.ContainsFunc(q.Principals,
		func(name string) bool { return same(name) == same(p.Principal) }),
		len(q.Objects) > 0 && !slices.ContainsFunc(at[p.Entity], func(r reach) bool { return r.whole || p.Propagate }):
		return false
	}
	return ours || q.All || !q.Unnarrowed()
}

// Unnarrowed reports whether neither objects nor principals are chosen.
func (q PermissionQuery) Unnarrowed() bool { return len(q.Objects)+len(q.Principals) == 0 }
