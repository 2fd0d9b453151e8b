// Whose is it? This decides what a run may change, and a name proves nothing: an administrator who
// followed the documentation by hand has a role openshift-machine-api, too.
//
//   - An account is ours if its description has our mark with this cluster and component
//     ([sso.Mark]) on a vCenter that was read. An existing account that the specification names
//     (principal:) is adopted: it gets permissions and is never changed or removed.
//   - A permission is ours if its principal is an account of ours. A permission of an adopted
//     account is ours if its role is, or if it is as we want it.
//     So is one of the group that an account of ours is put into (memberOf:): the group is adopted.
//   - A role is ours if its name ends with the digest of its privileges ([privileges.RoleNames]),
//     or if accounts of ours alone hold it. Clusters share roles: one with other holders stays.
//   - An object is never ours. A VM folder made by --create-folders is, but is not removed.
//
// What belongs to others stays unchanged, with two exceptions that need --displace: a permission
// that others gave an adopted account on the same object, and a role of ours with other holders
// that loses privileges. Both are recorded beside the credentials file, and destroy restores them.
//
// Examples: CORP\alice is components.machine-api.principal and holds the role openshift-machine-api
// without digest: the permission is displaced and the role stays. A role
// openshift-csi-driver-datastore-3f2a9c lost a privilege and no longer fits its name: it is
// repaired while accounts of ours hold it, else kept. An account ocp-c1-installer has no mark of
// ours: the run ends with an error.

package snapshot

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Exactly returns the principal's permission on the entry's own object; nil if none.
func (s *Snapshot) Exactly(e *access.Permission) *perms.Permission {
	if !e.At.Exists() {
		return nil
	}
	for _, p := range s.PermissionsOf(e.Account.Principal) {
		if p.Entity == e.At.Ref {
			return &p
		}
	}
	return nil
}

// Made reports whether this cluster gave a permission to an adopted principal, by its role. With
// --prune it may be any holder of such a role, else one that the specification names.
func (s *Snapshot) Made(wanted *Desired, p perms.Permission) bool {
	role, ok := s.Roles.ByID(p.RoleID)
	if !ok || role.System || s.Request.Spec.Cluster == "" {
		return false
	}
	facts := s.Facts[p.RoleID]
	if slices.ContainsFunc(s.Adoptees(), func(g access.Principal) bool { return s.Holds(g, p) }) {
		return facts.Kind == OwnRole || wanted.grants(p, role)
	}
	return s.Request.Prune && facts.Kind == OwnRole && !s.NamesHolder(p)
}

// NamesHolder reports whether the whole specification names the holder of a permission.
func (s *Snapshot) NamesHolder(p perms.Permission) bool {
	whole := s.Request.Spec.Whole()
	return slices.ContainsFunc(whole.ComponentNames(), func(c component.Name) bool {
		of := whole.Account(c)
		return of.Principal != "" && s.SSO.Same(of.Principal) == s.SSO.Same(p.Principal) ||
			of.ByGroup() && p.Group && s.SSO.Same(of.MemberOf) == s.SSO.Same(p.Principal)
	})
}

// Unnamed are the permissions with roles of this cluster whose holders the specification does not
// name: accounts that it adopted once.
func (s *Snapshot) Unnamed() []perms.Permission {
	return slices.DeleteFunc(slices.Clone(s.Perms.All), func(p perms.Permission) bool { return !s.unnamed(p) })
}

func (s *Snapshot) unnamed(p perms.Permission) bool {
	owner := s.Facts[p.RoleID].Owner
	return owner != "" && owner == s.Request.Spec.Cluster && !s.NamesHolder(p)
}

// LeftGroup reports whether a group of the SSO domain has permissions of this cluster, and the
// specification does not name it.
func (s *Snapshot) LeftGroup(group string) bool {
	return s.SSO.Within(group) && slices.ContainsFunc(s.Perms.Held(s.KeyOf(group, true)), s.unnamed)
}

// grants reports whether a permission is wanted by object and role name; a nil d wants nothing.
func (d *Desired) grants(p perms.Permission, role roles.Role) bool {
	return d != nil && !role.System && slices.ContainsFunc(d.Wanted.All, func(e *access.Permission) bool {
		return e.At.Ref == p.Entity && e.Role == role.Name && e.Account.Key == p.Key
	})
}

// RecordPath is the file beside which the record of displaced permissions is; "" if none is set.
func (q *Request) RecordPath() string {
	if q.Credentials == nil {
		return q.Beside
	}
	return q.Credentials.Beside()
}

// Where is the place of a permission in the record.
func (s *Snapshot) Where(p perms.Permission) credfile.Former {
	return credfile.Former{
		InstanceUUID: s.Instance, Server: s.VCenter.Server, Object: p.Entity.String(),
		Principal: p.Principal, Group: p.Group,
	}
}

// MarkBack says how to restore the mark of an account with a stored password; nil = not ours.
func (s *Snapshot) MarkBack(c component.Name, u sso.User) []string {
	_, _, others := sso.ParseMark(u.Description)
	if others || s.Request.Credentials == nil || !s.Request.Stored(s.VCenter.Server, u.Name+"@"+s.SSO.Domain, c) {
		return nil
	}
	mark := script.Line("govc", "sso.user.update", "-d", sso.Mark(s.Request.Spec.Cluster, c), u.Name)
	return []string{"if apply created it and somebody changed its description since, give that back on " + s.VCenter.Server + ": " + mark}
}

// CheckForeign refuses to touch accounts with our names that this tool did not create.
func (s *Snapshot) CheckForeign() error {
	var errs []error
	for _, a := range s.OwnAccounts() {
		if c := s.Compared(a.Name, a.Component); c.Foreign {
			err := fmt.Errorf("%s: account %s %s; nothing is removed", s.VCenter.Server, c.User.Name, c.User.Origin())
			errs = append(errs, hint.Wrap(err, s.MarkBack(a.Component, *c.User)...))
		}
	}
	return errors.Join(errs...)
}

// OursIn reports which permissions are ours: of our accounts, or by a role of this cluster.
func (s *Snapshot) OursIn(d *Desired) func(perms.Permission) bool {
	mine := map[string]bool{}
	for _, a := range s.Principals() {
		mine[a.Key] = !a.Adopted
	}
	for _, a := range s.OwnAccounts() {
		if !s.Request.OwnsHolder(a.Component) { // what it had before its group
			mine[s.UserKey(a.Principal(s))] = true
		}
	}
	for _, a := range s.Dropped() {
		mine[s.Key(access.Principal{Name: a.Principal(s)})] = true
	}
	ours := map[perms.Permission]bool{}
	for _, p := range s.Perms.All {
		own, known := mine[p.Key]
		if own {
			ours[p] = true
		} else if known {
			role, _ := s.Roles.ByID(p.RoleID)
			ours[p] = s.Facts[p.RoleID].Kind == OwnRole || d.grants(p, role)
		}
	}
	return func(p perms.Permission) bool { return ours[p] }
}
