package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// leading are the flags that a repeated command line begins with; the others follow by name.
var leading = []string{"file", "install-config", "vcenters", "profile", "components", "matrix", "conditions"}

// notRepeated are flags that steer one run and mean nothing, or something else, in the next command.
var notRepeated = []string{"yes", "out", "exit-code", "plan", "debug", "output", "no-color", "no-input", "help", "dry-run", "digest"}

// fromSettings marks a flag that the environment or the settings file gave: the next command finds it there, too.
const fromSettings = "from-settings"

// next tells what to run after this.
func (f *Factory) next(format string, args ...any) { f.Infof("next: %s", fmt.Sprintf(format, args...)) }

// repeat gives the flags of this command line that the command called name has as well, quoted for a shell, those of
// leading first. Flags of without are left out.
func (o *JobOptions) repeat(name string, without ...string) string {
	return script.Line(o.repeated(name, without...)...)
}

// repeated is repeat before it is quoted.
func (o *JobOptions) repeated(name string, without ...string) []string {
	to, _, err := o.cmd.Root().Find(strings.Fields(name))
	if err != nil {
		return nil
	}
	var names []string
	o.cmd.Flags().VisitAll(func(fl *pflag.Flag) {
		known := to.Flags().Lookup(fl.Name) != nil || to.InheritedFlags().Lookup(fl.Name) != nil
		_, settled := fl.Annotations[fromSettings]
		if fl.Changed && known && !settled && !slices.Contains(notRepeated, fl.Name) && !slices.Contains(without, fl.Name) {
			names = append(names, fl.Name)
		}
	})
	rank := func(name string) int {
		if i := slices.Index(leading, name); i >= 0 {
			return i
		}
		return len(leading)
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	var words []string
	for _, name := range names {
		words = append(words, flagWords(o.cmd.Flags().Lookup(name))...)
	}
	return words
}

// flagWords spells a flag as it can be typed again, before it is quoted.
func flagWords(fl *pflag.Flag) []string {
	name := "--" + fl.Name
	if fl.Name == "file" {
		name = "-f"
	}
	value := fl.Value.String()
	switch list, isList := fl.Value.(pflag.SliceValue); {
	case fl.Value.Type() == "bool" && value == "true":
		return []string{name}
	case fl.Value.Type() == "bool":
		return []string{name + "=" + value}
	case isList && fl.Value.Type() == "stringArray":
		var words []string
		for _, v := range list.GetSlice() {
			words = append(words, name, v)
		}
		return words
	case isList: // one value with commas
		value = strings.TrimSuffix(strings.TrimPrefix(value, "["), "]")
	case value == "-" && (fl.Name == "file" || fl.Name == "install-config"):
		return []string{name, "FILE"} // stdin was read
	}
	return []string{name, value}
}

// after is the flags of the next command behind what it needs first.
func after(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// afterSaved are the flags of the command called name after apply --plan: those that named what was planned, those of this command line,
// and the addresses of both, where this command line's win.
func (o *JobOptions) afterSaved(saved *savedPlan, name string) (string, error) {
	addresses, err := pairs("connect-to", "server=host:port", saved.ConnectTo)
	if err != nil {
		return "", err
	}
	own, err := pairs("connect-to", "server=host:port", o.Connection.Source.typedAddresses())
	if err != nil {
		return "", err
	}
	maps.Copy(addresses, own)
	words := []string{script.Line(saved.Source...), o.repeat(name, "connect-to")}
	for _, server := range sortedKeys(addresses) {
		words = append(words, "--connect-to", script.Word(server+"="+addresses[server]))
	}
	return after(words...), nil
}
