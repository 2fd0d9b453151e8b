// Whose is it? The hardest rule of this package decides what a run may change, and it has one premise: a name proves nothing. Anybody
// may call a role openshift-machine-api, and an administrator who followed the documentation by hand did.
//
//   - An account is ours if its description bears our mark with this cluster and component ([sso.Mark]), on a vCenter that was read. The
//     specification may name an account that exists (principal:): it is adopted, which means granted and never changed or removed.
//   - A permission is ours if its principal is an account of ours, whatever its role is. An adopted account may have others' permissions
//     beside ours: one of those is ours if its role is, or if it is as we want it.
//   - A role is ours if its name ends with the digest of what it holds ([privileges.RoleNames]), or accounts of ours alone hold it.
//     Clusters share roles: one that somebody else holds stays.
//   - An object is never ours, except a VM folder that --create-folders made, and that one is not removed.
//
// What belongs to somebody else is read and left alone. Two things may be altered after a question of their own (--displace): a permission that others
// gave to an adopted account on the very object, and a role of ours that is narrowed although others hold it. Both are recorded beside
// the credentials file first, and destroy restores what was there.
//
// Examples: the role openshift-machine-api without digest, held by CORP\alice, who is components.machine-api.principal: somebody else's
// role on an adopted account, so the permission is displaced and the role stays. A role openshift-csi-driver-datastore-3f2a9c of which somebody took a
// privilege: its name no longer fits what it holds, so it is mended while accounts of ours hold it, and kept when nobody does. An account
// ocp-c1-installer without our mark: somebody else was faster, and the run ends with an error.

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

// Exactly is the permission that an entry's principal has on the very object; nil if none.
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

// Made reports whether a permission of somebody else's principal is one that this cluster gave it: its role says so. With
// --prune that is true of whoever holds such a role, else of those alone that the specification names.
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

// NamesHolder reports whether the specification, before it was narrowed, names the holder of a permission.
func (s *Snapshot) NamesHolder(p perms.Permission) bool {
	whole := s.Request.Spec.Whole()
	return slices.ContainsFunc(whole.ComponentNames(), func(c component.Name) bool {
		of := whole.Account(c).Principal
		return of != "" && s.SSO.Same(of) == s.SSO.Same(p.Principal)
	})
}

// Unnamed are the permissions with roles of this cluster whose holders the specification does not
// name: accounts that it adopted once.
func (s *Snapshot) Unnamed() []perms.Permission {
	return slices.DeleteFunc(slices.Clone(s.Perms.All), func(p perms.Permission) bool {
		owner := s.Facts[p.RoleID].Owner
		return owner == "" || owner != s.Request.Spec.Cluster || s.NamesHolder(p)
	})
}

// grants reports whether a permission is a wanted one by object and name of its role: somebody may have changed what the
// role holds. Nothing is wanted where d is nil.
func (d *Desired) grants(p perms.Permission, role roles.Role) bool {
	return d != nil && !role.System && slices.ContainsFunc(d.All, func(e *access.Permission) bool {
		return e.At.Ref == p.Entity && e.Role == role.Name && e.Account.Key == p.Key
	})
}

// RecordPath is the path that the record of what was displaced is beside; "" where nobody said.
func (q *Request) RecordPath() string {
	if q.Credentials == nil {
		return q.Beside
	}
	return q.Credentials.Beside()
}

// Where is the place of a permission in the record.
func (s *Snapshot) Where(p perms.Permission) credfile.Former {
	return credfile.Former{InstanceUUID: s.Instance, Server: s.VCenter.Server, Object: p.Entity.String(), Principal: p.Principal, Group: p.Group}
}

// MarkBack is how an account whose password is stored here gets its mark again, which somebody took from it; nil = it is not known to
// be ours.
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

// OursIn tells which permissions are ours: all that accounts of ours have, and what adopted ones have by a role of this cluster.
func (s *Snapshot) OursIn(d *Desired) func(perms.Permission) bool {
	mine := map[string]bool{}
	for _, a := range s.Principals() {
		mine[a.Key] = !a.Adopted
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
