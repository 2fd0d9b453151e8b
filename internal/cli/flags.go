package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// badFlag is an error about the value of a flag.
func badFlag(name, format string, args ...any) error {
	return fmt.Errorf("--%s: %w", name, fmt.Errorf(format, args...))
}

// choice is a flag with a few allowed words.
type choice[T ~string] struct {
	value   *T
	allowed []T
}

func newChoice[T ~string](value *T, allowed []T) *choice[T] { return &choice[T]{value, allowed} }

// registerChoice adds such a flag to cmd, with its words for the shell to complete.
func registerChoice[T ~string](cmd *cobra.Command, to *T, name, usage string, allowed []T) {
	value := newChoice(to, allowed)
	if value.Type() == longChoice {
		usage += ": " + strings.Join(value.words(), ", ")
	}
	cmd.Flags().Var(value, name, usage)
	completeValues(cmd, name, value.words())
}

// String implements pflag.Value.
func (c *choice[T]) String() string { return string(*c.value) }

// longChoice is what help shows as the value where the words would leave no room beside them: they are in the usage then.
const longChoice, longestChoice = "choice", 24

// Type implements pflag.Value: what help shows as the value.
func (c *choice[T]) Type() string {
	if words := strings.Join(c.words(), "|"); len(words) <= longestChoice {
		return words
	}
	return longChoice
}

func (c *choice[T]) words() []string { return asStrings(c.allowed) }

// Set implements pflag.Value.
func (c *choice[T]) Set(word string) error {
	if err := oneOf(word, c.words()); err != nil {
		return err
	}
	*c.value = T(word)
	return nil
}

// oneOf tells which words there are when word is none of them, the nearest first.
func oneOf(word string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return nearest(fmt.Errorf("%q is not one of %s", word, strings.Join(known, ", ")), "", word, known)
}

// nearest adds to an error about a word which of those that are known may be meant, as it is typed behind lead.
func nearest(err error, lead, word string, known []string, hints ...string) error {
	if near := hint.Nearest(word, known); near != "" {
		hints = append([]string{didYouMean(lead + near)}, hints...)
	}
	return hint.Wrap(err, hints...)
}

// allOf is oneOf for each of words.
func allOf(flag string, words, known []string) error {
	for _, w := range words {
		if err := oneOf(w, known); err != nil {
			return badFlag(flag, "%w", err)
		}
	}
	return nil
}

// seeHelp is the hint to what a command takes.
func seeHelp(cmd *cobra.Command) string { return fmt.Sprintf("see '%s --help'", cmd.CommandPath()) }

func didYouMean(near string) string { return fmt.Sprintf("did you mean %q?", near) }

// pairs parses repeatable KEY=VALUE flags.
func pairs(flag, what string, words []string) (map[string]string, error) {
	out := map[string]string{}
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok || key == "" || value == "" {
			return nil, badFlag(flag, "%q: must be %s", w, what)
		}
		if _, again := out[key]; again {
			return nil, badFlag(flag, "%s is named twice", key)
		}
		out[key] = value
	}
	return out, nil
}

// flagError replaces pflag's message for flags that do not exist.
func flagError(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 { // the flags are those of a command that does not exist
		return unknownCommand(cmd, words[0])
	}
	see := seeHelp(cmd)
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return hint.Wrap(plainly(err), see)
	}
	var known []string
	add := func(fl *pflag.Flag) {
		if !fl.Hidden {
			known = append(known, fl.Name)
		}
	}
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return nearest(fmt.Errorf("unknown flag --%s for '%s'", name, cmd.CommandPath()), "--", name, known, see)
}

// plainly says what a flag's parser found wrong without the parser's own words.
func plainly(err error) error {
	said := err.Error()
	number := new(strconv.NumError)
	switch {
	case errors.As(err, &number) && number.Func == "ParseBool":
		return errors.New(strings.Replace(said, number.Error(), "write true or false", 1))
	case errors.As(err, &number):
		return errors.New(strings.Replace(said, number.Error(), "write a whole number", 1))
	}
	for _, parser := range []string{"time: missing unit in duration ", "time: invalid duration ", "time: unknown unit "} {
		if before, _, ok := strings.Cut(said, parser); ok {
			return errors.New(before + "write a duration like 30s or 2m")
		}
	}
	return err
}

