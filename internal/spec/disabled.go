package spec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Disabled reports whether the account of a component is disabled: it is there with all its permissions, and nobody can log
// in with it.
func (s *Spec) Disabled(c component.Name) bool { return s.Components[s.accountOf(c)].Disabled }

// Disable gives the specification with these accounts of components disabled, or enabled; those of components that it does not
// have stay as they are. One that names no component names all then. The receiver stays as it is.
func (s *Spec) Disable(components []component.Name, disabled bool) *Spec {
	want := *s
	want.Components = s.with()
	for _, c := range components {
		if of, named := want.Components[c]; named {
			of.Disabled = disabled
			want.Components[c] = of
		}
	}
	return &want
}

// CheckDisabled refuses to disable an account that other components use, or that this tool did not create.
func (s *Spec) CheckDisabled(c component.Name) error {
	whole := s.Whole()
	if principal := whole.Components[whole.accountOf(c)].Principal; principal != "" {
		return hint.Errorf("ask its owner to disable it", "%s belongs to somebody else, so it is not disabled", principal)
	}
	if why := whole.unused(c); why != "" {
		return errors.New(why)
	}
	var others []string
	for _, other := range component.Names() {
		if other != c && whole.accountOf(other) == c && (!other.OptIn() || whole.Has(other)) {
			others = append(others, string(other))
		}
	}
	if len(others) > 0 {
		return fmt.Errorf("profile %s gives %s the same account", whole.Profile, strings.Join(others, ", "))
	}
	if c != component.Installer || !whole.profile().Main {
		return nil
	}
	for _, other := range component.Default() {
		if !whole.Has(other) {
			others = append(others, string(other))
		}
	}
	if len(others) > 0 {
		return fmt.Errorf("the specification has no account for %s: profile %s gives them that of %s", strings.Join(others, ", "), whole.Profile, c)
	}
	return nil
}
