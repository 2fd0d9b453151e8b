package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// does reports whether this job changes things of a kind. Folders belong to the permissions that stand on them.
func (q *Request) does(kind plan.Kind) bool {
	return q.Only == "" || q.Only == kind || q.Only == plan.Permission && kind == plan.Folder
}

// narrowed keeps the changes of the kinds that this job does, and the notes that explain them.
func (q *snapshots) narrowed(changes []*plan.Change) []*plan.Change {
	return slices.DeleteFunc(changes, func(c *plan.Change) bool {
		explains := c.Verb == plan.Note && q.Only != plan.User &&
			(c.Kind == plan.Privilege || c.Kind == plan.Role && q.Only == plan.Permission)
		return !q.does(c.Kind) && !explains
	})
}

// desired is what bind says, as far as this run needs it. Accounts need no objects, and roles none of a vCenter whose
// failure domains are not known yet: then they are those of the assumed topology.
func (s *snapshot) desired() (*desired, error) {
	switch {
	case s.request.Only == plan.User:
		return &desired{Wanted: access.Permissions(nil)}, nil
	case s.request.Only == plan.Role && len(s.spec.FailureDomains) == 0:
		return s.assumed()
	}
	return s.bind()
}

// checkPresent refuses to grant what is not there, and says where a role is not what the matrix asks for: making and changing roles
// and accounts is another command's, and perhaps another team's.
func (s *vcenterPlan) checkPresent(changes []*plan.Change) (notes []*plan.Change, err error) {
	absent := map[plan.Kind][]string{}
	for _, c := range changes {
		switch {
		case c.Verb == plan.Create:
			absent[c.Kind] = append(absent[c.Kind], c.Name)
		case c.Verb == plan.Update && c.Kind == plan.Role:
			notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.Role, Name: c.Name, Note: "is granted as it is, but differs from the matrix: see roles diff"})
		}
	}
	var errs []error
	for _, kind := range []plan.Kind{plan.Role, plan.User} {
		if names := absent[kind]; len(names) > 0 {
			errs = append(errs, hint.Errorf("'"+string(kind)+"s create' creates them", "%s: %ss not found: %s", s.spec.Server, kind, lists.Few(names)))
		}
	}
	return notes, errors.Join(errs...)
}

// readSSO reads the accounts. Roles are made without them, and permissions can be: whoever administers the vCenter need
// not administer its SSO domain, and the vCenter itself refuses a principal that does not exist. Nothing is removed
// without reading whose it is.
func (j *Job) readSSO(ctx context.Context, t *target) error {
	q := t.request
	if q.Only == plan.Role && len(q.adopted()) < 2 { // whether two names mean one account decides what roles are called
		domain, _ := t.session.SSODomain(ctx) // only tells our accounts from others
		t.directory, t.sso = sso.Unread(t.session, domain, nil)
		t.alone()
		if q.undoing { // linked vCenters may share their roles; the lookup service tells without a login who they are
			return j.identify(ctx, t)
		}
		return nil
	}
	var err error
	if t.directory, t.sso, err = sso.Read(ctx, t.session, sso.Query{Names: q.knownNames(t.spec.Server), Principals: q.adopted(), Cluster: q.markedFor(), Ages: q.Ages || q.Ordering, Doubted: q.passwordDoubted(t.spec.Server)}); err == nil {
		if q.Only == plan.Role {
			t.sso.Users = nil // they do not matter
		}
		return j.identify(ctx, t)
	}
	spared := q.Only == plan.Role || q.Only == plan.Permission && !q.undoing || q.Only == "" && !q.ownsAny()
	if !errors.Is(err, vcenter.ErrCannotSSO) {
		return err
	}
	if !spared {
		return hint.Wrap(err, "or leave the accounts to others: components.NAME.principal and group: false for each component")
	}
	domain, domainErr := t.session.SSODomain(ctx)
	if domainErr != nil {
		return err
	}
	t.directory, t.sso = sso.Unread(t.session, domain, err)
	if q.Only == "" { // what vCenters share is known without a login
		return j.identify(ctx, t)
	}
	t.alone()
	return nil
}

// alone takes a vCenter for the only one of its SSO domain: nobody could be asked.
func (s *snapshot) alone() {
	s.domain = &domain{domainKey: s.spec.Server}
	s.request.generate(s.domain, []*snapshot{s})
}

// ownsAny reports whether an account of ours is asked for: whoever looks after it has to administer SSO.
func (q *Request) ownsAny() bool { return slices.ContainsFunc(q.Spec.Whole().ComponentNames(), q.owns) }

// checkAmbiguous refuses what only the identity sources could tell and were not asked: whether a principal is a user or a group,
// and whether two spellings are one account, which would keep the last of the permissions that it is given on an object.
func (s *snapshot) checkAmbiguous() error {
	if s.sso.Why == nil || !s.request.does(plan.Permission) {
		return nil
	}
	var errs []error
	seen := map[string]access.Principal{}
	for _, c := range s.request.Spec.ComponentNames() {
		of, who := s.request.Spec.Components[c], s.holder(c)
		field := "components." + string(c) + ".principal"
		if !s.request.owns(c) && s.request.declaredGroup(of.Principal, of.Group) == nil {
			errs = append(errs, hint.Errorf("write group: true or group: false beside "+field,
				"%s: cannot determine whether %s is a user or a group: %w", s.spec.Server, of.Principal, s.sso.Why))
		}
		name := s.bare(who)
		if had, twice := seen[name]; twice && s.short(had) != s.short(who) {
			errs = append(errs, hint.Errorf("write both with the full name of their domain, such as name@corp.example.com",
				"%s: cannot determine whether %s and %s are the same account: %w", s.spec.Server, had, who, s.sso.Why))
		}
		seen[name] = who
	}
	return errors.Join(errs...)
}

// bare is a principal's name without its domain, of which there may be several spellings.
func (s *snapshot) bare(g access.Principal) string {
	name, _ := s.sso.Split(g.Name)
	return strings.ToLower(access.Principal{Name: name, Group: g.Group}.String())
}

// short reports whether a principal's domain is named by its alias, which has no dots.
func (s *snapshot) short(g access.Principal) bool {
	_, domain := s.sso.Split(g.Name)
	return !strings.Contains(domain, ".")
}

// unread says in the plan that accounts were assumed to exist.
func (s *vcenterPlan) unread() []*plan.Change {
	if s.sso.Why == nil {
		return nil
	}
	return []*plan.Change{{Verb: plan.Note, Kind: plan.Permission, Note: fmt.Sprintf(
		"the accounts are assumed to exist in SSO domain %s, because %s may not administer SSO and cannot read them; "+
			"permissions that are left over are not searched for", s.sso.Domain, s.administrator)}}
}
