package cli

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// warnDisabled says which accounts that are handed over are disabled by the specification. where lists the places that get
// an account that is meant; s may be nil, because not every command is given one.
func (f *Factory) warnDisabled(s *spec.Spec, where func(meant func(user string) bool) []string) {
	if s == nil {
		return
	}
	whole := s.Whole()
	for _, c := range whole.ComponentNames() {
		if !whole.Disabled(c) {
			continue
		}
		if places := where(whole.Account(c).MayBe); len(places) > 0 {
			f.Warnf("%s: the account of %s is disabled (components.%s.disabled), so nobody can log in with it: '%s users enable --components %s' enables it",
				strings.Join(places, ", "), c, c, program, c)
		}
	}
}

// inManifests lists the secrets that hold an account.
func inManifests(manifests []openshift.Manifest) func(func(string) bool) []string {
	return func(meant func(user string) bool) []string { return openshift.HoldingOf(manifests, meant) }
}

// inConfig lists the fields of an install-config that hold an account.
func inConfig(accounts openshift.Accounts, servers []string) func(func(string) bool) []string {
	return func(meant func(user string) bool) []string {
		var places []string
		for _, server := range servers {
			for _, c := range component.Names() {
				if a, ok := accounts[server][c]; ok && meant(a.User) {
					places = append(places, server+" ("+string(c)+")")
				}
			}
		}
		return places
	}
}
