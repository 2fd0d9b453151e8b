package credfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
)

func TestOpenSoundLeavesOutWhatIsAtFault(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "credentials")
	const text = "[vc1]\nuser = a@b\npassword = x\ncanary\n[vc2\n[vc3]\nuser = %(password)s\nuser2 = 1\npassword = %(user)s\r\n=canary\n[vc4]\ncsi-driver.user = c@d\ncsi-driver.password = z\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil {
		t.Fatal("Open takes what the installer refuses")
	}
	f, faults, err := OpenLenient(path)
	if err != nil {
		t.Fatal(err)
	}
	said := errors.Join(faults...).Error()
	if strings.Contains(said, "canary") {
		t.Errorf("a line is quoted: %s", said)
	}
	var lines []int
	for _, fault := range faults {
		lines = append(lines, lineOf(fault))
		if !strings.HasPrefix(fault.Error(), "credentials file "+path+": line ") {
			t.Error(fault)
		}
	}
	if diff := cmp.Diff([]int{4, 5, 7, 10}, lines); diff != "" {
		t.Errorf("%s\n%s", diff, said)
	}
	if a, ok := f.Get("vc1", component.Installer); !ok || a.User != "a@b" {
		t.Error("the account before the faults is lost")
	}
	if a, ok := f.Get("vc4", "csi-driver"); !ok || a.Password.Reveal() != "z" {
		t.Error("the account behind the faults is lost")
	}
	f.Remove("vc1", component.Installer)
	if err := f.Save(); err == nil || !strings.Contains(err.Error(), "it is not replaced") {
		t.Errorf("saved: %v", err)
	}
	if now, err := os.ReadFile(path); string(now) != text {
		t.Errorf("the file was changed: %v", err)
	}

	if err := os.WriteFile(path, []byte("[vc1]\nuser = a\n"+strings.Repeat("bad\n", mostFaults+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenLenient(path); err == nil || strings.Count(err.Error(), "line ") != mostFaults+1 {
		t.Errorf("a file with too many faults: %v", err)
	}
	if err := errors.Join(os.WriteFile(path, []byte("[vc1]\nuser = a\n"), 0o600), os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	if files.Posix {
		if _, _, err := OpenLenient(path); err == nil {
			t.Error("a file that others can read was opened")
		}
	}
}

func TestNearServer(t *testing.T) {
	t.Parallel()
	known := []string{"vcenter1.example.com", "vcenter2.example.com"}
	for name, want := range map[string]string{
		"VCENTER1.example.com": "vcenter1.example.com", "vcenter1.exmaple.com": "vcenter1.example.com", "vcenter1": "vcenter1.example.com",
		"vcenter3.example.com": "", "vcenter1.example.com": "", "192.0.2.1": "", "": "", strings.Repeat("v", 300): "",
	} {
		if got := NearServer(name, known); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestSectionsThatDifferInCase(t *testing.T) {
	t.Parallel()
	list := opened(t, "[vcenter1]\nuser = a@b\npassword = x\n[VCENTER1]\nuser = a@b\npassword = x\n").Misread()
	if len(list) != 2 || list[0].Severity != finding.Error || list[1].Line != 4 || !strings.HasPrefix(list[1].Text, "also exists as [vcenter1]") {
		t.Errorf("%+v", list)
	}
}
