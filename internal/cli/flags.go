package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// flagError replaces pflag's message for flags that do not exist.
func flagError(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 { // the flags are those of a command that does not exist
		return unknownCommand(cmd, words[0])
	}
	see := command.SeeHelp(cmd)
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return hint.Wrap(command.Plainly(err), see)
	}
	name := unknown.GetSpecifiedName()
	if became := becameCommand(cmd, name); became != "" {
		return hint.Errorf("'"+command.Program+" "+became+" --help' shows its flags", "--%s is a command now: '%s %s'", name, command.Program, became)
	}
	var known []string
	add := func(fl *pflag.Flag) {
		if !fl.Hidden {
			known = append(known, fl.Name)
		}
	}
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return command.Nearest(fmt.Errorf("unknown flag --%s for '%s'", name, cmd.CommandPath()), "--", name, known, see)
}

// becameCommand is the command that a flag of an earlier version became; "" = the flag is none of these.
func becameCommand(cmd *cobra.Command, flag string) string {
	return map[string]string{
		"reconcile --prune":        "reconcile prune",
		"reconcile --secrets":      "reconcile prune",
		"reconcile --applied":      "reconcile prune",
		"reconcile --release-held": "secrets release",
		"reconcile --namespaces":   "secrets release",
		"reconcile --output-dir":   "secrets release",
		"reconcile --manifests":    "secrets manifests",
	}[command.Spoken(cmd)+" --"+flag]
}

// nounsRefuseUnknownWords gives every command that only has subcommands a run of its own: help without words, an error
// with the nearest command for a wrong one. Cobra would print help and report success.
func nounsRefuseUnknownWords(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		nounsRefuseUnknownWords(sub)
	}
	if !cmd.HasSubCommands() {
		return
	}
	if command.IsItself(cmd) {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(cmd, args[0])
		}
	}
	if cmd.Runnable() {
		return
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
}

// unknownCommand says what a noun does not have, and what is nearest.
func unknownCommand(cmd *cobra.Command, word string) error {
	var known []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			known = append(known, sub.Name())
		}
	}
	return command.Nearest(fmt.Errorf("unknown command %q for '%s'", word, cmd.CommandPath()), "", word, known, command.SeeHelp(cmd))
}

// exclusive replaces cobra's message for flags that exclude each other; other errors pass.
func exclusive(err error) error {
	_, rest, found := strings.Cut(err.Error(), "are set none of the others can be; [")
	names, _, ended := strings.Cut(rest, "]")
	if !found || !ended {
		return err
	}
	err = fmt.Errorf("--%s exclude each other", strings.Join(strings.Fields(names), " and --"))
	if !slices.ContainsFunc(strings.Fields(names), func(name string) bool { return !slices.Contains(command.Sources(), name) }) {
		return hint.Wrap(err, "'"+command.Program+" spec diff' compares them")
	}
	return err
}
