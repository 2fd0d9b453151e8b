package frame

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// vocabulary is what a program knows of former words, and of those of other tools.
type vocabulary struct {
	*command.Factory
	meant map[string]string // as [Program.Meant]
}

// movedTo is the command line, for another program, of a command that moved there; "" = none.
func (v vocabulary) movedTo(word string) string {
	at := slices.Index(v.Typed, word)
	if at < 0 {
		return ""
	}
	for n := min(2, len(v.Typed)-at); n > 0; n-- {
		if now := v.meant[strings.Join(v.Typed[at:at+n], " ")]; now != "" {
			args := slices.Concat(v.Typed[:at], v.Typed[at+n:])
			if len(args) > 0 && args[0] == "help" {
				args[0] = "--help"
			}
			return now + strings.TrimRight(" "+script.Line(args...), " ")
		}
	}
	return ""
}

// settleOutput sets the output format where an error of a flag stands before it: that is a document then.
func (v vocabulary) settleOutput() {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	all.ParseErrorsAllowlist.UnknownFlags = true
	all.SetOutput(io.Discard)
	output := all.StringP("output", "o", v.Getenv(command.EnvName("output")), "")
	_ = all.Parse(v.Typed)
	if format := term.Format(*output); slices.Contains(term.Formats(), format) {
		v.Output = format
	}
}

func (v vocabulary) flagError(cmd *cobra.Command, err error) error {
	v.settleOutput()
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 { // of an unknown command
		return v.unknownCommand(cmd, words[0])
	}
	see := command.SeeHelp(cmd)
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if invalid, is := errors.AsType[*pflag.InvalidValueError](err); is {
		if meant := v.meant[command.Spoken(cmd)+" --"+invalid.GetFlag().Name]; meant != "" {
			return hint.Wrap(command.Plainly(err), "what it took in earlier versions is a value of "+meant+" now", see)
		}
		if invalid.GetFlag().Name == "output" && cmd.Flag("output-dir") != nil {
			return hint.Wrap(command.Plainly(err), command.DidYouMean("--output-dir"), see)
		}
	}
	if !ok {
		return hint.Wrap(command.Plainly(err), see)
	}
	name, lead := unknown.GetSpecifiedName(), "--"
	if unknown.GetSpecifiedShortnames() != "" {
		lead = "-" // and what follows the letter may be a password
	}
	err = fmt.Errorf("unknown flag %s%s for '%s'", lead, name, cmd.CommandPath())
	meant := cmp.Or(v.meant[command.Spoken(cmd)+" "+lead+name], v.meant[lead+name])
	flag, _, _ := strings.Cut(strings.TrimPrefix(meant, "--"), " ")
	switch {
	case strings.Contains(meant, ":"):
		return hint.Wrap(err, "it is a field of the provisioning file: "+meant,
			"'"+v.Program+" spec schema' describes it")
	case strings.HasPrefix(meant, "--") && cmd.Flag(flag) == nil:
	case strings.HasPrefix(meant, "-"):
		return hint.Wrap(err, command.DidYouMean(meant), see)
	case meant != "":
		return hint.Wrap(err, command.DidYouMean(v.Program+" "+meant), see)
	}
	if lead == "-" {
		for _, word := range v.Typed {
			long, _, _ := strings.Cut(strings.TrimPrefix(word, "-"), "=")
			if strings.HasPrefix(word, "-") && cmd.Flag(long) != nil {
				return hint.Wrap(err, command.DidYouMean("--"+long), see)
			}
		}
		return hint.Wrap(err, see)
	}
	var known []string
	add := func(fl *pflag.Flag) {
		if !fl.Hidden {
			known = append(known, fl.Name)
		}
	}
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return command.Nearest(err, "--", name, known, see)
}

// nounsRefuseUnknownWords makes nouns refuse unknown words, for which cobra would print help.
func nounsRefuseUnknownWords(cmd *cobra.Command, v vocabulary) {
	for _, sub := range cmd.Commands() {
		nounsRefuseUnknownWords(sub, v)
	}
	if !cmd.HasSubCommands() {
		return
	}
	if command.IsItself(cmd) {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return v.unknownCommand(cmd, args[0])
		}
	}
	if cmd.Runnable() {
		return
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return v.unknownCommand(cmd, args[0])
	}
}

