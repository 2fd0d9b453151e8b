package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// commandLines finds what runs this program in text for a shell: `program words`, at the start of a line, behind a
// prompt, or in a pipeline.
func commandLines(text string) (lines []string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
		line = strings.TrimPrefix(line, "$ ")
		for _, part := range shellSeparators.Split(line, -1) {
			part = strings.TrimSpace(part)
			for variable.MatchString(part) { // NAME=value before the command
				_, part, _ = strings.Cut(part, " ")
			}
			if part == program || strings.HasPrefix(part, program+" ") {
				lines = append(lines, strings.TrimSpace(redirection.ReplaceAllString(part, "")))
			}
		}
	}
	return lines
}

var (
	shellSeparators = regexp.MustCompile(`\|\|?|&&|;|<\(|\$\(`)
	redirection     = regexp.MustCompile(`\s+[0-9&]?>{1,2}\s*\S+|\s+<\s*\S+|\s+&$|\)$`)
	variable        = regexp.MustCompile(`^[A-Z_]+=\S* `)
	shellWords      = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)
)

// parses reports whether a command line is one that this program takes; nothing runs.
func parses(t *testing.T, line string) {
	t.Helper()
	var words []string
	for _, w := range shellWords.FindAllString(line, -1)[1:] {
		words = append(words, strings.NewReplacer("'", "", `"`, "").Replace(w))
	}
	root := newCmdRoot(NewFactory(term.NewFake().Streams, Build{}))
	root.InitDefaultHelpCmd()
	cmd, rest, err := root.Find(words)
	if err != nil {
		t.Errorf("%s\n%v", line, err)
		return
	}
	cmd.InitDefaultHelpFlag()
	if cmd.HasSubCommands() && cmd != root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		t.Errorf("%s\n%q is no command", line, rest[0])
		return
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Errorf("%s\n%v", line, err)
		return
	}
	if help, _ := cmd.Flags().GetBool("help"); help || !cmd.Runnable() {
		return
	}
	if err := cmd.ValidateFlagGroups(); err != nil {
		t.Errorf("%s\n%v", line, err)
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		t.Errorf("%s\n%v", line, err)
	}
}

func TestEveryExampleParses(t *testing.T) {
	t.Parallel()
	eachCommand(newCmdRoot(NewFactory(term.NewFake().Streams, Build{})), func(cmd *cobra.Command) {
		lines := commandLines(cmd.Example)
		if cmd.Example != "" && len(lines) == 0 {
			t.Errorf("the example of %s runs nothing", cmd.CommandPath())
		}
		for _, line := range lines {
			parses(t, line)
		}
	})
}

// Every command line in the guides and the README is one that this program takes, those that no test can run as well.
func TestEveryDocumentedCommandParses(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, "../../README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split("\n"+string(text), "\n```") {
			if i%2 == 0 {
				continue
			}
			kind, body, _ := strings.Cut(block, "\n")
			if kind == "console" { // commands alone, not what they print
				body = strings.Join(slices.DeleteFunc(strings.Split(body, "\n"), func(l string) bool {
					return !strings.HasPrefix(l, "$ ") && !strings.HasPrefix(l, "> ")
				}), "\n")
				body = strings.ReplaceAll(body, "\n> ", "\n")
			}
			if kind != "yaml" {
				for _, line := range commandLines(body) {
					parses(t, line)
				}
			}
		}
	}
}

func TestCommandLines(t *testing.T) {
	t.Parallel()
	got := commandLines("$ A=1 ocp-vsphere-admin plan -f x.yaml > out 2>&1\nocp-vsphere-admin secrets emit \\\n  --cco-label none | oc apply -f -  # why\nsource <(ocp-vsphere-admin completion bash)\nthe ocp-vsphere-admin x\n")
	want := []string{"ocp-vsphere-admin plan -f x.yaml", "ocp-vsphere-admin secrets emit    --cco-label none", "ocp-vsphere-admin completion bash"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
