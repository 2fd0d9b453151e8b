// Package export is the command that makes an estate of live vCenters.
package export

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/estate"
)

// Options are the flags of `export`.
type Options struct {
	*command.Factory
	Connection command.Connection
	Save       string // --out; empty = stdout
	Replace    bool   // --replace-names
	Machines   bool   // --machines
	Over       command.OverwriteFlag
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Factory: f}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Export live vCenters to a file for simulation",
		Long: command.Text(`
			Reads vCenters and writes a file for 'vcenter-lab serve --estate', so that you can rehearse a change on a copy. The file
			contains inventory objects, their tags, roles, permissions, identity sources, accounts and groups of the SSO domain, and those
			of other sources that have permissions. Templates are included; other virtual machines only with --machines.
			Nothing on the vCenters is changed. Passwords, annotations and the descriptions of others are never exported, those
			that mark the accounts of this tool are; anything else that is left out is reported.

			The file contains names. --replace-names replaces names of servers, domains, principals, custom roles and objects
			consistently, and omits these marks, so that you can send the file to somebody; privilege ids are kept. Read the file before you send it.`),
		Example: command.Examples(`
			vcenter-lab export --vcenters vcenter1.example.com,vcenter2.example.com --out estate.yaml
			vcenter-lab export --install-config install-config.yaml --replace-names --out estate.yaml`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, func(cmd *cobra.Command, _ []string) error {
			return o.CheckOutput(cmd, "an estate is YAML", term.FormatYAML)
		}),
	}
	o.Connection.Register(cmd)
	p := cmd.Flags()
	p.StringVar(&o.Save, "out", "", "write to this file, mode 0600, instead of stdout")
	p.BoolVar(&o.Replace, "replace-names", false, "replace names consistently")
	p.BoolVar(&o.Machines, "machines", false, "include virtual machines that are not templates")
	_ = cmd.MarkFlagFilename("out", "yaml", "yml")
	o.Over.Register(cmd)
	return cmd
}

func run(ctx context.Context, o *Options) error {
	if err := o.Over.Check("out", o.Save); err != nil {
		return err
	}
	wanted, admin, tls, err := o.Connection.Resolve(ctx, o.Factory)
	if err != nil {
		return err
	}
	config := o.Reach(wanted, o.Connection.Source.ConnectTo, tls)
	if err := o.AskLogins(ctx, admin, wanted, config); err != nil {
		return err
	}
	var targets []estate.Target
	for _, v := range wanted.VCenters {
		targets = append(targets, estate.Target{Config: config(v), Login: admin.Enter})
	}
	e, read := estate.Capture(ctx, targets, estate.Options{Machines: o.Machines, Parallel: o.Parallel})
	var errs []error
	for _, r := range read {
		errs = append(errs, r.Err)
		for _, note := range r.Notes {
			o.Infof("%s: %s", r.Server, note)
		}
	}
	failed := errors.Join(errs...)
	if e == nil {
		return failed
	}
	if o.Replace {
		e = e.Replace(rand.Shuffle)
	}
	if err := o.save(e); err != nil {
		return err
	}
	return command.Partly(failed != nil, failed)
}

// save writes the file. One that could not be read back is written all the same, for a person to mend.
func (o *Options) save(e *estate.Estate) error {
	text := e.YAML()
	if _, err := estate.Parse("estate", text); err != nil {
		o.Warnf("vcenter-lab serve will refuse this file: %v", err)
	}
	if o.Save == "" {
		_, err := o.Out.Write(text)
		return err
	}
	if err := o.Over.Private("out", o.Save, text); err != nil {
		return err
	}
	o.Next("vcenter-lab serve --estate " + script.Word(o.Save))
	return nil
}
