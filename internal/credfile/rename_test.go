package credfile

import (
	"os"
	"path/filepath"
	"testing"
)

// A section gets another name with all accounts that are in it, in the journal too, or not at all.
func TestRename(t *testing.T) {
	t.Parallel()
	const (
		accounts = "user = main\npassword = p0\ncsi-driver.user = u1\ncsi-driver.password = p1\n"
		begun    = "csi-driver.user = u2\ncsi-driver.password = p2\ncsi-driver-earlier.user = u1\ncsi-driver-earlier.password = p1\n"
	)
	for _, tt := range []struct {
		name, file, journal string
		want, wantJournal   string
		wantErr             bool
	}{
		{
			name: "both files", file: "# mine\n[old]\n" + accounts + "\n[other]\nuser = x\npassword = y\n", journal: "[old]\n" + begun,
			want: "# mine\n\n[other]\nuser = x\npassword = y\n\n[new]\n" + accounts, wantJournal: "[new]\n" + "csi-driver.user = u2\ncsi-driver.password = p2\ncsi-driver-earlier.user = u1\ncsi-driver-earlier.password = p1\n",
		},
		{name: "no journal", file: "[old]\n" + accounts, want: "[new]\n" + accounts},
		{name: "only the journal was written", file: "[old]\n" + accounts, journal: "[new]\n" + begun, want: "[new]\n" + accounts, wantJournal: "[new]\n" + begun},
		{name: "the journal is left", file: "[new]\n" + accounts, journal: "[old]\n" + begun, want: "[new]\n" + accounts, wantJournal: "[new]\n" + begun},
		{name: "some are there", file: "[new]\nuser = main\npassword = p0\n\n[old]\n" + accounts, want: "[new]\n" + accounts},
		{name: "another password", file: "[new]\nuser = main\npassword = p9\n\n[old]\n" + accounts, journal: "[old]\n" + begun, wantErr: true},
		{name: "another user", file: "[new]\nuser = bob\npassword = p9\n\n[old]\n" + accounts, wantErr: true},
		{name: "another rotation", file: "[old]\n" + accounts, journal: "[new]\ncsi-driver.user = u3\ncsi-driver.password = p3\n\n[old]\n" + begun, wantErr: true},
		{name: "no such section", file: "[new]\n" + accounts, wantErr: true},
	} {
		path := filepath.Join(t.TempDir(), "credentials")
		texts := map[string]string{path: tt.file, path + journalSuffix: tt.journal}
		for at, text := range texts {
			if text != "" {
				if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		n, err := Rename(path, "old", "new")
		want := map[string]string{path: tt.want, path + journalSuffix: tt.wantJournal}
		if tt.wantErr {
			want = texts
		} else if n != 2 && n != 3 {
			t.Errorf("%s: nothing was renamed", tt.name)
		}
		if (err != nil) != tt.wantErr {
			t.Errorf("%s: %v", tt.name, err)
		}
		for at, text := range want {
			if got, _ := os.ReadFile(at); string(got) != text {
				t.Errorf("%s: %s:\n%s\nnot:\n%s", tt.name, filepath.Base(at), got, text)
			}
		}
	}
}
