package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Posix is false: access lists tell who may read a file, and one that is open keeps its name.
const Posix = false

const nonblocking = 0

// ErrBusy says that somebody has a file open that does not share it.
const ErrBusy = windows.ERROR_SHARING_VIOLATION

// Owner is [os.Geteuid] for every file: what its owner may do, [Perm] says.
func Owner(fs.FileInfo) int { return os.Geteuid() }

// createNew makes a file. Without the bits of [Others], its access list names us, the system and
// administrators, and nothing is inherited.
func createNew(path string, mode fs.FileMode) (*os.File, error) {
	access := &windows.SecurityAttributes{Length: uint32(unsafe.Sizeof(windows.SecurityAttributes{}))}
	if mode&Others == 0 {
		user, err := windows.GetCurrentProcessToken().GetTokenUser()
		if err != nil {
			return nil, err
		}
		access.SecurityDescriptor, err = windows.SecurityDescriptorFromString(
			"D:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;" + user.User.Sid.String() + ")")
		if err != nil {
			return nil, err
		}
	}
	return open(path, windows.GENERIC_WRITE, shared, access, windows.CREATE_NEW, 0)
}

// shared lets others do everything with an open file, such as rename it.
const shared = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

func open(path string, right, share uint32, access *windows.SecurityAttributes, how, flags uint32) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	file, err := windows.CreateFile(name, right, share, access, how, flags|windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(file), path), nil
}

// claim keeps a temporary file of ours from [discard].
func claim(path string) (claimed io.Closer, held bool, err error) {
	f, err := open(path, windows.GENERIC_READ, shared, nil, windows.OPEN_EXISTING, 0)
	return f, err == nil, err
}

// Hold keeps a directory from whoever holds it, too, until held is closed, also by the end of the
// process, by a file in it. ok is false where somebody holds it.
func Hold(dir string) (held io.Closer, ok bool, err error) {
	f, err := open(filepath.Join(dir, ".lock"), windows.DELETE, 0, nil, windows.OPEN_ALWAYS, windows.FILE_FLAG_DELETE_ON_CLOSE)
	if errors.Is(err, ErrBusy) {
		return f, false, nil
	}
	return f, err == nil, err
}

// discard removes a temporary file of ours, unless somebody has it open.
func discard(path string) {
	f, err := open(path, windows.DELETE, 0, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_DELETE_ON_CLOSE)
	if err == nil {
		_ = f.Close()
	}
}

// Perm is a mode for what the access list of path gives to accounts other than us, the system and
// administrators: with 044 if one may read it, with 022 if one may change it.
func Perm(path string, info fs.FileInfo) fs.FileMode {
	const changes = windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.DELETE |
		windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_WRITE | windows.GENERIC_ALL
	const reads = windows.FILE_READ_DATA | windows.GENERIC_READ | windows.GENERIC_ALL
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	list, errList := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil || errList != nil {
		return info.Mode().Perm()
	}
	entries, _, err := list.DACL()
	if err != nil || entries == nil { // without a list, everybody may do everything
		return info.Mode().Perm()
	}
	mode := fs.FileMode(0o600)
	for i := range uint32(entries.AceCount) {
		var e *windows.ACCESS_ALLOWED_ACE
		if windows.GetAce(entries, i, &e) != nil || e.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE ||
			e.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 {
			continue
		}
		who := (*windows.SID)(unsafe.Pointer(&e.SidStart)) //nolint:gosec // an entry ends with it
		switch {
		case who.Equals(user.User.Sid), who.IsWellKnown(windows.WinLocalSystemSid),
			who.IsWellKnown(windows.WinBuiltinAdministratorsSid):
		case e.Mask&changes != 0:
			mode |= Others &^ 0o011
		case e.Mask&reads != 0:
			mode |= 0o044
		}
	}
	return mode
}

// rename waits some seconds for those who have either file open, and replaces a read-only one.
func rename(from, to string) error {
	_ = os.Chmod(to, 0o600)
	for left := patiencePipe; ; left -= pollPipe {
		err := os.Rename(from, to)
		if left == 0 || !errors.Is(err, ErrBusy) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return err
		}
		time.Sleep(pollPipe) //nolint:forbidigo // Windows tells nobody when a file is closed
	}
}
