package frame

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// A noun has a run only to refuse unknown words; its help must not show that as a second usage.
const (
	cobraUsage = "{{if .Runnable}}\n  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}\n  {{.CommandPath}} [command]{{end}}"
	cobraAlias = "{{if gt (len .Aliases) 0}}\n\nAliases:\n  {{.NameAndAliases}}{{end}}"
	cobraMore  = `Use "{{.CommandPath}} [command] --help" for more information about a command.`
	more       = `See "{{.CommandPath}} <command> --help" for each command.`
	usage      = "\n  {{if index .Annotations \"" + command.Itself + "\"}}{{.UseLine}}\n  {{end}}{{if .HasAvailableSubCommands}}{{.CommandPath}} <command> [flags]{{else}}{{.UseLine}}{{end}}"
)

func registerGlobals(root *cobra.Command, f *command.Factory) {
	p := root.PersistentFlags()
	p.VarP(command.NewChoice(&f.Output, term.Formats()), "output", "o", "output format: table, json or yaml")
	p.BoolVar(&f.NoColor, "no-color", false, "disable colours (also: NO_COLOR)")
	p.BoolVar(&f.NoInput, "no-input", false, "never prompt; a missing value is an error")
	p.BoolVar(&f.Yes, "yes", false, "answer confirmations with yes")
	p.BoolVarP(&f.Yes, "auto-approve", "y", false, "--yes") // words of other tools
	_ = p.MarkHidden("auto-approve")
	p.BoolVarP(&f.Quiet, "quiet", "q", false, "print only results, warnings, errors, questions and what is left to do")
	p.BoolVarP(&f.Verbose, "verbose", "v", false,
		"log calls to stderr: method names and durations, never contents")
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		switch name { // former names, which scripts may use, and those of other tools
		case "debug":
			name = "verbose"
		case "component":
			name = "components"
		case "detailed-exitcode":
			name = "exit-code"
		}
		return pflag.NormalizedName(name)
	})
	p.IntVar(&f.Parallel, "parallel", f.Parallel, "number of vCenters to work on at once")
	p.DurationVar(&f.Timeout, "timeout", f.Timeout,
		"timeout of a single call to a vCenter, and of --admin-command")
	p.StringVar(&f.Config, "config", "", "settings file (default ~/.config/"+command.Program+"/config.yaml)")
	for _, name := range []string{"parallel", "timeout", "config"} {
		_ = p.SetAnnotation(name, command.SettingMark, nil)
	}
	command.CompleteValues(root, "output", component.Words(term.Formats()))
	_ = root.MarkPersistentFlagFilename("config", "yaml", "yml")
}

func checkGlobals(f *command.Factory) error {
	switch {
	case f.Parallel < 1:
		return command.BadFlag("parallel", "%d: must be at least 1", f.Parallel)
	case f.Timeout <= 0:
		return command.BadFlag("timeout", "%s: must be greater than zero, such as 60s", f.Timeout)
	}
	return nil
}

// helpRefusesUnknownWords makes help of a misspelled command an error, and completes the pages of
// no command. Cobra would print the program's help and report success.
func helpRefusesUnknownWords(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil || help == root {
		return
	}
	help.ValidArgsFunction = func(_ *cobra.Command, words []string, typed string) (offers []string, _ cobra.ShellCompDirective) {
		if of, unknown, err := root.Find(words); err == nil && len(unknown) == 0 {
			for _, c := range of.Commands() {
				if (c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand()) && strings.HasPrefix(c.Name(), typed) {
					offers = append(offers, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
	help.RunE = func(_ *cobra.Command, args []string) error {
		found, unknown, err := root.Find(args)
		switch {
		case err != nil:
			return err
		case len(unknown) > 0 && command.IsItself(found): // its RunE would do what it is for
			return found.ValidateArgs(unknown)
		case len(unknown) > 0 && found.HasSubCommands():
			return found.RunE(found, unknown)
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	}
}
