package roles

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ListOptions are the flags of `roles list`.
type ListOptions struct {
	job.Options
	Topology   command.TopologyFlags
	All        bool // --all
	Privileges bool // --privileges
}

func newCmdList(f *command.Factory, runF func(*ListOptions) error) *cobra.Command {
	o := &ListOptions{Options: job.ReadOnly(f, plan.Role)}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List roles, who uses them, and how they differ from the matrix",
		Long: command.Text(`
			Lists the roles that this tool named and those that the matrix wants: how many privileges each has besides the
			three that every role has, how many principals use it, and what is missing or excess. Roles are compared with the
			plan of a provisioning file or an install-config; with --vcenters alone, with the roles that roles create makes
			for the topology of --folder, --pool, --host-groups and --template. Only principals that the administrator may see
			are counted.`),
		Example: command.Examples(`
			ocp-vsphere-admin roles list --vcenters vcenter1.example.com,vcenter2.example.com
			ocp-vsphere-admin roles list -f provisioning.yaml --privileges
			ocp-vsphere-admin roles list --vcenters vcenter1.example.com --all -o json`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, listRun),
	}
	o.RegisterReadOnly(cmd)
	o.Topology.Register(cmd)
	cmd.Flags().BoolVar(&o.All, "all", false, "list all roles, system roles too")
	cmd.Flags().BoolVar(&o.Privileges, "privileges", false, "list the privileges in the table")
	return cmd
}

func listRun(ctx context.Context, o *ListOptions) error {
	w, err := o.Begin(ctx, job.Params{Assumed: o.Topology.Assumed()})
	if err != nil {
		return err
	}
	l := w.Job.Roles(ctx, o.All)
	w.Finish()
	if err := o.Records(l, func() *term.Table { return rolesTable(l, o.Privileges) }); err != nil {
		return err
	}
	return o.ReportUnread(l.Results())
}

func rolesTable(l *inspect.RoleList, named bool) *term.Table {
	header := []string{"vcenter", "role", "privileges", "holders", "state"}
	if named {
		header = append(header, "")
	}
	t := term.NewTable(header...)
	for _, v := range l.VCenters {
		for _, r := range v.Roles {
			row := []any{v.Server, r.Name, len(r.Privileges), len(r.Holders), roleState(r)}
			if r.State == inspect.RoleAbsent {
				row[2], row[3] = "-", "-"
			}
			if named {
				row = append(row, term.Lines(marked(r)))
			}
			t.Row(row...)
		}
	}
	job.UnreadRows(t, l.Results())
	return t
}

// roleState is the state in words: "missing 2, excess 1; unused".
func roleState(r inspect.Role) string {
	var parts []string
	switch r.State {
	case inspect.RoleDiffers:
		if n := len(r.Missing); n > 0 {
			parts = append(parts, fmt.Sprintf("missing %d", n))
		}
		if n := len(r.Excess); n > 0 {
			parts = append(parts, fmt.Sprintf("excess %d", n))
		}
	case inspect.RoleAbsent:
		return "no such role"
	default:
		parts = append(parts, r.State)
	}
	if r.Unused {
		parts = append(parts, "unused")
	}
	return strings.Join(parts, ", ")
}

// marked are a role's privileges, with a sign for missing ones and those beyond the matrix.
func marked(r inspect.Role) []string {
	var lines []string
	for _, id := range r.Missing {
		lines = append(lines, "- "+id+" (missing)")
	}
	for _, id := range r.Privileges {
		if slices.Contains(r.Excess, id) {
			id = "+ " + id + " (excess)"
		}
		lines = append(lines, id)
	}
	return lines
}
