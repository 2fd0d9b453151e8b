package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("nobody expects it") }

// The runtime's own exit code for a panic means "differences found" to scripts.
func TestPanicIsAFailure(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake()
	fake.Streams.Out = panicking{}
	if code := Run(context.Background(), fake.Streams, []string{"version"}); code != command.ExitFailed {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"internal error: nobody expects it (", "hint: ", "report it"} {
		if got := fake.Stderr.String(); !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
}

// A program that asks for JSON gets a document whatever happens: of every command that fails, the errors with their hints.
func TestFailuresAreDocuments(t *testing.T) {
	t.Parallel()
	ran := 0
	eachCommand(func(cmd *cobra.Command) {
		if !cmd.Runnable() || cmd.HasSubCommands() && !command.IsItself(cmd) || cmd.Name() == "help" {
			return
		}
		ran++
		fake := termtest.NewFake()
		code, _, _ := program.Run(t, fake, append(strings.Fields(words(cmd)), "-o", "json", "--parallel", "0")...)
		doc := clitest.Document(t, "Failure", fake.Stdout.String())
		errs, _ := doc["errors"].([]any)
		if code != command.ExitFailed || len(errs) != 1 || !strings.Contains(fake.Stderr.String(), errs[0].(map[string]any)["text"].(string)) {
			t.Errorf("%s: %d, %v, %q", command.Spoken(cmd), code, doc, fake.Stderr.String())
		}
	})
	if ran < 40 {
		t.Errorf("%d commands ran", ran)
	}
}
