package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// DestroyOptions are the words of `destroy`.
type DestroyOptions struct {
	JobOptions
	DryRun  bool // --dry-run
	Secrets secretsFlags
}

func newCmdDestroy(f *Factory, runF func(*DestroyOptions) error) *cobra.Command {
	o := &DestroyOptions{JobOptions: JobOptions{Factory: f}}
	cmd := &cobra.Command{
		Use:     "destroy",
		Short:   "Remove what apply created",
		GroupID: groupJob,
		Long: text(`
			Removes the permissions of the cluster's accounts on every object, the accounts, and the roles that nobody else
			uses; the entries in the credentials file go last. Adopted accounts are kept: they lose what this cluster gave
			them and get back the permissions that it replaced. An account is kept while a linked vCenter uses it or cannot be
			read. VM folders are kept because they may contain machines. Releases that the provisioning file (-f) records as
			reconciled are removed from it first. Asks for the cluster's name as confirmation.

			Before anything is removed, destroy names what still needs the accounts: virtual machines below the folders of the
			failure domains, and open sessions. With --secrets it also checks the cluster's secrets; if one of them still
			holds such an account, nothing is removed. If the dump holds PersistentVolumes, the volumes that need
			csi-driver's account are named.`),
		Example: examples(`
			ocp-vsphere-admin destroy --install-config install-config.yaml --dry-run
			ocp-vsphere-admin destroy --install-config install-config.yaml
			ocp-vsphere-admin destroy -f provisioning.yaml --yes`),
		Args: noWords,
		RunE: action(o, runF, destroyRun),
	}
	o.register(cmd)
	o.registerView(cmd)
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what would be removed, and remove nothing")
	o.Secrets.registerInUse(cmd, ": refuse if one of them still holds an account to be removed")
	return cmd
}

func destroyRun(ctx context.Context, o *DestroyOptions) error {
	used, err := o.Secrets.inUse(ctx, o.Factory)
	if err != nil {
		return err
	}
	w, err := o.begin(ctx, extent{writes: !o.DryRun, volumes: used.volumes})
	if err != nil {
		return err
	}
	defer w.finish()
	if err := w.stillUsed(used.secrets, w.removes); err != nil {
		return err
	}
	p := w.job.PlanDestroy(ctx)
	undoing := w.undoing(p, plan.Delete, plan.Update)
	if o.DryRun {
		err := w.dryRun(p)
		undoing.tell(false)
		return err
	}
	if allFailed(p) {
		return p.Err()
	}
	err = w.agree(p, false, "destroy", func() (bool, error) {
		all := "all of this"
		if part := p.Part(); part != "" {
			all += " " + part
		}
		answer, err := o.Prompt(ctx, "to remove "+all+", type the cluster's name ("+w.wanted.Cluster+")", "")
		if err == nil && strings.TrimSpace(answer) != w.wanted.Cluster {
			err = errors.New("the cluster name does not match; nothing was removed")
		}
		return true, err
	})
	if err != nil {
		return err
	}
	if err := undoing.write(); err != nil {
		return err
	}
	had := !missing(w.credentials) // else accounts of others alone are gone from here: their passwords never were in it
	if err := w.job.Destroy(ctx, p); err != nil {
		return err
	}
	if err := w.report(p); err != nil {
		return err
	}
	if err := outcome(p); err != nil {
		o.unfinished(p, theSame)
		return err
	}
	switch {
	case o.Output != term.FormatTable:
	case p.Empty():
		o.Infof("nothing to remove")
	case had && w.job.Stored():
		o.Infof("accounts that are kept still have their entries in %s", w.credentials)
	case had:
		o.Infof("the entries of cluster %s are gone from %s", w.wanted.Cluster, w.credentials)
	}
	return unsettled(p.Findings)
}
