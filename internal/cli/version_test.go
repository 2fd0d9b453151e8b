package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// --version says what `version` says, in every format.
func TestVersionFlag(t *testing.T) {
	t.Parallel()
	for _, more := range [][]string{{}, {"-o", "json"}, {"-o", "yaml"}} {
		code, want, stderr := program.Run(t, termtest.NewFake(), append([]string{"version"}, more...)...)
		if code != command.ExitDone || !strings.Contains(want, "version") {
			t.Fatalf("version: exit code %d\n%s%s", code, want, stderr)
		}
		code, got, stderr := program.Run(t, termtest.NewFake(), append([]string{"--version"}, more...)...)
		if code != command.ExitDone || got != want || stderr != "" {
			t.Errorf("--version %v: exit code %d\n%s%s\nwant\n%s", more, code, got, stderr, want)
		}
	}
	if code, stdout, stderr := program.Run(t, termtest.NewFake(), "--version", "palm"); code != command.ExitFailed || stdout != "" || !strings.Contains(stderr, `unknown command "palm"`) {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := program.Run(t, termtest.NewFake()); code != command.ExitDone || !strings.Contains(stdout, "Usage:") || strings.Contains(stdout, "go1.") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// A letter means the same flag everywhere, and -v is --verbose.
func TestShorthandsMeanOneThing(t *testing.T) {
	t.Parallel()
	means := map[string][]string{}
	eachCommand(func(cmd *cobra.Command) {
		note := func(fl *pflag.Flag) {
			if fl.Shorthand != "" && !slices.Contains(means[fl.Shorthand], fl.Name) {
				means[fl.Shorthand] = append(means[fl.Shorthand], fl.Name)
			}
		}
		cmd.LocalFlags().VisitAll(note)
		cmd.InheritedFlags().VisitAll(note)
	})
	for letter, names := range means {
		if len(names) != 1 {
			t.Errorf("-%s means %v", letter, names)
		}
	}
	if !slices.Equal(means["v"], []string{"verbose"}) {
		t.Errorf("-v means %v", means["v"])
	}
}

// A script that says --debug, as -v was called, or its variable goes on to work.
func TestDebugIsVerbose(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"-v", "--verbose", "--debug"} {
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		root := NewCmdRoot(f)
		root.SetArgs([]string{"version", word})
		if err := root.Execute(); err != nil || !f.Verbose {
			t.Errorf("%s: %v, verbose is %v", word, err, f.Verbose)
		}
	}
	for _, name := range []string{"OCP_VSPHERE_ADMIN_VERBOSE", "OCP_VSPHERE_ADMIN_DEBUG"} {
		fake := termtest.NewFake()
		fake.Env[name] = "true"
		f := command.NewFactory(fake.Streams, command.Build{})
		root := NewCmdRoot(f)
		root.SetArgs([]string{"version"})
		if err := root.Execute(); err != nil || !f.Verbose {
			t.Errorf("%s: %v, verbose is %v", name, err, f.Verbose)
		}
		fake.Env[name] = "much"
		root = NewCmdRoot(command.NewFactory(fake.Streams, command.Build{}))
		root.SetArgs([]string{"version"})
		if err := root.Execute(); err == nil || !strings.HasPrefix(err.Error(), name+": \"much\": ") {
			t.Errorf("%s=much: %v", name, err)
		}
	}
}
