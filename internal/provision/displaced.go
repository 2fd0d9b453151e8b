package provision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
)

// displaced says what a grant to somebody else's principal takes away from it on the object: an entry of a user's own
// beats all entries of its groups, and the nearest object with an entry decides, so that what is inherited from further
// up no longer counts there (R21, R22). What it has on the object itself is perms.Diff's to say.
func (j *Job) displaced(s *site, d *desired, e *entry) string {
	if e.place.Object == nil || !slices.ContainsFunc(j.adoptees(s), func(g grantee) bool { return s.key(g) == e.who }) {
		return ""
	}
	found, asked := s.sso.Principal(e.principal)
	for _, p := range s.perms.On(e.place.Object.Ref) {
		had := grantee{p.Principal, p.Group}
		if !asked && s.key(had) != e.who && s.bare(had) == s.bare(grantee{e.principal, e.group}) {
			return fmt.Sprintf("if it is the same as %s, this displaces %s; the groups that it is in could not be read", had, s.roles.Name(p.RoleID))
		}
	}
	if found.GroupsErr != nil || !asked {
		return "the groups that it is in could not be read, so what this displaces is not known"
	}
	after := union(implicit, e.privileges)
	var lost, from []string
	for _, had := range s.perms.Explain(perms.Subject{Name: e.principal, Group: e.group, Groups: found.Groups}, e.place.Object) {
		here := had.At.Ref == e.place.Object.Ref
		own := had.Group == e.group && s.sso.Same(had.Principal) == s.sso.Same(e.principal)
		switch {
		case !had.Counts, own && here:
			continue
		case e.group && here: // what two groups have on one object is added
			continue
		case own && d.at([]string{e.who}, had.At, true) != nil: // wanted too
			continue
		}
		less := without(s.roles.Privileges(s.roles.Name(had.RoleID)), after)
		if len(less) == 0 {
			continue
		}
		lost = union(lost, less)
		text := s.roles.Name(had.RoleID)
		if !own {
			text += " of group " + had.Principal
		}
		if !here {
			text += " on " + had.At.Path()
		}
		from = appendNew(from, text)
	}
	if len(lost) == 0 {
		return ""
	}
	return fmt.Sprintf("what it has here by %s no longer counts: it loses %s", strings.Join(from, ", "), few(lost))
}

// few lists some of many.
func few(ids []string) string {
	const most = 4
	if len(ids) <= most+1 {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}
