package credfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Whatever Save accepts, Open reads back: the same accounts, the same text. A file that is almost too large is where that
// went wrong.
func TestWhatIsSavedIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		text, most := "", 8
		switch rapid.IntRange(0, 19).Draw(t, "kind of file") { // a full one takes a tenth of a second per account
		case 0:
			room := rapid.SampledFrom([]int{0, 60, 150, 1500}).Draw(t, "room")
			text, most = "# "+strings.Repeat("x", maxBytes-room-len("# \n"))+"\n", 2
		case 1:
			text, most = strings.Repeat("#\n", maxLines-rapid.IntRange(0, 6).Draw(t, "room for lines")), 2
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		value := rapid.OneOf(passwords, rapid.Custom(func(t *rapid.T) string {
			size := rapid.SampledFrom([]int{1, 500, MaxValue - 1, MaxValue, MaxValue + 1, maxBytes + 1}).Draw(t, "size")
			return strings.Repeat(rapid.SampledFrom([]string{"x", "é", "`", "#"}).Draw(t, "letter"), size)
		}))
		set := map[slot]Account{}
		all := slots(t)
		for _, s := range all[:min(most, len(all))] {
			a := Account{User: rapid.OneOf(users, value).Draw(t, "user"), Password: secret.New(value.Draw(t, "password"))}
			if f.Set(s.server, s.component, a) == nil {
				set[s] = a
			}
		}
		checked := f.Check()
		if err := f.Save(); err != nil {
			if checked == nil {
				t.Fatalf("Check had nothing to say, but Save: %v", err)
			}
			again, found, err := load(path)
			if err != nil || !found || again != text {
				t.Fatalf("a save that failed left another file, or %v", err)
			}
			return
		}
		again, err := Open(path)
		if err != nil {
			t.Fatalf("saved, but not read: %v", err)
		}
		for s, a := range set {
			if got, ok := again.Get(s.server, s.component); !ok || got.User != a.User || !got.Password.Equal(a.Password) {
				t.Fatalf("%v: not the account that was set", s)
			}
		}
	})
}

// What does not fit is refused when it is set, so that no vCenter hears of a password that cannot be kept.
func TestFullFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"bytes": "#" + strings.Repeat("x", maxBytes-20) + "\n", "lines": strings.Repeat("#\n", maxLines-1),
	} {
		path := filepath.Join(t.TempDir(), "credentials")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		err = f.Set("vc1", "csi-driver", Account{"a@b", secret.New("p")})
		if err == nil || !strings.Contains(err.Error(), "would be larger than 1048576 bytes or 20000 lines") || f.Changed() {
			t.Errorf("%s: %v, changed %v", name, err, f.Changed())
		}
	}
}

// A value that nobody has is refused before anything is written, and the file stays of use.
func TestLongValues(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "credentials")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []Account{
		{"a@b", secret.New(strings.Repeat("p", MaxValue+1))},
		{strings.Repeat("u", MaxValue+1), secret.New("p")},
		{"a@b", secret.New(strings.Repeat("p", 1_100_000))},
	} {
		err := f.Set("vc1", "csi-driver", a)
		if err == nil || !strings.Contains(err.Error(), "more than 1024") || strings.Contains(err.Error(), "ppp") {
			t.Errorf("%v", err)
		}
	}
	if err := f.Set(strings.Repeat("v", maxServer+1), "csi-driver", Account{"a@b", secret.New("p")}); err == nil || len(err.Error()) > 200 {
		t.Errorf("%v", err)
	}
	if err := CheckUser(strings.Repeat("a", MaxValue) + "@b"); err == nil {
		t.Error("a user name of more than 1024 bytes passes")
	}
	if f.Changed() {
		t.Error("something is left to be saved")
	}
}
