package frame

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// CompletionOptions are the flags of `completion`.
type CompletionOptions struct {
	*command.Factory
	Shell string
	root  *cobra.Command
}

func newCmdCompletion(f *command.Factory, runF func(*CompletionOptions) error) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	o := &CompletionOptions{Factory: f}
	return &cobra.Command{
		Use:     "completion bash|zsh|fish|powershell",
		Short:   "Print the shell completion script",
		GroupID: command.GroupTool,
		Long: command.Text(`
			Prints a script that completes commands, flags and values in your shell. For bash, the package bash-completion is
			required.`),
		Example: f.Named(command.Examples(`
			# bash, for this session
			source <(ocp-vsphere-admin completion bash)

			# zsh, for good
			ocp-vsphere-admin completion zsh > "${fpath[1]}/_ocp-vsphere-admin"

			# fish, for good
			ocp-vsphere-admin completion fish > ~/.config/fish/completions/ocp-vsphere-admin.fish

			# PowerShell, for this session
			ocp-vsphere-admin completion powershell | Out-String | Invoke-Expression`)),
		ValidArgs: shells,
		Args:      command.Exactly("shell", shells),
		RunE: command.Action(o, runF, completionRun, func(cmd *cobra.Command, args []string) error {
			o.Shell, o.root = args[0], cmd.Root()
			return o.CheckOutput(cmd, "a completion script has one format")
		}),
	}
}

func completionRun(_ context.Context, o *CompletionOptions) error {
	switch o.Shell {
	case "bash":
		return o.root.GenBashCompletionV2(o.Out, true)
	case "zsh":
		return o.root.GenZshCompletion(o.Out)
	case "fish":
		return o.root.GenFishCompletion(o.Out, true)
	default:
		return o.root.GenPowerShellCompletionWithDesc(o.Out)
	}
}
