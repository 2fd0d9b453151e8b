package report

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// MergeOptions are the flags of `report merge`.
type MergeOptions struct {
	*command.Factory
	Paths    []string
	ExitCode bool
}

func newCmdMerge(f *command.Factory, runF func(*MergeOptions) error) *cobra.Command {
	o := &MergeOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "merge RESULT...",
		Short: "Join what the shards of a run over many clusters found",
		Long: command.Text(`
			Joins the documents that plan, verify or report printed for many clusters with -o json, or the directories of
			--results, into one, as if one run had looked at all clusters. Logs of pods are fine: warnings are skipped.

			Exit codes are those of the command that was run: 2 if something differs, unless it is a plan or a report and
			--exit-code is not given; 3 if some clusters failed or a shard is missing, 1 if all failed.`),
		Example: command.Examples(`
			ocp-vsphere-admin report merge shard-0.json shard-1.json
			ocp-vsphere-admin report merge shard-*.json -o json >all.json`),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return hint.Errorf("name the files that -o json printed, or the directories of --results",
					"no result is given")
			}
			return nil
		},
		RunE: command.Action(o, runF, mergeRun, func(_ *cobra.Command, args []string) error {
			o.Paths = args
			return nil
		}),
	}
	cmd.Flags().BoolVar(&o.ExitCode, "exit-code", false, "exit with 2 if a plan or a report differs")
	return cmd
}

func mergeRun(_ context.Context, o *MergeOptions) error {
	var all []*fleet.Result
	var errs []error
	for _, path := range o.Paths {
		r, err := fleet.Read(path)
		all, errs = append(all, r), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	r, err := fleet.Merge(o.Paths, all)
	if err != nil {
		return err
	}
	if err := many.Show(o.Factory, r); err != nil {
		return err
	}
	return many.Judge(o.Factory, r, o.ExitCode || r.Command == fleet.Verify)
}
