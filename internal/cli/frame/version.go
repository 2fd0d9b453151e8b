package frame

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// The linker's stamp; see LDFLAGS in the Makefile.
var version, commit, date string

// stamped is what the linker was given; what is missing comes from the Go toolchain's own record.
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
}

func newCmdVersion(f *command.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print version and build",
		GroupID: command.GroupTool,
		Long: command.Text(`
			Prints version, commit and date of the source, the Go version and the platform. When building from a tarball, set
			the first three with make build VERSION=... COMMIT=... DATE=...`),
		Example: f.Named(command.Examples(`
			ocp-vsphere-admin version
			ocp-vsphere-admin version -o json`)),
		Args: command.NoWords,
		RunE: func(*cobra.Command, []string) error { return versionRun(f) },
	}
}

// registerVersion makes --version say what `version` says. Without it, and without a command, the program shows its help.
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
	v := versionView{command.NewHeader("Version"), b.Version, b.Commit, b.Date, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	return f.Table(v, func() *term.Table {
		t := term.NewTable()
		t.Row("version", v.Version)
		t.Row("commit", v.Commit)
		t.Row("date", v.Date)
		t.Row("go", v.Go)
		t.Row("platform", v.Platform)
		return t
	})
}
