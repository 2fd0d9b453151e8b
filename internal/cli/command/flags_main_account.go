package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// MainAccountForFlag names the components that get the main account on vCenters where they have none of their own.
const MainAccountForFlag = "main-account-for"

// RegisterMainAccountFor adds --main-account-for to cmd. It is handed on to the next command, and typed: no file of settings chooses.
func RegisterMainAccountFor(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringSliceVar(to, MainAccountForFlag, nil, "give these components the main account on vCenters where they have no account of their own (repeatable)")
	MarkSettings(cmd, MainAccountForFlag)
	MarkCommandLineOnly(cmd, MainAccountForFlag)
	CompleteValues(cmd, MainAccountForFlag, component.Words(component.Names()))
}

// CheckLacking is the error of components that have no account on some of the servers, with the ways out; nil where none lacks one.
func (f *Factory) CheckLacking(source *SourceFlags, profile string, file *credfile.File, asked *spec.Spec, servers []string, lacking map[string][]component.Name) error {
	var errs []error
	var who []string
	p, _ := openshift.FindProfile(profile)
	main := p.Main && !p.Shared()
	for _, server := range servers {
		if of := component.Words(lacking[server]); len(of) > 0 {
			errs, who = append(errs, fmt.Errorf("%s: %w for %s in %s", server, openshift.ErrNoAccount, strings.Join(of, ", "), file.Path())), lists.AppendNew(who, of...)
			_, has := file.Get(server, component.Installer)
			main = main && has
		}
	}
	if len(errs) == 0 {
		return nil
	}
	hints := f.IfLostOf(source, file, asked, servers, lacking)
	if main {
		hints = append(hints, "--"+MainAccountForFlag+" "+strings.Join(who, ",")+" gives the main account in place of theirs, which then needs their privileges")
	}
	return hint.Wrap(errors.Join(errs...), hints...)
}
