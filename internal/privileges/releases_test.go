package privileges

import "testing"

func TestReleases(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		releases, version string
		want              bool
	}{
		{"4.22", "4.22.7", true},
		{"4.22", "4.22", true},
		{"4.22", "4.23.0", false},
		{"4.22", "4.2.2", false},
		{">=4.18 <5.0", "4.18.0", true},
		{">=4.18 <5.0", "4.9.30", false},
		{">=4.18 <5.0", "5.0.0-rc.1", false},
		{">4.18 <=4.20", "4.18.9", false},
		{">4.18 <=4.20", "4.20.0+build-7", true},
		{">4.18 <=4.20", "4.21.0", false},
	} {
		r, err := parseReleases(tt.releases)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Hold(tt.version)
		if err != nil || got != tt.want || r.String() != tt.releases {
			t.Errorf("%s holds for %s: got %v, %v; %q", tt.releases, tt.version, got, err, r)
		}
	}
	if held, err := (Releases{}).Hold("9.9.9"); err != nil || !held {
		t.Errorf("a matrix that names no release: %v, %v", held, err)
	}
	for _, version := range []string{"", "4", "4.x.1", "4.22.1.1", "v4.22.1", "4..1", "4.22.", "99999.1.1"} {
		if held, err := (Releases{}).Hold(version); err == nil {
			t.Errorf("%q is taken for a version: %v", version, held)
		}
	}
}

// Any text is bounds that are written as they are read, or an error.
func FuzzParseReleases(f *testing.F) {
	for _, seed := range []string{"4.22", ">=4.18 <5.0", " > 4.1", ">=4.18.1", "=4.1", "<", "4.-1", "٤.٢"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseReleases(text)
		if err != nil {
			return
		}
		again, err := parseReleases(r.String())
		if err != nil || again.String() != r.String() || r.String() == "" {
			t.Errorf("%q reads as %q, and that as %q: %v", text, r, again, err)
		}
	})
}
