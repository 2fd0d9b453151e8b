package command

import (
	"strings"

	"github.com/spf13/cobra"
)

// Groups of commands in the help, in its order.
const (
	GroupJob    = "job"
	GroupParts  = "parts"
	GroupOutput = "output"
	GroupTool   = "tool"
)

// Itself marks a noun that is a command too.
const Itself = "runs itself"

// RunsItself marks such a noun.
func RunsItself(cmd *cobra.Command) { cmd.Annotations = map[string]string{Itself: "true"} }

// IsItself reports whether a noun is marked so.
func IsItself(cmd *cobra.Command) bool { return cmd.Annotations[Itself] != "" }

// EachCommand visits cmd and all commands below it.
func EachCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, sub := range cmd.Commands() {
		EachCommand(sub, do)
	}
}

// Text takes the indentation of the source out of a help text.
func Text(s string) string { return strings.Join(trimmed(s), "\n") }

// Examples is text, indented as help shows examples.
func Examples(s string) string {
	lines := trimmed(s)
	for i, l := range lines {
		if l != "" {
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}

func trimmed(s string) []string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	indent := len(lines[0]) - len(strings.TrimLeft(lines[0], "\t"))
	for i, l := range lines {
		for n := 0; n < indent && strings.HasPrefix(l, "\t"); n++ {
			l = l[1:]
		}
		lines[i] = strings.TrimRight(l, " \t")
	}
	return lines
}
