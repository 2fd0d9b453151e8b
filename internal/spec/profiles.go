package spec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// profile is the one that the specification names.
func (s *Spec) profile() openshift.Profile {
	p, _ := openshift.FindProfile(s.Profile)
	return p
}

// accountOf is the component whose account a component uses: itself, unless the profile shares one.
func (s *Spec) accountOf(c component.Name) component.Name { return s.profile().AccountOf(c) }

// Fold adapts a matrix to the accounts of the specification: it adds privileges.added and unites
// components that share an account. Roles of a shared account have names of their own, because
// another cluster on the vCenter may keep the components apart.
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

// CheckMatrix refuses a matrix without rows for a named opt-in component.
func (s *Spec) CheckMatrix(m *privileges.Matrix) error {
	have := m.Components()
	for _, c := range s.named() {
		if c.OptIn() && !slices.Contains(have, c) {
			return hint.Errorf(fmt.Sprintf("--matrix %s has them; in your own matrix write them below components, or reuse those of an embedded one: %s: {from: %s}",
				DefaultMatrix, c, DefaultMatrix),
				"component %s needs privileges, but matrix %s has none for it", c, m.Name)
		}
	}
	return nil
}

// named are the components that the specification names; none named are those of every cluster.
func (s *Spec) named() []component.Name {
	if len(s.Components) == 0 {
		return s.profile().Default()
	}
	return slices.DeleteFunc(component.Names(), func(c component.Name) bool {
		_, named := s.Components[c]
		return !named
	})
}

// Has reports whether the cluster has a component: a named one or, if none is named, a usual one.
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

// SetProfile changes the profile after reading. A principal that it does not use is an error.
func (s *Spec) SetProfile(profile string) error {
	changed := *s
	changed.Profile = profile
	var errs []error
	for _, c := range s.named() {
		if len(s.Components) > 0 {
			errs = append(errs, changed.profile().Lacks(c))
		}
		if principal := s.Components[c].Principal; principal != "" && changed.accountOf(c) != c {
			errs = append(errs, fmt.Errorf("principal %s of %s is never used: %s", hint.Quote(principal), c, changed.unused(c)))
		}
		if group := s.Components[c].MemberOf; group != "" && changed.accountOf(c) != c {
			errs = append(errs, fmt.Errorf("memberOf %s of %s is never used: %s", hint.Quote(group), c, changed.unused(c)))
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

// Driver is what the specification knows of the CSI driver's configuration in Kubernetes.
func (s *Spec) Driver(categories []string) openshift.Driver {
	d := openshift.Driver{ClusterID: s.Cluster, Topology: categories, Ports: map[string]int{}, Datacenters: map[string][]string{}}
	for _, vc := range s.VCenters {
		if vc.Port != DefaultPort {
			d.Ports[vc.Server] = vc.Port
		}
		for _, f := range vc.FailureDomains {
			d.Datacenters[vc.Server] = lists.AppendNew(d.Datacenters[vc.Server], f.DatacenterPath())
			if f.Region == "" || f.Zone == "" {
				d.Topology = nil
			}
		}
		if len(vc.FailureDomains) == 0 {
			d.Topology = nil
		}
	}
	return d
}

// Named are the named components in the order of component.Names; all if none is named.
func (s *Spec) Named() []component.Name { return s.named() }
