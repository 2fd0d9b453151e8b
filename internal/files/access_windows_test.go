package files

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

// What is written is for us alone, whatever its directory gives to others, and what others may read or change is refused, with
// the line that takes it from them.
func TestAccessLists(t *testing.T) {
	t.Parallel()
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "it's mine")
	give := func(of, everybody string) {
		t.Helper()
		list, err := windows.SecurityDescriptorFromString("D:P(A;;FA;;;SY)(A;;FA;;;" + user.User.Sid.String() + ")" + everybody)
		if err != nil {
			t.Fatal(err)
		}
		entries, _, err := list.DACL()
		if err != nil {
			t.Fatal(err)
		}
		if err := windows.SetNamedSecurityInfo(of, windows.SE_FILE_OBJECT,
			windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, entries, nil); err != nil {
			t.Fatal(err)
		}
	}
	give(dir, "(A;OICI;FA;;;WD)")
	if err := CheckDir(dir); err == nil {
		t.Error("a directory that everybody may change was accepted")
	}
	for name, write := range map[string]func() error{
		"made":     func() error { return CreatePrivate(path, []byte("secret")) },
		"replaced": func() error { return WritePrivate(path, []byte("secret")) },
		"with another mode": func() error {
			return Replace(path, []byte("secret"), 0o400, func(string) error { return nil })
		},
		"over a read-only one": func() error { return WritePrivate(path, []byte("secret")) },
	} {
		_ = os.Remove(path)
		if name == "over a read-only one" {
			if err := os.WriteFile(path, nil, 0o400); err != nil {
				t.Fatal(err)
			}
		}
		if err := write(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if data, err := Read(path, Line, CheckPrivate); err != nil || string(data) != "secret" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	remedy := `run icacls '` + filepath.Join(dir, "it''s mine") + `' /inheritance:r /grant:r "${env:USERNAME}:F"`
	give(dir, "") // which would be inherited
	give(path, "(A;;FR;;;WD)")
	_, err = Read(path, Line, CheckPrivate)
	wantErr(t, err, "insecure permissions 644 (must be 0600 or stricter)", remedy)
	if err := Check(path, OthersWrite); err != nil || !ReadableByAll(path) {
		t.Errorf("readable by everybody: %v", err)
	}
	give(path, "(A;;FA;;;WD)")
	wantErr(t, Check(path, OthersWrite), "insecure permissions 666 (others can change it)", remedy)
}

// A file that somebody has open for a while is replaced when they close it.
func TestRenameOverAnOpenFile(t *testing.T) {
	t.Parallel()
	path := put(t, 3, 0o600)
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() { written <- WritePrivate(path, []byte("new")) }()
	for len(names(t, filepath.Dir(path))) < 2 { // until its writer waits
		select {
		case err := <-written:
			t.Fatalf("nobody waited: %v", err)
		default:
		}
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(path); string(data) != "new" {
		t.Errorf("%q, %v", data, err)
	}
}
