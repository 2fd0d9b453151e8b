package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// DestroyOptions are the words of `destroy`.
type DestroyOptions struct {
	JobOptions
	DryRun bool // --dry-run
}

func newCmdDestroy(f *Factory, runF func(*DestroyOptions) error) *cobra.Command {
	o := &DestroyOptions{JobOptions: JobOptions{Factory: f}}
	cmd := &cobra.Command{
		Use:     "destroy",
		Short:   "Remove what apply made, nothing else",
		GroupID: groupJob,
		Long: text(`
			Removes the permissions of the cluster's accounts wherever they stand, the accounts, and the roles that nobody
			else uses; the entries of the credentials file go last. Adopted accounts lose what this cluster gave them, get
			back what that displaced, and are kept. Accounts stay while a linked vCenter uses them or cannot be read. VM folders are kept: machines may be in them. Asks for the cluster's name.`),
		Example: examples(`
			ocp-vsphere-admin destroy --install-config install-config.yaml --dry-run
			ocp-vsphere-admin destroy --install-config install-config.yaml
			ocp-vsphere-admin destroy -f provisioning.yaml --yes`),
		Args: noWords,
		RunE: action(o, runF, destroyRun),
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what would be removed, and nothing else")
	return cmd
}

func destroyRun(ctx context.Context, o *DestroyOptions) error {
	w, err := o.begin(ctx, extent{writes: !o.DryRun})
	if err != nil {
		return err
	}
	defer w.finish()
	p := w.job.PlanDestroy(ctx)
	if o.DryRun {
		return w.dryRun(p)
	}
	if allFailed(p) {
		return p.Err()
	}
	err = w.agree(p, false, "the destruction", func() (bool, error) {
		answer, err := o.Prompt(ctx, "to remove all this, type the cluster's name ("+w.wanted.Cluster+")", "")
		return strings.TrimSpace(answer) == w.wanted.Cluster, err
	})
	if err != nil {
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
		o.Infof("running the same command again does the rest")
		return err
	}
	switch {
	case o.Output != term.FormatTable:
	case p.Empty():
		o.Infof("there was nothing to remove")
	case had && w.job.Stored():
		o.Infof("accounts that stay have their entries in %s", w.credentials)
	case had:
		o.Infof("the entries of cluster %s are gone from %s", w.wanted.Cluster, w.credentials)
	}
	return nil
}
