// Package doctor is the command that checks network, certificates, clocks, logins and rights.
package doctor

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Options are the flags of `doctor`.
type Options struct{ job.Options }

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Options: job.Options{Factory: f}}
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Check network, certificates, clocks, logins and rights",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Checks for each vCenter: port 443 is reachable, the certificate is trusted (and its thumbprint), the version is
			supported, the clocks agree, the administrator can log in, and may change roles, permissions and SSO accounts.
			Each failure gets one sentence and one command to run next. Exit code 2 if any check fails.`),
		Example: command.Examples(`
			ocp-vsphere-admin doctor --vcenters vcenter1.example.com,vcenter2.example.com
			ocp-vsphere-admin doctor --install-config install-config.yaml -o json`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run),
	}
	o.Connection.Register(cmd)
	return cmd
}

func run(ctx context.Context, o *Options) error {
	wanted, admin, tls, err := o.Connection.Resolve(o.Streams)
	if err != nil {
		return err
	}
	matrix, err := privileges.Load(wanted.Privileges.Matrix)
	if err != nil {
		return err
	}
	config := o.Reach(wanted, o.Connection.Source.ConnectTo, tls)
	if err := o.AskLogins(ctx, admin, wanted, config); err != nil {
		return err
	}
	job := provision.New(provision.Options{Request: provision.Request{Spec: wanted, Matrix: matrix}, Config: config, Admin: admin.Enter, Parallel: o.Parallel})
	d := job.Doctor(ctx)
	job.Close(ctx)
	err = o.Table(d, func() *term.Table {
		t := term.NewTable("vcenter", "check", "", "found")
		for _, v := range d.VCenters {
			for _, c := range v.Checks {
				verdict := o.OutColors().Good("ok")
				switch {
				case c.Skipped:
					verdict = o.OutColors().Dim("-")
				case !c.OK:
					verdict = o.OutColors().Bad("FAIL")
				}
				t.Row(v.Server, c.Check, verdict, c.Detail)
				if c.Next != "" {
					t.Row("", "", "next", c.Next)
				}
			}
		}
		return t
	})
	switch {
	case err != nil:
		return err
	case d.Err() != nil:
		return d.Err()
	case !d.OK():
		return command.Exit(command.ExitDifferent)
	}
	return nil
}
