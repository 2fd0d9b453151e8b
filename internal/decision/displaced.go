package decision

import (
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// displaces says what a grant to somebody else's principal changes of what others gave it further up or through its groups:
// an entry of a user's own beats all entries of its groups, and the nearest object with an entry decides, so that what is
// inherited from further up no longer counts there (R21, R22). What it has on the object itself is perms.Diff's to say.
// known tells that something is displaced, or may be; where only unread groups could tell it is false.
func (s *VCenterPlan) displaces(d *snapshot.Desired, e *access.Permission) (text string, known bool) {
	if !e.At.Exists() || !e.Account.Adopted || s.Owns(e.Components[0]) { // one that a work order asks for has nothing yet
		return "", true
	}
	found, asked := s.SSO.Principal(e.Account.Principal.Name)
	for _, p := range s.Perms.On(e.At.Ref) {
		had := PrincipalOf(p)
		if !asked && p.Key != e.Account.Key && s.Bare(had) == s.Bare(e.Account.Principal) {
			return fmt.Sprintf("if it is the same as %s, this displaces %s; its groups could not be read", had, s.Roles.Name(p.RoleID)), true
		}
	}
	after := lists.Union(privileges.ImplicitIDs(), e.Holds)
	var lost, from, lifted []string
	for _, had := range s.Explain(s.Subject(e.Account.Principal, found.Groups), e.At) {
		here := had.At.Ref == e.At.Ref
		own := had.Permission.Key == e.Account.Key
		switch {
		case !had.Counts, own && here:
			continue
		case e.Account.Principal.Group && here: // what two groups have on one object is added
			continue
		case own && d.At(e.Account.Key, had.At) != nil: // wanted too
			continue
		}
		what := s.Roles.Name(had.Permission.RoleID)
		if !own {
			what += " of group " + had.Permission.Principal
		}
		if !here {
			what += " on " + had.At.Path()
		}
		if !s.Roles.Reads(had.Permission.RoleID) {
			lifted = lists.AppendNew(lifted, what)
		}
		if less := lists.Without(s.Roles.Privileges(s.Roles.Name(had.Permission.RoleID)), after); len(less) > 0 {
			lost, from = lists.Union(lost, less), lists.AppendNew(from, what)
		}
	}
	var parts []string
	if len(lost) > 0 {
		parts = append(parts, fmt.Sprintf("its permission through %s no longer applies here: it loses %s", strings.Join(from, ", "), lists.Few(lost)))
	}
	if len(lifted) > 0 {
		parts = append(parts, "lifts "+strings.Join(lifted, ", ")+", which keeps it out now")
	}
	known = len(parts) > 0
	if found.GroupsErr != nil || !asked {
		parts = append(parts, "its groups could not be read, so what this displaces is not known")
	}
	return strings.Join(parts, "; "), known
}

// former gives what stood where a permission of an adopted principal is taken away, by the record beside the credentials
// file.
func (e *Snapshots) former(s *snapshot.Snapshot) func(perms.Permission) (plan.PermissionState, bool) {
	if e.Displaced == nil {
		return nil
	}
	return func(p perms.Permission) (plan.PermissionState, bool) {
		e.Displaced.Same = s.SSO.Same
		f, ok := e.Displaced.Get(s.Where(p))
		return plan.PermissionState{Role: f.Role, Propagate: f.Propagate}, ok
	}
}
