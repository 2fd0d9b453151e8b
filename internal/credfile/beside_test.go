package credfile

import "testing"

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
