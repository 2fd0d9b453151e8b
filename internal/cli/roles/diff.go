package roles

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// DiffOptions are the flags of `roles diff`.
type DiffOptions struct {
	job.Options
	Topology command.TopologyFlags
	All      bool // --all
}

func newCmdDiff(f *command.Factory, runF func(*DiffOptions) error) *cobra.Command {
	o := &DiffOptions{Options: job.ReadOnly(f, plan.Role)}
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Compare roles with the matrix, and vCenters with each other",
		Long: command.Text(`
			Prints the roles that differ from the matrix or between vCenters, with the privileges that differ: - is missing, +
			is excess, < is on another vCenter but not on this one. vCenters are compared only where the same is wanted on
			both: a role that the failure domains of only one vCenter need is not a difference, nor is a privilege that only
			one version knows. Exit code 2 if anything differs.`),
		Example: command.Examples(`
			ocp-vsphere-admin roles diff --vcenters vcenter1.example.com,vcenter2.example.com
			ocp-vsphere-admin roles diff -f provisioning.yaml
			ocp-vsphere-admin roles diff --vcenters vcenter1.example.com --matrix enhancement -o json`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, diffRun),
	}
	o.RegisterReadOnly(cmd)
	o.Topology.Register(cmd)
	cmd.Flags().BoolVar(&o.All, "all", false, "compare all roles between vCenters, not only this tool's")
	return cmd
}

func diffRun(ctx context.Context, o *DiffOptions) error {
	w, err := o.Begin(ctx, job.Params{Assumed: o.Topology.Assumed()})
	if err != nil {
		return err
	}
	d := w.Job.DiffRoles(ctx, o.All)
	w.Finish()
	if err := o.Records(d, func() *term.Table { return rolesDiffTable(d) }); err != nil {
		return err
	}
	if err := o.ReportUnread(d.Results()); err != nil {
		return err
	}
	if o.Output == term.FormatTable {
		o.Infof("%s compared, %d different", term.Count(d.Summary.Compared, "role"), d.Summary.Different)
	}
	if !d.Same() {
		return command.Exit(command.ExitDifferent)
	}
	return nil
}

func rolesDiffTable(d *inspect.RolesDiff) *term.Table {
	absent := map[string]string{inspect.RoleAbsent: "no such role", inspect.RoleNowhere: "no such role, none wanted"}
	t := term.NewTable()
	if len(d.Roles) > 0 {
		t = term.NewTable("role", "vcenter", "against the matrix", "privileges")
	}
	for _, r := range d.Roles {
		for _, v := range r.VCenters {
			var ids []string
			add := func(sign string, list []string) {
				for _, id := range list {
					ids = append(ids, sign+" "+id)
				}
			}
			if v.State != inspect.RoleAbsent { // all of them would be
				add("-", v.Missing)
			}
			add("+", v.Excess)
			if absent[v.State] == "" {
				add("<", lists.Without(v.Lacks, v.Missing))
			}
			t.Row(r.Name, v.Server, cmp.Or(absent[v.State], v.State), term.Lines(ids))
		}
	}
	job.UnreadRows(t, d.Results())
	return t
}
