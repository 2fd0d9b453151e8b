package plan

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
)

func runMany(ctx context.Context, o *Options) error {
	if err := o.Over.Check("markdown", o.Markdown); err != nil {
		return err
	}
	return o.Many.Run(ctx, many.Command{
		Verb: fleet.Plan, Asked: []any{o.Allow, o.Steering}, Steering: o.Steering, Differing: o.ExitCode,
		Look: o.one, Documents: o.Markdown != "", After: o.requestMany,
	})
}

// requestMany writes the change request, without a date: the same state gives the same bytes.
func (o *Options) requestMany(r *fleet.Result) error {
	if o.Markdown == "" {
		return nil
	}
	own := []string{"--digest", r.PlanDigest, "--yes"}
	var plans []*plan.Plan
	var names []string
	for _, c := range r.Clusters {
		p := plan.New(c.Name)
		if c.Document == nil {
			p.Add(c.File, nil, errors.New(c.Error))
		} else if err := json.Unmarshal(c.Document, p); err != nil {
			return err
		}
		if p.Alters() != "" {
			own = lists.AppendNew(own, "--displace")
		}
		plans, names = append(plans, p), append(names, c.Name)
	}
	if o.Many.Clusters != nil || o.Many.Shard != "" {
		own = append(own, "--clusters", strings.Join(names, ","))
	}
	return o.placeRequest("markdown", o.Markdown, overview.Many(plans, r.PlanDigest,
		overview.Request{Apply: o.CommandLine("apply", o.Said, own...), Tool: r.Tool}))
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
