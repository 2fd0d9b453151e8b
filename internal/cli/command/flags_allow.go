package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

const allowFlag = "allow"

// Allowed are the words of --allow: what a command accepts. Each command has its own words.
type Allowed []string //nolint:recvcheck // only Register writes it

// Register adds the flag to cmd, for the command line alone.
func (a *Allowed) Register(cmd *cobra.Command, usage string, words ...string) {
	cmd.Flags().Var(&allowValue{a, words}, allowFlag, usage)
	CompleteValues(cmd, allowFlag, words)
	MarkCommandLineOnly(cmd, allowFlag)
}

// Has reports whether a word is given.
func (a Allowed) Has(word string) bool { return slices.Contains(a, word) }

const allowFallback = "fallback="

// Fallbacks are the components that get the account for all on purpose.
func (a Allowed) Fallbacks() (components []component.Name) {
	for _, word := range a {
		if c, is := strings.CutPrefix(word, allowFallback); is {
			components = append(components, component.Name(c))
		}
	}
	return components
}

// FallbackWords are the words of [Allowed.Fallbacks].
func FallbackWords() (words []string) {
	for _, c := range component.Names() {
		words = append(words, allowFallback+string(c))
	}
	return words
}

type allowValue struct {
	to    *Allowed
	known []string
}

func (a *allowValue) String() string { return strings.Join(*a.to, ",") }

func (a *allowValue) Type() string { return "words" }

func (a *allowValue) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		if err := a.Append(word); err != nil {
			return err
		}
	}
	return nil
}

func (a *allowValue) Append(word string) error {
	if err := OneOf(word, a.known); err != nil {
		return err
	}
	*a.to = append(*a.to, word)
	slices.Sort(*a.to)
	*a.to = slices.Compact(*a.to)
	return nil
}

func (a *allowValue) Replace(words []string) error {
	*a.to = nil
	return a.Set(strings.Join(words, ","))
}

func (a *allowValue) GetSlice() []string { return *a.to }
