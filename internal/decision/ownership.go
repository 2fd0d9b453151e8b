package decision

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// checkRivals refuses to adopt a principal that another cluster has: a principal has one permission
// on an object (R11), so the two would remove each other's rights.
func (v *VCenterPlan) checkRivals(d *snapshot.Desired) error {
	clusters := map[string][]string{} // what is held, by the other cluster
	who := map[string]string{}
	for _, e := range d.Wanted.All {
		if !e.Account.Adopted {
			continue
		}
		p := v.At.Exactly(e)
		if p == nil {
			continue
		}
		if owner := v.At.Facts[p.RoleID].Owner; owner != "" && owner != v.At.Request.Spec.Cluster {
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
			v.At.VCenter.Server, who[key], owner, lists.Few(clusters[key]), v.At.Request.Spec.Cluster))
	}
	return errors.Join(errs...)
}

// checkMarks refuses principals that this tool made for another cluster.
func (v *VCenterPlan) checkMarks() error {
	var errs []error
	for _, g := range v.At.Adoptees() {
		found, _ := v.At.SSO.Principal(g.Name)
		cluster, c, ok := sso.ParseMark(found.Description)
		if ok && cluster != v.At.Request.Spec.Cluster {
			errs = append(errs, hint.Errorf("name an account that no other cluster uses, or omit principal and one is created",
				"%s: %s was created for cluster %s (%s), so cluster %s cannot use it", v.At.VCenter.Server, g,
				cluster, c, v.At.Request.Spec.Cluster))
		}
	}
	return errors.Join(errs...)
}

// errForeign is the error for an account with a name of ours and without our mark.
func errForeign(s *snapshot.Snapshot, c component.Name, u sso.User) error {
	way := append(s.MarkBack(c, u), "ask its owner")[0]
	if _, _, ours := sso.ParseMark(u.Description); ours {
		way = "check the cluster that the specification or --cluster names"
	}
	return hint.Errorf(way, "%s: account %s@%s %s", s.VCenter.Server, u.Name, s.SSO.Domain, u.Origin())
}

// unnamed reports principals with roles of this cluster that the specification no longer names.
func (v *VCenterPlan) unnamed() {
	held := map[access.Principal]int{}
	for _, p := range v.At.Unnamed() {
		held[PrincipalOf(p)]++
	}
	for _, who := range slices.SortedFunc(maps.Keys(held), func(a, b access.Principal) int {
		return strings.Compare(a.String(), b.String())
	}) {
		of := plan.Change{Kind: plan.Permission, Principal: who.Name, Group: who.Group}
		count := term.Count(held[who], "permission")
		if v.At.Request.Undoing { // this text must not advise to create anything
			v.tell(of.Tell(stays(v.At.Request.Unnarrowed(), finding.NotAsSpecified), "kept: the specification does not name it, and it has "+
				count+" with roles of this cluster; to take them back, "+
				"name it there again, as principal or memberOf of its component, and run destroy"))
			continue
		}
		v.tell(of.Tell(finding.NotAsSpecified, "has "+count+" with roles of this cluster but is not in the "+
			"specification; they are kept until apply --prune removes them"))
	}
}

// stays is the code for what is left; asked: the run was to remove it.
func stays(asked bool, otherwise finding.Code) finding.Code {
	if asked {
		return finding.StaysBehind
	}
	return otherwise
}

// PrincipalOf returns the holder of a permission.
func PrincipalOf(p perms.Permission) access.Principal {
	return access.Principal{Name: p.Principal, Group: p.Group}
}

// checkPrincipals refuses principals that no identity source has, or that cannot be looked up.
func (v *VCenterPlan) checkPrincipals() error {
	var errs []error
	reported := map[string]bool{}
	for _, c := range v.At.Request.Spec.ComponentNames() {
		of := v.At.Request.Spec.Account(c)
		if of.MemberOf != "" {
			errs = append(errs, v.checkGroup(c, of))
			continue
		}
		if v.At.Request.Owns(c) || v.At.Request.Ordering && v.lacks(of.Principal) {
			continue
		}
		err := v.At.SSO.Check(of.Principal, of.Group, "components."+string(c))
		if errors.Is(err, sso.ErrNobody) {
			order := v.At.Request.Command("plan", "--work-order", "FILE")
			err = hint.Wrap(err, "to write a request for the directory team: "+order)
		}
		if err != nil && !reported[err.Error()] {
			errs = append(errs, err)
			reported[err.Error()] = true
		}
	}
	return errors.Join(errs...)
}

