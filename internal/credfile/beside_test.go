package credfile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What is kept beside a credentials file is offered to nobody in its place: replaced passwords are refused.
func TestKeptBeside(t *testing.T) {
	t.Parallel()
	for name, kept := range map[string]bool{
		"credentials": false, "credentials.bak": false, "replaced.ini": false, "credentials.replaced.ini": false,
		"credentials.rotation": true, "credentials.displaced": true, "credentials.lock": true,
		"credentials.replaced": true, "credentials.replaced-2": true, "lab.ini.replaced-13": true,
	} {
		if IsCompanion(name) != kept {
			t.Errorf("%s: %t, want %t", name, !kept, kept)
		}
	}
}

// Replaced accounts are found under every name that an import gives them, also where an earlier one was removed.
func TestFormers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "credentials")
	var want []string
	for name, former := range map[string]bool{
		"credentials": false, "credentials.rotation": false, "credentials.lock": false, "other.replaced": false,
		"credentials.replaced.ini": false, "credentials.replaced-2": true, "credentials.replaced-13": true,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if former {
			want = append(want, filepath.Join(dir, name))
		}
	}
	slices.Sort(want)
	if got := Formers(path); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
