package report

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	cliverify "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/report"
)

func runMany(ctx context.Context, o *Options) error {
	return o.Many.Run(ctx, many.Command{
		Verb: fleet.Report, Asked: []any{o.Allow}, Differing: o.ExitCode, Look: o.one, Before: o.prepare, After: o.index,
	})
}

func (o *Options) one(ctx context.Context, w *job.Run, c *fleet.Cluster) (any, error) {
	r := New(w, false)
	v := Complete(ctx, w, r, false, nil)
	c.VCenters, c.Findings = many.Figures(v), many.Problems(v.Findings)
	err := cliverify.Judge(v, o.standard())
	if ctx.Err() == nil && o.HTMLDir != "" {
		text, htmlErr := r.HTML()
		if htmlErr == nil {
			htmlErr = o.Many.Resumed().Public(htmlDirFlag, o.page(c.Name), text)
		}
		err = command.Joined(htmlErr, err)
	}
	return r, err
}

func (o *Options) page(cluster string) string { return filepath.Join(o.HTMLDir, cluster+".html") }

// prepare makes the directory and refuses pages that exist, before anything is read.
func (o *Options) prepare(all []fleet.Member) error {
	if o.HTMLDir == "" {
		return nil
	}
	if err := os.MkdirAll(o.HTMLDir, 0o777); err != nil { //nolint:gosec // the umask decides
		return command.BadFlag(htmlDirFlag, "%w", err)
	}
	paths := []string{o.page("index")}
	for _, m := range all {
		if m.Spec != nil {
			if m.Name == "index" {
				return command.BadFlag(htmlDirFlag, "cluster index would have the page that names all")
			}
			paths = append(paths, o.page(m.Name))
		}
	}
	slices.Sort(paths)
	return o.Many.Resumed().Check(htmlDirFlag, paths...)
}

// index writes the page that names all clusters.
func (o *Options) index(r *fleet.Result) error {
	if o.HTMLDir == "" {
		return nil
	}
	x := report.Index{Made: r.Ended, Tool: r.Tool, Verdict: many.Verdict(r), Bad: r.Summary.Different+r.Summary.Failed > 0}
	for _, c := range r.Clusters {
		n := c.Count()
		row := report.IndexRow{
			Cluster: c.Name, VCenters: len(c.VCenters), Accounts: n.Accounts, LoggedIn: n.Tried(), Missing: n.Missing, Excess: n.Excess,
			Outcome: string(c.Outcome), Bad: c.Outcome != fleet.OK, Why: c.Error,
		}
		if !command.Missing(o.page(c.Name)) {
			row.File = c.Name + ".html"
		}
		x.Rows = append(x.Rows, row)
	}
	text, err := x.HTML()
	if err != nil {
		return err
	}
	if err := o.Many.Resumed().Public(htmlDirFlag, o.page("index"), text); err != nil {
		return err
	}
	o.Infof("wrote %s", o.page("index"))
	return nil
}
