package frame

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
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

// checkEmpty refuses flags that the command line gives an empty value, as a shell does with a variable that is not set. To a command an
// empty value is the same as no flag: `--digest "$APPROVED"` would approve any plan, `--secrets "$DUMP"` would check no secrets, and
// `--components "$ONLY"` would mean all of them. An empty setting counts as not set, so this is checked before settings are loaded.
func checkEmpty(flags *pflag.FlagSet) error {
	var errs []error
	flags.Visit(func(fl *pflag.Flag) {
		list, isList := fl.Value.(pflag.SliceValue)
		_, takes := fl.Annotations[command.TakesEmpty]
		switch {
		case takes: // flags that are no text have parsers that refuse it
		case isList && (len(list.GetSlice()) == 0 || slices.Equal(list.GetSlice(), []string{""})),
			fl.Value.Type() == "string" && fl.Value.String() == "":
			errs = append(errs, command.BadFlag(fl.Name, "the value is empty"))
		case isList && slices.Contains(list.GetSlice(), ""):
			errs = append(errs, command.BadFlag(fl.Name, "one of the values is empty"))
		}
	})
	return hint.Wrap(errors.Join(errs...), "a shell variable that is not set gives an empty value: set it, or leave the flag out")
}
