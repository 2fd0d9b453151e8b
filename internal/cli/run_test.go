package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("nobody expects it") }

// The runtime's own exit code for a panic means "differences found" to scripts.
func TestPanicIsAFailure(t *testing.T) {
	t.Parallel()
	fake := term.NewFake()
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
	command.EachCommand(NewCmdRoot(command.NewFactory(term.NewFake().Streams, command.Build{})), func(cmd *cobra.Command) {
		if !cmd.Runnable() || cmd.HasSubCommands() && !command.IsItself(cmd) || cmd.Name() == "help" {
			return
		}
		ran++
		fake := term.NewFake()
		code := Run(context.Background(), fake.Streams, append(strings.Fields(command.Spoken(cmd)), "-o", "json", "--parallel", "0"))
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

// What stands in a document besides: the errors, once each with their hints, and what comes next; in YAML the same.
func TestEndOfADocument(t *testing.T) {
	t.Parallel()
	errs := []term.ErrorLine{{Text: "a <b>", Hints: []string{"c"}}, {Text: "a <b>", Hints: []string{"c"}}}
	for name, tt := range map[string]struct {
		format term.Format
		do     func(s *term.Streams) error
		errs   []term.ErrorLine
		want   string
	}{
		"nothing to add": {term.FormatJSON, func(s *term.Streams) error { return s.Print(term.FormatJSON, map[string]int{"x": 1}, nil) }, nil, `{"x":1}`},
		"both": {term.FormatJSON, func(s *term.Streams) error {
			s.Command("next:", "oc x")
			s.Command("if it is so:", "oc y")
			return s.Print(term.FormatJSON, map[string]int{"x": 1}, nil)
		}, errs, `{"x":1,"errors":[{"text":"a <b>","hints":["c"]}],"next":[{"command":"oc x"},{"command":"oc y","when":"if it is so"}]}`},
		"an empty one":   {term.FormatJSON, func(s *term.Streams) error { return s.Print(term.FormatJSON, struct{}{}, nil) }, errs[:1], `{"errors":[{"text":"a <b>","hints":["c"]}]}`},
		"none":           {term.FormatJSON, func(*term.Streams) error { return nil }, errs[:1], `{"apiVersion":"ocp-vsphere-admin/v1","kind":"Failure","errors":[{"text":"a <b>","hints":["c"]}]}`},
		"for a person":   {term.FormatTable, func(*term.Streams) error { return nil }, errs[:1], ""},
		"something else": {term.FormatYAML, func(s *term.Streams) error { _, err := s.Out.Write([]byte("1")); return err }, errs[:1], "1"},
		"as it serves": {term.FormatJSON, func(s *term.Streams) error {
			return errors.Join(s.Print(term.FormatJSON, map[string]int{"x": 1}, nil), s.Flush())
		}, errs[:1], `{"x":1}`},
	} {
		fake := term.NewFake()
		fake.Keep()
		if err := errors.Join(tt.do(fake.Streams), fake.Deliver(tt.format, failure, tt.errs)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := fake.Stdout.String()
		if tt.want != "" && tt.want != "1" {
			var compact bytes.Buffer
			if err := json.Compact(&compact, fake.Stdout.Bytes()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			got = compact.String()
		}
		if got != tt.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
