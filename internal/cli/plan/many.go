package plan

import (
	"context"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
)

func runMany(ctx context.Context, o *Options) error {
	return o.Many.Run(ctx, many.Command{
		Verb: fleet.Plan, Asked: []any{o.Allow, o.Steering}, Steering: o.Steering, Differing: o.ExitCode, Look: o.one,
	})
}

func (o *Options) one(ctx context.Context, w *job.Run, c *fleet.Cluster) (any, error) {
	p := w.Sealed(ctx)
	w.Finish()
	c.Findings = many.Problems(p.Findings)
	c.Noted(p)
	switch {
	case len(p.Unread()) > 0:
		return p, job.Outcome(p)
	case p.Differs():
		return p, command.Exit(command.ExitDifferent)
	}
	return p, o.unseen(p)
}
