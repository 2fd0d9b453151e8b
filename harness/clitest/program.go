package clitest

import (
	"cmp"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Program is the program that is tested. Packages below cli cannot import it; their external tests can.
type Program struct {
	Name    string // how it is called; "" = [command.Program]
	Main    func(context.Context, *term.Streams, []string) int
	NewRoot func(*command.Factory) *cobra.Command
}

// Run runs a whole command line on fake streams.
func (p Program) Run(t *testing.T, fake *termtest.Fake, words ...string) (code int, stdout, stderr string) {
	t.Helper()
	code = p.Main(context.Background(), fake.Streams, words)
	p.hintsParse(t, fake.Stdout.String()+"\n"+fake.Stderr.String())
	return code, fake.Stdout.String(), fake.Stderr.String()
}

// hintsParse holds every command of ours that is named as the next one, or in a hint, against the real commands: behind what it is for,
// in a pipe, and in quotes.
func (p Program) hintsParse(t *testing.T, printed string) {
	t.Helper()
	for line := range strings.Lines(printed) {
		line = strings.TrimSpace(line)
		for _, says := range []string{"next: ", "hint: "} {
			text, is := strings.CutPrefix(line, says)
			before, words, names := strings.Cut(text, p.name()+" ")
			switch {
			case strings.Count(before, "'")%2 == 1: // in quotes
				words, _, _ = strings.Cut(words, "'")
				names = strings.Contains(words, " -") // else it is the name of a command
			case before != "" && !strings.HasSuffix(before, ": ") && !strings.HasSuffix(before, "| "):
				names = false // of a sentence
			}
			if is && names {
				for _, line := range p.CommandLines(p.name() + " " + words) {
					p.Parses(t, line)
				}
			}
		}
	}
}

// Parse gives the words to a single command below a root with the persistent flags.
func (p Program) Parse(t *testing.T, f *command.Factory, cmd *cobra.Command, words ...string) error {
	t.Helper()
	root := p.NewRoot(f)
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

// Settled runs a command with the source flags and returns what it saw.
func (p Program) Settled(t *testing.T, fake *termtest.Fake, words ...string) (*command.Factory, *command.SourceFlags, error) {
	t.Helper()
	f, source := command.NewFactory(fake.Streams, command.Build{}), &command.SourceFlags{}
	cmd := &cobra.Command{Use: "probe", RunE: func(*cobra.Command, []string) error { return nil }}
	source.Register(cmd)
	(&command.AdminFlags{}).Register(cmd)
	(&command.TLSFlags{}).Register(cmd)
	return f, source, p.Parse(t, f, cmd, append([]string{"probe"}, words...)...)
}

// name is how the program is called.
func (p Program) name() string { return cmp.Or(p.Name, command.Program) }

// CommandLines finds what runs the program in text for a shell: `program words`, at the start of a line, behind a
// prompt, or in a pipeline.
func (p Program) CommandLines(text string) (lines []string) {
	text, name := strings.ReplaceAll(text, "\\\n", " "), p.name()
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
		line = strings.TrimPrefix(line, "$ ")
		for _, part := range shellSeparators.Split(line, -1) {
			part = strings.TrimSpace(part)
			for variable.MatchString(part) { // NAME=value before the command
				_, part, _ = strings.Cut(part, " ")
			}
			if part == name || strings.HasPrefix(part, name+" ") {
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

// Parses fails where a command line is not one that this program takes; nothing runs.
func (p Program) Parses(t *testing.T, line string) {
	t.Helper()
	var words []string
	for _, w := range shellWords.FindAllString(line, -1)[1:] {
		words = append(words, strings.NewReplacer("'", "", `"`, "").Replace(w))
	}
	root := p.NewRoot(command.NewFactory(termtest.NewFake().Streams, command.Build{}))
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
