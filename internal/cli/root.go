// Package cli is the command line: it parses words into Options, calls one function below and prints the result.
package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/apply"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/credentials"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/destroy"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/doctor"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/explain"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/identity"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/initcmd"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/permissions"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/report"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/rotate"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/secrets"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/simulate"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/users"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// NewCmdRoot assembles all commands. A new noun is a package of its own and a line here.
func NewCmdRoot(f *command.Factory) *cobra.Command {
	root := &cobra.Command{
		Use:   command.Program,
		Short: "Least-privilege vSphere accounts for OpenShift",
		Long: command.Text(`
			Creates roles, accounts and scoped permissions for the components of OpenShift on one or more vCenters, logs
			in as each account to name every privilege that is missing or in excess, and writes the credentials file and
			the secrets.`),
		Example: command.Examples(`
			# see it work, on simulated vCenters
			ocp-vsphere-admin demo

			# what would be done, then do it, then prove it
			ocp-vsphere-admin plan --install-config install-config.yaml
			ocp-vsphere-admin apply --install-config install-config.yaml
			ocp-vsphere-admin verify --install-config install-config.yaml`),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
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
		},
	}
	root.AddGroup(
		&cobra.Group{ID: command.GroupJob, Title: "Main commands:"},
		&cobra.Group{ID: command.GroupParts, Title: "Single steps:"},
		&cobra.Group{ID: command.GroupOutput, Title: "Files and secrets that OpenShift reads:"},
		&cobra.Group{ID: command.GroupLab, Title: "Simulation:"},
		&cobra.Group{ID: command.GroupTool, Title: "This tool:"},
	)
	registerGlobals(root, f)
	root.AddCommand(
		initcmd.NewCmd(f, nil),
		plan.NewCmd(f, nil),
		apply.NewCmd(f, nil),
		verify.NewCmd(f, nil),
		report.NewCmd(f, nil),
		fleet.NewCmd(f),
		rotate.NewCmd(f, nil),
		reconcile.NewCmd(f, nil),
		destroy.NewCmd(f, nil),
		doctor.NewCmd(f, nil),
		simulate.NewCmdDemo(f, NewCmdRoot, nil),
		roles.NewCmd(f),
		users.NewCmd(f),
		permissions.NewCmd(f),
		privileges.NewCmd(f),
		credentials.NewCmd(f),
		identity.NewCmd(f),
		secrets.NewCmd(f),
		installconfig.NewCmd(f),
		simulate.NewCmd(f, nil),
		contract.NewCmd(f, nil),
		spec.NewCmd(f),
		explain.NewCmd(f, nil),
		newCmdVersion(f, nil),
		newCmdCompletion(f, nil),
	)
	root.AddCommand(newTopics()...)
	root.AddCommand(newTopicFlags(root))
	root.SetHelpCommandGroupID(command.GroupTool)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	wrapHelp(root, f)
	registerVersion(root, f)
	nounsShowExamples(root)
	nounsRefuseUnknownWords(root)
	helpRefusesUnknownWords(root)
	completeLive(root, f)
	f.Settings = command.CommandSettings(root)
	return root
}

// A noun can run so that it refuses unknown words; its help must not show that as a second way to use it.
const (
	cobraUsage = "{{if .Runnable}}\n  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}\n  {{.CommandPath}} [command]{{end}}"
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
	p.BoolVarP(&f.Verbose, "verbose", "v", false, "log calls to stderr: method names and durations, never contents")
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		switch name { // former names, which scripts may use
		case "debug":
			name = "verbose"
		case "component":
			name = "components"
		}
		return pflag.NormalizedName(name)
	})
	p.IntVar(&f.Parallel, "parallel", f.Parallel, "number of vCenters to work on at once")
	p.DurationVar(&f.Timeout, "timeout", f.Timeout, "timeout of a single call to a vCenter, and of --admin-command")
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

// helpRefusesUnknownWords makes help of a misspelt command the error that the command itself would be. Cobra would print
// the help of the program and report success. Nor does cobra complete the pages that belong to no command.
func helpRefusesUnknownWords(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil || help == root {
		return
	}
	help.ValidArgsFunction = func(_ *cobra.Command, words []string, typed string) (offers []string, _ cobra.ShellCompDirective) {
		if of, rest, err := root.Find(words); err == nil && len(rest) == 0 {
			for _, c := range of.Commands() {
				if (c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand()) && strings.HasPrefix(c.Name(), typed) {
					offers = append(offers, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
	help.RunE = func(_ *cobra.Command, args []string) error {
		found, rest, err := root.Find(args)
		switch {
		case err != nil:
			return err
		case len(rest) > 0 && command.IsItself(found): // its RunE would do what it is for
			return found.ValidateArgs(rest)
		case len(rest) > 0 && found.HasSubCommands():
			return found.RunE(found, rest)
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	}
}
