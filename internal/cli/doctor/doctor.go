// Package doctor is the command that checks vCenters, and how a cluster gets its accounts.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
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
		Short:   "Check network, certificates, logins, rights and objects",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Checks for each vCenter: port 443 is reachable, the certificate is trusted, the version is supported, the clocks
			agree, the administrator can log in, and may change roles, permissions and SSO accounts. With -f,
			--install-config or --infrastructure it also plans, throws the plan away, and prints what keeps it from being
			made (objects, names, and accounts of others) and its warnings (tags, and permissions and roles of others). Each
			failure and warning has what to do next. Exit code 2 if any check fails, or if the matrix leaves a component
			unable to do all of its work (--allow unable). For a login that may only read, what it cannot show is marked
			with -, and the exit code is 3 (--allow unseen).

			--secrets or --kubeconfig checks the cluster instead: the credentials file, which Secret each component has its
			account from, and what cloud-credential-operator reports. Name vCenters to check both.`),
		Example: command.Examples(`
			ocp-vsphere-admin doctor --vcenters vcenter1.example.com,vcenter2.example.com
			oc get secrets,credentialsrequests,clusteroperators,cloudcredentials,infrastructures -A -o yaml | ocp-vsphere-admin doctor --secrets -
			ocp-vsphere-admin doctor --kubeconfig kubeconfig`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, o.Cluster.check),
	}
	o.Register(cmd)
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
	var undiagnosed, unread error
	if v.Cluster == nil || o.Connection.Source.Given() {
		var wanted *spec.Spec
		wanted, unread, err = o.diagnose(ctx, &v)
		if v.Cluster != nil {
			v.Cluster.Findings = v.Cluster.dump.Foreign(wanted, v.Cluster.Findings)
		}
		switch {
		case err == nil:
		case v.Cluster == nil || !errors.Is(err, term.ErrNoInput):
			return err
		default:
			undiagnosed = command.Partly(true, fmt.Errorf("the vCenters were not checked: %w", err))
		}
	}
	err = o.Print(o.Output, v, func(w io.Writer) error {
		if v.Cluster != nil {
			if err := v.Cluster.print(w, o); err != nil || len(v.VCenters) == 0 {
				return err
			}
			term.Fprintf(w, "\n")
		}
		if err := errors.Join(o.table(v.Diagnosis).RenderWhole(w, o.Width()), o.found(w, v.Findings)); err != nil || v.Consumers == nil {
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
	unable := slices.ContainsFunc(v.Findings, func(f *finding.Finding) bool { return f.Code == finding.UnableComponent })
	switch {
	case err != nil:
		return err
	case v.Err() != nil:
		return v.Err()
	case undiagnosed != nil:
		return undiagnosed
	case unread != nil:
		return command.Partly(len(v.Consumers) > 0, unread)
	case !v.OK() || finding.Differing(v.Findings) || v.Cluster != nil && finding.Differing(v.Cluster.Findings):
		return command.Exit(command.ExitDifferent)
	case unable && !o.Cluster.Allow.Has(verify.AllowUnable):
		o.Hint("to accept what components cannot do: " + o.CommandLine("doctor", o.Said, "--allow", verify.AllowUnable))
		return command.Exit(command.ExitDifferent)
	case len(v.Incomplete) > 0 && !o.Cluster.Allow.Has(verify.AllowUnseen):
		return command.Exit(command.ExitPartly)
	}
	return nil
}

// diagnose checks the vCenters and, of whole failure domains, what a plan finds, with one login.
func (o *Options) diagnose(ctx context.Context, v *view) (wanted *spec.Spec, unread, err error) {
	wanted, admin, tls, err := o.Connection.Resolve(ctx, o.Factory)
	if err != nil {
		return nil, nil, err
	}
	incomplete := job.CheckComplete(wanted)
	if o.Consumers && incomplete != nil {
		return wanted, nil, incomplete
	}
	o.ReadOnly = incomplete != nil
	w, err := o.Open(ctx, job.Request{
		Params: job.Params{Looking: true}, Invocation: o.Said, Wanted: wanted,
		Given: o.Connection.Source.Accounts, Admin: admin, TLS: tls,
	})
	if err != nil {
		return wanted, nil, err
	}
	defer w.Finish()
	v.Diagnosis = w.Job.Doctor(ctx)
	if incomplete == nil {
		v.Add(w.Plan(ctx))
	}
	if o.Consumers {
		v.Consumers, unread = w.Job.Consumers(ctx)
	}
	return wanted, unread, nil
}

func (o *Options) table(d *provision.Diagnosis) *term.Table {
	t := term.NewTable("vcenter", "check", "", "found")
	for _, v := range d.VCenters {
		for _, c := range v.Checks {
			t.Row(v.Server, c.Check, verdict(o, c), c.Detail)
			for _, next := range c.Steps {
				t.Row("", "", "next", next)
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
