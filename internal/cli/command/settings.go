package command

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

// EnvPrefix begins the variable of every flag: --no-color is OCP_VSPHERE_ADMIN_NO_COLOR.
const EnvPrefix = "OCP_VSPHERE_ADMIN_"

// EnvName is the variable of a flag.
func EnvName(flag string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// envAlso are shorter or former names of such variables.
var envAlso = map[string]string{adminUserFlag: EnvAdminUser, "verbose": EnvPrefix + "DEBUG"}

// LoadSettings sets flags from the environment, then from the settings file. Of flags that exclude
// each other the nearest wins: `-f` on the command line over an install-config in the file.
func (f *Factory) LoadSettings(cmd *cobra.Command) error {
	f.warnMisspelt(cmd.Root())
	flags := cmd.Flags() // cobra has merged the persistent ones into them
	if err := applySettings(flags, OfEnvironment, func(fl *pflag.Flag) (any, string) {
		for _, name := range []string{EnvName(fl.Name), envAlso[fl.Name]} {
			if value := f.Getenv(name); value != "" {
				return value, name
			}
		}
		return nil, ""
	}); err != nil {
		return err
	}
	path, named := f.ConfigPath()
	if path == "" {
		return nil
	}
	required := named != ""
	if f.Borrows() || cmd.GroupID == GroupTool { // vcenter-lab may write that file
		required = f.Config != ""
	}
	settings, err := readConfig(path, required, !f.Borrows(), cmd.Root())
	switch {
	case errors.Is(err, fs.ErrNotExist) && named != "":
		return hint.Wrap(err, named+" names this file")
	case err != nil:
		return err
	}
	f.settings = settings
	v := viper.New()
	for name, s := range settings {
		v.Set(name, s.value)
	}
	return applySettings(flags, OfSettingsFile, func(fl *pflag.Flag) (any, string) {
		return v.Get(fl.Name), settings[fl.Name].where
	})
}

// warnMisspelt warns of variables of ours that nothing reads.
func (f *Factory) warnMisspelt(root *cobra.Command) {
	var known []string
	for _, name := range f.Names() {
		name, ours := strings.CutPrefix(name, EnvPrefix)
		if f.Borrows() || !ours {
			continue
		}
		if known == nil {
			known = variables(root)
		}
		if slices.Contains(known, name) {
			continue
		}
		near := hint.Nearest(name, known)
		if near != "" {
			near = "; did you mean " + hint.Quote(EnvPrefix+near) + "?"
		}
		f.Warnf("the variable %s is not read%s", EnvPrefix+name, near)
	}
}

// variables are those that are read, without [EnvPrefix], which would make all of them alike.
func variables(root *cobra.Command) []string {
	all := []string{EnvAdminUser, EnvAdminPassword, EnvServer, EnvName("config"), envAlso["verbose"]}
	add := func(fl *pflag.Flag) {
		if !IsCommandLineOnly(fl) {
			all = append(all, EnvName(fl.Name))
		}
	}
	root.PersistentFlags().VisitAll(add)
	EachCommand(root, func(cmd *cobra.Command) { cmd.Flags().VisitAll(add) })
	for i, name := range all {
		all[i] = strings.TrimPrefix(name, EnvPrefix)
	}
	return all
}

// Level is the origin of a flag's value, the nearest last.
type Level int

// The levels.
const (
	OfDefault Level = iota
	OfSettingsFile
	OfEnvironment
	OfCommandLine
)

// LevelOf is the origin of a flag's value.
func LevelOf(flags *pflag.FlagSet, name string) Level {
	fl := flags.Lookup(name)
	if fl == nil || !fl.Changed {
		return OfDefault
	}
	switch from, settled := fl.Annotations[fromSettings]; {
	case !settled:
		return OfCommandLine
	case slices.Contains(from, EnvPrefix):
		return OfEnvironment
	}
	return OfSettingsFile
}

// Origin is the origin of a flag's value; nil = the command line.
type Origin func(flag string) Level

// OriginOf is where the values of flags come from.
func OriginOf(flags *pflag.FlagSet) Origin {
	return func(flag string) Level { return LevelOf(flags, flag) }
}

// of is the origin of a flag if it was given; a boolean may be given as false.
func (o Origin) of(flag string, given bool) Level {
	switch {
	case o != nil:
		return o(flag)
	case given:
		return OfCommandLine
	}
	return OfDefault
}

// fromSettings marks a flag set by environment or settings file, which the next command reads too.
const fromSettings = "from-settings"

// applySettings sets each flag that is not set and that no flag set before excludes.
func applySettings(flags *pflag.FlagSet, at Level, lookup func(*pflag.Flag) (value any, where string)) error {
	taken := map[string]bool{}
	flags.VisitAll(func(fl *pflag.Flag) { // Visit would miss those that setFlag marked
		for _, g := range exclusiveGroups(fl) {
			taken[g] = taken[g] || fl.Changed
		}
	})
	var errs []error
	flags.VisitAll(func(fl *pflag.Flag) {
		if fl.Changed || IsCommandLineOnly(fl) || slices.ContainsFunc(exclusiveGroups(fl), func(g string) bool { return taken[g] }) {
			return
		}
		value, where := lookup(fl)
		if value == nil || belongsToAnother(flags, fl, lookup) {
			return
		}
		if err := setFlag(fl, value); err != nil {
			if plain := Plainly(err); !errors.Is(plain, err) { // the parser's words named the value
				err = fmt.Errorf("%q: %w", fmt.Sprint(value), plain)
			}
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
		}
		var from []string
		if at == OfEnvironment {
			from = []string{EnvPrefix}
		}
		_ = flags.SetAnnotation(fl.Name, fromSettings, from)
	})
	return errors.Join(errs...)
}

// aboutFlag marks a flag whose value belongs to another flag's, as a password to its user.
const aboutFlag = "about-flag"

// belongsToAnother reports whether a setting belongs to one that was overridden: the password of
// the user in the settings file is not that of the user on the command line.
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
	words, several := value.([]string)
	text, _ := value.(string)
	var err error
	switch {
	case several && !isList:
		err = errors.New("must be one value, not a list")
	case several:
		err = list.Replace(words)
	case fl.Value.Type() == "stringArray": // repeatable on the command line; a setting has only commas
		err = list.Replace(strings.Split(text, ","))
	default: // the flag's own parser, not FlagSet.Set: its message would repeat the flag's name
		err = fl.Value.Set(text)
	}
	fl.Changed = err == nil
	return err
}

// FromSettings reports whether a flag's value came from the environment or the settings file. It
// may be meant for more than this command line, as addresses of all vCenters are.
func FromSettings(flags *pflag.FlagSet, name string) bool {
	at := LevelOf(flags, name)
	return at == OfEnvironment || at == OfSettingsFile
}

func exclusiveGroups(fl *pflag.Flag) []string {
	return fl.Annotations["cobra_annotation_mutually_exclusive"]
}

// commandLineOnly marks a flag without a setting, because its name means something else elsewhere.
const commandLineOnly = "command-line-only"

// IsCommandLineOnly reports whether a flag is marked so.
func IsCommandLineOnly(fl *pflag.Flag) bool {
	_, marked := fl.Annotations[commandLineOnly]
	return marked || fl.Name == "help" || fl.Name == "config"
}

// MarkCommandLineOnly marks flags of cmd.
func MarkCommandLineOnly(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		_ = cmd.Flags().SetAnnotation(name, commandLineOnly, nil)
	}
}
