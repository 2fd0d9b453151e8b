package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// PermissionsListOptions are the words of `permissions list`.
type PermissionsListOptions struct {
	JobOptions
	Query provision.PermissionQuery
}

func newCmdPermissionsList(f *Factory, runF func(*PermissionsListOptions) error) *cobra.Command {
	o := &PermissionsListOptions{JobOptions: reading(f, plan.Permission)}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List permissions: of the cluster's accounts, of a principal, on an object, or all",
		Long: text(`
			Lists the permissions of the cluster's accounts and those with roles of ours; with --principal or --object only
			those, whosesoever they are. With the failure domains of a provisioning file or an install-config each is said
			to be wanted, different from what is wanted, or not wanted, and those that are missing are listed too. Global
			permissions have no public interface in vSphere 8 and are not listed as such.`),
		Example: examples(`
			ocp-vsphere-admin permissions list -f provisioning.yaml
			ocp-vsphere-admin permissions list --vcenters vcenter1.example.com --principal 'CORP\svc-ocp'
			ocp-vsphere-admin permissions list --vcenters vcenter1.example.com --object /DC1/datastore/ds1 --inherited
			ocp-vsphere-admin permissions list --vcenters vcenter1.example.com --all -o json`),
		Args: noWords,
		RunE: action(o, runF, permissionsListRun, o.check),
	}
	o.registerReading(cmd)
	p := cmd.Flags()
	p.StringArrayVar(&o.Query.Principals, "principal", nil, `of this user or group alone: name@domain or DOMAIN\name (repeatable)`)
	p.StringArrayVar(&o.Query.Objects, "object", nil, "on the object at this inventory path alone (repeatable)")
	p.BoolVar(&o.Query.Inherited, "inherited", false, "with --object: those from above that reach it too")
	p.BoolVar(&o.Query.All, "all", false, "everybody's")
	registerCreatedFolders(cmd, &o.CreateFolders)
	cmd.MarkFlagsMutuallyExclusive("all", "principal")
	cmd.MarkFlagsMutuallyExclusive("all", "object")
	completeNothing(cmd, "principal", "object", "cluster")
	return cmd
}

func (o *PermissionsListOptions) check(*cobra.Command, []string) error {
	if o.Query.Inherited && len(o.Query.Objects) == 0 {
		return hint.Wrap(badFlag("inherited", "which object permissions are to reach was not said"), "add --object PATH")
	}
	if err := qualified("principal", o.Query.Principals...); err != nil {
		return err
	}
	return absolute("object", o.Query.Objects)
}

func permissionsListRun(ctx context.Context, o *PermissionsListOptions) error {
	w, err := o.begin(ctx, extent{})
	if err != nil {
		return err
	}
	l := w.job.Permissions(ctx, o.Query)
	w.finish()
	for i := range l.VCenters {
		v := &l.VCenters[i]
		v.Permissions = slices.DeleteFunc(v.Permissions, func(p provision.ListedPermission) bool { return !o.asked(p.Component) })
	}
	if err := o.records(l, func() *term.Table { return permissionsTable(l) }); err != nil {
		return err
	}
	return o.read(l.Results())
}

func permissionsTable(l *provision.PermissionList) *term.Table {
	t := term.NewTable("vcenter", "object", "principal", "component", "role", "propagates", "state")
	for _, v := range l.VCenters {
		for _, p := range v.Permissions {
			state := p.State
			if p.Wanted != "" {
				state += ", wanted is " + p.Wanted
			}
			if p.Reaches != "" {
				state += ", reaches " + p.Reaches
			}
			t.Row(v.Server, p.Object, grantedTo(p.Principal, p.Group), p.Component, p.Role, yes(p.Propagate), state)
		}
	}
	unread(t, l.Results(), 7)
	return t
}

func grantedTo(principal string, group bool) string {
	if group {
		return "group " + principal
	}
	return principal
}
