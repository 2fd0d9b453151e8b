package decision

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// PrincipalOf is whose a permission is.
func PrincipalOf(p perms.Permission) access.Principal {
	return access.Principal{Name: p.Principal, Group: p.Group}
}

// checkPrincipals refuses principals that cannot be granted anything: because no identity source has them, or because it
// cannot be looked up.
func (s *VCenterPlan) checkPrincipals() error {
	var errs []error
	said := map[string]bool{}
	for _, c := range s.Request.Spec.ComponentNames() {
		of := s.Request.Spec.Account(c)
		found, asked := s.SSO.Principal(of.Principal)
		if s.Request.Owns(c) || !asked || s.Request.Ordering && s.lacks(of.Principal) {
			continue
		}
		if err := s.refused(found, of.Group, "components."+string(c)); err != nil && !said[err.Error()] {
			errs = append(errs, err)
			said[err.Error()] = true
		}
	}
	return errors.Join(errs...)
}

// refused says why a principal cannot be taken for what the specification says, nil when it can. field is where it
// stands.
func (s *VCenterPlan) refused(found sso.Found, group *bool, field string) error {
	server := s.VCenter.Server
	sources := "the identity sources of this vCenter: " + strings.Join(s.SSO.Sources, ", ")
	switch {
	case found.Unknown:
		return hint.Errorf(sources, "%s: principal %s not found: no identity source has its domain", server, found.Principal)
	case found.Err != nil:
		return hint.Errorf("check the directory server: the identity source does not answer",
			"%s: cannot look up principal %s in its identity source: %w", server, found.Principal, found.Err)
	case !found.User && !found.Group:
		near := nearestPrincipal(found)
		hints := []string{sources}
		if near == "" {
			hints = append(hints, "to write a request for the directory team: "+s.Request.Command("plan", "--work-order", "FILE"))
		}
		return hint.Wrap(fmt.Errorf("%s: principal %s not found%s", server, found.Principal, near), hints...)
	case found.User && found.Group && group == nil:
		return hint.Errorf("write group: true or group: false beside "+field+".principal", "%s: %s is both a user and a group", server, found.Principal)
	case group != nil && *group && !found.Group:
		return hint.Errorf("omit "+field+".group", "%s: %s is a user, not a group", server, found.Principal)
	case group != nil && !*group && !found.User:
		return hint.Errorf("omit "+field+".group", "%s: %s is a group, not a user", server, found.Principal)
	}
	return nil
}

func nearestPrincipal(found sso.Found) string {
	name, put := found.Principal, func(near string) string { return near }
	if d, n, ok := strings.Cut(name, `\`); ok {
		name, put = n, func(near string) string { return d + `\` + near }
	} else if i := strings.LastIndex(name, "@"); i >= 0 {
		d := name[i:]
		name, put = name[:i], func(near string) string { return near + d }
	}
	if near := hint.Nearest(name, found.Nearest); near != "" {
		return "; did you mean " + put(near) + "?"
	}
	return ""
}
