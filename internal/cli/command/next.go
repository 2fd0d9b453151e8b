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

// Invocation is what a command line asks for, by the names of its settings. It is a plain value: it
// can be saved, joined with another, and spelled as arguments of any command with these settings.
type Invocation map[string][]string

// SettingMark marks a flag that is a setting, which means the same for every command that has it.
// Other flags steer one run, or mean something else on another command, as --strict and --file do.
const SettingMark = "setting"

// MarkSettings marks flags of cmd as settings.
func MarkSettings(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		_ = cmd.Flags().SetAnnotation(name, SettingMark, nil)
	}
}

// NotHandedOn marks settings that a command uses only beside a flag that is not handed on.
const NotHandedOn = "not-handed-on"

// IsSetting reports whether a flag is marked so.
func IsSetting(fl *pflag.Flag) bool {
	_, marked := fl.Annotations[SettingMark]
	return marked
}

// leading are the settings that begin a command line; the others follow by name.
var leading = append(Sources(), "vcenters", "profile", "components", "matrix", "conditions")

// FilePlaceholder stands for a file without a known name: stdin was read, or none was named.
const FilePlaceholder = "FILE"

// InvocationOf is what the command line sets; the next command reads the other settings again.
func InvocationOf(flags *pflag.FlagSet) Invocation {
	inv := Invocation{}
	flags.VisitAll(func(fl *pflag.Flag) {
		if !IsSetting(fl) || LevelOf(flags, fl.Name) != OfCommandLine {
			return
		}
		inv[fl.Name] = []string{fl.Value.String()}
		if list, isList := fl.Value.(pflag.SliceValue); isList {
			inv[fl.Name] = list.GetSlice()
		}
		if slices.Contains(append(Sources(), adminCredentialsFlag, CredentialsFileFlag), fl.Name) &&
			fl.Value.String() == "-" {
			inv[fl.Name] = []string{FilePlaceholder}
		}
	})
	return inv
}

// With is the invocation with one setting added or replaced.
func (inv Invocation) With(name string, values ...string) Invocation {
	out := inv.Without(name)
	if len(values) > 0 {
		out[name] = values
	}
	return out
}

// Value is the first value of a setting; "" = it is not set.
func (inv Invocation) Value(name string) string {
	if len(inv[name]) == 0 {
		return ""
	}
	return inv[name][0]
}

// Without is the invocation without these settings.
func (inv Invocation) Without(names ...string) Invocation {
	out := maps.Clone(inv)
	if out == nil {
		out = Invocation{}
	}
	maps.DeleteFunc(out, func(name string, _ []string) bool { return slices.Contains(names, name) })
	return out
}

// Only is the invocation with these settings alone.
func (inv Invocation) Only(names ...string) Invocation {
	return inv.Without(slices.DeleteFunc(slices.Collect(maps.Keys(inv)), func(name string) bool {
		return slices.Contains(names, name)
	})...)
}

// Then is the invocation with a later one, which wins; addresses are joined by server.
func (inv Invocation) Then(later Invocation) Invocation {
	out := inv.Without(slices.Collect(maps.Keys(later))...)
	maps.Copy(out, later)
	again := map[string]bool{}
	for _, address := range later[ConnectToFlag] {
		again[serverOf(address)] = true
	}
	kept := slices.DeleteFunc(slices.Clone(inv[ConnectToFlag]), func(address string) bool {
		return again[serverOf(address)]
	})
	return out.With(ConnectToFlag, slices.Sorted(slices.Values(append(kept, later[ConnectToFlag]...)))...)
}

// About is the invocation without values for other vCenters, which commands refuse.
func (inv Invocation) About(servers []string) Invocation {
	for _, name := range []string{ConnectToFlag, ThumbprintFlag} {
		kept := slices.DeleteFunc(slices.Clone(inv[name]), func(v string) bool {
			return !slices.Contains(servers, serverOf(v))
		})
		inv = inv.With(name, kept...)
	}
	return inv
}

// At is the invocation for these vCenters alone; nil = as it is.
func (inv Invocation) At(servers []string) Invocation {
	if servers == nil {
		return inv
	}
	return inv.With("vcenters", servers...).About(servers)
}

func serverOf(pair string) string {
	server, _, _ := strings.Cut(pair, "=")
	return server
}

// OfFile is the invocation with a file instead of another source, for commands that need one.
func (s *SourceFlags) OfFile(inv Invocation) Invocation {
	if s.File != "" {
		return inv
	}
	return inv.Without(append(Sources(), "cluster")...).With("file", FilePlaceholder)
}

