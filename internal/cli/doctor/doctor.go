// Package doctor is the command that checks vCenters, and how a cluster gets its accounts.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Options are the flags of `doctor`.
type Options struct {
	job.Options
	Cluster   ClusterFlags
	Consumers bool // --consumers
}

type view struct {
	*provision.Diagnosis
	Cluster   *clusterView        `json:"cluster,omitempty"`   // with --secrets or --kubeconfig
	Consumers []decision.Consumer `json:"consumers,omitempty"` // with --consumers
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Options: job.Options{Factory: f}}
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Check network, certificates, clocks, logins and rights",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Checks for each vCenter: port 443 is reachable, the certificate is trusted, the version is supported, the clocks
			agree, the administrator can log in, and may change roles, permissions and SSO accounts. Each failure gets one
			sentence and one command to run next. Exit code 2 if any check fails. For a login that may only read, what it
			cannot show is marked with -, and the exit code is 3.

			--secrets or --kubeconfig checks the cluster instead: the credentials file, which Secret each component has its
			account from, and what cloud-credential-operator reports. Name vCenters to check both.`),
		Example: command.Examples(`
			ocp-vsphere-admin doctor --vcenters vcenter1.example.com,vcenter2.example.com
			oc get secrets,credentialsrequests,clusteroperators,cloudcredentials,infrastructures -A -o yaml | ocp-vsphere-admin doctor --secrets -
			ocp-vsphere-admin doctor --kubeconfig kubeconfig`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, o.Cluster.check),
	}
	o.Connection.Register(cmd)
	o.Cluster.register(cmd)
	cmd.Flags().BoolVar(&o.Consumers, "consumers", false, "say what each component will report about its account")
	return cmd
}

func run(ctx context.Context, o *Options) error {
	v := view{Diagnosis: provision.NoDiagnosis()}
	var err error
	if o.Cluster.Given() {
		if v.Cluster, err = o.examine(ctx); err != nil {
			return err
		}
	}
	var undiagnosed error
	if v.Cluster == nil || o.Connection.Source.Given() {
		d, wanted, err := o.diagnose(ctx)
		if v.Cluster != nil {
			v.Cluster.Findings = v.Cluster.dump.Foreign(wanted, v.Cluster.Findings)
		}
		switch {
		case err == nil:
			v.Diagnosis = d
		case v.Cluster == nil || !errors.Is(err, term.ErrNoInput):
			return err
		default:
			undiagnosed = command.Partly(true, fmt.Errorf("the vCenters were not checked: %w", err))
		}
	}
	var unread error
	if o.Consumers {
		if v.Consumers, unread = o.consumers(ctx); unread != nil && len(v.Consumers) == 0 {
			return unread
		}
	}
	err = o.Print(o.Output, v, func(w io.Writer) error {
		if v.Cluster != nil {
			if err := v.Cluster.print(w, o); err != nil || len(v.VCenters) == 0 {
				return err
			}
			term.Fprintf(w, "\n")
		}
		if err := o.table(v.Diagnosis).RenderWhole(w, o.Width()); err != nil || v.Consumers == nil {
			return err
		}
		term.Fprintf(w, "\n")
		return consumersTable(v.Consumers).RenderWhole(w, o.Width())
	})
	if o.Output == term.FormatTable {
		for _, note := range v.Notes {
			o.Infof("%s", note)
		}
	}
	switch {
	case err != nil:
		return err
	case v.Err() != nil:
		return v.Err()
	case undiagnosed != nil:
		return undiagnosed
	case unread != nil:
		return command.Partly(true, unread)
	case !v.OK() || v.Cluster != nil && finding.Differing(v.Cluster.Findings):
		return command.Exit(command.ExitDifferent)
	case len(v.Incomplete) > 0:
		return command.Exit(command.ExitPartly)
	}
	return nil
}

func (o *Options) diagnose(ctx context.Context) (d *provision.Diagnosis, wanted *spec.Spec, err error) {
	wanted, admin, tls, err := o.Connection.Resolve(ctx, o.Factory)
	if err != nil {
		return nil, wanted, err
	}
	matrix, err := privileges.Load(wanted.Privileges.Matrix)
	if err != nil {
		return nil, wanted, err
	}
	config := o.Reach(wanted, o.Connection.Source.ConnectTo, tls)
	if err := o.AskLogins(ctx, admin, wanted, config); err != nil {
		return nil, wanted, err
	}
	job := provision.New(provision.Options{Request: provision.Request{Spec: wanted, Matrix: matrix}, Config: config, Admin: admin.Enter, Parallel: o.Parallel})
	defer job.Close(ctx)
	return job.Doctor(ctx), wanted, nil
}

func (o *Options) table(d *provision.Diagnosis) *term.Table {
	t := term.NewTable("vcenter", "check", "", "found")
	for _, v := range d.VCenters {
		for _, c := range v.Checks {
			t.Row(v.Server, c.Check, verdict(o, c), c.Detail)
			if c.Next != "" {
				t.Row("", "", "next", c.Next)
			}
		}
	}
	return t
}

func verdict(o *Options, c provision.DoctorCheck) term.Painted {
	switch {
	case c.Skipped:
		return o.OutColors().Dim("-")
	case !c.OK:
		return o.OutColors().Bad("FAIL")
	}
	return o.OutColors().Good("ok")
}
