package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// DoctorOptions are the words of `doctor`.
type DoctorOptions struct{ JobOptions }

func newCmdDoctor(f *Factory, runF func(*DoctorOptions) error) *cobra.Command {
	o := &DoctorOptions{JobOptions: JobOptions{Factory: f}}
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Check that the job can be done from here: network, certificates, clocks, logins, rights",
		GroupID: groupJob,
		Long: text(`
			For each vCenter: is port 443 reachable, is the certificate trusted (and what is its thumbprint), is the version
			recent enough, do the clocks agree, does the administrator's login work, may the administrator change roles,
			permissions and SSO accounts. One sentence and one next command for each failure. Exit code 2 if there is one.`),
		Example: examples(`
			ocp-vsphere-admin doctor --vcenters vcenter1.example.com,vcenter2.example.com
			ocp-vsphere-admin doctor --install-config install-config.yaml -o json`),
		Args: noWords,
		RunE: action(o, runF, doctorRun),
	}
	o.Connection.Register(cmd)
	return cmd
}

func doctorRun(ctx context.Context, o *DoctorOptions) error {
	wanted, admin, tls, err := o.Connection.Resolve(o.Streams)
	if err != nil {
		return err
	}
	matrix, err := privileges.Load(wanted.Privileges.Matrix)
	if err != nil {
		return err
	}
	if admin, err = askAdmins(ctx, wanted, admin); err != nil {
		return err
	}
	job := provision.New(provision.Options{Request: provision.Request{Spec: wanted, Matrix: matrix}, Config: o.reach(wanted, o.Connection.Source.ConnectTo, tls), Admin: admin, Parallel: o.Parallel})
	d := job.Doctor(ctx)
	job.Close(ctx)
	err = o.table(d, func() *term.Table {
		t := term.NewTable("vcenter", "check", "", "found")
		for _, v := range d.VCenters {
			for _, c := range v.Checks {
				verdict := o.OutColors().Good("ok")
				if !c.OK {
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
		return exit(ExitDifferent)
	}
	return nil
}
