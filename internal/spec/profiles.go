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

// Fold makes a matrix hold for the accounts of the specification: with what releases need beyond it (privileges.added), and
// by the profile. What several components need, their one account needs. Roles
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
	return m.With(s.Privileges.Added).Fold(into, s.profile().RoleWords)
}

// CheckMatrix refuses a matrix that has no rows for a component that is opt-in and named: its account could do nothing.
func (s *Spec) CheckMatrix(m *privileges.Matrix) error {
	have := m.Components()
	for _, c := range s.named() {
		if c.OptIn() && !slices.Contains(have, c) {
			return hint.Errorf(fmt.Sprintf("--matrix %s has them; in your own matrix write them below components, or reuse those of an embedded one: %s: {from: %s}",
				DefaultMatrix, c, DefaultMatrix), "component %s needs privileges, but matrix %s has none for it", c, m.Name)
		}
	}
	return nil
}

// named are the components that the specification names; none named are those of every cluster.
func (s *Spec) named() []component.Name {
	if len(s.Components) == 0 {
		return component.Default()
	}
	return slices.DeleteFunc(component.Names(), func(c component.Name) bool {
		_, named := s.Components[c]
		return !named
	})
}

// Has reports whether the cluster has a component: one that it names, or, where it names none, one of every cluster.
func (s *Spec) Has(c component.Name) bool { return slices.Contains(s.named(), c) }

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
		return fmt.Sprintf("profile %s gives %s no separate account; it uses that of %s", s.Profile, c, account)
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
		if s.Components[c].Disabled {
			if err := changed.CheckDisabled(c); err != nil {
				errs = append(errs, fmt.Errorf("components.%s.disabled cannot be set: %w", c, err))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	s.Profile = profile
	return nil
}

// Named are the components that the specification names, in the order of component.Names; where it names none, all.
func (s *Spec) Named() []component.Name { return s.named() }
