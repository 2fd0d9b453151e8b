package vcsim

import (
	"github.com/vmware/govmomi/ssoadmin/types"
)

// searchable is the answer to a question about a principal whose identity source is down: a fault, never "there is none"
// (inferred from R32, which tells an unresolved name from an absent one).
func (s *ssoService) searchable(req any) error {
	var domain string
	switch r := req.(type) {
	case *types.FindUser:
		domain = r.UserId.Domain
	case *types.FindPersonUser:
		domain = r.UserId.Domain
	case *types.FindGroup:
		domain = r.GroupId.Domain
	case *types.FindNestedParentGroups:
		domain = r.UserId.Domain
	case *types.FindDirectParentGroups:
		domain = r.PrincipalId.Domain
	case *types.FindAllParentGroups:
		domain = r.UserId.Domain
	case *types.FindUsers:
		domain = r.Criteria.Domain
	case *types.FindPersonUsers:
		domain = r.Criteria.Domain
	case *types.FindGroups:
		domain = r.Criteria.Domain
	case *types.Find:
		domain = r.Criteria.Domain
	}
	if !s.dir.Reachable(domain) {
		return errUnreachable
	}
	return nil
}
