package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// invocation is what a command line asks for, by the names of its settings: which specification and which part of it,
// whose passwords, how the vCenters are reached. It is a plain value that belongs to no command: it can be saved, joined
// with another, and spelt as the words of any command that has these settings.
type invocation map[string][]string

// settingMark marks a flag that is a setting: it means the same for every command that has it. A flag without the mark
// steers one run, or is about something else on another command, as --strict and --file are.
const settingMark = "setting"

func markSettings(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		_ = cmd.Flags().SetAnnotation(name, settingMark, nil)
	}
}

// notHandedOn marks settings of a command that it heeds only beside a flag which nobody says for somebody else: in the line of what
// to run next they would be words without a use.
const notHandedOn = "not-handed-on"

func isSetting(fl *pflag.Flag) bool {
	_, marked := fl.Annotations[settingMark]
	return marked
}

// leading are the settings that a command line begins with; the others follow by name.
var leading = []string{"file", "install-config", "vcenters", "profile", "components", "matrix", "conditions"}

// aFile stands for a file whose name is not known, because stdin was read or no command line named one.
const aFile = "FILE"

// typed is what the command line itself says: the environment and the settings file say the rest to the next command, too.
func typed(flags *pflag.FlagSet) invocation {
	said := invocation{}
	flags.VisitAll(func(fl *pflag.Flag) {
		if !isSetting(fl) || levelOf(flags, fl.Name) != ofCommandLine {
			return
		}
		said[fl.Name] = []string{fl.Value.String()}
		if list, isList := fl.Value.(pflag.SliceValue); isList {
			said[fl.Name] = list.GetSlice()
		}
		if slices.Contains([]string{"file", "install-config", adminCredentialsFlag, credentialsFileFlag}, fl.Name) && fl.Value.String() == "-" {
			said[fl.Name] = []string{aFile}
		}
	})
	return said
}

// with is said and one setting more, or another value of it.
func (said invocation) with(name string, values ...string) invocation {
	out := said.without(name)
	if len(values) > 0 {
		out[name] = values
	}
	return out
}

// without leaves settings out.
func (said invocation) without(names ...string) invocation {
	out := maps.Clone(said)
	if out == nil {
		out = invocation{}
	}
	maps.DeleteFunc(out, func(name string, _ []string) bool { return slices.Contains(names, name) })
	return out
}

// only keeps settings.
func (said invocation) only(names ...string) invocation {
	return said.without(slices.DeleteFunc(slices.Collect(maps.Keys(said)), func(name string) bool { return slices.Contains(names, name) })...)
}

// then is said with what a later command line says, which wins: for an address, that of the same server.
func (said invocation) then(later invocation) invocation {
	out := said.without(slices.Collect(maps.Keys(later))...)
	maps.Copy(out, later)
	again := map[string]bool{}
	for _, address := range later[connectToFlag] {
		again[serverOf(address)] = true
	}
	kept := slices.DeleteFunc(slices.Clone(said[connectToFlag]), func(address string) bool { return again[serverOf(address)] })
	return out.with(connectToFlag, slices.Sorted(slices.Values(append(kept, later[connectToFlag]...)))...)
}

// about leaves out what is about other vCenters than these: a command refuses that.
func (said invocation) about(servers []string) invocation {
	for _, name := range []string{connectToFlag, thumbprintFlag} {
		kept := slices.DeleteFunc(slices.Clone(said[name]), func(v string) bool { return !slices.Contains(servers, serverOf(v)) })
		said = said.with(name, kept...)
	}
	return said
}

// serverOf is the server of server=value.
func serverOf(pair string) string {
	server, _, _ := strings.Cut(pair, "=")
	return server
}

// names are the settings of said in the order of a command line.
func (said invocation) names() []string {
	rank := func(name string) int {
		if i := slices.Index(leading, name); i >= 0 {
			return i
		}
		return len(leading)
	}
	return slices.SortedStableFunc(slices.Values(sortedKeys(said)), func(a, b string) int { return rank(a) - rank(b) })
}

// words spells said for a command that has these settings, before it is quoted. The others are left out.
func (said invocation) words(has map[string]string) (words []string) {
	for _, name := range said.names() {
		kind, known := has[name]
		word, values := "--"+name, said[name]
		if name == "file" {
			word = "-f"
		}
		switch {
		case !known || len(values) == 0:
		case kind == "bool" && values[0] == "true":
			words = append(words, word)
		case kind == "bool":
			words = append(words, word+"="+values[0])
		case kind == "stringArray": // once for each
			for _, v := range values {
				words = append(words, word, v)
			}
		default:
			words = append(words, word, strings.Join(values, ","))
		}
	}
	return words
}

// commandSettings gives for every command, named without the program, its settings and the type of each.
func commandSettings(root *cobra.Command) map[string]map[string]string {
	all := map[string]map[string]string{}
	eachCommand(root, func(cmd *cobra.Command) {
		has := map[string]string{}
		for _, flags := range []*pflag.FlagSet{cmd.Flags(), root.PersistentFlags()} {
			flags.VisitAll(func(fl *pflag.Flag) {
				if isSetting(fl) && len(fl.Annotations[notHandedOn]) == 0 {
					has[fl.Name] = fl.Value.Type()
				}
			})
		}
		all[spoken(cmd)] = has
	})
	return all
}

// flagsFor are the flags that say to the command called name what said says, quoted for a shell.
func (f *Factory) flagsFor(name string, said invocation) string {
	return script.Line(said.words(f.settings[name])...)
}

// command is the line, quoted for a shell, of the command called name that says what said says, with words of its own first.
func (f *Factory) command(name string, said invocation, own ...string) string {
	var line strings.Builder
	line.WriteString(program + " " + name)
	for _, rest := range []string{script.Line(own...), f.flagsFor(name, said)} {
		if rest != "" {
			line.WriteString(" " + rest)
		}
	}
	return line.String()
}

// line is command, where words of its own say what said says otherwise. One that takes no install-config wants a file.
func (f *Factory) line(name string, said invocation, own ...string) string {
	for _, word := range own {
		said = said.without(strings.TrimPrefix(word, "--"))
	}
	if _, takes := f.settings[name]["install-config"]; !takes && len(said["file"]) == 0 {
		said = said.with("file", aFile)
	}
	return f.command(name, said, own...)
}

// next tells what to run after this.
func (f *Factory) next(line string) { f.Command("next:", line) }
