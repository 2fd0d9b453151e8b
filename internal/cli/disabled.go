package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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

// allowDisabledFlags let a command hand over accounts that the specification disables.
type allowDisabledFlags struct {
	AllowDisabled bool // --allow-disabled
}

// Register adds the flag to cmd; what is written.
func (o *allowDisabledFlags) Register(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&o.AllowDisabled, allowDisabledFlag, false, "write "+what+" with an account that the provisioning file disables")
	markCommandLineOnly(cmd, allowDisabledFlag)
}

// check refuses to write accounts that the specification disables, unless that is allowed. others are commands that write what can be.
func (o allowDisabledFlags) check(f *Factory, s *spec.Spec, said invocation, where func(meant func(user string) bool) []string, others func(disabled []component.Name) []string) error {
	found := handedDisabled(s, where)
	if o.AllowDisabled || len(found) == 0 {
		f.warnDisabled(s, where)
		return nil
	}
	var names []component.Name
	var says []string
	for _, d := range found {
		names, says = append(names, d.component), append(says, d.says)
	}
	hints := append([]string{"enable it: " + f.command("users enable", said.with("components", component.Words(names)...))}, others(names)...)
	return hint.Wrap(fmt.Errorf("%s; nothing was written", strings.Join(says, "; ")), append(hints, "or write it all the same: add --"+allowDisabledFlag)...)
}

// checkDisabled refuses to write secrets with accounts that the specification disables. A renewed secret holds the account already,
// and would be left with an old password of it.
func (o *SecretsEmitOptions) checkDisabled(e *emission) error {
	said := o.said
	if o.Source.File == "" {
		said = said.with("file", aFile)
	}
	allow := o.Allow
	allow.AllowDisabled = allow.AllowDisabled || o.Renew
	return allow.check(o.Factory, e.asked, said, inManifests(e.manifests), func(disabled []component.Name) []string {
		profile, _ := openshift.FindProfile(e.emit.Profile)
		others := slices.DeleteFunc(e.asked.ComponentNames(), func(c component.Name) bool {
			return slices.Contains(disabled, c) || !profile.Writes(c) || len(o.Components) > 0 && !slices.Contains(o.Components, string(c))
		})
		if len(others) == 0 || o.Format == formatHive || profile.Shared() {
			return nil
		}
		return []string{"or write the other secrets: " + o.command("secrets emit", o.said.with("components", component.Words(others)...))}
	})
}

// noOthers is for [allowDisabledFlags.check] where nothing can be written without the account.
func noOthers([]component.Name) []string { return nil }

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
