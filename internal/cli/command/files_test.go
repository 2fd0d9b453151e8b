package command

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A link stands for the second spelling of a name, which leads to one file where case does not count.
func TestSameFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.WriteFile(at("there"), nil, 0o600), os.WriteFile(at("other"), nil, 0o600),
		os.Link(at("there"), at("THERE-too")), os.Mkdir(at("dir"), 0o700), os.Symlink("dir", at("linked")))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"there", "there", true},
		{"there", "dir/../there", true},
		{"there", "THERE-too", true},
		{"there", "other", false},
		{"there", "missing", false},
		{"missing", "there", false},
		{"missing", "missing", true},
		{"dir/missing", "linked/missing", true},
		{"report", "Report", true},
		{"dir/report", "linked/REPORT", true},
		{"report", "dir/report", false},
		{"report", "report.md", false},
	} {
		if got := SameFile(at(tt.a), at(tt.b)); got != tt.same {
			t.Errorf("%s and %s: %v", tt.a, tt.b, got)
		}
	}
}
