// Package secrets is the noun secrets: it writes, compares and explains the secrets that OpenShift reads.
package secrets

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// NewCmd is the noun with its verbs.
func NewCmd(f *command.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "secrets",
		Short:   "Write, compare and explain the secrets that the operators read",
		GroupID: command.GroupOutput,
		Long: command.Text(`
			These commands change no vCenter, and but for sync no cluster: emit and renew write YAML for oc or kubectl, diff
			compares it with what they print, sync applies it, explain reads what they print, release prints secrets that 'reconcile' holds,
			and manifests writes those of a first installation.`),
	}
	cmd.AddCommand(newCmdEmit(f, nil), newCmdRenew(f, nil), newCmdDiff(f, nil), newCmdSync(f, nil), newCmdExplain(f, nil), newCmdRelease(f, nil), newCmdManifests(f, nil))
	return cmd
}
