package verify

import (
	"context"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
)

func runMany(ctx context.Context, o *Options) error {
	steering := savedplan.Steering{CreateFolders: o.CreateFolders}
	return o.Many.Run(ctx, many.Command{
		Verb: fleet.Verify, Asked: []any{o.Standard, steering}, Steering: steering, Differing: true,
		Look: func(ctx context.Context, w *job.Run, c *fleet.Cluster) (any, error) {
			v := w.Job.Verify(ctx)
			w.Finish()
			w.Advice().Fill(w.Credentials, v.Findings)
			c.VCenters, c.Findings = many.Figures(v), many.Problems(v.Findings)
			return Document(w, v), Judge(v, o.Standard)
		},
	})
}
