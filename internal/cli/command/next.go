package command

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// Invocation is what a command line asks for, by the names of its settings: which specification and which part of it,
// whose passwords, how the vCenters are reached. It is a plain value that belongs to no command: it can be saved, joined
// with another, and spelt as the words of any command that has these settings.
type Invocation map[string][]string

// SettingMark marks a flag that is a setting: it means the same for every command that has it. A flag without the mark
// steers one run, or is about something else on another command, as --strict and --file are.
const SettingMark = "setting"

// MarkSettings marks flags of cmd as settings.
func MarkSettings(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		_ = cmd.Flags().SetAnnotation(name, SettingMark, nil)
	}
}

// NotHandedOn marks settings of a command that it heeds only beside a flag which nobody says for somebody else: in the line of what
// to run next they would be words without a use.
const NotHandedOn = "not-handed-on"

// IsSetting reports whether a flag is marked so.
func IsSetting(fl *pflag.Flag) bool {
	_, marked := fl.Annotations[SettingMark]
	return marked
}

// leading are the settings that a command line begins with; the others follow by name.
var leading = append(Sources(), "vcenters", "profile", "components", "matrix", "conditions")

// FilePlaceholder stands for a file whose name is not known, because stdin was read or no command line named one.
const FilePlaceholder = "FILE"

// InvocationOf is what the command line itself says: the environment and the settings file say the rest to the next command, too.
func InvocationOf(flags *pflag.FlagSet) Invocation {
	said := Invocation{}
	flags.VisitAll(func(fl *pflag.Flag) {
		if !IsSetting(fl) || LevelOf(flags, fl.Name) != OfCommandLine {
			return
		}
		said[fl.Name] = []string{fl.Value.String()}
		if list, isList := fl.Value.(pflag.SliceValue); isList {
			said[fl.Name] = list.GetSlice()
		}
		if slices.Contains(append(Sources(), adminCredentialsFlag, CredentialsFileFlag), fl.Name) && fl.Value.String() == "-" {
			said[fl.Name] = []string{FilePlaceholder}
		}
	})
	return said
}

// With is said and one setting more, or another value of it.
func (said Invocation) With(name string, values ...string) Invocation {
	out := said.Without(name)
	if len(values) > 0 {
		out[name] = values
	}
	return out
}

// Without leaves settings out.
func (said Invocation) Without(names ...string) Invocation {
	out := maps.Clone(said)
	if out == nil {
		out = Invocation{}
	}
	maps.DeleteFunc(out, func(name string, _ []string) bool { return slices.Contains(names, name) })
	return out
}

// Only keeps settings.
func (said Invocation) Only(names ...string) Invocation {
	return said.Without(slices.DeleteFunc(slices.Collect(maps.Keys(said)), func(name string) bool { return slices.Contains(names, name) })...)
}

// Then is said with what a later command line says, which wins: for an address, that of the same server.
func (said Invocation) Then(later Invocation) Invocation {
	out := said.Without(slices.Collect(maps.Keys(later))...)
	maps.Copy(out, later)
	again := map[string]bool{}
	for _, address := range later[ConnectToFlag] {
		again[serverOf(address)] = true
	}
	kept := slices.DeleteFunc(slices.Clone(said[ConnectToFlag]), func(address string) bool { return again[serverOf(address)] })
	return out.With(ConnectToFlag, slices.Sorted(slices.Values(append(kept, later[ConnectToFlag]...)))...)
}

// About leaves out what is about other vCenters than these: a command refuses that.
func (said Invocation) About(servers []string) Invocation {
	for _, name := range []string{ConnectToFlag, ThumbprintFlag} {
		kept := slices.DeleteFunc(slices.Clone(said[name]), func(v string) bool { return !slices.Contains(servers, serverOf(v)) })
		said = said.With(name, kept...)
	}
	return said
}

// serverOf is the server of server=value.
func serverOf(pair string) string {
	server, _, _ := strings.Cut(pair, "=")
	return server
}

