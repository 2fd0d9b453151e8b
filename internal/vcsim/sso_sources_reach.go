package vcsim

import (
	"strings"

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
	if source := s.dir.sources[strings.ToLower(s.dir.canonical(domain))]; source != nil && source.unreachable {
		return errUnreachable
	}
	return nil
}

// twoNamespaces tells whether users and groups of a domain may have the same name: those of an operating system (root and
// root) and of an LDAP server can, those of the SSO domain and of Active Directory (sAMAccountName) cannot.
func (d *Directory) twoNamespaces(domain string) bool {
	source := d.sources[strings.ToLower(domain)]
	return source != nil && source.Type != "System" && source.Type != "ActiveDirectory"
}
