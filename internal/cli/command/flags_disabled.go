package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// AllowDisabled lets a command hand over accounts that the specification disables.
const AllowDisabled = "disabled"

// RegisterDisabled adds --allow to a command that hands over accounts; what is written.
func (a *Allowed) RegisterDisabled(cmd *cobra.Command, what string) {
	a.Register(cmd, AllowDisabled+": write "+what+" with an account that the provisioning file disables", AllowDisabled)
}

// CheckDisabled refuses to write accounts that the specification disables, unless that is allowed. where lists the places that get an account
// that is meant; s may be nil, because not every command is given one. others are commands that write what can be.
func (a Allowed) CheckDisabled(f *Factory, s *spec.Spec, said Invocation, where func(meant func(user string) bool) []string, others func(disabled []component.Name) []string) error {
	if s == nil {
		return nil
	}
	var names []component.Name
	var says []string
	whole := s.Whole()
	for _, c := range whole.ComponentNames() {
		if !whole.Disabled(c) {
			continue
		}
		places := where(whole.Account(c).MayBe)
		if len(places) == 0 {
			continue
		}
		text := fmt.Sprintf("%s: the account of %s is disabled (components.%s.disabled), so nobody can log in with it", strings.Join(places, ", "), c, c)
		if a.Has(AllowDisabled) {
			f.Warnf("%s: '%s users enable --components %s' enables it", text, Program, c)
			continue
		}
		names, says = append(names, c), append(says, text)
	}
	if names == nil {
		return nil
	}
	hints := append([]string{"enable it: " + f.CommandLine("users enable", said.With("components", component.Words(names)...))}, others(names)...)
	return hint.Wrap(fmt.Errorf("%s; nothing was written", strings.Join(says, "; ")), append(hints, "or write it all the same: add --"+allowFlag+" "+AllowDisabled)...)
}

// NoOthers is for [Allowed.CheckDisabled] where nothing can be written without the account.
func NoOthers([]component.Name) []string { return nil }
