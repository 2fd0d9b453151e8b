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

package provision

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// exactly is the permission that an entry's principal has on the very object; nil if none.
func (s *snapshot) exactly(e *access.Permission) *perms.Permission {
	if !e.At.Exists() {
		return nil
	}
	for _, p := range s.permissionsOf(e.Account.Principal) {
		if p.Entity == e.At.Ref {
			return &p
		}
	}
	return nil
}

// made reports whether a permission of somebody else's principal is one that this cluster gave it: its role says so. With
// --prune that is true of whoever holds such a role, else of those alone that the specification names.
func (s *snapshot) made(wanted *desired, p perms.Permission) bool {
	role, ok := s.roles.ByID(p.RoleID)
	if !ok || role.System || s.request.Spec.Cluster == "" {
		return false
	}
	facts := s.facts[p.RoleID]
	if slices.ContainsFunc(s.adoptees(), func(g access.Principal) bool { return s.holds(g, p) }) {
		return facts.kind == ownRole || wanted.grants(p, role)
	}
	return s.request.Prune && facts.kind == ownRole && !s.namesHolder(p)
}

// namesHolder reports whether the specification, before it was narrowed, names the holder of a permission.
func (s *snapshot) namesHolder(p perms.Permission) bool {
	whole := s.request.Spec.Whole()
	return slices.ContainsFunc(whole.ComponentNames(), func(c component.Name) bool {
		of := whole.Account(c).Principal
		return of != "" && s.sso.Same(of) == s.sso.Same(p.Principal)
	})
}

// grants reports whether a permission is a wanted one by object and name of its role: somebody may have changed what the
// role holds. Nothing is wanted where d is nil.
func (d *desired) grants(p perms.Permission, role roles.Role) bool {
	return d != nil && !role.System && slices.ContainsFunc(d.All, func(e *access.Permission) bool {
		return e.At.Ref == p.Entity && e.Role == role.Name && e.Account.Key == p.Key
	})
}

// checkRivals refuses to grant an adopted principal anything where another cluster has: a principal has one permission on an
// object (R11), so that each of the two would take away what the other one needs.
func (s *vcenterPlan) checkRivals(d *desired) error {
	clusters := map[string][]string{} // the other cluster, and what is held
	who := map[string]string{}
	for _, e := range d.All {
		if !e.Account.Adopted {
			continue
		}
		p := s.exactly(e)
		if p == nil {
			continue
		}
		if owner := s.facts[p.RoleID].owner; owner != "" && owner != s.request.Spec.Cluster {
			key := owner + "\x00" + e.Account.Key
			clusters[key] = append(clusters[key], e.At.Path())
			who[key] = e.Account.Principal.String()
		}
	}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(clusters)) {
		owner, _, _ := strings.Cut(key, "\x00")
		errs = append(errs, hint.Errorf("give one of the two clusters another account: a principal has only one permission per object",
			"%s: %s is already used by cluster %s on %s, so cluster %s cannot use it there too",
			s.spec.Server, who[key], owner, lists.Few(clusters[key]), s.request.Spec.Cluster))
	}
	return errors.Join(errs...)
}

// checkMarks refuses principals that are accounts which this tool made for another cluster.
func (s *vcenterPlan) checkMarks() error {
	var errs []error
	for _, g := range s.adoptees() {
		found, _ := s.sso.Principal(g.Name)
		cluster, c, ok := sso.ParseMark(found.Description)
		if ok && cluster != s.request.Spec.Cluster {
			errs = append(errs, hint.Errorf("name an account that no other cluster uses, or omit principal and one is created",
				"%s: %s was created for cluster %s (%s), so cluster %s cannot use it", s.spec.Server, g, cluster, c, s.request.Spec.Cluster))
		}
	}
	return errors.Join(errs...)
}

// errForeign refuses an account that has a name of ours and not our mark.
func errForeign(s *snapshot, principal string, u sso.User) error {
	way := "ask its owner"
	if _, _, ours := sso.ParseMark(u.Description); ours {
		way = "check the cluster that the specification or --cluster names"
	}
	return hint.Errorf(way, "%s: account %s %s", s.spec.Server, principal, u.Origin())
}

// unnamed says who holds roles of this cluster and is not in the specification: an account that it adopted once.
func (s *vcenterPlan) unnamed() []*plan.Change {
	var notes []*plan.Change
	held, whose := map[string]int{}, map[string]access.Principal{}
	for _, p := range s.perms.All {
		if owner := s.facts[p.RoleID].owner; owner == "" || owner != s.request.Spec.Cluster {
			continue
		}
		who := principalOf(p)
		if !s.namesHolder(p) {
			held[who.String()]++
			whose[who.String()] = who
		}
	}
	for _, who := range slices.Sorted(maps.Keys(held)) {
		if s.request.undoing { // nothing that this prints may create anything again
			notes = append(notes, plan.Left("kept", "the specification does not name it, and it has "+term.Count(held[who], "permission")+
				" with roles of this cluster; to take them back, name it there again as the principal of its component and run destroy",
				plan.Change{Kind: plan.Permission, Principal: whose[who].Name, Group: whose[who].Group, Differs: true, Stays: s.request.unnarrowed()}))
			continue
		}
		notes = append(notes, &plan.Change{
			Verb: plan.Note, Kind: plan.Permission, Differs: true,
			Note: fmt.Sprintf("%s has %s with roles of this cluster but is not in the specification; they are kept until apply --prune removes them",
				who, term.Count(held[who], "permission")),
		})
	}
	return notes
}
