package frame

import (
	"strings"

	"github.com/spf13/cobra"
)

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
