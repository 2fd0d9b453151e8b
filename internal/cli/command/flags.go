package command

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// ListCompletion gives the values that may follow what is typed of a comma-separated list, without
// those it has and those with a newline or tab, which the shell would split.
func ListCompletion(values []string, typed string) (out []string) {
	done := ""
	if i := strings.LastIndex(typed, ","); i >= 0 {
		done = typed[:i+1]
	}
	for _, v := range values {
		if visible.Plain(v) && strings.HasPrefix(done+v, typed) && !slices.Contains(strings.Split(done, ","), v) {
			out = append(out, done+v)
		}
	}
	return out
}

// BadFlag is an error about the value of a flag.
func BadFlag(name, format string, args ...any) error {
	return fmt.Errorf("--%s: %w", name, fmt.Errorf(format, args...))
}

// Choice is a flag that takes one of some words.
type Choice[T ~string] struct {
	value   *T
	allowed []T
}

// NewChoice is a flag for *value.
func NewChoice[T ~string](value *T, allowed []T) *Choice[T] { return &Choice[T]{value, allowed} }

// RegisterChoice adds such a flag to cmd, with its words for the shell to complete.
func RegisterChoice[T ~string](cmd *cobra.Command, to *T, name, usage string, allowed []T) {
	value := NewChoice(to, allowed)
	if value.Type() == longChoice {
		usage += ": " + strings.Join(value.Words(), ", ")
	}
	cmd.Flags().Var(value, name, usage)
	CompleteValues(cmd, name, value.Words())
}

func (c *Choice[T]) String() string { return string(*c.value) }

// longChoice is the value in help if the words are too long for it; then they are in the usage.
const longChoice, longestChoice = "choice", 24

// Type is the value in help.
func (c *Choice[T]) Type() string {
	if words := strings.Join(c.Words(), "|"); len(words) <= longestChoice {
		return words
	}
	return longChoice
}

// Words are those that it takes.
func (c *Choice[T]) Words() []string { return component.Words(c.allowed) }

// Set takes a word.
func (c *Choice[T]) Set(word string) error {
	if err := OneOf(word, c.Words()); err != nil {
		return err
	}
	*c.value = T(word)
	return nil
}

// OneOf is the error of a word that is not known, the nearest words first.
func OneOf(word string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	names := strings.Join(known, ", ")
	if len(known) > 40 { // those of a fleet
		names = lists.Few(known)
	}
	return Nearest(fmt.Errorf("%q is not one of %s", word, names), "", word, known)
}

// Nearest adds to an error the known words nearest to word, typed behind lead.
func Nearest(err error, lead, word string, known []string, hints ...string) error {
	if near := hint.Nearest(word, known); near != "" {
		hints = append([]string{DidYouMean(lead + near)}, hints...)
	}
	return hint.Wrap(err, hints...)
}

// AllOf is OneOf for each of words.
func AllOf(flag string, words, known []string) error {
	for _, w := range words {
		if err := OneOf(w, known); err != nil {
			return BadFlag(flag, "%w", err)
		}
	}
	return nil
}

// SeeHelp is the hint to the help of a command.
func SeeHelp(cmd *cobra.Command) string { return fmt.Sprintf("see '%s --help'", cmd.CommandPath()) }

// DidYouMean is the hint at what is near.
func DidYouMean(near string) string { return fmt.Sprintf("did you mean %q?", near) }

// Pairs parses repeatable KEY=VALUE flags.
func Pairs(flag, what string, words []string) (map[string]string, error) {
	out := map[string]string{}
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok || key == "" || value == "" {
			return nil, BadFlag(flag, "%q: must be %s", w, what)
		}
		if _, again := out[key]; again {
			return nil, BadFlag(flag, "%s is named twice", key)
		}
		out[key] = value
	}
	return out, nil
}

// Plainly rewords a parser's error of a flag.
func Plainly(err error) error {
	text := err.Error()
	number := new(strconv.NumError)
	switch {
	case errors.As(err, &number) && number.Func == "ParseBool":
		return errors.New(strings.Replace(text, number.Error(), "write true or false", 1))
	case errors.As(err, &number):
		return errors.New(strings.Replace(text, number.Error(), "write a whole number", 1))
	}
	for _, parser := range []string{"time: missing unit in duration ", "time: invalid duration ", "time: unknown unit "} {
		if before, _, ok := strings.Cut(text, parser); ok {
			return errors.New(before + "write a duration like 30s or 2m")
		}
	}
	return err
}

// CompleteValues offers values for a flag; for a list after each comma.
func CompleteValues(cmd *cobra.Command, flag string, values []string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return ListCompletion(values, typed), cobra.ShellCompDirectiveNoFileComp
	})
}

// FileFlag adds a flag for a file, with one of these endings if any.
func FileFlag(cmd *cobra.Command, to *string, name, usage string, endings ...string) {
	cmd.Flags().StringVar(to, name, "", usage)
	_ = cmd.MarkFlagFilename(name, endings...)
}

