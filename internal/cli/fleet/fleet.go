// Package fleet is the noun fleet: plan, verify and report over specifications, merge of shards.
package fleet

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// NewCmd is the noun with its verbs.
func NewCmd(f *command.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "fleet",
		Short:   "Plan, verify and report for many clusters at once",
		GroupID: command.GroupJob,
		Long: command.Text(`
			These commands do for many provisioning files what plan, verify and report do for one, several vCenters at a time.
			They change nothing. A cluster that fails harms no other one. What provisioning files have in common goes into a file
			that each of them names (common: common.yaml), so that every other command reads the same.

			With --shard a run takes a part of the clusters, as the pods of an Indexed Job do; merge joins what they found.
			Clusters that share a vCenter, or name the same linkedGroup, stay in one shard.`),
	}
	cmd.AddCommand(newCmdPlan(f, nil), newCmdVerify(f, nil), newCmdReport(f, nil), newCmdMerge(f, nil))
	return cmd
}
