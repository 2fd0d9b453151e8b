package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// runWords runs a whole command line on fake streams.
func runWords(t *testing.T, fake *term.Fake, words ...string) (code int, stdout, stderr string) {
	t.Helper()
	code = Run(context.Background(), fake.Streams, words)
	hintsParse(t, fake.Stdout.String()+"\n"+fake.Stderr.String())
	return code, fake.Stdout.String(), fake.Stderr.String()
}

// hintsParse holds every command of ours that is named as the next one, or in a hint, against the real commands.
func hintsParse(t *testing.T, printed string) {
	t.Helper()
	for line := range strings.Lines(printed) {
		line = strings.TrimSpace(line)
		for _, says := range []string{"next: ", "hint: "} {
			text, is := strings.CutPrefix(line, says)
			if i := strings.Index(text, ": "+program+" "); is && i >= 0 { // what it is for comes first
				text = text[i+2:]
			}
			if is && strings.HasPrefix(text, program+" ") {
				for _, command := range commandLines(text) {
					parses(t, command)
				}
			}
		}
	}
}

// parseWords gives the words to a single command below a root with the persistent flags.
func parseWords(t *testing.T, f *Factory, cmd *cobra.Command, words ...string) error {
	t.Helper()
	root := newCmdRoot(f)
	for _, c := range root.Commands() {
		if c.Name() == cmd.Name() {
			root.RemoveCommand(c)
		}
	}
	root.AddCommand(cmd)
	root.SetArgs(words)
	root.SetOut(f.Out)
	root.SetErr(f.Err)
	return root.Execute()
}

// flagSet parses words with the flags of one group.
func flagSet(t *testing.T, register func(*cobra.Command), words ...string) {
	t.Helper()
	cmd := &cobra.Command{Use: "x", RunE: func(*cobra.Command, []string) error { return nil }}
	register(cmd)
	cmd.SetArgs(words)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantText(t *testing.T, what, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("%s: %q is missing in:\n%s", what, p, got)
		}
	}
}

func wantErr(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one about %q", parts)
	}
	wantText(t, "error", err.Error(), parts...)
}

// wordsOf compares options by what was said, not by who said it.
func wordsOf(options any) cmp.Option {
	return cmp.Options{cmpopts.IgnoreFields(options, "Factory"), cmpopts.IgnoreTypes(origin(nil))}
}

// document reads a JSON document and checks its header.
func document(t *testing.T, kind, text string) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	if doc["apiVersion"] != apiVersion || doc["kind"] != kind {
		t.Errorf("header is %v, %v; want %s, %s", doc["apiVersion"], doc["kind"], apiVersion, kind)
	}
	return doc
}

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(fl *pflag.Flag) { names = append(names, fl.Name) })
	return names
}