// checkGroup refuses a group for an account of ours that is not there, that gives it rights which no
// permission shows, whose members would get its permissions in place of theirs, or that others are to put the account into.
func (v *VCenterPlan) checkGroup(c component.Name, of spec.Account) error {
	group, field := v.At.Holder(c).Name, "components."+string(c)
	_, exists := v.At.SSO.Own(v.At.Account(c).Name)
	instead := "write the group as principal, with group: true"
	switch {
	case !of.ByGroup():
		return hint.Errorf(instead, "%s: %s exists and was not created by this tool, so it is not put into group %s",
			v.At.VCenter.Server, of.Principal, of.MemberOf)
	case v.At.Request.Ordering && !exists:
		return hint.Errorf(instead+"; the makers of the account put it there",
			"%s: a work order leaves the account of %s to others, and %s.memberOf is for accounts that apply creates", v.At.VCenter.Server, c, field)
	}
	if g := v.At.Empowering(append(v.At.GroupsOf(v.At.Holder(c)), group)); g != "" {
		return hint.Errorf("name a group that no service knows", "%s: members of group %s have rights that no permission shows, through %s",
			v.At.VCenter.Server, group, g)
	}
	isGroup := true
	found, _ := v.At.SSO.Principal(group)
	switch err := v.At.SSO.Check(group, &isGroup, field); {
	case found.User && !found.Group:
		return hint.Errorf("name a group as "+field+".memberOf, or this user as "+field+".principal",
			"%s: %s is a user, not a group", v.At.VCenter.Server, group)
	case err != nil && v.At.Request.Op != accounts.Keep:
		return hint.Wrap(err, "to make it and give it the permissions: "+v.At.Request.Command("apply"))
	case err != nil && !v.makes(c):
		return hint.Wrap(err, "to make it: "+v.At.Request.Command("users create"))
	}
	others := strangers(v.At, c)
	if len(others) > 0 && !(joined(v.At, c) && v.granted(group)) { // its permissions would override theirs
		remedies := []string{"name a group that has no members yet"}
		if cluster, of, _ := sso.ParseMark(found.Description); cluster == v.At.Request.Spec.Cluster && of == c {
			remedies = append(takeOut(v.At, c, others), "or name another group")
		}
		return hint.Wrap(fmt.Errorf("%s: group %s %w of %s: %s", v.At.VCenter.Server, group, ErrStrangers, c, lists.Few(others)),
			remedies...)
	}
	return nil
}

// granted reports whether a group has permissions with roles of ours on a vCenter of the SSO domain.
func (v *VCenterPlan) granted(group string) bool {
	return slices.ContainsFunc(v.DomainPlan.VCenters, func(o *VCenterPlan) bool {
		return o.At.Perms != nil && slices.ContainsFunc(o.At.Perms.Held(o.At.KeyOf(group, true)),
			func(p perms.Permission) bool { return o.At.Facts[p.RoleID].Kind != snapshot.ForeignRole })
	})
}

// ErrStrangers says that others are in the group of an account that is not in it.
var ErrStrangers = errors.New("has members that are not the account")

// displaces says what a grant to an adopted principal changes of what others gave it further up or
// through its groups. A user's own entry beats those of its groups, and the nearest object with an
// entry decides (R21, R22). The entry on the object itself is left to perms.Diff. known: something
// is, or may be, displaced, by more than unread groups.
func (v *VCenterPlan) displaces(d *snapshot.Desired, e *access.Permission) (text string, known bool) {
	if !e.At.Exists() || !e.Account.Adopted || v.At.Request.OwnsHolder(e.Components[0]) { // ordered: no rights
		return "", true
	}
	found, asked := v.At.SSO.Principal(e.Account.Principal.Name)
	for _, p := range v.At.Perms.On(e.At.Ref) {
		had := PrincipalOf(p)
		if !asked && p.Key != e.Account.Key && v.At.Bare(had) == v.At.Bare(e.Account.Principal) {
			return fmt.Sprintf("if it is the same as %s, this displaces %s; its groups could not be read",
				had, v.At.Roles.Name(p.RoleID)), true
		}
	}
	after := lists.Union(privileges.ImplicitIDs(), e.Holds)
	var lost, from, lifted []string
	for _, had := range v.At.Explain(v.At.Subject(e.Account.Principal, found.Groups), e.At) {
		here := had.At.Ref == e.At.Ref
		own := had.Permission.Key == e.Account.Key
		switch {
		case !had.Counts, own && here:
			continue
		case e.Account.Principal.Group && here: // rights of two groups on one object add up
			continue
		case own && d.Wanted.At(e.Account.Key, had.At) != nil: // wanted too
			continue
		}
		what := v.At.Roles.Name(had.Permission.RoleID)
		if !own {
			what += " of group " + had.Permission.Principal
		}
		if !here {
			what += " on " + had.At.Path()
		}
		if !v.At.Roles.Reads(had.Permission.RoleID) {
			lifted = lists.AppendNew(lifted, what)
		}
		if less := lists.Without(v.At.Roles.Privileges(v.At.Roles.Name(had.Permission.RoleID)), after); len(less) > 0 {
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

// former returns what an adopted principal had before a removed permission, from the record.
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
