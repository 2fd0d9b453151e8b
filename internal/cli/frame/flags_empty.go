package frame

import (
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// checkEmpty refuses flags that the command line gives an empty value, as a shell does with a variable that is not set. To a command an
// empty value is the same as no flag: `--digest "$APPROVED"` would approve any plan, `--secrets "$DUMP"` would check no secrets, and
// `--components "$ONLY"` would mean all of them. An empty setting counts as not set, so this is checked before settings are loaded.
func checkEmpty(flags *pflag.FlagSet) error {
	var errs []error
	flags.Visit(func(fl *pflag.Flag) {
		if !command.TakesEmpty(fl) {
			errs = append(errs, emptyValue(fl))
		}
	})
	return hint.Wrap(errors.Join(errs...), "a shell variable that is not set gives an empty value: set it, or leave the flag out")
}

// emptyValue is the error of a flag without a value; nil where it has one. Flags that are no text have parsers that refuse it.
func emptyValue(fl *pflag.Flag) error {
	switch list, isList := fl.Value.(pflag.SliceValue); {
	case isList && (len(list.GetSlice()) == 0 || slices.Equal(list.GetSlice(), []string{""})),
		fl.Value.Type() == "string" && fl.Value.String() == "":
		return command.BadFlag(fl.Name, "the value is empty")
	case isList && slices.Contains(list.GetSlice(), ""):
		return command.BadFlag(fl.Name, "one of the values is empty")
	}
	return nil
}
