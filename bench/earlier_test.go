package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A command of an earlier commit gets the flags that it has, in their order, and all other words.
func TestEarlierCommandsGetTheFlagsTheyHave(t *testing.T) {
	dir := t.TempDir()
	for i, test := range []struct{ has, words, want string }{
		{
			"--file --yes --applied", "destroy --file=f --applied --yes",
			"destroy --file=f --applied --yes",
		},
		{"--file --yes", "destroy --file=f --applied --yes", "destroy --file=f --yes"},
		{
			"--file --grace", "rotate finish --file=f --grace=0s --applied",
			"rotate finish --file=f --grace=0s",
		},
		{"--file", "plan --connect-to=a=b --connect-to=c=d --file=f", "plan --file=f"},
		{
			"--connect-to", "plan --connect-to=a=b --connect-to=c=d",
			"plan --connect-to=a=b --connect-to=c=d",
		},
		{"", "plan --file=f", "plan"},
	} {
		tool := filepath.Join(dir, string(rune('a'+i)))
		script := `#!/bin/sh
for word; do
	case $word in
	--help) exit 0 ;;
	-*) case " ` + test.has + ` " in *" ${word%%=*} "*) ;; *) exit 1 ;; esac ;;
	esac
done
exit 1
`
		if err := os.WriteFile(tool, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(test.words)
		got := known(t.Context(), os.Environ(), tool, words)
		if want := strings.Fields(test.want); !slices.Equal(got, want) {
			t.Errorf("has %q: got %q, want %q", test.has, got, want)
		}
		if strings.Join(words, " ") != test.words {
			t.Errorf("the words were changed: %q", words)
		}
	}
}

func TestEarlierCommits(t *testing.T) {
	t.Parallel()
	for before, want := range map[string][]string{
		"": {}, "a": {"a"}, "a,b": {"a", "b"}, lookAndLanding: {"a54d195", "ad8824ab"},
	} {
		if got := (options{before: before}).earlier(); !slices.Equal(got, want) {
			t.Errorf("%q: %q", before, got)
		}
	}
}
