package spec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// profile is the one that the specification names.
func (s *Spec) profile() openshift.Profile {
	p, _ := openshift.FindProfile(s.Profile)
	return p
}

// accountOf is the component whose account a component works with: itself, but where the profile gives several components
// one account.
func (s *Spec) accountOf(c component.Name) component.Name { return s.profile().AccountOf(c) }

// Fold makes a matrix hold for the accounts of the profile: what several components need, their one account needs. Roles
// of a shared account have a name of their own, because another cluster on the same vCenter may keep the components apart.
func (s *Spec) Fold(m *privileges.Matrix) *privileges.Matrix {
	if m == nil { // a job that only reads catalogues has none
		return nil
	}
	named := s.named()
	into := map[component.Name]component.Name{}
	for _, c := range named {
		into[c] = s.accountOf(c)
	}
	return m.Fold(into, s.profile().RoleWords)
}

// named are the components that the specification names; none named are all.
func (s *Spec) named() []component.Name {
	all := component.Names()
	if len(s.Components) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(c component.Name) bool {
		_, named := s.Components[c]
		return !named
	})
}

// ComponentNames are the components that have an account, in the order of component.Names.
func (s *Spec) ComponentNames() []component.Name {
	var have []component.Name
	for _, c := range s.named() {
		have = append(have, s.accountOf(c))
	}
	return slices.DeleteFunc(component.Names(), func(c component.Name) bool { return !slices.Contains(have, c) })
}

// unused says that a component's principal is never asked for, "" if it is.
func (s *Spec) unused(c component.Name) string {
	if account := s.accountOf(c); account != c {
		return fmt.Sprintf("profile %s gives %s no account of its own, it works with that of %s", s.Profile, c, account)
	}
	return ""
}

// SetProfile changes the profile of a specification that is already read. A principal that the profile has no use for is
// an error.
func (s *Spec) SetProfile(profile string) error {
	changed := *s
	changed.Profile = profile
	var errs []error
	for _, c := range s.named() {
		if principal := s.Components[c].Principal; principal != "" && changed.accountOf(c) != c {
			errs = append(errs, fmt.Errorf("principal %s of %s is never used: %s", hint.Quote(principal), c, changed.unused(c)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.Profile = profile
	return nil
}
