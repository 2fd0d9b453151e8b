package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	labcli "github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli"
)

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(fl *pflag.Flag) { names = append(names, fl.Name) })
	return names
}

// program is what the tests run.
var program = programs{clitest.Program{Main: Run, NewRoot: NewCmdRoot}}

// lab is the program of the laboratory, whose commands have the manners of ours.
var lab = clitest.Program{Name: labName, Main: labcli.Run, NewRoot: labcli.NewCmdRoot}

const labName = "vcenter-lab"

// programs runs the laboratory where the first word says so.
type programs struct{ clitest.Program }

func (p programs) Run(t *testing.T, fake *termtest.Fake, words ...string) (code int, stdout, stderr string) {
	t.Helper()
	if len(words) > 0 && words[0] == labName {
		return lab.Run(t, fake, words[1:]...)
	}
	return p.Program.Run(t, fake, words...)
}

func (p programs) CommandLines(text string) []string {
	return append(p.Program.CommandLines(text), lab.CommandLines(text)...)
}

func (p programs) Parses(t *testing.T, line string) {
	t.Helper()
	if strings.HasPrefix(line, labName) {
		lab.Parses(t, line)
	} else {
		p.Program.Parses(t, line)
	}
}

// eachCommand visits the commands of both programs.
func eachCommand(do func(*cobra.Command)) {
	for _, p := range []clitest.Program{program.Program, lab} {
		command.EachCommand(p.NewRoot(command.NewFactory(termtest.NewFake().Streams, command.Build{})), do)
	}
}

// words are a command as [programs.Run] takes it.
func words(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), command.Program+" ")
}

// sources are the files of cli and of the packages below it, tests too, but for what tests share.
func sources(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.go", "*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return filepath.Dir(path) == "clitest" })
}
