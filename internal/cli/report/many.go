package report

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/report"
)

func runMany(ctx context.Context, o *Options) (err error) {
	if o.by, err = o.signer(ctx); err != nil {
		return err
	}
	if o.accepted, err = o.exceptions(); err != nil {
		return err
	}
	if o.before, err = o.earlierOfMany(); err != nil {
		return err
	}
	var signer []byte
	if o.by != nil {
		signer = o.by.PublicKey().Marshal()
	}
	var own []string
	if o.Exceptions != "" {
		own = []string{"--" + exceptionsFlag, o.Exceptions}
	}
	asked, err := json.Marshal([]any{o.before, o.accepted, o.HTMLDir, signer})
	if err != nil {
		return err
	}
	return o.Many.Run(ctx, many.Command{
		Verb: fleet.Report, Asked: []any{o.Allow, fmt.Sprintf("%x", sha256.Sum256(asked))},
		Differing: o.ExitCode, Own: own, Look: o.one, Before: o.prepare, After: o.index,
	})
}

func (o *Options) one(ctx context.Context, w *job.Run, c *fleet.Cluster) (any, error) {
	r := New(w, false)
	r.Exceptions = report.For(o.accepted, c.Name)
	v := Complete(ctx, w, r, false, nil)
	c.VCenters, c.Findings = many.Figures(v), many.Problems(r.Standing(v.Findings))
	by := o.standard()
	by.Allow = append(by.Allow, report.AllowStrangers) // each report names them
	err := judge(v, r, by, true)
	if earlier := o.before[c.Name]; earlier != nil {
		if unlike := r.CheckComparable(earlier); unlike != nil {
			return r, command.BadFlag(sinceFlag, "%s: %w", o.Since, unlike)
		}
		r.Compare(earlier)
	}
	if ctx.Err() == nil && o.HTMLDir != "" {
		text, htmlErr := r.HTML()
		if htmlErr == nil {
			htmlErr = o.save(o.Many.Resumed(), htmlDirFlag, o.page(c.Name), text)
		}
		err = command.Joined(htmlErr, err)
	}
	return r, err
}

// earlierOfMany reads an earlier result over many clusters; its reports by cluster, nil = none is named.
func (o *Options) earlierOfMany() (map[string]*report.Report, error) {
	if o.Since == "" {
		return nil, nil //nolint:nilnil // none is a fine answer
	}
	result, err := fleet.Read(o.Since)
	if err == nil && result.Command != fleet.Report {
		err = fmt.Errorf("%s: it is of %s, not of report", o.Since, result.Command)
	}
	if err != nil {
		return nil, command.BadFlag(sinceFlag, "%w", err)
	}
	all := map[string]*report.Report{}
	for _, c := range result.Clusters {
		if c.Outcome == fleet.Failed || len(c.Document) == 0 {
			continue
		}
		if all[c.Name], err = report.Read(o.Since+": cluster "+c.Name, c.Document); err != nil {
			return nil, command.BadFlag(sinceFlag, "%w", err)
		}
	}
	if len(all) == 0 {
		return nil, hint.Wrap(command.BadFlag(sinceFlag, "%s has no report", o.Since), "keep what -o json prints without --brief")
	}
	return all, nil
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
	if o.Sign != "" {
		for _, path := range slices.Clone(paths) {
			paths = append(paths, path+signatureSuffix)
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
		for _, f := range c.Findings {
			if row.Why == "" && f.Differs() {
				row.Why = f.Text
			}
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
	if err := o.save(o.Many.Resumed(), htmlDirFlag, o.page("index"), text); err != nil {
		return err
	}
	o.Infof("wrote %s", o.page("index"))
	return nil
}
