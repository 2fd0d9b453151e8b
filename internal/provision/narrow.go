package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// does tells whether this job changes things of a kind. Folders belong to the permissions that stand on them.
func (j *Job) does(kind plan.Kind) bool {
	return j.o.Only == "" || j.o.Only == kind || j.o.Only == plan.Permission && kind == plan.Folder
}

// narrowed keeps the changes of the kinds that this job does, and the notes that explain them.
func (j *Job) narrowed(changes []*plan.Change) []*plan.Change {
	return slices.DeleteFunc(changes, func(c *plan.Change) bool {
		explains := c.Verb == plan.Note && j.o.Only != plan.User &&
			(c.Kind == plan.Privilege || c.Kind == plan.Role && j.o.Only == plan.Permission)
		return !j.does(c.Kind) && !explains
	})
}

// desired is what bind says, as far as this job needs it. Accounts need no objects, and roles none of a vCenter whose
// failure domains are not known yet: then they are those of the assumed topology.
func (j *Job) desired(ctx context.Context, s *site) (*desired, error) {
	switch {
	case j.o.Only == plan.User:
		return &desired{Wanted: access.Permissions(nil)}, nil
	case j.o.Only == plan.Role && len(s.spec.FailureDomains) == 0:
		return j.assumed(s)
	}
	d, err := j.bind(s)
	if err != nil {
		return nil, s.nearby(ctx, err)
	}
	return d, nil
}

// present refuses to grant what is not there, and says where a role is not what it shall be: making and changing roles
// and accounts is another command's, and perhaps another team's.
func (j *Job) present(s *site, changes []*plan.Change) (notes []*plan.Change, err error) {
	absent := map[plan.Kind][]string{}
	for _, c := range changes {
		switch {
		case c.Verb == plan.Create:
			absent[c.Kind] = append(absent[c.Kind], c.Name)
		case c.Verb == plan.Update:
			notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.Role, Name: c.Name, Note: "is granted as it is, which is not as the matrix has it: see roles diff"})
		}
	}
	var errs []error
	for _, kind := range []plan.Kind{plan.Role, plan.User} {
		if names := absent[kind]; len(names) > 0 {
			errs = append(errs, hint.Errorf("'"+string(kind)+"s create' makes them", "%s: there is no %s %s", s.spec.Server, kind, few(names)))
		}
	}
	return notes, errors.Join(errs...)
}

// readSSO reads the accounts. Roles are made without them, and permissions can be: whoever administers the vCenter need
// not administer its SSO domain, and the vCenter itself refuses a principal that does not exist. Nothing is removed
// without reading whose it is.
func (j *Job) readSSO(ctx context.Context, s *site) error {
	if j.o.Only == plan.Role && len(j.adopted()) < 2 { // whether two names mean one account decides what roles are called
		domain, _ := s.session.SSODomain(ctx) // only tells our accounts from others
		s.directory, s.sso = sso.Unread(s.session, domain, nil)
		s.domainKey = s.spec.Server
		if j.undoing { // linked vCenters may share their roles; the lookup service tells without a login who they are
			return j.identify(ctx, s)
		}
		return nil
	}
	var err error
	if s.directory, s.sso, err = sso.Read(ctx, s.session, sso.Query{Names: j.accountNames(), Principals: j.adopted(), Cluster: j.markedFor()}); err == nil {
		if j.o.Only == plan.Role {
			s.sso.Users = nil // they do not matter
		}
		return j.identify(ctx, s)
	}
	if j.o.Only != plan.Role && (j.o.Only != plan.Permission || j.undoing) || !errors.Is(err, vcenter.ErrCannotSSO) {
		return err
	}
	domain, domainErr := s.session.SSODomain(ctx)
	if domainErr != nil {
		return err
	}
	s.directory, s.sso = sso.Unread(s.session, domain, err)
	s.domainKey = s.spec.Server
	return nil
}

// untold refuses what only the identity sources could tell and were not asked: whether a principal is a user or a group,
// and whether two spellings are one account, which would keep the last of the permissions that it is given on an object.
func (j *Job) untold(s *site) error {
	if s.sso.Why == nil || !j.does(plan.Permission) {
		return nil
	}
	var errs []error
	seen := map[string]access.Principal{}
	for _, c := range j.o.Spec.ComponentNames() {
		of, who := j.o.Spec.Components[c], j.holder(s, c)
		field := "components." + string(c) + ".principal"
		if !j.owns(c) && j.said(of.Principal, of.Group) == nil {
			errs = append(errs, hint.Errorf("write group: true or group: false beside "+field,
				"%s: whether %s is a user or a group cannot be told: %w", s.spec.Server, of.Principal, s.sso.Why))
		}
		name := s.bare(who)
		if had, twice := seen[name]; twice && s.short(had) != s.short(who) {
			errs = append(errs, hint.Errorf("write both with the whole name of their domain, name@corp.example.com",
				"%s: whether %s and %s are one account cannot be told: %w", s.spec.Server, had, who, s.sso.Why))
		}
		seen[name] = who
	}
	return errors.Join(errs...)
}

// bare is a grantee's name without its domain, of which there may be several spellings.
func (s *site) bare(g access.Principal) string {
	name, _ := s.sso.Split(g.Name)
	return strings.ToLower(access.Principal{Name: name, Group: g.Group}.String())
}

// short tells whether a grantee's domain is named by its alias, which has no dots.
func (s *site) short(g access.Principal) bool {
	_, domain := s.sso.Split(g.Name)
	return !strings.Contains(domain, ".")
}

// unread says in the plan that accounts were taken for granted.
func (s *site) unread() []*plan.Change {
	if s.sso.Why == nil {
		return nil
	}
	return []*plan.Change{{Verb: plan.Note, Kind: plan.Permission, Note: fmt.Sprintf(
		"the accounts are taken for granted in SSO domain %s, because they could not be read: %s may not administer SSO; "+
			"permissions that are left over are not looked for", s.sso.Domain, s.session.User)}}
}
