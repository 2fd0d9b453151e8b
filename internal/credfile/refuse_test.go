package credfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
)

func TestModes(t *testing.T) {
	if !files.Posix {
		t.Skip("modes say nothing here: TestAccessLists")
	}
	for _, mode := range []os.FileMode{0o640, 0o644, 0o606, 0o601, 0o610} {
		path := written(t, seedFile)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		wantError(t, err, fmt.Sprintf("credentials file %s has insecure permissions %o (must be 0600 or stricter)", path, mode), "chmod 600")
	}
	for _, mode := range []os.FileMode{0o600, 0o400, 0o700} {
		path := written(t, seedFile)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err != nil {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
}

func TestLooseModeSinceOpen(t *testing.T) {
	if !files.Posix {
		t.Skip("modes say nothing here: TestAccessLists")
	}
	f := opened(t, seedFile)
	set(t, f, "vcenter1.example.com", "csi-driver", "ocp-csi@vsphere.local", "new")
	if err := os.Chmod(f.Path(), 0o644); err != nil {
		t.Fatal(err)
	}
	wantError(t, f.Save(), "insecure permissions 644")
}

func TestNotARegularFile(t *testing.T) {
	path := written(t, seedFile)
	link := filepath.Join(filepath.Dir(path), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Skip("Wine makes none") // and says that it did
	}
	_, err := Open(link)
	wantError(t, err, link, "symbolic link", "set --credentials-file to")
	_, err = Open(filepath.Dir(path))
	wantError(t, err, "is a directory")
	_, err = Open(os.DevNull)
	wantError(t, err, "not a regular file")
	_, err = Open(filepath.Join(path, "below"))
	wantError(t, err, "cannot be read", "not a directory")
	_, err = Open("")
	wantError(t, err, "VSPHERE_CREDENTIALS_FILE")
}

func TestDirectoryWarning(t *testing.T) {
	if !files.Posix {
		t.Skip("modes say nothing here: TestAccessLists")
	}
	path := written(t, seedFile)
	for mode, want := range map[os.FileMode]int{0o700: 0, 0o500: 0, 0o750: 1, 0o777: 1, 0o777 | os.ModeSticky | os.ModeSetgid: 0} {
		if err := os.Chmod(filepath.Dir(path), mode); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Warnings(); len(got) != want {
			t.Errorf("mode %o: %q", mode, got)
		}
	}
}

func TestUnparsable(t *testing.T) {
	const canary = "canary-pw-6021"
	tests := map[string]struct {
		text, want string
	}{
		"bare line":           {"[vc]\nuser = u\n" + canary + "\n", "line 3: neither a section"},
		"open backtick":       {"[vc]\nuser = u\npassword = `" + canary + "\nnote = 1\n", "line 3: value without its closing quote"},
		"open triple quote":   {"[vc]\npassword = \"\"\"" + canary, "line 2: value without its closing quote"},
		"open bracket":        {"\n\n[vc" + canary + "\nuser = u\n", "line 3: section header without a closing bracket"},
		"empty section":       {"[]\nuser = " + canary, "line 1: section header without a name"},
		"no key":              {"= " + canary, "line 1: value without a key"},
		"open quoted key":     {"`" + canary + " = 1", "line 1: quoted key without its closing quote"},
		"UTF-16":              {"\xff\xfe[\x00v\x00]\x00", "UTF-16"},
		"crashes ini.v1":      {"[vc]\nuser = %(password)s\npassword = %(user)s" + canary, "line 2: user refers to itself"},
		"YAML":                {"# a comment\napiVersion: v1\nmetadata:\n  name: k\n", "is YAML"},
		"JSON":                {"{\"auths\":{\"quay.io\":{\"auth\":\"dXNlcjpwdw==\"}}}\n", "is JSON"},
		"crashes by DEFAULT":  {"user = %(user)s" + canary + "\n", "line 1: user refers to itself"},
		"crashes by children": {"[vc]\na = %(b)s\nb = %(a)s\n[vc.x]\nmachine-api.user = %(b)s\n", "line 5: machine-api.user refers to itself"},
		"too large":           {strings.Repeat("# "+canary+"\n", maxLines+1), "is larger than"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Open(written(t, tt.text))
			wantError(t, err, tt.want, "credentials")
			if strings.Contains(err.Error(), canary) {
				t.Errorf("password in %q", err)
			}
		})
	}
}

func TestDoublingReferencesEnd(t *testing.T) {
	var b strings.Builder
	b.WriteString("[vc]\nuser = %(a0)s\n")
	for i := range 40 {
		fmt.Fprintf(&b, "a%d = %%(a%d)s%%(b%d)s\nb%d = %%(a%d)s%%(b%d)s\n", i, i+1, i+1, i, i+1, i+1)
	}
	b.WriteString("a40 =\nb40 =\n")
	_, err := Open(written(t, b.String()))
	wantError(t, err, "line 2: user refers")
}

func TestRefusedValues(t *testing.T) {
	const canary = "canary-pw-7733"
	tests := map[string]struct{ password, want string }{
		"line break":            {canary + "\n", "line break"},
		"carriage return":       {canary + "\rx", "line break"},
		"control character":     {canary + "\x07", "control character"},
		"NUL":                   {canary + "\x00", "control character"},
		"bad UTF-8":             {canary + "\xff", "UTF-8"},
		"empty":                 {"", "is empty"},
		"own key":               {canary + "%(user)s", "reference"},
		"key to come":           {canary + "%(diagnostics.password)s", "reference"},
		"foreign key":           {canary + "%(note)s", "reference"},
		"key of DEFAULT":        {canary + "%(top)s", "reference"},
		"key of the section up": {canary + "%(above)s", "reference"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := opened(t, "top = 1\n[vc]\nabove = 1\n[vc.example]\nnote = 1\n")
			err := f.Set("vc.example", "csi-driver", account("u@d", tt.password))
			wantError(t, err, "vc.example", "csi-driver.password", tt.want)
			if strings.Contains(err.Error(), canary) {
				t.Errorf("password in %q", err)
			}
			if f.Changed() {
				t.Error("changed although refused")
			}
		})
	}
	f := opened(t, "")
	wantError(t, f.Set("vc", "csi-driver", account("u\n@d", "p")), "csi-driver.user", "line break")
	set(t, f, "vc", "csi-driver", "u@d", "100%(nobody)s") // replaced by nothing, so harmless
}