// nounsRefuseUnknownWords gives every command that only has subcommands a run of its own: help without words, an error
// with the nearest command for a wrong one. Cobra would print help and report success.
func nounsRefuseUnknownWords(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		nounsRefuseUnknownWords(sub)
	}
	if !cmd.HasSubCommands() {
		return
	}
	if isItself(cmd) {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(cmd, args[0])
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
		return unknownCommand(cmd, args[0])
	}
}

// unknownCommand says what a noun does not have, and what is nearest.
func unknownCommand(cmd *cobra.Command, word string) error {
	var known []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			known = append(known, sub.Name())
		}
	}
	return nearest(fmt.Errorf("unknown command %q for '%s'", word, cmd.CommandPath()), "", word, known, seeHelp(cmd))
}

// completeValues offers values for a flag, for lists the next one after a comma as well.
func completeValues(cmd *cobra.Command, flag string, values []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return listCompletion(values, typed), cobra.ShellCompDirectiveNoFileComp
	})
}

// checkOutput refuses a -o that a command ignores, because what it prints is for another program and has one format, or the formats of
// a flag of its own. why says so. A setting is about all commands, so it is no error.
func (f *Factory) checkOutput(cmd *cobra.Command, why string, taken ...term.Format) error {
	switch {
	case f.Output == term.FormatTable || slices.Contains(taken, f.Output):
		return nil
	case isSettled(cmd.Flags(), "output"):
		f.Output = term.FormatTable
		return nil
	}
	return badFlag("output", "%s", why)
}

func sortedKeys[M ~map[string]V, V any](m M) []string { return slices.Sorted(maps.Keys(m)) }

func asStrings[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}

// noWords refuses arguments.
func noWords(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return hint.Errorf(seeHelp(cmd), "%s takes no arguments, got %q", spoken(cmd), args[0])
}

// spoken names a command in an error, which begins with the program's name already.
func spoken(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// exclusive replaces cobra's message for flags that exclude each other; other errors pass.
func exclusive(err error) error {
	_, rest, found := strings.Cut(err.Error(), "are set none of the others can be; [")
	names, _, ended := strings.Cut(rest, "]")
	if !found || !ended {
		return err
	}
	return fmt.Errorf("--%s exclude each other", strings.Join(strings.Fields(names), " and --"))
}

// exactly wants one word, and one of known.
func exactly(what string, known []string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return hint.Errorf(seeHelp(cmd), "%s: needs one %s: %s", spoken(cmd), what, strings.Join(known, ", "))
		}
		if err := oneOf(args[0], known); err != nil {
			return fmt.Errorf("%s: %s %w", spoken(cmd), what, err)
		}
		return nil
	}
}

// connection is what a command needs that talks to vCenters.
type connection struct {
	Source sourceFlags
	Admin  adminFlags
	TLS    tlsFlags
}

// Register adds all of its flags to cmd.
func (c *connection) Register(cmd *cobra.Command) {
	c.Source.Register(cmd)
	c.Admin.Register(cmd)
	c.TLS.Register(cmd)
}

// Resolve reads files and variables and checks all of it; nothing is called or asked yet.
func (c *connection) Resolve(s *term.Streams) (*spec.Spec, *administrators, TLSOptions, error) {
	wanted, err := c.Source.Resolve(s.In)
	if err != nil {
		return nil, nil, TLSOptions{}, err
	}
	admin, adminErr := c.Admin.Resolve(s)
	tls, tlsErr := c.TLS.Resolve(s, servers(wanted.Whole())) // linked ones are read, too
	return wanted, admin, tls, errors.Join(adminErr, tlsErr)
}