// OfFile is said with a file in the place of another source, where no file was named, for what only a file says.
func (s *SourceFlags) OfFile(said Invocation) Invocation {
	if s.File != "" {
		return said
	}
	return said.Without(Sources()...).With("file", FilePlaceholder)
}

// Words spells said for a command that has these settings, before it is quoted. The others are left out.
func (said Invocation) Words(has map[string]string) (words []string) {
	rank := func(name string) int { // in the order of a command line
		if i := slices.Index(leading, name); i >= 0 {
			return i
		}
		return len(leading)
	}
	for _, name := range slices.SortedStableFunc(slices.Values(SortedKeys(said)), func(a, b string) int { return rank(a) - rank(b) }) {
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

// CommandSettings gives for every command, named without the program, its settings and the type of each.
func CommandSettings(root *cobra.Command) map[string]map[string]string {
	all := map[string]map[string]string{}
	EachCommand(root, func(cmd *cobra.Command) {
		has := map[string]string{}
		for _, flags := range []*pflag.FlagSet{cmd.Flags(), root.PersistentFlags()} {
			flags.VisitAll(func(fl *pflag.Flag) {
				if IsSetting(fl) && len(fl.Annotations[NotHandedOn]) == 0 {
					has[fl.Name] = fl.Value.Type()
				}
			})
		}
		all[Spoken(cmd)] = has
	})
	return all
}

// settingsOf are those of the command called name; nil if this program has none of that name.
func (f *Factory) settingsOf(name string) map[string]string {
	if f.Settings == nil {
		return nil
	}
	return f.Settings()[name]
}

// CommandLine is the line, quoted for a shell, of the command called name that says what said says, with words of its own first. A
// command that this program does not have is one of [Program].
func (f *Factory) CommandLine(name string, said Invocation, own ...string) string {
	has, program := f.settingsOf(name), Program
	if has != nil {
		program = f.Program
	}
	line := program + " " + name
	if words := slices.Concat(own, said.Words(has)); len(words) > 0 {
		line += " " + script.Line(words...)
	}
	return line
}

// Line is command, where words of its own say what said says otherwise. One that takes no install-config wants a file.
func (f *Factory) Line(name string, said Invocation, own ...string) string {
	for _, word := range own {
		said = said.Without(strings.TrimPrefix(word, "--"))
	}
	if _, takes := f.settingsOf(name)["install-config"]; !takes && len(said["file"]) == 0 {
		said = said.With("file", FilePlaceholder)
	}
	return f.CommandLine(name, said, own...)
}

// Next tells what to run after this.
func (f *Factory) Next(line string) { f.Command("next:", line) }

// Flags of secrets emit that other commands name in the commands that come next.
const (
	AgainstFlag = "against"
	VerifyFlag  = "verify"
)

// Applies is how the cluster gets what a command prints.
const Applies = " | oc apply -f -"

// Renews is the command that writes the secrets of the cluster that hold an account already, as said, once it has logged in with them.
func (f *Factory) Renews(said Invocation, own ...string) string {
	line := openshift.FromCluster + f.CommandLine("secrets renew", said, "--"+AgainstFlag, "-")
	return line + " " + script.Line(append(f.Tested(said), own...)...) + Applies
}

// Tested are the words with which secrets emit logs in before it writes, as this run reached the vCenters: another machine may
// have removed or changed the accounts, or do so before the line is run. Where a run about some vCenters was not told how to reach the
// others, nothing is written.
func (f *Factory) Tested(said Invocation) []string {
	return append([]string{"--" + VerifyFlag}, said.Only(ConnectToFlag, CACertFlag, ThumbprintFlag, "insecure").Words(f.settingsOf("verify"))...)
}

// Emits are the flags that tell secrets emit whose accounts it writes, as said: of which cluster, from which credentials file, and tested.
func (f *Factory) Emits() []string {
	return append(f.Said.Only(append(Sources(), CredentialsFileFlag)...).Words(f.settingsOf("secrets emit")), f.Tested(f.Said)...)
}
