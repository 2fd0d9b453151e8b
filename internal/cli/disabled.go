package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

const allowDisabledFlag = "allow-disabled"

// warnDisabled says which accounts that are handed over are disabled by the specification. where lists the places that get
// an account that is meant; s may be nil, because not every command is given one.
func (f *Factory) warnDisabled(s *spec.Spec, where func(meant func(user string) bool) []string) {
	for _, h := range handedDisabled(s, where) {
		f.Warnf("%s: '%s users enable --components %s' enables it", h.says, program, h.component)
	}
}

// disabledAccount is an account that is handed over although the specification disables it.
type disabledAccount struct {
	component component.Name
	says      string
}

func handedDisabled(s *spec.Spec, where func(meant func(user string) bool) []string) []disabledAccount {
	if s == nil {
		return nil
	}
	var all []disabledAccount
	whole := s.Whole()
	for _, c := range whole.ComponentNames() {
		if !whole.Disabled(c) {
			continue
		}
		if places := where(whole.Account(c).MayBe); len(places) > 0 {
			all = append(all, disabledAccount{c, fmt.Sprintf("%s: the account of %s is disabled (components.%s.disabled), so nobody can log in with it",
				strings.Join(places, ", "), c, c)})
		}
	}
	return all
}

// checkDisabled refuses to write secrets with accounts that the specification disables, unless --allow-disabled asks for it. A
// renewed secret holds the account already, and would be left with an old password of it.
func (o *SecretsEmitOptions) checkDisabled(e *emission) error {
	found := handedDisabled(e.asked, inManifests(e.manifests))
	if o.AllowDisabled || o.Renew || len(found) == 0 {
		o.warnDisabled(e.asked, inManifests(e.manifests))
		return nil
	}
	var names []component.Name
	var says []string
	for _, d := range found {
		names, says = append(names, d.component), append(says, d.says)
	}
	said := o.said
	if o.Source.File == "" {
		said = said.with("file", aFile)
	}
	hints := []string{"enable it: " + o.command("users enable", said.with("components", component.Words(names)...))}
	profile, _ := openshift.FindProfile(e.emit.Profile)
	others := slices.DeleteFunc(e.asked.ComponentNames(), func(c component.Name) bool {
		return slices.Contains(names, c) || !profile.Writes(c) || len(o.Components) > 0 && !slices.Contains(o.Components, string(c))
	})
	if len(others) > 0 && o.Format != formatHive && !profile.Shared() {
		hints = append(hints, "or write the other secrets: "+o.command("secrets emit", o.said.with("components", component.Words(others)...)))
	}
	return hint.Wrap(fmt.Errorf("%s; nothing was written", strings.Join(says, "; ")), append(hints, "or write it all the same: add --"+allowDisabledFlag)...)
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
