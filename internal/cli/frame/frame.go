// Package frame is what a program of commands is made of, whichever commands these are: the flags of all commands, settings, help,
// completion, version, errors and exit codes.
package frame

import (
	"errors"
	"sync"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// Program is a program of commands.
type Program struct {
	Root     *cobra.Command // its name, what it is and examples
	Groups   []*cobra.Group // in the order of its help
	Commands []*cobra.Command
	Topics   []*cobra.Command // pages of its help that belong to no command
	// Became says what a command or a flag of an earlier version is now: "reconcile --prune" is "reconcile prune". What begins
	// with the name of a program belongs to that one, and what has a colon is a field of the provisioning file, and what begins with -- a flag. A flag without
	// a command was one of several.
	Became map[string]string
}

// New assembles a program on a Factory.
func New(f *command.Factory, p Program) *cobra.Command {
	root := p.Root
	f.Program = root.Name()
	root.SilenceErrors, root.SilenceUsage = true, true
	words := vocabulary{f, p.Became}
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if cmd == root && len(args) > 0 { // whatever settings say
			return words.unknownCommand(cmd, args[0])
		}
		return settle(f, cmd)
	}
	root.AddGroup(append(p.Groups, &cobra.Group{ID: command.GroupTool, Title: "This tool:"})...)
	registerGlobals(root, f)
	root.AddCommand(p.Commands...)
	root.AddCommand(newCmdVersion(f), newCmdCompletion(f, nil))
	root.AddCommand(p.Topics...)
	root.AddCommand(newTopicFlags(root))
	root.SetHelpCommandGroupID(command.GroupTool)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(words.flagError)
	wrapHelp(root, f, words)
	registerVersion(root, f, words)
	nounsShowExamples(root)
	nounsRefuseUnknownWords(root, words)
	helpRefusesUnknownWords(root)
	completeLive(root, f)
	f.Settings = sync.OnceValue(func() map[string]map[string]string {
		return command.CommandSettings(root)
	})
	return root
}

// settle checks the words of a command line and makes its flags and settings take effect.
func settle(f *command.Factory, cmd *cobra.Command) error {
	if err := errors.Join(checkEmpty(cmd.Flags()), checkTwice(cmd, f.Typed)); err != nil {
		return err
	}
	if err := f.LoadSettings(cmd); err != nil {
		return err
	}
	if err := errors.Join(command.SpacedVCenters(cmd.Flags()), checkStdin(cmd.Flags()), checkGlobals(f)); err != nil {
		return err
	}
	f.Settle()
	f.Said = command.InvocationOf(cmd.Flags())
	if config := cmd.Flags().Lookup("install-config"); config != nil {
		f.WarnReadable(config.Value.String())
	}
	return nil
}

// NewTopic is a page of the help.
func NewTopic(name, short, long string) *cobra.Command {
	return &cobra.Command{Use: name, Short: short, Long: command.Text(long)}
}
