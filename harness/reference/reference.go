// Package reference writes the command reference and the man pages of a program from its commands: make docs.
package reference

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// Program is what the pages are about.
type Program struct {
	NewRoot func(*command.Factory) *cobra.Command
	Pages   string            // directory of the reference
	More    map[string]string // pages of the reference that are of no command
	Man     string            // directory of the man pages
}

const generated = "<!-- Written by make docs from the commands: change their help, not this file. -->\n\n"

// Check fails when a command, a flag or a help text is not what the reference and the man pages say, or writes them.
func (p Program) Check(t *testing.T, update bool) {
	t.Helper()
	compareDir(t, p.Pages, "*.md", p.referencePages(), update)
	compareDir(t, p.Man, p.root().Name()+"*.1", p.manPages(t), update)
}

// compareDir holds the files of a directory against what they should be, or writes them with -update. Files of that
// pattern that should not be there are errors, or go.
func compareDir(t *testing.T, dir, pattern string, want map[string]string, update bool) {
	t.Helper()
	there, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if _, known := want[filepath.Base(path)]; known {
			continue
		}
		if !update {
			t.Errorf("%s is of no command (make docs)", path)
		} else if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
	if update {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range command.SortedKeys(want) {
		path := filepath.Join(dir, name)
		if update {
			if err := os.WriteFile(path, []byte(want[name]), 0o644); err != nil {
				t.Error(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v (make docs)", err)
		} else if diff := cmp.Diff(want[name], string(got)); diff != "" {
			t.Errorf("%s is not what the command says (make docs; -want +got):\n%s", path, diff)
		}
	}
}

func (p Program) root() *cobra.Command {
	root := p.NewRoot(command.NewFactory(termtest.NewFake().Streams, command.Build{}))
	root.InitDefaultHelpCmd()
	root.DisableAutoGenTag = true
	command.EachCommand(root, func(cmd *cobra.Command) { cmd.DisableAutoGenTag = true; cmd.InitDefaultHelpFlag() })
	return root
}

// referencePages gives a page for each command of the first level, with all below it, and an index.
func (p Program) referencePages() map[string]string {
	root := p.root()
	pages := map[string]string{"README.md": referenceIndex(root)}
	maps.Copy(pages, p.More)
	for _, cmd := range root.Commands() {
		if !cmd.IsAvailableCommand() || cmd.Name() == "help" {
			continue
		}
		var b strings.Builder
		b.WriteString(generated)
		command.EachCommand(cmd, func(c *cobra.Command) { referenceOf(&b, c) })
		b.WriteString("The flags of every command, variables, the settings file and exit codes: [index](README.md).\n")
		pages[cmd.Name()+".md"] = b.String()
	}
	return pages
}

// Findings explains every code, as `explain` does.
func Findings() string {
	var b strings.Builder
	b.WriteString(generated + "# Findings\n\nEvery finding has a code. `ocp-vsphere-admin explain CODE` prints what is said here.\n")
	var order []string
	rows := map[string]string{}
	for _, a := range finding.Codes() {
		order = lists.AppendNew(order, a.From)
		rows[a.From] += fmt.Sprintf("| %s | %s | %s | %s |\n", "`"+string(a.Code)+"`", a.Severity, cell(a.Means), cell(a.Remedy))
	}
	for _, from := range order {
		fmt.Fprintf(&b, "\n## %s\n\n| code | severity | means | remedy |\n|---|---|---|---|\n%s", from, rows[from])
	}
	return b.String()
}

func referenceIndex(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(generated + "# Command reference\n\n" + paragraphs(root.Long) + "\n")
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "## %s\n\n| command | does |\n|---|---|\n", strings.TrimSuffix(g.Title, ":"))
		for _, cmd := range root.Commands() {
			if cmd.GroupID != g.ID || !cmd.IsAvailableCommand() || cmd.Name() == "help" {
				continue
			}
			fmt.Fprintf(&b, "| [%s](%[1]s.md) | %s |\n", cmd.Name(), cell(cmd.Short))
			for _, sub := range cmd.Commands() {
				fmt.Fprintf(&b, "| [%s](%s.md#%s) | %s |\n", words(sub), cmd.Name(), anchor(words(sub)), cell(sub.Short))
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("## Flags of every command\n\n")
	flagTable(&b, root.PersistentFlags())
	for _, topic := range root.Commands() {
		if topic.IsAdditionalHelpTopicCommand() {
			fmt.Fprintf(&b, "## %s\n\n%s\n", topic.Short, paragraphs(topic.Long))
		}
	}
	return b.String()
}

// words are a command as it is typed, without the program.
func words(cmd *cobra.Command) string {
	return command.Spoken(cmd)
}

func anchor(heading string) string { return strings.ReplaceAll(heading, " ", "-") }

func referenceOf(b *strings.Builder, cmd *cobra.Command) {
	level := strings.Repeat("#", len(strings.Fields(cmd.CommandPath()))-1)
	fmt.Fprintf(b, "%s %s\n\n%s.\n\n", level, words(cmd), Escape(cmd.Short))
	if !cmd.HasAvailableSubCommands() || command.IsItself(cmd) {
		use := cmd.UseLine()
		fmt.Fprintf(b, "```\n%s\n```\n\n", use)
	}
	if cmd.Long != "" {
		b.WriteString(paragraphs(cmd.Long) + "\n")
	}
	if cmd.Example != "" {
		fmt.Fprintf(b, "```sh\n%s\n```\n\n", strings.ReplaceAll(strings.TrimPrefix(cmd.Example, "  "), "\n  ", "\n"))
	}
	if cmd.HasAvailableSubCommands() && !command.IsItself(cmd) {
		return
	}
	flagTable(b, cmd.LocalNonPersistentFlags())
}

func flagTable(b *strings.Builder, flags *pflag.FlagSet) {
	rows := 0
	flags.VisitAll(func(fl *pflag.Flag) {
		if fl.Hidden || fl.Name == "help" {
			return
		}
		if rows++; rows == 1 {
			b.WriteString("| flag | default | description |\n|---|---|---|\n")
		}
		name := "--" + fl.Name
		if fl.Shorthand != "" {
			name = "-" + fl.Shorthand + ", " + name
		}
		kind, usage := pflag.UnquoteUsage(fl)
		if kind != "" {
			name += " " + strings.ReplaceAll(kind, "|", `\|`)
		}
		standard := fl.DefValue
		if standard == "[]" || standard == "false" || standard == "0" || standard == "0s" {
			standard = ""
		}
		if standard != "" {
			standard = "`" + standard + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, standard, cell(usage))
	})
	if rows > 0 {
		b.WriteString("\n")
	}
}

// paragraphs makes Markdown of a help text: what is indented stays as it is, the rest flows.
func paragraphs(help string) string {
	var b strings.Builder
	var fence []string
	flush := func() {
		if len(fence) > 0 {
			b.WriteString("```\n" + strings.TrimRight(strings.Join(fence, "\n"), "\n") + "\n```\n\n")
			fence = nil
		}
	}
	for block := range strings.SplitSeq(strings.TrimRight(help, "\n"), "\n\n") {
		if strings.HasPrefix(block, " ") {
			for line := range strings.SplitSeq(block, "\n") {
				fence = append(fence, strings.TrimPrefix(line, "  "))
			}
			fence = append(fence, "")
			continue
		}
		flush()
		b.WriteString(Escape(block) + "\n\n")
	}
	flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// Escape keeps Markdown from reading tags and emphasis into plain text.
func Escape(text string) string {
	return strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`, "[", `\[`, "`", "\\`").Replace(text)
}

func cell(text string) string { return strings.ReplaceAll(Escape(text), "|", `\|`) }

// manPages gives a page for each command, without a date: the same commands give the same bytes.
func (p Program) manPages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	root := p.root()
	for _, topic := range root.Commands() {
		if topic.IsAdditionalHelpTopicCommand() {
			root.Long += "\n\n# " + strings.ToUpper(strings.ReplaceAll(topic.Name(), "-", " ")) + "\n\n" + topic.Long
			root.RemoveCommand(topic)
		}
	}
	command.EachCommand(root, func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() && cmd != root || cmd.Name() == "help" {
			return
		}
		if cmd.Long = paragraphs(cmd.Long); cmd == root {
			cmd.Long = strings.ReplaceAll(cmd.Long, `\#`, "#")
		}
		cmd.LocalFlags().VisitAll(func(fl *pflag.Flag) { fl.Usage = strings.NewReplacer("<", `\<`, "_", `\_`).Replace(fl.Usage) })
		var page bytes.Buffer
		noDate := time.Time{}
		if err := doc.GenMan(cmd, &doc.GenManHeader{Date: &noDate, Source: root.Name(), Manual: root.Name()}, &page); err != nil {
			t.Errorf("%s: %v", cmd.CommandPath(), err)
		}
		pages[strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"] = strings.Replace(page.String(), noDate.Format("Jan 2006"), "", 1)
	})
	return pages
}

// NamesEveryCommandOnce keeps the generator honest: no command and no flag is left out of the pages.
func (p Program) NamesEveryCommandOnce(t *testing.T) {
	t.Helper()
	pages, man := p.referencePages(), p.manPages(t)
	command.EachCommand(p.root(), func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() || cmd.Name() == "help" || !cmd.HasParent() {
			return
		}
		page := pages[strings.Fields(words(cmd))[0]+".md"]
		heading := "# " + words(cmd) + "\n"
		if n := strings.Count("\n"+page, heading); n != 1 {
			t.Errorf("%s has %d headings", cmd.CommandPath(), n)
		}
		roff := man[strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"]
		cmd.Flags().VisitAll(func(fl *pflag.Flag) {
			name := fl.Name
			if name == "help" || fl.Hidden {
				return
			}
			if !strings.Contains(page, "--"+name) && cmd.LocalNonPersistentFlags().Lookup(name) != nil {
				t.Errorf("%s: --%s is in no page", cmd.CommandPath(), name)
			}
			if !strings.Contains(roff, strings.ReplaceAll("--"+name, "-", `\-`)) && !strings.Contains(roff, "--"+name) {
				t.Errorf("%s: --%s is in no man page", cmd.CommandPath(), name)
			}
		})
	})
	if !slices.ContainsFunc(command.SortedKeys(man), func(name string) bool { return name == p.root().Name()+".1" }) {
		t.Error("the program has no man page")
	}
}
