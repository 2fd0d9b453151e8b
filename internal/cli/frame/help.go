package frame

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// pipedHelp is the width of help without a terminal, in columns, for a pager in a usual one.
const pipedHelp = 80

// wrapHelp wraps the help of every command to the width of the terminal, except examples.
func wrapHelp(root *cobra.Command, f *command.Factory, known vocabulary) {
	width := cmp.Or(f.Width(), pipedHelp)
	root.SetUsageTemplate(strings.NewReplacer(cobraUsage, usage, cobraAlias, "", cobraMore, more, "NamePadding }} {{",
		"NamePadding }}  {{").Replace(root.UsageTemplate()))
	root.SetHelpFunc(func(cmd *cobra.Command, line []string) {
		if words := cmd.Flags().Args(); len(line) > 0 &&
			len(words) > 0 && cmd.HasSubCommands() { // --help, not our own
			f.Misspelt = known.unknownCommand(cmd, words[0])
			return
		}
		help := wrapped(f.Say(cmp.Or(cmd.Long, cmd.Short)), width) + "\n"
		if cmd.Runnable() || cmd.HasSubCommands() { // else it is a page of the help
			help += "\n" + f.Say(usageOf(cmd, width))
		}
		_, _ = io.WriteString(cmd.OutOrStdout(), help)
	})
}

// trailing are the blanks of pflag before a description on a line of its own.
var trailing = pattern.Of(`(?m) +$`)

// wrapped is a help text of at most width columns: paragraphs flow, text in a second column stays
// in it, and other indented lines stay.
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

// leastText is the least width of a text, in columns.
const leastText = 24

var firstColumn = pattern.Of(`^ +\S+( \S+)*  +`)

// textColumn is where the text of a line's second column begins; -1 = it may not be wrapped.
func textColumn(line string) int {
	if !strings.HasPrefix(line, " ") {
		return 0
	}
	if first := firstColumn().FindString(line); first != "" {
		return len(first)
	}
	return -1
}

// nounsShowExamples gives nouns without an example the first one of each subcommand.
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

// firstExample is the first command line of an example, with its continuation, without comments.
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

// flagGroup is a group of flags that help of a command only names; `help flags` describes them.
type flagGroup struct {
	name, about string
	flags       []string
}

func flagGroups() []flagGroup {
	return []flagGroup{
		{"source", "source: which cluster, vCenters and components", strings.Fields("file install-config infrastructure vcenters components cluster profile matrix conditions credentials-file")},
		{"connection", "connection: how the vCenters are reached, and as whom", command.ConnectionFlags()},
		{"clusters", "clusters: the same for many of them, with -f DIR or several -f", many.Names()},
		{"general", "general: of every command", strings.Fields("output yes no-input no-color quiet verbose parallel timeout config")},
	}
}

// grouped are the flags of a group that a command has, without its own flags of the same name.
func (f flagGroup) grouped(cmd *cobra.Command) (all []*pflag.Flag) {
	for _, name := range f.flags {
		fl := cmd.LocalFlags().Lookup(name)
		if fl != nil && !command.IsSetting(fl) || !cmd.HasParent() {
			continue
		}
		if fl == nil {
			fl = cmd.InheritedFlags().Lookup(name)
		}
		if fl != nil && !fl.Hidden {
			all = append(all, fl)
		}
	}
	return all
}

func usageOf(cmd *cobra.Command, width int) string {
	var groups strings.Builder
	var hidden []*pflag.Flag
	for _, g := range flagGroups() {
		var names []string
		for _, fl := range g.grouped(cmd) {
			names, hidden = append(names, flagName(fl)), append(hidden, fl)
			fl.Hidden = true
		}
		switch {
		case len(names) == len(g.flags):
			term.Fprintf(&groups, "  %-10s  all of them\n", g.name)
		case len(names) > 0:
			term.Fprintf(&groups, "  %-10s  %s\n", g.name, strings.Join(names, ", "))
		}
	}
	text := ownFlags(cmd, trailing().ReplaceAllString(cmd.UsageString(), ""), width)
	for _, fl := range hidden {
		fl.Hidden = false
	}
	if groups.Len() == 0 {
		return text
	}
	text, see, nested := strings.Cut(text, "\nSee \"")
	text += "\nMore flags (see \"" + cmd.Root().Name() + " help flags\"):\n" + wrapped(groups.String(), width) + "\n"
	if nested {
		text += "\nSee \"" + see
	}
	return text
}

