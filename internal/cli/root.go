package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Groups of commands in the help, in its order.
const (
	groupJob    = "job"
	groupParts  = "parts"
	groupOutput = "output"
	groupLab    = "lab"
	groupTool   = "tool"
)

// newCmdRoot assembles all commands. A new noun is a file of its own and a line here.
func newCmdRoot(f *Factory) *cobra.Command {
	root := &cobra.Command{
		Use:   program,
		Short: "Least-privilege vSphere accounts for OpenShift",
		Long: text(`
			Creates roles, accounts and scoped permissions for the components of OpenShift on one or more vCenters, logs
			in as each account to name every privilege that is missing or in excess, and writes the credentials file and
			the secrets.`),
		Example: examples(`
			# see it work, on simulated vCenters
			ocp-vsphere-admin demo

			# what would be done, then do it, then prove it
			ocp-vsphere-admin plan --install-config install-config.yaml
			ocp-vsphere-admin apply --install-config install-config.yaml
			ocp-vsphere-admin verify --install-config install-config.yaml`),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(checkEmpty(cmd.Flags()), checkTwice(cmd, f.typed)); err != nil {
				return err
			}
			if err := f.loadSettings(cmd); err != nil {
				return err
			}
			if err := errors.Join(checkStdin(cmd.Flags()), checkGlobals(f)); err != nil {
				return err
			}
			f.settle()
			f.said = typed(cmd.Flags())
			return nil
		},
	}
	root.AddGroup(
		&cobra.Group{ID: groupJob, Title: "Main commands:"},
		&cobra.Group{ID: groupParts, Title: "Single steps:"},
		&cobra.Group{ID: groupOutput, Title: "Files and secrets that OpenShift reads:"},
		&cobra.Group{ID: groupLab, Title: "Simulation:"},
		&cobra.Group{ID: groupTool, Title: "This tool:"},
	)
	registerGlobals(root, f)
	root.AddCommand(
		newCmdInit(f, nil),
		newCmdPlan(f, nil),
		newCmdApply(f, nil),
		newCmdVerify(f, nil),
		newCmdRotate(f, nil),
		newCmdReconcile(f, nil),
		newCmdDestroy(f, nil),
		newCmdDoctor(f, nil),
		newCmdDemo(f, nil),
		newCmdRoles(f),
		newCmdUsers(f),
		newCmdPermissions(f),
		newCmdPrivileges(f),
		newCmdCredentials(f),
		newCmdIdentity(f),
		newCmdSecrets(f),
		newCmdInstallConfig(f),
		newCmdSimulate(f, nil),
		newCmdContract(f, nil),
		newCmdSpec(f),
		newCmdExplain(f, nil),
		newCmdVersion(f, nil),
		newCmdCompletion(f, nil),
	)
	root.AddCommand(newTopics()...)
	root.SetHelpCommandGroupID(groupTool)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	wrapHelp(root, f)
	registerVersion(root, f)
	nounsShowExamples(root)
	nounsRefuseUnknownWords(root)
	helpRefusesUnknownWords(root)
	completeLive(root, f)
	f.settings = commandSettings(root)
	return root
}

// A noun can run so that it refuses unknown words; its help must not show that as a second way to use it.
const (
	cobraUsage = "{{if .Runnable}}\n  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}\n  {{.CommandPath}} [command]{{end}}"
	cobraMore  = `Use "{{.CommandPath}} [command] --help" for more information about a command.`
	more       = `See "{{.CommandPath}} <command> --help" for each command.`
	usage      = "\n  {{if index .Annotations \"" + itself + "\"}}{{.UseLine}}\n  {{end}}{{if .HasAvailableSubCommands}}{{.CommandPath}} <command> [flags]{{else}}{{.UseLine}}{{end}}"
)

// itself marks a noun that is a command too.
const itself = "runs itself"

func runsItself(cmd *cobra.Command) { cmd.Annotations = map[string]string{itself: "true"} }

func isItself(cmd *cobra.Command) bool { return cmd.Annotations[itself] != "" }

func registerGlobals(root *cobra.Command, f *Factory) {
	p := root.PersistentFlags()
	p.VarP(newChoice(&f.Output, term.Formats()), "output", "o", "output format: table, json or yaml")
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
	p.DurationVar(&f.Timeout, "timeout", f.Timeout, "timeout of a single call to a vCenter")
	p.StringVar(&f.Config, "config", "", "settings file (default ~/.config/"+program+"/config.yaml)")
	for _, name := range []string{"parallel", "timeout", "config"} {
		_ = p.SetAnnotation(name, settingMark, nil)
	}
	completeValues(root, "output", asStrings(term.Formats()))
	_ = root.MarkPersistentFlagFilename("config", "yaml", "yml")
}

func checkGlobals(f *Factory) error {
	switch {
	case f.Parallel < 1:
		return badFlag("parallel", "%d: must be at least 1", f.Parallel)
	case f.Timeout <= 0:
		return badFlag("timeout", "%s: must be greater than zero, such as 60s", f.Timeout)
	}
	return nil
}

// helpRefusesUnknownWords makes help of a misspelt command the error that the command itself would be. Cobra would print
// the help of the program and report success.
func helpRefusesUnknownWords(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil || help == root {
		return
	}
	help.RunE = func(_ *cobra.Command, args []string) error {
		found, rest, err := root.Find(args)
		switch {
		case err != nil:
			return err
		case len(rest) > 0 && isItself(found): // its RunE would do what it is for
			return found.ValidateArgs(rest)
		case len(rest) > 0 && found.HasSubCommands():
			return found.RunE(found, rest)
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	}
}

func eachCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, sub := range cmd.Commands() {
		eachCommand(sub, do)
	}
}

// text takes the indentation of the source out of a help text.
func text(s string) string { return strings.Join(trimmed(s), "\n") }

// examples is text, indented as help shows examples.
func examples(s string) string {
	lines := trimmed(s)
	for i, l := range lines {
		if l != "" {
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}

func trimmed(s string) []string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	indent := len(lines[0]) - len(strings.TrimLeft(lines[0], "\t"))
	for i, l := range lines {
		for n := 0; n < indent && strings.HasPrefix(l, "\t"); n++ {
			l = l[1:]
		}
		lines[i] = strings.TrimRight(l, " \t")
	}
	return lines
}
