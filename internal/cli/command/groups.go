package command

import "github.com/spf13/cobra"

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
