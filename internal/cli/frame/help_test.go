package frame_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/frame"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	labcli "github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli"
)

// program and lab are what the tests run.
var (
	program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}
	lab     = clitest.Program{Name: "vcenter-lab", Main: labcli.Run, NewRoot: labcli.NewCmdRoot}
)

// No line of any help is longer than the terminal, nor than eighty columns where there is none: but for single words, commands in
// a text, and what is there to be copied.
func TestHelpFitsTheTerminal(t *testing.T) {
	t.Parallel()
	for width, streams := range map[int]func() *termtest.Fake{
		100: func() *termtest.Fake { return termtest.NewFake().WithTerminal(100, 24) }, frame.PipedHelp: termtest.NewFake,
	} {
		for _, p := range []clitest.Program{program, lab} {
			command.EachCommand(p.NewRoot(command.NewFactory(streams().Streams, command.Build{})), func(cmd *cobra.Command) {
				words := slices.Concat(strings.Fields(cmd.CommandPath())[1:], []string{"--help"})
				if !cmd.Runnable() && !cmd.HasSubCommands() {
					words = slices.Concat([]string{"help"}, words[:len(words)-1])
				}
				code, help, stderr := p.Run(t, streams(), words...)
				if code != command.ExitDone {
					t.Errorf("%v: %d: %s", words, code, stderr)
				}
				if diff := cmp.Diff(strings.Fields(cmd.Long), strings.Fields(frame.Wrapped(cmd.Long, width))); diff != "" {
					t.Errorf("%s: words are lost: %s", cmd.CommandPath(), diff)
				}
				for line := range strings.SplitSeq(outsideExamples(help), "\n") {
					if term.Width(line) > width && len(term.Words(line)) > 1 {
						t.Errorf("%s: %d columns of %d: %s", cmd.CommandPath(), term.Width(line), width, line)
					}
				}
			})
		}
	}
}

var indented = regexp.MustCompile(`^((  .*)?\n)*`)

// outsideExamples is a help without its examples.
func outsideExamples(help string) string {
	before, rest, _ := strings.Cut(help, "\nExamples:\n")
	return before + "\n" + rest[len(indented.FindString(rest)):]
}

// A help text flows where it is a paragraph, goes on below its column where it has two, and stays as it is where it is to be copied.
func TestWrappedHelp(t *testing.T) {
	t.Parallel()
	const help = `One sentence that is
too long for
a line. 'oc get secrets -A -o yaml' prints them.

  one   is a row that goes
        on
  two   is another

  a: copied line that stays as it is
  b: [c]`
	want := strings.Join([]string{
		"One sentence that is too long", "for a line.", "'oc get secrets -A -o yaml'", "prints them.", "",
		"  one   is a row that goes on", "  two   is another", "",
		"  a: copied line that stays as it is", "  b: [c]",
	}, "\n")
	if diff := cmp.Diff(want, frame.Wrapped(help, 30)); diff != "" {
		t.Error(diff)
	}
	if got := frame.Wrapped("  0    done, or nothing to do and more of it", 31); got != fmt.Sprintf("  0    %s\n       %s", "done, or nothing to do", "and more of it") {
		t.Error(got)
	}
}

// The help of a command names the flags of a group and explains its own; those of a group are explained by help flags.
func TestHelpNamesGroupsOfFlags(t *testing.T) {
	t.Parallel()
	_, page, _ := program.Run(t, termtest.NewFake(), "help", "flags")
	_, help, _ := program.Run(t, termtest.NewFake(), "plan", "--help")
	own, named, _ := strings.Cut(help, "\nMore flags (see \"ocp-vsphere-admin help flags\"):\n")
	for _, flags := range frame.GroupedFlags() {
		for _, name := range flags {
			if !strings.Contains(page, "--"+name) {
				t.Errorf("help flags does not explain --%s", name)
			}
			whole := slices.Contains(flags, "connect-to") || slices.Contains(flags, "output") || slices.Contains(flags, "shard")
			if name != "cluster" && (!whole && !strings.Contains(named, "--"+name) || strings.Contains(own, "  --"+name+" ")) {
				t.Errorf("plan --help does not just name --%s:\n%s", name, help)
			}
		}
	}
	for _, whole := range []string{"connection  all of them", "general     all of them"} {
		if !strings.Contains(named, whole) {
			t.Errorf("plan --help does not say %q:\n%s", whole, named)
		}
	}
	if !strings.Contains(own, "--work-order-dir string") {
		t.Error("plan --help does not explain its own flags")
	}
	_, help, _ = program.Run(t, termtest.NewFake(), "secrets", "explain", "--help")
	if !strings.Contains(help, "-f, --file string") || strings.Contains(help, "\n  source ") {
		t.Errorf("the flag of another meaning is not explained:\n%s", help)
	}
}
