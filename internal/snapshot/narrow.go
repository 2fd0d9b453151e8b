package snapshot

import (
	"errors"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Does reports whether this job changes a kind. Folders belong to the permissions on them, and
// groups to their members.
func (q *Request) Does(kind plan.Kind) bool {
	return q.Only == "" || q.Only == kind || q.Only == plan.Permission && kind == plan.Folder ||
		q.Only == plan.User && kind == plan.Group
}

// Desired is Bind as far as this run needs it. Roles alone may be of the assumed topology.
func (s *Snapshot) Desired() (*Desired, error) {
	switch {
	case s.Request.Only == plan.User:
		return &Desired{Wanted: access.Permissions(nil)}, nil
	case s.Request.Only == plan.Role && len(s.VCenter.FailureDomains) == 0:
		return s.assumed()
	}
	return s.Bind()
}

// Alone treats a vCenter as the only one of its SSO domain, because no other could be asked.
func (s *Snapshot) Alone() {
	s.Domain = &Domain{Key: s.VCenter.Server}
	s.Request.Generate(s.Domain, []*Snapshot{s})
}

// OwnsAny reports whether the run has an account of ours, which needs an administrator of SSO.
func (q *Request) OwnsAny() bool { return slices.ContainsFunc(q.Spec.Whole().ComponentNames(), q.Owns) }

// CheckAmbiguous refuses what only unread identity sources could tell: whether a principal is a
// user or a group, and whether two spellings are one account.
func (s *Snapshot) CheckAmbiguous() error {
	if s.SSO.Why == nil || !s.Request.Does(plan.Permission) {
		return nil
	}
	var errs []error
	seen := map[string]access.Principal{}
	for _, c := range s.Request.Spec.ComponentNames() {
		of, who := s.Request.Spec.Account(c), s.Holder(c)
		field := "components." + string(c) + ".principal"
		if !s.Request.Owns(c) && s.Request.declaredGroup(of.Principal, of.Group) == nil {
			errs = append(errs, hint.Errorf("write group: true or group: false beside "+field,
				"%s: cannot determine whether %s is a user or a group: %w", s.VCenter.Server, of.Principal, s.SSO.Why))
		}
		name := s.Bare(who)
		if had, twice := seen[name]; twice && s.short(had) != s.short(who) {
			errs = append(errs, hint.Errorf("write both with the full name of their domain, such as name@corp.example.com",
				"%s: cannot determine whether %s and %s are the same account: %w", s.VCenter.Server, had, who, s.SSO.Why))
		}
		seen[name] = who
	}
	return errors.Join(errs...)
}

// Bare is a principal's name without its domain, which may have several spellings.
func (s *Snapshot) Bare(g access.Principal) string {
	name, _ := s.SSO.Split(g.Name)
	return strings.ToLower(access.Principal{Name: name, Group: g.Group}.String())
}

// short reports whether a principal's domain is its alias, which has no dots.
func (s *Snapshot) short(g access.Principal) bool {
	_, domain := s.SSO.Split(g.Name)
	return !strings.Contains(domain, ".")
}