// unknownCommand is the error of an unknown command, with its new name or the nearest.
func (v vocabulary) unknownCommand(cmd *cobra.Command, word string) error {
	if line := v.movedTo(word); line != "" {
		return fmt.Errorf("%s is another command now: %s", word, line)
	}
	if command.MeantFlag(cmd, word) != "" {
		return command.NoWords(cmd, []string{word})
	}
	var known []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			known = append(known, sub.Name())
		}
	}
	var of []string // nouns with this verb
	for _, noun := range cmd.Commands() {
		if verb, _, _ := noun.Find([]string{word}); verb != nil && verb != noun && verb.IsAvailableCommand() {
			of = append(of, command.DidYouMean(verb.CommandPath()))
		}
	}
	err := fmt.Errorf("unknown command %q for '%s'", word, cmd.CommandPath())
	if 0 < len(of) && len(of) < 4 {
		return hint.Wrap(err, append(of, command.SeeHelp(cmd))...)
	}
	if meant := v.meant[command.Spoken(cmd)+" "+word]; meant != "" {
		return hint.Wrap(err, command.DidYouMean(v.Program+" "+meant), command.SeeHelp(cmd))
	}
	return command.Nearest(err, "", word, known, command.SeeHelp(cmd))
}

// exclusive replaces cobra's message for flags that exclude each other.
func exclusive(f *command.Factory, err error) error {
	if err == nil {
		return nil
	}
	_, after, found := strings.Cut(err.Error(), "are set none of the others can be; [")
	names, _, ended := strings.Cut(after, "]")
	if !found || !ended {
		return err
	}
	err = fmt.Errorf("--%s exclude each other", strings.Join(strings.Fields(names), " and --"))
	if !slices.ContainsFunc(strings.Fields(names), func(name string) bool { return !slices.Contains(command.Sources(), name) }) {
		return hint.Wrap(err, "to compare them: "+f.CommandLine("spec diff", f.Said.Only(command.Sources()...)))
	}
	return err
}

// checkStdin refuses two flags that read stdin: the second would read nothing.
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

// checkForce refuses a file to overwrite that is read, too, or has the passwords.
func checkForce(f *command.Factory, flags *pflag.FlagSet) error {
	if force := flags.Lookup("force"); force == nil || force.Value.String() != "true" {
		return nil
	}
	settings, _ := f.ConfigPath()
	names, paths := []string{"the settings"}, []string{settings}
	for _, path := range credentialsFiles(f, flags) {
		names = append(names, "the credentials file", "its rotation journal", "what it displaced", "its lock")
		paths = append(paths, credfile.Beside(path)...)
	}
	var err error
	flags.VisitAll(func(fl *pflag.Flag) {
		if _, file := fl.Annotations[cobra.BashCompFilenameExt]; !file {
			return
		}
		for _, path := range given(fl) {
			same := slices.IndexFunc(paths, func(other string) bool { return other != "" && command.SameFile(path, other) })
			switch {
			case path == "" || command.Missing(path), fl.Name == command.CredentialsFileFlag, fl.Name == "config":
			case same >= 0 && err == nil:
				err = hint.Wrap(command.BadFlag(fl.Name, "%s is %s, too, and would be overwritten; nothing was done", path, names[same]), "name another file")
			}
			names, paths = append(names, "--"+fl.Name), append(paths, path)
		}
	})
	return err
}

// credentialsFiles are the usual one, that of the command line and that of the provisioning file.
func credentialsFiles(f *command.Factory, flags *pflag.FlagSet) []string {
	paths := []string{credfile.DefaultPath(f.Getenv, f.Home)}
	for _, file := range given(flags.Lookup("file")) {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue // a pipe is read once
		}
		if s, err := spec.Load(file); err == nil { // the command says what is wrong with it
			path, _ := s.CredentialsPath(f.Home)
			paths = append(paths, path)
		}
	}
	return slices.DeleteFunc(append(paths, given(flags.Lookup(command.CredentialsFileFlag))...),
		func(path string) bool { return path == "" })
}

// given are the values of a flag; nil = the command does not have it.
func given(fl *pflag.Flag) []string {
	if fl == nil {
		return nil
	}
	if list, ok := fl.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{fl.Value.String()}
}

// checkTwice refuses a flag that is given twice with different values and is no list: the last one
// would silently win. typed is the command line, whose command words are no flags.
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

// checkEmpty refuses empty values on the command line, as from an unset variable of a shell. To a
// command they are no flag: `--digest "$APPROVED"` would approve any plan, `--secrets "$DUMP"`
// check no secrets, and `--components "$ONLY"` mean all. It runs before settings are loaded.
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
	return hint.Wrap(errors.Join(errs...),
		"a shell variable that is not set gives an empty value: set it, or leave the flag out")
}
