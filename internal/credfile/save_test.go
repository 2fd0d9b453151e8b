package credfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// refusing is a write that fails before anything is there; see the tests of package files.
func refusing(err error) func(string, []byte, fs.FileMode, func(string) error) error {
	return func(string, []byte, fs.FileMode, func(string) error) error { return err }
}

// writing is a write of what wrong makes of the data, which fails with err at its end.
func writing(wrong func([]byte) []byte, err error) func(string, []byte, fs.FileMode, func(string) error) error {
	return func(path string, data []byte, mode fs.FileMode, check func(string) error) error {
		return files.Replace(path, wrong(data), mode, func(pending string) error {
			if refused := check(pending); refused != nil {
				return refused
			}
			return err
		})
	}
}

// TestFailures makes each step of a save fail: the old file stays, no temporary file is left, the error is one line
// without passwords, and the same File can be saved once the cause is gone.
func TestFailures(t *testing.T) {
	const canary = "canary-pw-9182"
	full := &fs.PathError{Op: "write", Path: "/somewhere/.credentials123", Err: syscall.ENOSPC}
	tests := map[string]struct {
		fail func(s *steps)
		want string
	}{
		"read-only directory": {func(s *steps) {
			s.write = refusing(&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES})
		}, "writable"},
		"read-only file system": {func(s *steps) {
			s.write = refusing(&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS})
		}, "writable"},
		"full disk": {func(s *steps) {
			s.write = refusing(full)
		}, "make room and run again"},
		"read back": {func(s *steps) {
			s.reread = func(string) ([]byte, error) { return nil, syscall.EIO }
		}, "input/output error"},
		"cut short without an error": {func(s *steps) {
			s.write = writing(func(data []byte) []byte { return data[:len(data)-3] }, nil)
		}, "does not read back"},
		"half a line": {func(s *steps) {
			s.write = writing(func([]byte) []byte { return []byte("[vc]\n" + canary) }, nil)
		}, "neither a section, a comment nor"},
		"rename": {func(s *steps) {
			s.write = writing(bytes.Clone, &os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EIO})
		}, "is unchanged"},
		"mounted alone": {func(s *steps) {
			s.write = writing(bytes.Clone, &os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EBUSY})
		}, "is unchanged: device or resource busy: it is mounted alone, so it cannot be replaced: mount its directory, or set --credentials-file to a file elsewhere"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, before := range []string{"", seedFile} {
				f := opened(t, before)
				if before == "" { // a missing file
					if err := os.Remove(f.Path()); err != nil {
						t.Fatal(err)
					}
					f.onDisk = false
				}
				set(t, f, "vcenter3.example.com", "csi-driver", "u@d", canary)
				tt.fail(&f.steps)
				err := f.Save()
				wantError(t, err, f.Path(), tt.want)
				if strings.Contains(err.Error(), canary) || strings.Contains(err.Error(), "/somewhere") {
					t.Errorf("error shows too much: %q", err)
				}
				list, err := os.ReadDir(filepath.Dir(f.Path()))
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case before == "" && len(list) != 0, before != "" && len(list) != 1:
					t.Errorf("left behind: %v", list)
				case before != "" && content(t, f.Path()) != before:
					t.Error("the old file is gone")
				}
				if !f.Changed() {
					t.Error("the failed change is forgotten")
				}
				f.steps = realSteps()
				save(t, f)
				if !strings.Contains(content(t, f.Path()), canary) {
					t.Error("second Save wrote nothing")
				}
			}
		})
	}
}

