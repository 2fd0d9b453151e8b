package cli

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
)

// The last of several values counts for no flag, but those that are lists; the same value again is no other.
func TestFlagsGivenTwice(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"reconcile prune --from a --to b --to c":        "--to: is given with several values (b, c): it takes one",
		"destroy -f a --file b":                         "--file: is given with several values (a, b): it takes one",
		"version --parallel 2 --parallel 3 -o json":     "--parallel: is given with several values (2, 3): it takes one",
		"version --yes --yes=false":                     "--yes: is given with several values (true, false): it takes one",
		"version -o json -o table":                      "--output: is given with several values (json, table): it takes one",
		"version -o json -o json --parallel 2":          "",
		"privileges list --components a --components b": "",
	} {
		_, _, stderr := program.Run(t, termtest.NewFake(), strings.Fields(words)...)
		if twice := strings.Contains(stderr, "several values"); twice != (want != "") || !strings.Contains(stderr, want) {
			t.Errorf("%s: %s", words, stderr)
		}
	}
}
