package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

// Setting is a setting in force, and where it comes from.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"` // "command line", a variable, FILE:LINE or "default"
}

// InForce are the settings of a command with a value, and what others find in the environment and
// in the settings file, by name.
func (f *Factory) InForce(cmd *cobra.Command) (all []Setting) {
	for _, name := range knownSettings(cmd.Root()) {
		fl := cmd.Flags().Lookup(name)
		variable := EnvName(name)
		if f.Getenv(variable) == "" {
			variable = envAlso[name]
		}
		line, set := f.settings[name]
		value := strings.Trim(fmt.Sprint(line.value), "[]")
		switch {
		case fl != nil && LevelOf(cmd.Flags(), name) == OfCommandLine:
			all = append(all, Setting{name, shown(fl), "command line"})
		case f.Getenv(variable) != "" && (fl == nil || fl.Changed):
			all = append(all, Setting{name, f.Getenv(variable), variable})
		case set && (fl == nil || fl.Changed):
			all = append(all, Setting{name, value, strings.TrimSuffix(line.where, ": "+name)})
		case fl != nil && shown(fl) != "" && shown(fl) != "false":
			all = append(all, Setting{name, shown(fl), "default"})
		}
	}
	return all
}

func shown(fl *pflag.Flag) string { return strings.Trim(fl.Value.String(), "[]") }

// Variable is a variable of ours or of govc that is set.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"` // "set" of a password, and of what is not read
	Read  bool   `json:"read"`
}

// Variables are those that are set, by name.
func (f *Factory) Variables(root *cobra.Command) (all []Variable) {
	ours, known := variables(root), []string{GovcUser, GovcPassword, "GOVC_INSECURE", "GOVC_TLS_CA_CERTS", credfile.Variable}
	for _, name := range f.Names() {
		own, isOurs := strings.CutPrefix(name, EnvPrefix)
		v := Variable{name, "set", isOurs && slices.Contains(ours, own) || slices.Contains(known, name)}
		if !v.Read && !isOurs && !strings.HasPrefix(name, "GOVC_") {
			continue
		}
		if v.Read && !strings.HasSuffix(name, "PASSWORD") {
			v.Value = f.Getenv(name)
		}
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b Variable) int { return strings.Compare(a.Name, b.Name) })
	return all
}