// DirFlag adds a flag for a directory.
func DirFlag(cmd *cobra.Command, to *string, name, usage string) {
	cmd.Flags().StringVar(to, name, "", usage)
	_ = cmd.MarkFlagDirname(name)
}

// CheckOutput refuses a -o that a command ignores, because its output has one format or the formats
// of its own flag; why says so. A setting is for all commands, so it is no error.
func (f *Factory) CheckOutput(cmd *cobra.Command, why string, taken ...term.Format) error {
	switch {
	case f.Output == term.FormatTable || slices.Contains(taken, f.Output):
		return nil
	case FromSettings(cmd.Flags(), "output"):
		f.Output = term.FormatTable
		return nil
	}
	return BadFlag("output", "%s", why)
}

// SortedKeys are the keys of a map in their order.
func SortedKeys[M ~map[string]V, V any](m M) []string { return slices.Sorted(maps.Keys(m)) }

// NoWords refuses arguments.
func NoWords(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return hint.Errorf(cmp.Or(MeantFlag(cmd, args[0]), SeeHelp(cmd)), "%s takes no arguments, got %q", Spoken(cmd), args[0])
}

// MeantFlag is a hint at the flag that takes a file which was given as an argument; "" = none.
func MeantFlag(cmd *cobra.Command, word string) string {
	flag := spec.FlagOf(word)
	if flag == "" || cmd.Flags().Lookup(flag) == nil {
		return ""
	}
	return "did you mean --" + flag + " " + script.Word(word) + "?"
}

// checks are the commands that check the files that flags take.
var checks = map[string]string{
	"file": "spec validate -f", "install-config": "install-config validate", InfrastructureFlag: "plan --infrastructure",
}

// CheckKind refuses a file for another flag, with the command that checks it.
func CheckKind(path, flag string) error {
	is := spec.FlagOf(path)
	if is == "" || is == flag {
		return nil
	}
	return hint.Errorf(Program+" "+checks[is]+" "+script.Word(path), "%s: is for --%s, not for --%s", path, is, flag)
}

// OneFile requires a file, or - for stdin.
func OneFile(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] != "" {
		return nil
	}
	return hint.Errorf(SeeHelp(cmd), "%s needs one file, or - for stdin; got %d", Spoken(cmd), len(args))
}

// Spoken names a command in an error that begins with the program's name.
func Spoken(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// Exactly requires one word of known.
func Exactly(what string, known []string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return hint.Errorf(SeeHelp(cmd), "%s: needs one %s: %s", Spoken(cmd), what, strings.Join(known, ", "))
		}
		if err := OneOf(args[0], known); err != nil {
			return fmt.Errorf("%s: %s %w", Spoken(cmd), what, err)
		}
		return nil
	}
}

// TakesEmpty marks a flag whose empty value means something.
const TakesEmpty = "takes-empty"

// day is 24 hours: the life of passwords is counted in days.
const day = 24 * time.Hour

// span is a flag for a duration: days, Go's, or both ("14d", "36h", "1d12h"). nil = not given.
type span struct{ value **time.Duration }

// NewSpan is a flag for *to.
func NewSpan(to **time.Duration) pflag.Value { return span{to} }

func (s span) String() string {
	if s.value == nil || *s.value == nil {
		return ""
	}
	return SpanText(**s.value)
}

func (s span) Type() string { return "duration" }

func (s span) Set(word string) error {
	d, err := parseSpan(word)
	if err == nil {
		*s.value = &d
	}
	return err
}

var spanDays = pattern.Of(`^([0-9]+)d(.*)$`)

// parseSpan reads a duration, which is never negative.
func parseSpan(word string) (time.Duration, error) {
	wrong := errors.New(`must be days or hours, such as "14d", "36h" or "1d12h"`)
	remaining, days := word, int64(0)
	if m := spanDays().FindStringSubmatch(word); m != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil || n > math.MaxInt64/int64(day) {
			return 0, errors.New("that is longer than 290 years")
		}
		days, remaining = n, m[2]
		if remaining == "" {
			return time.Duration(days) * day, nil
		}
	}
	if strings.HasPrefix(remaining, "-") || strings.HasPrefix(remaining, "+") || remaining == "0" {
		return 0, wrong
	}
	d, err := time.ParseDuration(remaining)
	if err != nil {
		return 0, wrong
	}
	if d > math.MaxInt64-time.Duration(days)*day {
		return 0, errors.New("that is longer than 290 years")
	}
	return time.Duration(days)*day + d, nil
}

// SpanText is a span as parseSpan takes it: whole days as days.
func SpanText(d time.Duration) string {
	days, remaining := d/day, (d % day).String()
	if strings.HasSuffix(remaining, "m0s") {
		remaining = strings.TrimSuffix(remaining, "0s")
	}
	if strings.HasSuffix(remaining, "h0m") {
		remaining = strings.TrimSuffix(remaining, "0m")
	}
	switch {
	case d%day == 0:
		return strconv.FormatInt(int64(days), 10) + "d"
	case days == 0:
		return remaining
	}
	return strconv.FormatInt(int64(days), 10) + "d" + remaining
}
