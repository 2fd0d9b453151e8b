package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// envPrefix begins the variable of every flag: --no-color is OCP_VSPHERE_ADMIN_NO_COLOR.
const envPrefix = "OCP_VSPHERE_ADMIN_"

func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// envAlso are other names of such variables: shorter, or former ones.
var envAlso = map[string]string{adminUserFlag: envAdminUser, "verbose": envPrefix + "DEBUG"}

// loadSettings gives the flags that the command line leaves out their values: from the environment first, then from
// the settings file. Where flags exclude each other, one that is set at a nearer place silences the others' farther
// settings: `-f` on the command line wins over an install-config in the file.
func (f *Factory) loadSettings(cmd *cobra.Command) error {
	flags := cmd.Flags() // cobra has merged the persistent ones into them
	if err := applySettings(flags, ofEnvironment, func(fl *pflag.Flag) (any, string) {
		for _, name := range []string{envName(fl.Name), envAlso[fl.Name]} {
			if value := f.Getenv(name); value != "" {
				return value, name
			}
		}
		return nil, ""
	}); err != nil {
		return err
	}
	path, named := f.configPath()
	if path == "" {
		return nil
	}
	required := named != ""
	if cmd.GroupID == groupLab || cmd.GroupID == groupTool { // simulate may be about to write the file of the variable
		required = f.Config != ""
	}
	settings, err := readConfig(path, required, knownSettings(cmd.Root()))
	switch {
	case errors.Is(err, fs.ErrNotExist) && named != "":
		return hint.Wrap(err, named+" names this file")
	case err != nil:
		return err
	}
	v := viper.New()
	for name, s := range settings {
		v.Set(name, s.value)
	}
	return applySettings(flags, ofSettingsFile, func(fl *pflag.Flag) (any, string) {
		return v.Get(fl.Name), settings[fl.Name].where
	})
}

// level is where a flag's value came from, the nearest last.
type level int

const (
	ofDefault level = iota
	ofSettingsFile
	ofEnvironment
	ofCommandLine
)

// levelOf tells where the value of a flag came from.
func levelOf(flags *pflag.FlagSet, name string) level {
	fl := flags.Lookup(name)
	if fl == nil || !fl.Changed {
		return ofDefault
	}
	switch from, settled := fl.Annotations[fromSettings]; {
	case !settled:
		return ofCommandLine
	case slices.Contains(from, envPrefix):
		return ofEnvironment
	}
	return ofSettingsFile
}

// origin tells where the value of a flag came from; nil = the command line.
type origin func(flag string) level

func originOf(flags *pflag.FlagSet) origin {
	return func(flag string) level { return levelOf(flags, flag) }
}

// of is where a flag was given, if it was; a boolean one may have been said to be false.
func (o origin) of(flag string, given bool) level {
	switch {
	case o != nil:
		return o(flag)
	case given:
		return ofCommandLine
	}
	return ofDefault
}

// fromSettings marks a flag that the environment or the settings file gave: the next command finds it there, too.
const fromSettings = "from-settings"

// applySettings sets each flag that is not set yet and that no flag set before excludes.
func applySettings(flags *pflag.FlagSet, at level, lookup func(*pflag.Flag) (value any, where string)) error {
	taken := exclusiveGroupsSet(flags)
	var errs []error
	flags.VisitAll(func(fl *pflag.Flag) {
		if fl.Changed || isCommandLineOnly(fl) || slices.ContainsFunc(exclusiveGroups(fl), func(g string) bool { return taken[g] }) {
			return
		}
		value, where := lookup(fl)
		if value == nil || belongsToAnother(flags, fl, lookup) {
			return
		}
		if err := setFlag(fl, value); err != nil {
			if plain := plainly(err); plain.Error() != err.Error() { // the parser's words named the value
				err = fmt.Errorf("%q: %w", fmt.Sprint(value), plain)
			}
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
		}
		if fl.Annotations == nil {
			fl.Annotations = map[string][]string{}
		}
		fl.Annotations[fromSettings] = nil
		if at == ofEnvironment {
			fl.Annotations[fromSettings] = []string{envPrefix}
		}
	})
	return errors.Join(errs...)
}

// aboutFlag marks a flag whose value belongs to the value of another, as a password does to its user.
const aboutFlag = "about-flag"

func markAbout(cmd *cobra.Command, name, about string) {
	_ = cmd.Flags().SetAnnotation(name, aboutFlag, []string{about})
}

// belongsToAnother reports whether a setting goes with one beside it that was overruled: the password of the user in the
// settings file is nothing for the user of the command line.
func belongsToAnother(flags *pflag.FlagSet, fl *pflag.Flag, lookup func(*pflag.Flag) (any, string)) bool {
	for _, name := range fl.Annotations[aboutFlag] {
		about := flags.Lookup(name)
		if about == nil || !about.Changed {
			continue
		}
		if beside, _ := lookup(about); beside != nil && fmt.Sprint(beside) != about.Value.String() {
			return true
		}
	}
	return false
}

func setFlag(fl *pflag.Flag, value any) error {
	list, isList := fl.Value.(pflag.SliceValue)
	switch value := value.(type) {
	case []string:
		if !isList {
			return errors.New("must be one value, not a list")
		}
		if err := list.Replace(value); err != nil {
			return err
		}
	case string:
		text := value
		if isList && fl.Value.Type() == "stringArray" { // repeatable on the command line; a setting has only commas
			if err := list.Replace(strings.Split(text, ",")); err != nil {
				return err
			}
			break
		}
		// The flag's own parser, not FlagSet.Set: its message would repeat the flag's name.
		if err := fl.Value.Set(text); err != nil {
			return err
		}
	}
	fl.Changed = true
	return nil
}

// isSettled reports whether a flag's value came from the environment or the settings file. Such a value may be meant for
// more than this command line names, as the addresses of all vCenters are.
func isSettled(flags *pflag.FlagSet, name string) bool {
	at := levelOf(flags, name)
	return at == ofEnvironment || at == ofSettingsFile
}

// exclusiveGroups are cobra's marks of MarkFlagsMutuallyExclusive.
func exclusiveGroups(fl *pflag.Flag) []string {
	return fl.Annotations["cobra_annotation_mutually_exclusive"]
}

func exclusiveGroupsSet(flags *pflag.FlagSet) map[string]bool {
	set := map[string]bool{}
	flags.VisitAll(func(fl *pflag.Flag) { // Visit would miss those that setFlag marked
		for _, g := range exclusiveGroups(fl) {
			set[g] = set[g] || fl.Changed
		}
	})
	return set
}

// commandLineOnly marks a flag that no setting gives, such as one whose name means something else elsewhere.
const commandLineOnly = "command-line-only"

func isCommandLineOnly(fl *pflag.Flag) bool {
	_, marked := fl.Annotations[commandLineOnly]
	return marked || fl.Name == "help" || fl.Name == "config"
}

func markCommandLineOnly(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		_ = cmd.Flags().SetAnnotation(name, commandLineOnly, nil)
	}
}
