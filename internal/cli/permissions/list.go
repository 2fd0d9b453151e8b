package permissions

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ListOptions are the flags of `permissions list`.
type ListOptions struct {
	job.Options
	Query inspect.PermissionQuery
}

func newCmdList(f *command.Factory, runF func(*ListOptions) error) *cobra.Command {
	o := &ListOptions{Options: job.ReadOnly(f, plan.Permission)}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List permissions of the cluster, a principal or an object",
		Long: command.Text(`
			Lists the permissions of the cluster's accounts and those with this tool's roles. With --principal or --object it
			lists only those, whoever gave them. With the failure domains of a provisioning file or an install-config, the state
			of each permission is wanted, differs or not wanted, and missing ones are listed too; without failure domains it is
			ours. Permissions of others are foreign. If the login may not read the accounts of the SSO domain, that of an
			account whose name tells nothing is unknown, and the exit code is 3. Global permissions, which not every
			release lists, have the object and the state global; no command changes them.`),
		Example: command.Examples(`
			ocp-vsphere-admin permissions list -f provisioning.yaml
			ocp-vsphere-admin permissions list --vcenters vcenter1.example.com --principal 'CORP\svc-ocp'
			ocp-vsphere-admin permissions list --vcenters vcenter1.example.com --object /DC1/datastore/ds1 --inherited
			ocp-vsphere-admin permissions list --vcenters vcenter1.example.com --all -o json`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, listRun, o.check),
	}
	o.RegisterReadOnly(cmd)
	p := cmd.Flags()
	p.StringArrayVar(&o.Query.Principals, "principal", nil,
		`only of this user or group: name@domain or DOMAIN\name (repeatable)`)
	p.StringArrayVar(&o.Query.Objects, "object", nil, "only on the object at this inventory path (repeatable)")
	p.BoolVar(&o.Query.Inherited, "inherited", false, "with --object: also those that propagate to it from above")
	p.BoolVar(&o.Query.All, "all", false, "everybody's")
	job.RegisterCreatedFolders(cmd, &o.CreateFolders)
	cmd.MarkFlagsMutuallyExclusive("all", "principal")
	cmd.MarkFlagsMutuallyExclusive("all", "object")
	job.CompleteNothing(cmd, "principal", "object", "cluster")
	return cmd
}

func (o *ListOptions) check(*cobra.Command, []string) error {
	if o.Query.Inherited && len(o.Query.Objects) == 0 {
		return hint.Wrap(command.BadFlag("inherited", "--object is required"), "add --object PATH")
	}
	if err := job.CheckPrincipals("principal", o.Query.Principals...); err != nil {
		return err
	}
	return job.CheckPaths("object", o.Query.Objects)
}

func listRun(ctx context.Context, o *ListOptions) error {
	w, err := o.Begin(ctx, job.Params{})
	if err != nil {
		return err
	}
	l := w.Job.Permissions(ctx, o.Query)
	w.Finish()
	l.Keep(o.Wants)
	if err := o.Records(l, func() *term.Table { return permissionsTable(l) }); err != nil {
		return err
	}
	if err := o.ReportUnread(l.Results()); err != nil || len(l.Incomplete) == 0 {
		return err
	}
	return command.Exit(command.ExitPartly)
}

func permissionsTable(l *inspect.PermissionList) *term.Table {
	t := term.NewTable("vcenter", "object", "principal", "component", "role", "propagates", "state")
	for _, v := range l.VCenters {
		for _, p := range v.Permissions {
			state := p.State
			if p.Wanted != "" {
				state += ", wanted: " + p.Wanted
			}
			if p.Reaches != "" {
				state += ", propagates to " + p.Reaches
			}
			t.Row(v.Server, p.Object, grantedTo(p.Principal, p.Group), p.Component, p.Role,
				command.Yes(p.Propagate), state)
		}
	}
	job.UnreadRows(t, l.Results())
	return t
}

func grantedTo(principal string, group bool) string {
	if group {
		return "group " + principal
	}
	return principal
}
