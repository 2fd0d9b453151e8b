// Package destroy is the command that removes what apply created.
package destroy

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Options are the flags of `destroy`.
type Options struct {
	job.Options
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Options: job.Options{Factory: f}}
	cmd := &cobra.Command{
		Use:     "destroy",
		Short:   "Remove what apply created",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Removes the permissions of the cluster's accounts on every object, the accounts, and the roles that nobody else
			uses; the entries in the credentials file go last. Adopted accounts are kept: they get back the permissions that
			this cluster replaced. VM folders are kept. Asks for the cluster's name as confirmation.

			--secrets or --kubeconfig proves that no component uses the accounts; if a secret still holds one, nothing is
			removed. --applied asserts it; on a terminal, so does the answer. Virtual machines and sessions that still need
			the accounts are named first.`),
		Example: command.Examples(`
			ocp-vsphere-admin destroy --install-config install-config.yaml --dry-run
			oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin destroy -f provisioning.yaml --yes --secrets -
			ocp-vsphere-admin destroy -f provisioning.yaml --yes --applied   # no cluster uses the accounts`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run),
	}
	o.RegisterChange(cmd)
	o.Used.RegisterInUse(cmd, "")
	return cmd
}

func run(ctx context.Context, o *Options) error {
	w, err := o.Begin(ctx, job.Params{Writes: !o.DryRun})
	if err != nil {
		return err
	}
	had := w.Stores(w.Job.Request.Credentials)
	return w.Change(ctx, job.Change{
		Command: "destroy", Subject: "destroy", Question: "to remove all of this", ConfirmName: w.Wanted.Cluster,
		Plan: w.Job.PlanDestroy, Do: w.Job.Destroy,
		Revokes: true,
		Proof: func(p *plan.Plan) {
			w.ForPeople(func() {
				if job.Outcome(p) != nil {
					return
				}
				if p.Empty() {
					o.Infof("nothing to remove from vCenters")
				}
				switch {
				case had && w.Job.Stored():
					o.Infof("accounts that are kept still have their entries in %s", w.Credentials)
				case had && w.Wanted.Before != nil: // a part of it
					var of []string
					if names := w.Wanted.ComponentNames(); len(names) < len(w.Wanted.Whole().ComponentNames()) {
						of = component.Words(names)
					}
					if len(w.Wanted.VCenters) < len(w.Wanted.Whole().VCenters) {
						of = append(of, command.Servers(w.Wanted)...)
					}
					o.Infof("the entries of cluster %s for %s are gone from %s", w.Wanted.Cluster,
						strings.Join(of, ", "), w.Credentials)
				case had:
					o.Infof("the entries of cluster %s are gone from %s", w.Wanted.Cluster, w.Credentials)
				case p.Any(func(c *plan.Change) bool { return c.Kind == plan.User && c.Verb == plan.Delete }):
					o.Infof("%s has no entry of cluster %s: what another file has of it stays there",
						w.Credentials, w.Wanted.Cluster)
				}
				w.PrintFormers()
				file := o.Connection.Source.File
				state := spec.StatePath(file)
				if w.Wanted.Before == nil && file != "" && !command.Missing(state) {
					o.Command(state+" stays, and a cluster that is made with "+file+" again follows it; to begin anew:",
						script.Line("rm", state))
				}
			})
		},
	})
}
