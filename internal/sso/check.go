package sso

import (
	"errors"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// ErrNobody says that a directory has no such principal, nor one with a similar name.
var ErrNobody = errors.New("not found")

// Check refuses a principal that no identity source has, that could not be looked up, or that is of
// another kind than group says (nil = either); nil if it was not asked for. field is its place.
func (s *State) Check(principal string, group *bool, field string) error {
	found, asked := s.Principal(principal)
	sources := "the identity sources of this vCenter: " + strings.Join(s.Sources, ", ")
	switch {
	case !asked:
		return nil
	case found.Unknown:
		return hint.Errorf(sources, "%s: principal %s not found: no identity source has its domain",
			s.server, found.Principal)
	case found.Err != nil:
		return hint.Errorf("check the directory server: the identity source does not answer",
			"%s: cannot look up principal %s in its identity source: %w", s.server, found.Principal, found.Err)
	case !found.User && !found.Group:
		if near := found.nearest(); near != "" {
			return hint.Errorf(sources, "%s: principal %s not found; did you mean %s?", s.server, found.Principal, near)
		}
		return hint.Errorf(sources, "%s: principal %s %w", s.server, found.Principal, ErrNobody)
	case found.User && found.Group && group == nil:
		return hint.Errorf("write group: true or group: false beside "+field+".principal",
			"%s: %s is both a user and a group", s.server, found.Principal)
	case group != nil && *group && !found.Group:
		return hint.Errorf("omit "+field+".group", "%s: %s is a user, not a group", s.server, found.Principal)
	case group != nil && !*group && !found.User:
		return hint.Errorf("omit "+field+".group", "%s: %s is a group, not a user", s.server, found.Principal)
	}
	return nil
}

// nearest is the similar principal that is there; "" if none is.
func (f Found) nearest() string {
	name, before, after := f.Principal, "", ""
	if d, n, ok := strings.Cut(name, `\`); ok {
		name, before = n, d+`\`
	} else if i := strings.LastIndex(name, "@"); i >= 0 {
		name, after = name[:i], name[i:]
	}
	if near := hint.Nearest(name, f.Nearest); near != "" {
		return before + near + after
	}
	return ""
}
