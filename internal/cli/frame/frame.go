// Package frame is what programs share: global flags, settings, help, version, errors, exit codes.
package frame

import (
	"cmp"
	"context"
	"crypto/fips140"
	"errors"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Program is a program of commands.
type Program struct {
	Root     *cobra.Command // its name, what it is and examples
	Groups   []*cobra.Group // in the order of its help
	Commands []*cobra.Command
	Topics   []*cobra.Command // pages of its help that belong to no command
	// Meant is what a command or flag of an earlier version or another tool is here: "reconcile
	// --prune" is "reconcile prune". A value begins with a program's name for another program, or with
	// - for a flag, or has a colon for a field of the provisioning file. A flag without a command is
	// one of several.
	Meant map[string]string
}

// New assembles a program on a Factory.
func New(f *command.Factory, p Program) *cobra.Command {
	root := p.Root
	f.Program = root.Name()
	root.SilenceErrors, root.SilenceUsage = true, true
	words := vocabulary{f, p.Meant}
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
	aliases := map[string][]string{"destroy": {"delete"}, "list": {"ls"}, "revoke": {"delete"}} // words of other tools
	command.EachCommand(root, func(cmd *cobra.Command) {
		cmd.Aliases = aliases[cmd.Name()]
		cmd.InitDefaultHelpFlag() // else cobra takes the command in `-h plan` for the value of -h
	})
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

// settle checks the words of a command line and makes flags and settings take effect.
func settle(f *command.Factory, cmd *cobra.Command) error {
	if err := errors.Join(checkEmpty(cmd.Flags()), checkTwice(cmd, f.Typed)); err != nil {
		return err
	}
	if err := f.LoadSettings(cmd); err != nil {
		return err
	}
	if err := errors.Join(command.SpacedVCenters(cmd.Flags()), checkStdin(cmd.Flags()),
		checkForce(f, cmd.Flags()), checkGlobals(f)); err != nil {
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

// Failure is the document of a run that failed before it printed one.
var Failure = term.Failure{APIVersion: command.APIVersion, Kind: "Failure"}

// Run executes the words of a command line of the program of newRoot and returns the exit code.
// When ctx ends with [term.ErrInterrupted] and the command fails for it, the code is 130.
func Run(ctx context.Context, streams *term.Streams, args []string, newRoot func(*command.Factory) *cobra.Command) int {
	f := command.NewFactory(streams, stamped())
	root := newRoot(f)
	f.Typed = args
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	streams.Keep()
	name := pluginName(streams.Invoked)
	if name != "" {
		streams.Spoken = spokenAs(name, root)
	}
	name = cmp.Or(name, f.Program)
	code, printed := finish(ctx, streams, name, crash.Try(func() error {
		return exclusive(f, cmp.Or(root.ExecuteContext(ctx), f.Misspelt))
	}))
	var lines []term.ErrorLine
	if printed != nil {
		lines = term.ErrorLines(printed)
	}
	if err := streams.Deliver(f.Output, Failure, lines); err != nil {
		streams.PrintError(name, err)
		code = max(code, command.ExitFailed)
	}
	return code
}

// finish prints err and returns its exit code and what it printed; nil = nothing.
func finish(ctx context.Context, streams *term.Streams, program string, err error) (code int, printed error) {
	if err == nil {
		return command.ExitDone, nil
	}
	err = command.NamedByScripts(err, streams.Getenv)
	interrupted := errors.Is(context.Cause(ctx), term.ErrInterrupted)
	shown := err
	if interrupted {
		shown = command.Uncancelled(err)
	}
	var coded *command.ExitError
	switch {
	case errors.As(err, &coded) && coded.Err == nil:
	case shown == nil && (err == context.Canceled || err == term.ErrInterrupted): //nolint:errorlint // saying so once is enough
	case shown == nil:
		streams.Todof("interrupted: run the same command again")
	case errors.As(shown, &coded) && shown == error(coded): //nolint:errorlint // the outermost only
		printed = coded.Err
	default:
		printed = shown
	}
	streams.PrintError(program, printed)
	switch {
	case interrupted:
		return command.ExitInterrupted, errors.Join(term.ErrInterrupted, printed)
	case coded != nil:
		return coded.Code, printed
	}
	return command.ExitFailed, printed
}

// The linker sets these; see LDFLAGS in the Makefile.
var version, commit, date string

// stamped is the build that the linker set, completed from the Go toolchain's record.
func stamped() command.Build {
	b := command.Build{Version: version, Commit: commit, Date: date}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	fill := func(to *string, value string) {
		if *to == "" {
			*to = value
		}
	}
	if info.Main.Version != "(devel)" {
		fill(&b.Version, info.Main.Version)
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			fill(&b.Commit, s.Value)
		case "vcs.time":
			fill(&b.Date, s.Value)
		}
	}
	fill(&b.Version, "devel")
	return b
}

type versionView struct {
	command.Header
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Date     string `json:"date"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	FIPS     bool   `json:"fipsMode"` // FIPS 140-3, of Go's cryptographic module

	Matrices  []matrixView `json:"matrices,omitempty"`  // built in
	OpenShift string       `json:"openshift,omitempty"` // whose documentation they follow
	VSphere   string       `json:"vsphere,omitempty"`   // whose API reference they follow
}

type matrixView struct {
	Name string `json:"name"`
	AsOf string `json:"asOf"`
}

// tables adds what the privilege tables are from.
func (v *versionView) tables() error {
	v.VSphere = privileges.APIReference
	for _, name := range privileges.Names() {
		m, err := privileges.Load(name)
		if err != nil {
			return err
		}
		v.Matrices = append(v.Matrices, matrixView{name, m.AsOf})
		v.OpenShift = cmp.Or(v.OpenShift, m.Releases.String())
	}
	return nil
}

func newCmdVersion(f *command.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print version and build",
		GroupID: command.GroupTool,
		Long: command.Text(`
			Prints version, commit and date of the source, the Go version and the platform, and of ocp-vsphere-admin what its
			privilege tables are from. When building from a tarball, set the first three with make build VERSION=... COMMIT=... DATE=...`),
		Example: f.Named(command.Examples(`
			ocp-vsphere-admin version
			ocp-vsphere-admin version -o json`)),
		Args: command.NoWords,
		RunE: func(*cobra.Command, []string) error { return versionRun(f) },
	}
}

// registerVersion makes --version print what `version` prints.
func registerVersion(root *cobra.Command, f *command.Factory, known vocabulary) {
	asked := root.Flags().Bool("version", false, "print what this program was built from")
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 0:
			return known.unknownCommand(cmd, args[0])
		case *asked:
			return versionRun(f)
		}
		return cmd.Help()
	}
}

func versionRun(f *command.Factory) error {
	b := f.Build
	v := versionView{
		Header: command.NewHeader("Version"), Version: b.Version, Commit: b.Commit, Date: b.Date,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, FIPS: fips140.Enabled(),
	}
	if !f.Borrows() {
		if err := v.tables(); err != nil {
			return err
		}
	}
	return f.Table(v, func() *term.Table {
		t := term.NewTable()
		t.Row("version", v.Version)
		t.Row("commit", v.Commit)
		t.Row("date", v.Date)
		t.Row("go", v.Go)
		t.Row("platform", v.Platform)
		t.Row("fips mode", strconv.FormatBool(v.FIPS))
		if v.Matrices != nil {
			t.Row("tables", "OpenShift "+v.OpenShift+" (documentation), vSphere "+v.VSphere+" (API reference)")
		}
		for _, m := range v.Matrices {
			t.Row("matrix", m.Name+", as of "+m.AsOf)
		}
		return t
	})
}
