package credfile

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// disguise stands for encryption: what it makes is no credentials file, and differs each time.
func disguise() func([]byte) ([]byte, error) {
	n := byte(0)
	return func(text []byte) ([]byte, error) {
		n++
		return []byte(hex.EncodeToString(append([]byte{n}, text...))), nil
	}
}

func undisguised(t *testing.T, path string) string {
	t.Helper()
	form, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := hex.DecodeString(string(form))
	if err != nil {
		t.Fatalf("%q: %v", form, err)
	}
	return string(text[1:])
}

func newSealed(t *testing.T, out string) *File {
	t.Helper()
	f, err := NewSealed(filepath.Join(filepath.Dir(out), "credentials"), out, disguise())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func put(t *testing.T, f *File, server, password string) {
	t.Helper()
	if err := f.Set(server, component.CSIDriver, Account{User: "csi@vsphere.local", Password: secret.New(password)}); err != nil {
		t.Fatal(err)
	}
}

// A sealed file has all its passwords on disk as they were sealed, after each save, and nothing beside it.
func TestSealedFile(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "handover.age")
	f := newSealed(t, out)
	if err := f.Save(); err != nil || f.Changed() {
		t.Fatal(err)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing was set, and yet: %v", err)
	}
	for i, password := range []string{"first-1234", "second-5678", "third-9012"} {
		put(t, f, "vc"+password[:1], password)
		if err := f.Save(); err != nil {
			t.Fatal(err)
		}
		if text := undisguised(t, out); strings.Count(text, ".password") != i+1 || !strings.Contains(text, password) {
			t.Errorf("after save %d: %s", i+1, text)
		}
		if err := f.Save(); err != nil {
			t.Error(err)
		}
	}
	info, err := os.Stat(out)
	if err != nil || files.Posix && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if list, err := os.ReadDir(filepath.Dir(out)); len(list) != 1 || err != nil {
		t.Errorf("left beside it: %v, %v", list, err)
	}
	if got := f.Beside(); got != filepath.Join(filepath.Dir(out), "credentials") || !f.Sealed() || f.Path() != out {
		t.Errorf("%s beside %s", f.Path(), got)
	}
	for _, s := range f.Servers() {
		f.Remove(s, component.CSIDriver)
	}
	if err := f.Save(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty file stays: %v", err)
	}
}

// What is at its place was never read, so it is never replaced: not when it was there before, nor when it came or changed since.
func TestSealedFileReplacesNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, f *File, out string){
		"before":       func(*testing.T, *File, string) {},
		"empty before": func(*testing.T, *File, string) {},
		"since": func(t *testing.T, f *File, out string) {
			t.Helper()
			if err := os.Remove(out); err != nil {
				t.Fatal(err)
			}
			put(t, f, "vc1", "mine-1234")
			if err := f.Save(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(out, []byte("theirs"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, theirs := filepath.Join(t.TempDir(), "handover.age"), []byte("theirs")
			if name == "empty before" {
				theirs = nil
			}
			if err := os.WriteFile(out, theirs, 0o600); err != nil {
				t.Fatal(err)
			}
			f := newSealed(t, out)
			change(t, f, out)
			put(t, f, "vc2", "mine-5678")
			if err := f.Save(); err == nil || name != "since" && !errors.Is(err, ErrSealed) || strings.Contains(err.Error(), "mine-") {
				t.Errorf("%v", err)
			}
			if got, err := os.ReadFile(out); !bytes.Equal(got, theirs) || err != nil {
				t.Errorf("holds %q, %v", got, err)
			}
		})
	}
}

// A disk that fails leaves no half of a file, and never the text itself.
func TestSealedFileOnABadDisk(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(s *steps){
		"short": func(s *steps) {
			s.write = writing(func(data []byte) []byte { return data[:len(data)-2] }, nil)
		},
		"altered": func(s *steps) {
			s.reread = func(string) ([]byte, error) { return []byte(hex.EncodeToString([]byte("\x01[vc1]"))), nil }
		},
	} {
		out := filepath.Join(t.TempDir(), "handover.age")
		f := newSealed(t, out)
		put(t, f, "vc1", "canary-1234")
		fail(&f.steps)
		if err := f.Save(); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
		if list, err := os.ReadDir(filepath.Dir(out)); len(list) > 0 || err != nil {
			t.Errorf("%s: left behind: %v, %v", name, list, err)
		}
		f.steps = realSteps()
		if err := f.Save(); err != nil || !strings.Contains(undisguised(t, out), "canary-1234") {
			t.Errorf("%s, afterwards: %v", name, err)
		}
	}
	f := newSealed(t, filepath.Join(t.TempDir(), "handover.age"))
	f.seal = func([]byte) ([]byte, error) { return nil, errors.New("no recipient") }
	put(t, f, "vc1", "canary-1234")
	if err := f.Save(); err == nil || !strings.HasSuffix(err.Error(), "no recipient") {
		t.Error(err)
	}
}

func TestCompose(t *testing.T) {
	t.Parallel()
	want := map[string]map[component.Name]Account{}
	for _, server := range []string{"vc2", "vc1"} {
		want[server] = map[component.Name]Account{}
		for _, c := range component.Names() {
			want[server][c] = Account{User: string(c) + "@vsphere.local", Password: secret.New(`a"#;=\` + server + string(c))}
		}
	}
	text, err := Compose(want)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse("composed", text)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for server, accounts := range want {
		for c, a := range accounts {
			if got, ok := f.Get(server, c); !ok || got.User != a.User || !got.Password.Equal(a.Password) {
				t.Errorf("%s of %s: %v, %s", c, server, ok, got.User)
			}
			n++
		}
	}
	if n != 2*len(component.Names()) || strings.Count(string(text), "\n") < 2*n {
		t.Errorf("%d accounts:\n%s", n, text)
	}
	want["vc1"][component.CSIDriver] = Account{User: "a", Password: secret.New("two\nlines-canary")}
	if _, err := Compose(want); err == nil || strings.Contains(err.Error(), "canary") {
		t.Error(err)
	}
}