func TestRefusedServers(t *testing.T) {
	for server, want := range map[string]string{
		"": "without a name", "DEFAULT": "reserves this section name", "vc 1": "blanks", "vc\n1": "blanks", ".vc": "dot", "vc\xff": "blanks",
	} {
		f := opened(t, "")
		wantError(t, f.Set(server, "csi-driver", account("u@d", "p")), want)
	}
	for _, server := range []string{"vcenter1.example.com", "10.0.0.1", "fd00::1", "[fd00::1]", "vc:8443", "a]b", "vc#1"} {
		f := opened(t, "")
		set(t, f, server, "csi-driver", "u@d", "p")
		save(t, f)
		if a, ok := f.Get(server, "csi-driver"); !ok || a.User != "u@d" {
			t.Errorf("%s: got %v", server, a)
		}
	}
	f := opened(t, "")
	wantError(t, f.Set("vc", "Machine API", account("u@d", "p")), "is not a component")
}

func TestDottedParents(t *testing.T) {
	parent := "[vcenter1]\nmachine-api.user = m@d\nmachine-api.password = p\ncsi-driver.user = c@d\ncsi-driver.password = p\n"
	t.Run("new child would inherit", func(t *testing.T) {
		f := opened(t, parent)
		set(t, f, "vcenter1.example.com", "machine-api", "m2@d", "q")
		wantError(t, f.Check(), "[vcenter1.example.com] would inherit csi-driver.", "from [vcenter1]", "both sections")
		wantError(t, f.Save(), "both sections")
		if content(t, f.Path()) != parent {
			t.Error("file changed")
		}
		set(t, f, "vcenter1.example.com", "csi-driver", "c2@d", "q")
		save(t, f)
	})
	t.Run("new parent would be inherited", func(t *testing.T) {
		f := opened(t, "[10.0.0.1]\nnote = 1\n")
		set(t, f, "10.0.0", "machine-api", "m@d", "p")
		wantError(t, f.Save(), "[10.0.0.1] would inherit machine-api.", "from [10.0.0]")
	})
	t.Run("harmless", func(t *testing.T) {
		f := opened(t, "[10.0.0]\nnote = 1\n")
		set(t, f, "10.0.0.1", "machine-api", "m@d", "p")
		save(t, f)
	})
	t.Run("what was inherited before is removable", func(t *testing.T) {
		f := opened(t, parent+"[vcenter1.example.com]\nnote = 1\n")
		f.Remove("vcenter1", "csi-driver")
		save(t, f)
	})
}

func TestReferenceToWhatChanges(t *testing.T) {
	f := opened(t, "[vc]\npassword = %(machine-api.password)s\nmachine-api.user = u@d\nmachine-api.password = p\n")
	set(t, f, "vc", "machine-api", "u@d", "rotated")
	wantError(t, f.Save(), "[vc] password refers")
}

func TestWarnsOfCase(t *testing.T) {
	f := opened(t, "[VC.example.com]\nnote = 1\n")
	set(t, f, "vc.example.com", "machine-api", "u@d", "p")
	if w := f.Warnings(); len(w) != 1 || !strings.Contains(w[0], "[VC.example.com]") {
		t.Errorf("got %q", w)
	}
}

func TestWarnsOfMainAccount(t *testing.T) {
	f := opened(t, "")
	set(t, f, "vc1.example.com", component.Installer, "u@d", "p")
	set(t, f, "vc2.example.com", component.Installer, "u@d", "p")
	if w := f.Warnings(); len(w) != 1 || !strings.Contains(w[0], "install-config.yaml") {
		t.Errorf("got %q", w)
	}
}
