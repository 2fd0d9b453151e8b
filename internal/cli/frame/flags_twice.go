package frame

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// checkStdin refuses two flags that read stdin: the second would find nothing there.
func checkStdin(flags *pflag.FlagSet) error {
	var names []string
	flags.VisitAll(func(fl *pflag.Flag) {
		if fl.Value.String() == "-" {
			names = append(names, "--"+fl.Name)
		}
	})
	if len(names) < 2 {
		return nil
	}
	return fmt.Errorf("stdin can be read only once: it cannot be both %s and %s", names[0], names[1])
}

// checkTwice refuses a flag that is given twice with different values and is no list: the last one would count, and nobody would know
// of the others. typed is the command line; the words of the command among it are no flags.
func checkTwice(cmd *cobra.Command, typed []string) error {
	if cmd.DisableFlagParsing { // the shell's completion, of a line that is not finished
		return nil
	}
	given := map[string][]string{}
	var errs []error
	err := cmd.Flags().ParseAll(typed, func(fl *pflag.Flag, value string) error {
		if _, list := fl.Value.(pflag.SliceValue); !list && !slices.Contains(given[fl.Name], value) {
			given[fl.Name] = append(given[fl.Name], value)
		}
		return nil
	})
	for _, name := range command.SortedKeys(given) {
		if values := given[name]; len(values) > 1 {
			errs = append(errs, command.BadFlag(name, "is given with several values (%s, %s): it takes one", values[0], values[1]))
		}
	}
	return errors.Join(append(errs, err)...)
}
