package vcsim

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each rule names a file that is there, tests that are there, and a source where it says that it has one. Each of R1 to R48
// that binds the simulation is in the table, or is the tool's to keep.
func TestRulesAreWhatTheySay(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{}
	for _, pattern := range []string{"*_test.go", "directory/*_test.go", "automation/*_test.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
				tests[m[1]] = true
			}
		}
	}
	ids, texts := map[string]bool{}, map[string]bool{}
	for _, r := range Rules() {
		what := fmt.Sprintf("%s %q", r.ID, r.Text)
		ids[r.ID] = true
		if texts[r.Text] {
			t.Errorf("%s: twice", what)
		}
		texts[r.Text] = true
		if _, err := os.Stat(filepath.FromSlash(r.Enforced)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if len(r.Tests) == 0 {
			t.Errorf("%s: no test", what)
		}
		for _, name := range r.Tests {
			if !tests[name] {
				t.Errorf("%s: no test is called %s", what, name)
			}
		}
		switch r.Basis {
		case Recording, Reference:
			if r.Source == "" {
				t.Errorf("%s: a %s of what?", what, r.Basis)
			}
		case Inference, Unknown:
			if r.Source != "" {
				t.Errorf("%s: %s, and yet from %s", what, r.Basis, r.Source)
			}
		default:
			t.Errorf("%s: rests on %q", what, r.Basis)
		}
		if strings.HasSuffix(r.Text, ".") || r.Text == "" {
			t.Errorf("%s: not a sentence as the others", what)
		}
	}
	for n := range 48 {
		if id := fmt.Sprintf("R%d", n+1); !ids[id] {
			t.Errorf("%s is in no row", id)
		}
	}
	// A test that is named after a rule belongs to a row of it: none is forgotten.
	for name := range tests {
		m := regexp.MustCompile(`^Test(R\d+)[A-Z]`).FindStringSubmatch(name)
		if m != nil && !slices.ContainsFunc(Rules(), func(r Rule) bool { return slices.Contains(r.Tests, name) }) {
			t.Errorf("%s keeps no rule of the table", name)
		}
	}
}
