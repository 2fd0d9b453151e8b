package command

import (
	"context"

	"github.com/spf13/cobra"
)

// Action is what a command does: it checks its words, and takes in those that are no flags, and then does runF where a test
// gives one, else the real thing.
func Action[O any](o *O, runF func(*O) error, do func(context.Context, *O) error, checks ...func(*cobra.Command, []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		for _, check := range checks {
			if err := check(cmd, args); err != nil {
				return err
			}
		}
		if runF != nil {
			return runF(o)
		}
		return do(cmd.Context(), o)
	}
}
