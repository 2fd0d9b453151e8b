package snapshot

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Presume takes what has the name of an account of ours, and a permission here, for that account, where the SSO domain was not read:
// else a run that only looks would miss that a rotation put another generation into use, and compare with accounts that are gone. A
// vCenter removes permissions of principals that no longer exist once a day.
func (s *Snapshot) Presume() {
	if s.SSO.Why == nil {
		return
	}
	at := map[string]sso.User{}
	for _, c := range s.Request.Spec.ComponentNames() {
		if !s.Request.Owns(c) {
			continue
		}
		account := s.Request.Spec.Account(c)
		for _, p := range s.Perms.All {
			name, _ := s.SSO.Split(p.Principal)
			if !p.Group && account.Generation(name) > 0 && s.SSO.Same(p.Principal) == s.SSO.Same(name+"@"+s.SSO.Domain) {
				at[strings.ToLower(name)] = sso.User{Name: strings.ToLower(name), Description: sso.Mark(s.Request.Spec.Cluster, c)}
			}
		}
	}
	presumed := *s.SSO
	presumed.Marked = slices.SortedFunc(maps.Values(at), func(a, b sso.User) int { return strings.Compare(a.Name, b.Name) })
	s.SSO = &presumed
	s.Request.Generate(s.Domain, []*Snapshot{s})
}

// Unseen reports whether what a run asks of accounts of ours is not known, because the administrator may not read the SSO domain.
func (s *Snapshot) Unseen() bool {
	return s.Err == nil && s.SSO != nil && s.SSO.Why != nil && s.Request.OwnsAny()
}
