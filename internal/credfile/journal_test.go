package credfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// The journal is beside its file, as closed as it, and goes with its last entry.
func TestJournal(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".vsphere", "credentials")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	j, err := f.Journal()
	if err != nil || j.Path() != path+".rotation" || len(j.Servers()) != 0 {
		t.Fatalf("%v: %v %v", j, j.Servers(), err)
	}
	const odd = "a#b;c`d\\"
	set(t, j, "vc1", "csi-driver", "u@d", odd[:5])
	if err := j.Save(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(j.Path())
	if err != nil || files.Posix && info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	again, err := f.Journal()
	if err != nil {
		t.Fatal(err)
	}
	if a, ok := again.Get("vc1", "csi-driver"); !ok || a.User != "u@d" || a.Password.Reveal() != odd[:5] {
		t.Errorf("%v %v", a, ok)
	}
	if files.Posix {
		if err := os.Chmod(j.Path(), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Journal(); err == nil || !strings.Contains(err.Error(), "rotation journal ") || !strings.Contains(err.Error(), "insecure") {
			t.Errorf("open to others: %v", err)
		}
		if err := os.Chmod(j.Path(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again.Remove("vc1", "csi-driver")
	if err := again.Save(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// What will not go into the credentials file is known before anything is reset.
func TestFits(t *testing.T) {
	f, err := Parse("x", []byte("[vc1]\nmachine-api.user = u@d\nmachine-api.password = old\n"))
	if err != nil {
		t.Fatal(err)
	}
	fits := func(server, user, password string) error {
		return f.Fits(map[string]map[component.Name]Account{server: {"machine-api": {User: user, Password: secret.New(password)}}})
	}
	if err := fits("vc1", "U@d", "new"); err != nil {
		t.Error(err)
	}
	if err := fits("vc1", "other@d", "new"); !errors.Is(err, ErrForeign) {
		t.Errorf("another account's place: %v", err)
	}
	if err := fits("vc2", "u@d", "%(machine-api.password)s"); err == nil {
		t.Error("a password that reads back as another one fits")
	}
	if a, _ := f.Get("vc1", "machine-api"); f.Changed() || a.Password.Reveal() != "old" {
		t.Error("trying has changed the file")
	}
}

// The next generation of an account takes the place of the one that is named, and of no other.
func TestExchange(t *testing.T) {
	f, err := Open(filepath.Join(t.TempDir(), "credentials"))
	if err != nil {
		t.Fatal(err)
	}
	set(t, f, "vc1", component.CSIDriver, "a@d", "first-Password-1")
	set(t, f, "vc1", component.Installer, "i@d", "first-Password-2")
	next := Account{User: "a-2@d", Password: secret.New("second-Password-1")}
	if err := f.SetAll([]Entry{{"vc1", component.CSIDriver, next, "b@d"}}); !errors.Is(err, ErrForeign) {
		t.Errorf("another account's: %v", err)
	}
	for range 2 { // the second time it is there
		if err := f.SetAll([]Entry{{"vc1", component.CSIDriver, next, "A@d"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.SetAll([]Entry{{"vc2", component.CSIDriver, next, "a@d"}}); err != nil {
		t.Errorf("where none is: %v", err)
	}
	if err := f.SetAll([]Entry{{"vc1", component.Installer, Account{User: "i-2@d", Password: next.Password}, "i@d"}}); err != nil {
		t.Error(err)
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	for server, user := range map[string]string{"vc1": "a-2@d", "vc2": "a-2@d"} {
		if got, ok := f.Get(server, component.CSIDriver); !ok || got.User != user || !got.Password.Equal(next.Password) {
			t.Errorf("%s: %s", server, got.User)
		}
	}
	if got, _ := f.Get("vc1", component.Installer); got.User != "i-2@d" {
		t.Errorf("installer: %s", got.User)
	}
}

// The journal has an account and the one that it replaced side by side, the main one too.
func TestJournalOfEarlierAccounts(t *testing.T) {
	f, err := Open(filepath.Join(t.TempDir(), "credentials"))
	if err != nil {
		t.Fatal(err)
	}
	j, err := f.Journal()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range component.Names() {
		set(t, j, "vc1", c, "new-"+string(c)+"@d", "new-Password-"+string(c))
		set(t, j, "vc1", Earlier(c), "old-"+string(c)+"@d", "old-Password-"+string(c))
	}
	if err := j.Save(); err != nil {
		t.Fatal(err)
	}
	if j, err = f.Journal(); err != nil {
		t.Fatal(err)
	}
	for _, c := range component.Names() {
		now, _ := j.Get("vc1", c)
		before, _ := j.Get("vc1", Earlier(c))
		if now.User != "new-"+string(c)+"@d" || before.User != "old-"+string(c)+"@d" || before.Password.Reveal() != "old-Password-"+string(c) {
			t.Errorf("%s: %s, %s", c, now.User, before.User)
		}
		j.Remove("vc1", Earlier(c))
		if _, left := j.Get("vc1", c); !left {
			t.Errorf("%s went with the one before it", c)
		}
	}
}