// A file that can be replaced is, by itself, and one that cannot is as it was: what a save would fail at is known before.
func TestCheckReplace(t *testing.T) {
	for name, fail := range map[string]func(s *steps){
		"":                        func(*steps) {},
		"read-only directory":     func(s *steps) { s.write = refusing(syscall.EACCES) },
		"full disk":               func(s *steps) { s.write = refusing(syscall.ENOSPC) },
		"cut short without error": func(s *steps) { s.write = writing(func([]byte) []byte { return nil }, nil) },
		"mounted alone":           func(s *steps) { s.write = writing(bytes.Clone, syscall.EBUSY) },
	} {
		for _, before := range []string{"", seedFile} {
			f := opened(t, before)
			left := 1
			if before == "" { // only that it can be made is known
				left = 0
				if err := os.Remove(f.Path()); err != nil {
					t.Fatal(err)
				}
			} else if err := os.Chmod(f.Path(), 0o400); err != nil {
				t.Fatal(err)
			}
			fail(&f.steps)
			if err := f.CheckReplace(); (err != nil) != (name != "" && (before != "" || name == "read-only directory" || name == "full disk")) {
				t.Errorf("%s: %v", name, err)
			}
			if list, err := os.ReadDir(filepath.Dir(f.Path())); err != nil || len(list) != left {
				t.Errorf("%s: %v %v", name, list, err)
			}
			if before != "" {
				if info, err := os.Stat(f.Path()); err != nil || files.Posix && info.Mode() != 0o400 || info.Mode().Perm()&0o200 != 0 || content(t, f.Path()) != before {
					t.Errorf("%s: it is another file: %v %v", name, info.Mode(), err)
				}
			}
		}
	}
}

func TestDirectorySyncFails(t *testing.T) {
	f := opened(t, seedFile)
	set(t, f, "vcenter3.example.com", "csi-driver", "u@d", "p")
	f.steps.syncDir = func(string) error { return syscall.EIO }
	wantError(t, f.Save(), "is written", "power failure")
	if f.Changed() {
		t.Error("the file was replaced")
	}
}

// TestKilledWhileWriting: the next run that takes the lock removes the temporary file of a killed one, which holds
// passwords, even if it has nothing to write. That of a journal has a name of the same form.
func TestKilledWhileWriting(t *testing.T) {
	f := opened(t, seedFile)
	dir := filepath.Dir(f.Path())
	var left string
	f.steps.write = func(path string, data []byte, mode fs.FileMode, _ func(string) error) error {
		return files.Replace(path, data, mode, func(pending string) error {
			left = pending
			return os.Link(pending, filepath.Join(dir, "kept"))
		})
	}
	set(t, f, "vcenter3.example.com", "csi-driver", "u@d", "p")
	save(t, f)
	if err := os.Rename(filepath.Join(dir, "kept"), left); err != nil { // as if it had been killed
		t.Fatal(err)
	}
	unlock, err := Lock(f.Path(), "")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("left: %v, %v", list, err)
	}
}

func TestReadOnlyHome(t *testing.T) {
	if os.Geteuid() == 0 || !files.Posix {
		t.Skip("we write everywhere; TestFailures covers the message")
	}
	home := t.TempDir()
	if err := os.Chmod(home, 0o500); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, ".vsphere", "credentials")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	set(t, f, "vc", "csi-driver", "u@d", "p")
	wantError(t, f.Save(), path, "permission denied", "writable")
	_, err = Lock(path, "")
	wantError(t, err, "permission denied", "writable")
}

func TestSomebodyElseWrote(t *testing.T) {
	f := opened(t, seedFile)
	set(t, f, "vcenter1.example.com", "csi-driver", "ocp-csi@vsphere.local", "new")
	theirs := seedFile + "# a note taken meanwhile\n"
	if err := os.WriteFile(f.Path(), []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	wantError(t, f.Save(), "changed by somebody else", "run again")
	if content(t, f.Path()) != theirs {
		t.Error("their change is lost")
	}
	if err := os.Remove(f.Path()); err != nil {
		t.Fatal(err)
	}
	wantError(t, f.Save(), "changed by somebody else")
}

// What the owner of the file may do with it stays as it was: somebody who made it read-only meant that.
func TestModeIsKept(t *testing.T) {
	t.Parallel()
	if !files.Posix {
		t.Skip("modes say nothing here")
	}
	for mode, want := range map[fs.FileMode]fs.FileMode{0o400: 0o400, 0o600: 0o600, 0o700: 0o700} {
		path := filepath.Join(t.TempDir(), "credentials")
		if err := os.WriteFile(path, []byte("[vc1]\nuser = u@d\npassword = x\n"), mode); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err == nil {
			err = errors.Join(f.Set("vc2", "installer", Account{User: "v@d", Password: secret.New("y")}), f.Save())
		}
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%v, mode %v, want %v", err, info.Mode(), want)
		}
	}
}
