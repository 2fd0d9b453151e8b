package spec

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// UpdateOptions are the flags of `spec update`.
type UpdateOptions struct {
	DiffOptions
	DryRun bool // --dry-run
}

type updateView struct {
	command.Header
	File        string           `json:"file"`
	Source      sourceView       `json:"source"`
	DryRun      bool             `json:"dryRun"`
	Differences []differenceView `json:"differences"` // before
}

func newCmdUpdate(f *command.Factory, runF func(*UpdateOptions) error) *cobra.Command {
	o := &UpdateOptions{DiffOptions: DiffOptions{Factory: f}}
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Write the running cluster's topology into it",
		Long: command.Text(`
			Gives the provisioning file the vCenters and failure domains of the running cluster, or of an install-config.
			The field vcenters of the file is written anew, without its comments, if they differ; addresses and accounts that
			it has for single vCenters are kept, and so is everything else. Shows what changes. No vCenter is called: 'plan'
			shows what follows from it there.`),
		Example: command.Examples(`
			ocp-vsphere-admin spec update -f provisioning.yaml --infrastructure kubeconfig:kubeconfig --dry-run
			oc get infrastructure cluster -o yaml | ocp-vsphere-admin spec update -f provisioning.yaml --infrastructure -`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, updateRun, func(*cobra.Command, []string) error {
			switch {
			case o.File == "" || o.File == "-":
				return hint.Errorf("set -f FILE", "the provisioning file to update is required, as a file")
			case len(o.sources()) < 2:
				return hint.Errorf("set --infrastructure FILE or --install-config FILE",
					"a source of vCenters and failure domains is required")
			}
			return nil
		}),
	}
	command.RegisterFile(cmd, &o.File, "provisioning file (- for stdin)")
	registerOthers(cmd, &o.InstallConfig, &o.Infrastructure)
	cmd.MarkFlagsMutuallyExclusive("install-config", command.InfrastructureFlag)
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what would be changed, and change nothing")
	return cmd
}

func updateRun(ctx context.Context, o *UpdateOptions) error {
	sources := o.sources()
	from, err := sources[1].read(ctx, o.Factory)
	if err != nil {
		return err
	}
	data, err := files.UTF8(files.Read(o.File, files.Text))
	if err != nil {
		return command.BadFlag("file", "%w", err)
	}
	before, err := spec.Parse(o.File, data)
	if err != nil {
		return err
	}
	updated, err := spec.SetTopology(o.File, data, from)
	if err != nil {
		return err
	}
	view := updateView{command.NewHeader("SpecUpdate"), o.File, sources[1], o.DryRun, differencesOf(sources, spec.Differences(before, from))}
	if !o.DryRun && len(view.Differences) > 0 {
		if err := command.Rewrite(o.File, o.File, updated); err != nil {
			return err
		}
	}
	if err := o.Print(o.Output, view, func(w io.Writer) error { return tableOf(sources, view.Differences).Render(w, o.Width()) }); err != nil {
		return err
	}
	switch {
	case len(view.Differences) == 0:
		o.Infof("no differences: %s stays as it is", o.File)
	case o.DryRun:
		o.Infof("%s (dry run: nothing is written)", term.Count(len(view.Differences), "difference"))
	default:
		o.Infof("%s has the vCenters and failure domains of %s now", o.File, sources[1].From)
		o.Next(o.CommandLine("plan", o.Said.Only("file")))
	}
	return nil
}