// Words spells the invocation, unquoted, for a command that has these settings, without others.
func (inv Invocation) Words(has map[string]string) (words []string) {
	rank := func(name string) int { // in the order of a command line
		if i := slices.Index(leading, name); i >= 0 {
			return i
		}
		return len(leading)
	}
	for _, name := range slices.SortedStableFunc(slices.Values(SortedKeys(inv)), func(a, b string) int { return rank(a) - rank(b) }) {
		kind, known := has[name]
		word, values := "--"+name, inv[name]
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

// CommandSettings gives the settings, with types, of every command, named without the program.
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

// settingsOf are those of the command called name; nil = this program has no such command.
func (f *Factory) settingsOf(name string) map[string]string {
	if f.Settings == nil {
		return nil
	}
	return f.Settings()[name]
}

// CommandLine is the command called name, quoted for a shell, with own words first and then the
// invocation. A command that this program does not have is one of [Program].
func (f *Factory) CommandLine(name string, inv Invocation, own ...string) string {
	has, program := f.settingsOf(name), Program
	if has != nil {
		program = f.Program
	}
	line := program + " " + name
	if words := slices.Concat(own, inv.Words(has)); len(words) > 0 {
		line += " " + script.Line(words...)
	}
	return line
}

// Line is CommandLine with own words instead of such settings.
func (f *Factory) Line(name string, inv Invocation, own ...string) string {
	for i, word := range own {
		inv = inv.Without(strings.TrimPrefix(word, "--"))
		if word == "--vcenters" {
			inv = inv.About(strings.Split(own[i+1], ","))
		}
	}
	return f.CommandLine(name, inv, own...)
}

// Repeated is the command line as it was typed, with a flag and its value.
func (f *Factory) Repeated(flag string, value ...string) string {
	return script.Line(slices.Concat([]string{f.Program}, f.TypedWithout([]string{flag}), []string{flag}, value)...)
}

// TypedWithout are the words of the command line without some flags: those that have values, as the
// next word or behind "=", and bare ones.
func (f *Factory) TypedWithout(valued []string, bare ...string) (words []string) {
	for i, w := range f.Typed {
		name, _, _ := strings.Cut(w, "=")
		if !slices.Contains(valued, name) && !slices.Contains(bare, name) &&
			(i == 0 || !slices.Contains(valued, f.Typed[i-1])) {
			words = append(words, w)
		}
	}
	return words
}

// Next tells what to run after this.
func (f *Factory) Next(line string) { f.Suggest("next:", line) }

// Due is Next for what has to be run: without it, the job is not done.
func (f *Factory) Due(line string) { f.Command("next:", line) }

// NextInstall tells how openshift-install goes on in a directory: who makes the machines is not in an
// install-config. machines: openshift-install can make them.
func (f *Factory) NextInstall(dir string, machines bool) {
	dir = " --dir " + script.Word(dir)
	if machines {
		f.Command("next, installer-provisioned:", "openshift-install create cluster"+dir)
	}
	f.Command("next, user-provisioned:", "openshift-install create ignition-configs"+dir)
}

// Flags of secrets emit that other commands print.
const (
	AgainstFlag = "against"
	VerifyFlag  = "verify"
)

// Renews is the command that renews accounts in secrets of the cluster, after a login with each.
func (f *Factory) Renews(profile string, inv Invocation, own ...string) string {
	line := openshift.From(profile) + f.CommandLine("secrets renew", inv, "--"+AgainstFlag, "-")
	return line + " " + script.Line(append(f.Tested(inv), own...)...) + openshift.Applies(profile)
}

// FirstSecrets is the command that writes a profile's secrets to the cluster, whose flags from name;
// none = a dump. It writes nothing if a consumer's account would change, or a login fails.
func (f *Factory) FirstSecrets(profile string, inv Invocation, from, own []string) string {
	pipe := ""
	if len(from) == 0 {
		pipe, from = openshift.From(profile), []string{"--" + AgainstFlag, "-"}
	}
	if p, _ := openshift.FindProfile(profile); p.Requests && !slices.Contains(own, "--credentials-requests") {
		from = append(from, "--credentials-requests", "DIR")
	}
	return pipe + f.CommandLine("secrets emit", inv, slices.Concat(from, own, f.Tested(inv))...) + openshift.Applies(profile)
}

// Tested are the flags with which secrets emit logs in before it writes, because another machine
// may change the accounts. It writes nothing if some vCenters cannot be reached as in this run.
func (f *Factory) Tested(inv Invocation) []string {
	return append([]string{"--" + VerifyFlag},
		inv.Only(ConnectToFlag, CACertFlag, ThumbprintFlag, "insecure").Words(f.settingsOf("verify"))...)
}

// Emits are the flags of secrets emit: the cluster, the credentials file, and [Factory.Tested].
func (f *Factory) Emits() []string {
	return append(f.Said.Only(append(Sources(), CredentialsFileFlag)...).Words(f.settingsOf("secrets emit")), f.Tested(f.Said)...)
}
