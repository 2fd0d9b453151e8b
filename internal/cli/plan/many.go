package plan

import (
	"context"
	"slices"

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
	for _, v := range p.VCenters {
		of := fleet.VCenter{Server: v.Server, Error: v.Error, Hidden: slices.Contains(p.Incomplete, v.Server)}
		if v.Error == "" {
			n := v.Count()
			of.Changes = &n
		}
		c.VCenters = append(c.VCenters, of)
	}
	switch {
	case len(p.Unread()) > 0:
		return p, job.Outcome(p)
	case p.Differs():
		return p, command.Exit(command.ExitDifferent)
	}
	return p, o.unseen(p)
}
