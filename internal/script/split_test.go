package script_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"":                       nil,
		" \t ":                   nil,
		"a  b\tc":                {"a", "b", "c"},
		`a '' ""`:                {"a", "", ""},
		`a 'b "c" \d' "e 'f' g"`: {"a", `b "c" \d`, "e 'f' g"},
		`a\ b "\$x \" \\ \n"`:    {"a b", `$x " \ \n`},
		`a=~/x 'it'\''s' \'`:     {"a=~/x", "it's", "'"},
	} {
		if got, err := script.Split(line); !slices.Equal(got, want) || err != nil {
			t.Errorf("%s: %q, %v; want %q", line, got, err, want)
		}
	}
	for line, want := range map[string]string{
		"a | b": `'|' is for one`, "a; b": `';'`, "a >x": `'>'`, "a $X": `'$'`, `a "$(x)"`: `'$'`, "a `b`": "'`'", "a\nb": `'\n'`, "a (b)": `'('`,
		"a 'b": "a ' is not closed", `a "b`: `a " is not closed`, `a \`: "ends with a backslash",
	} {
		if got, err := script.Split(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %s", line, got, err, want)
		}
	}
}

// Whatever is not refused are the words that a shell makes of it.
func TestSplitAsShells(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOfN(rapid.RuneFrom([]rune("ab '\"\\$|=\té")), 0, 20, -1).Draw(t, "line")
		words, err := script.Split(line)
		if err != nil || len(words) == 0 {
			return
		}
		out, err := exec.Command(sh, "-c", `printf '%s\0' `+line).Output()
		if want := strings.Join(words, "\x00") + "\x00"; err != nil || string(out) != want {
			t.Errorf("%q: %q, %v; want %q", line, out, err, want)
		}
	})
}
