package frame

import (
	"cmp"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// pipedHelp is how many columns help has that no terminal shows: a pager in one of the usual width does.
const pipedHelp = 80

// wrapHelp makes the help of every command as wide as the terminal. Examples are lines to copy, and stay as they are.
func wrapHelp(root *cobra.Command, f *command.Factory, known vocabulary) {
	width := cmp.Or(f.Width(), pipedHelp)
	root.SetUsageTemplate(strings.NewReplacer(cobraUsage, usage, cobraMore, more, "NamePadding }} {{", "NamePadding }}  {{").Replace(root.UsageTemplate()))
	root.SetHelpFunc(func(cmd *cobra.Command, line []string) {
		if words := cmd.Flags().Args(); len(line) > 0 && len(words) > 0 && cmd.HasSubCommands() { // --help, not a help of our own
			f.Misspelt = known.unknownCommand(cmd, words[0])
			return
		}
		help := wrapped(cmp.Or(cmd.Long, cmd.Short), width) + "\n"
		if cmd.Runnable() || cmd.HasSubCommands() { // else it is a page of the help
			help += "\n" + usageOf(cmd, width)
		}
		_, _ = io.WriteString(cmd.OutOrStdout(), help)
	})
}

// trailing are the blanks that pflag leaves where a description begins on a line of its own.
var trailing = pattern.Of(`(?m) +$`)

// wrapped is a help text in lines of at most width columns: paragraphs flow, lines with two columns go on below the second one, and
// what else is indented stays as it is.
func wrapped(help string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(help, "\n"), "\n") {
		text := strings.TrimLeft(line, " ")
		last := len(lines) - 1
		if last >= 0 && text != "" && lines[last] != "" && len(line)-len(text) == textColumn(lines[last]) {
			lines[last] += " " + text
		} else {
			lines = append(lines, line)
		}
	}
	for i, line := range lines {
		if at := textColumn(line); at >= 0 {
			text := term.Prose(line[at:], max(width-at, leastText), 0)
			lines[i] = line[:at] + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", at))
		}
	}
	return strings.Join(lines, "\n")
}

// leastText is how many columns a text has in any case.
const leastText = 24

var firstColumn = pattern.Of(`^ +\S+( \S+)*  +`)

// textColumn is where the text of a line begins that may be broken: behind the first of two columns. -1 = it may not.
func textColumn(line string) int {
	if !strings.HasPrefix(line, " ") {
		return 0
	}
	if first := firstColumn().FindString(line); first != "" {
		return len(first)
	}
	return -1
}

// nounsShowExamples gives every command that only has subcommands the first example of each of them, where it has none
// of its own.
func nounsShowExamples(cmd *cobra.Command) {
	var lines []string
	for _, sub := range cmd.Commands() {
		nounsShowExamples(sub)
		if sub.IsAvailableCommand() {
			lines = append(lines, firstExample(sub.Example)...)
		}
	}
	if cmd.HasParent() && cmd.Example == "" {
		cmd.Example = strings.Join(lines, "\n")
	}
}

// firstExample is the first command line of an example, with the lines that continue it, without comments.
func firstExample(example string) (lines []string) {
	for line := range strings.SplitSeq(example, "\n") {
		if len(lines) == 0 && (strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#")) {
			continue
		}
		lines = append(lines, line)
		if !strings.HasSuffix(line, `\`) {
			break
		}
	}
	return lines
}
