package verify

import (
	"context"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

func runMany(ctx context.Context, o *Options) error {
	steering := savedplan.Steering{CreateFolders: o.CreateFolders}
	return o.Many.Run(ctx, many.Command{
		Verb: fleet.Verify, Asked: []any{o.Standard, steering}, Steering: steering, Differing: true,
		Look: func(ctx context.Context, w *job.Run, c *fleet.Cluster) (any, error) {
			v := w.Job.Verify(ctx)
			w.Finish()
			w.Advice().Fill(w.Credentials, v.Findings)
			noted(c, v)
			return Document(w, v), Judge(v, o.Standard)
		},
	})
}

func noted(c *fleet.Cluster, v *verify.Result) {
	c.VCenters, c.Findings = many.Figures(v), many.Problems(v.Findings)
}

// Made verifies what a change of many clusters made of one: by the logins of its credentials file
// and, with a kubeconfig, by those of its secrets.
func Made(ctx context.Context, o *job.Options, kubeconfig string, c *fleet.Cluster) error {
	w, err := o.Begin(ctx, job.Params{Looking: true, Accounts: &job.AccountFlags{}})
	if err != nil {
		return err
	}
	defer w.Finish()
	v := w.Job.Verify(ctx)
	w.Finish()
	noted(c, v)
	if err := Judge(v, verify.AsAsked()); err != nil || kubeconfig == "" {
		return err
	}
	of := &Options{Options: *o}
	of.InUse.Cluster.Kubeconfig = kubeconfig
	_, used, err := of.inUse(ctx)
	if err != nil {
		return err
	}
	c.Findings = append(c.Findings, many.Problems(used.Findings)...)
	return Judge(used, verify.Standard{InUse: true, Allow: verify.AsAsked().Allow})
}
