package cli

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/estate"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// SimulateExportOptions are the words of `simulate export`.
type SimulateExportOptions struct {
	JobOptions
	Save     string // --out; empty = stdout
	Replace  bool   // --replace-names
	Machines bool   // --machines
}

func newCmdSimulateExport(f *Factory, runF func(*SimulateExportOptions) error) *cobra.Command {
	o := &SimulateExportOptions{JobOptions: JobOptions{Factory: f}}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write what live vCenters hold to a file that can be simulated",
		Long: text(`
			Reads vCenters and writes the file that 'simulate --estate' takes, so that a change can be rehearsed on a copy:
			places, roles, permissions, identity sources, and accounts and groups of the SSO domain, of other sources those
			with permissions. Templates are places, other virtual machines only with --machines. Nothing is changed on the
			vCenters. No passwords, descriptions or annotations are in the file; what is left out otherwise is said.

			Names are in it. --replace-names puts others in the place of names of servers, domains, principals, custom roles
			and objects, the same everywhere, so that the file can be sent to somebody; privilege ids stay. Read the file
			before you send it.`),
		Example: examples(`
			ocp-vsphere-admin simulate export --vcenters vcenter1.example.com,vcenter2.example.com --out estate.yaml
			ocp-vsphere-admin simulate export --install-config install-config.yaml --replace-names --out estate.yaml`),
		Args: noWords,
		RunE: action(o, runF, simulateExportRun, func(cmd *cobra.Command, _ []string) error {
			if o.Output == term.FormatJSON && !isSettled(cmd.Flags(), "output") {
				return badFlag("output", "an estate is YAML")
			}
			return nil
		}),
	}
	o.Connection.Register(cmd)
	p := cmd.Flags()
	p.StringVar(&o.Save, "out", "", "write to this file, mode 0600, instead of stdout")
	p.BoolVar(&o.Replace, "replace-names", false, "with other names, the same everywhere")
	p.BoolVar(&o.Machines, "machines", false, "with the virtual machines that are no templates")
	_ = cmd.MarkFlagFilename("out", "yaml", "yml")
	return cmd
}

func simulateExportRun(ctx context.Context, o *SimulateExportOptions) error {
	wanted, admin, tls, err := o.Connection.Resolve(o.Streams)
	if err == nil {
		admin, err = askAdmins(ctx, wanted, admin)
	}
	if err != nil {
		return err
	}
	config := o.reach(wanted, o.Connection.Source.ConnectTo, tls)
	var targets []estate.Target
	for _, v := range wanted.VCenters {
		user, password, err := admin(ctx, v.Server)
		if err != nil {
			return err
		}
		targets = append(targets, estate.Target{Config: config(v), User: user, Password: password})
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
	return partly(failed != nil, failed)
}

// save writes the file. One that could not be read back is written all the same, for a person to mend.
func (o *SimulateExportOptions) save(e *estate.Estate) error {
	text := e.YAML()
	if _, err := estate.Parse("estate", text); err != nil {
		o.Warnf("simulate --estate will refuse this file: %v", err)
	}
	if o.Save == "" {
		_, err := o.Out.Write(text)
		return err
	}
	if err := writePrivate(o.Save, text); err != nil {
		return badFlag("out", "%w", err)
	}
	o.next(program + " simulate --estate " + script.Word(o.Save))
	return nil
}