// widestFlag is the width of the column of flag names; the text of a longer one begins behind it.
const widestFlag = 26

// ownFlags narrows cobra's column, which is as wide as the longest name, and leaves out --help.
func ownFlags(cmd *cobra.Command, text string, width int) string {
	before, remaining, found := strings.Cut(text, "\nFlags:\n")
	if !found {
		return text
	}
	_, after, more := strings.Cut(remaining, "\n\n")
	if more {
		after = "\n" + after
	}
	lines := map[string]string{}
	wide := 0
	cmd.LocalFlags().VisitAll(func(fl *pflag.Flag) {
		if fl.Hidden || fl.Name == "help" {
			return
		}
		kind, usage := usageWithDefault(fl)
		name := strings.TrimSpace(flagName(fl) + " " + cmp.Or(shortKinds[kind], kind))
		lines[name] = usage
		if len(name) <= widestFlag {
			wide = max(wide, len(name))
		}
	})
	if len(lines) == 0 {
		return before + "\n" + strings.TrimPrefix(after, "\n")
	}
	var flags strings.Builder
	for _, name := range slices.SortedFunc(maps.Keys(lines), func(a, b string) int {
		return strings.Compare(strings.TrimLeft(a, "-"), strings.TrimLeft(b, "-"))
	}) {
		term.Fprintf(&flags, "  %-*s  %s\n", wide, name, lines[name])
	}
	return before + "\nFlags:\n" + wrapped(flags.String(), width) + "\n" + after
}

// shortKinds are shorter words for types of values than pflag's.
var shortKinds = map[string]string{"stringArray": "list", "strings": "list"}

// usageWithDefault is the type and the usage of a flag, with its default if it has one.
func usageWithDefault(fl *pflag.Flag) (kind, usage string) {
	kind, usage = pflag.UnquoteUsage(fl)
	if !slices.Contains([]string{"", "false", "[]"}, fl.DefValue) {
		usage += " (default " + fl.DefValue + ")"
	}
	return kind, usage
}

func flagName(fl *pflag.Flag) string {
	if fl.Shorthand != "" {
		return "-" + fl.Shorthand + ", --" + fl.Name
	}
	return "--" + fl.Name
}

// newTopicFlags is the page of the groups, in the words of root's first command with each flag.
func newTopicFlags(root *cobra.Command) *cobra.Command {
	var text strings.Builder
	text.WriteString("A command's help only names these flags under \"More flags\": there they mean what is said here.\n")
	for _, g := range flagGroups() {
		var lines strings.Builder
		for _, name := range g.flags {
			fl := firstFlag(root, name)
			if fl == nil { // no command of this program has it
				continue
			}
			kind, usage := usageWithDefault(fl)
			term.Fprintf(&lines, "  %-28s  %s\n", strings.TrimSpace(flagName(fl)+" "+kind), usage)
		}
		if lines.Len() > 0 {
			text.WriteString("\n" + g.about + "\n\n" + lines.String())
		}
	}
	return NewTopic("flags", "Flags that many commands have", text.String())
}

// firstFlag is the persistent flag, or the first setting. Cobra's LocalFlags would copy all sets.
func firstFlag(cmd *cobra.Command, name string) *pflag.Flag {
	for _, flags := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		fl := flags.Lookup(name)
		if fl != nil && (command.IsSetting(fl) || !cmd.HasParent()) {
			return fl
		}
	}
	for _, sub := range cmd.Commands() {
		if fl := firstFlag(sub, name); fl != nil {
			return fl
		}
	}
	return nil
}
