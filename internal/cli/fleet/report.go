package fleet

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	clireport "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/report"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	cliverify "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/report"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// ReportOptions are the flags of `fleet report`.
type ReportOptions struct {
	Options
	HTML     string // --html-dir
	ExitCode bool   // --exit-code
}

const htmlDirFlag = "html-dir"

func newCmdReport(f *command.Factory, runF func(*ReportOptions) error) *cobra.Command {
	o := &ReportOptions{Options: Options{Factory: f}}
	cmd := &cobra.Command{
		Use:   "report SPEC...",
		Short: "Write evidence for each cluster",
		Long: command.Text(`
			Verifies each cluster and makes a report of it, as 'report' does, and prints a line for each. SPEC is a provisioning
			file, or a directory of them. With --html-dir each report is a page, and index.html names them all. With -o json
			each cluster has its whole report.

			Exit code 3 if some clusters could not be read, 1 if none could; with --exit-code 2 if the verification of one found
			something.

			` + command.MetricsHelp),
		Example: command.Examples(`
			ocp-vsphere-admin fleet report clusters/ --html-dir evidence
			ocp-vsphere-admin fleet report clusters/ -o json >evidence.json`),
		RunE: command.Action(o, runF, reportRun, o.take),
	}
	o.register(cmd)
	command.DirFlag(cmd, &o.HTML, htmlDirFlag,
		"write a page for each cluster, and index.html, into this directory")
	cmd.Flags().BoolVar(&o.ExitCode, "exit-code", false,
		"exit with 2 if the verification of a cluster found something")
	cmd.MarkFlagsMutuallyExclusive(htmlDirFlag, command.ListenFlag)
	return cmd
}

func reportRun(ctx context.Context, o *ReportOptions) error {
	return o.watch(ctx, fleet.Report, func() (*work, error) {
		w, err := o.begin(ctx, fleet.Report, nil, savedplan.Steering{}, o.one)
		if err != nil {
			return nil, err
		}
		w.after = o.index
		return w, o.prepare(w.members)
	}, o.ExitCode)
}

func (o *ReportOptions) one(ctx context.Context, w *job.Run, c *fleet.Cluster) (any, error) {
	r := clireport.New(w, false)
	v := clireport.Complete(ctx, w, r, false, nil)
	c.VCenters, c.Found = figures(v), wrong(v.Findings)
	err := cliverify.Judge(v, verify.Standard{})
	if ctx.Err() == nil && o.HTML != "" {
		text, htmlErr := r.HTML()
		if htmlErr == nil {
			htmlErr = o.pages().Public(htmlDirFlag, o.page(c.Name), text)
		}
		err = command.Joined(htmlErr, err)
	}
	return r, err
}

func (o *ReportOptions) page(cluster string) string { return filepath.Join(o.HTML, cluster+".html") }

// prepare makes the directory and refuses pages that exist, before anything is read.
func (o *ReportOptions) prepare(all []fleet.Member) error {
	if o.HTML == "" {
		return nil
	}
	if err := os.MkdirAll(o.HTML, 0o777); err != nil { //nolint:gosec // the umask decides
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
	return o.pages().Check(htmlDirFlag, paths...)
}

// pages allows to overwrite pages: with --resume those of the interrupted run.
func (o *ReportOptions) pages() *command.OverwriteFlag {
	return &command.OverwriteFlag{Force: o.Overwrite.Force || o.Resume}
}

// index writes the page that names all clusters.
func (o *ReportOptions) index(r *fleet.Result) error {
	if o.HTML == "" {
		return nil
	}
	x := report.Index{Made: r.Ended, Tool: r.Tool, Verdict: verdict(r), Bad: r.Summary.Different+r.Summary.Failed > 0}
	for _, c := range r.Clusters {
		n := c.Count()
		row := report.IndexRow{
			Cluster: c.Name, VCenters: len(c.VCenters), Accounts: n.Accounts, LoggedIn: n.LoggedIn, Missing: n.Missing, Excess: n.Excess,
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
	if err := o.pages().Public(htmlDirFlag, o.page("index"), text); err != nil {
		return err
	}
	o.Infof("wrote %s", o.page("index"))
	return nil
}
