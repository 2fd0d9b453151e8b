package credfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/ini.v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// seedFile is the example of the enhancement, with passwords in it.
const seedFile = `# ~/.vsphere/credentials
# Supports per-vCenter, per-component credentials

[vcenter1.example.com]
# Default credentials (used by installer)
user = ocp-installer@vsphere.local
password = pw-installer-1

# Per-component credentials
machine-api.user = ocp-machine-api@vsphere.local
machine-api.password = pw-machine-api-1
csi-driver.user = ocp-csi@vsphere.local
csi-driver.password = pw-csi-1
cloud-controller.user = ocp-ccm@vsphere.local
cloud-controller.password = pw-ccm-1
diagnostics.user = ocp-diagnostics@vsphere.local
diagnostics.password = pw-diagnostics-1

[vcenter2.example.com]
user = ocp-installer@vsphere.local
password = pw-installer-2
machine-api.user = ocp-machine-api@vsphere.local
machine-api.password = pw-machine-api-2
`

var components = component.Names()

func account(user, password string) Account {
	return Account{User: user, Password: secret.New(password)}
}

// written puts text into a file of a new directory and returns its path.
func written(t testing.TB, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".vsphere")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "credentials")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func opened(t testing.TB, text string) *File {
	t.Helper()
	f, err := Open(written(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func content(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func set(t testing.TB, f *File, server string, c component.Name, user, password string) {
	t.Helper()
	if err := f.Set(server, c, account(user, password)); err != nil {
		t.Fatal(err)
	}
}

func save(t testing.TB, f *File) {
	t.Helper()
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
}

// wantError checks that err says all of parts, once each, on one line.
func wantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error has more than one line: %q", err)
	}
}

func TestDefaultPath(t *testing.T) {
	env := map[string]string{}
	getenv := func(k string) string { return env[k] }
	if got, want := DefaultPath(getenv, "/home/admin"), filepath.FromSlash("/home/admin/.vsphere/credentials"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	env["VSPHERE_CREDENTIALS_FILE"] = "/run/ci/creds"
	if got, want := DefaultPath(getenv, "/home/admin"), "/run/ci/creds"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReadsSeedFile(t *testing.T) {
	f := opened(t, seedFile)
	if diff := cmp.Diff([]string{"vcenter1.example.com", "vcenter2.example.com"}, f.Servers()); diff != "" {
		t.Error(diff)
	}
	got := map[string]string{}
	for _, s := range f.Servers() {
		for _, c := range components {
			if a, ok := f.Get(s, c); ok {
				got[s+" "+string(c)] = a.User + " " + a.Password.Reveal()
			}
		}
	}
	want := map[string]string{
		"vcenter1.example.com machine-api":      "ocp-machine-api@vsphere.local pw-machine-api-1",
		"vcenter1.example.com csi-driver":       "ocp-csi@vsphere.local pw-csi-1",
		"vcenter1.example.com cloud-controller": "ocp-ccm@vsphere.local pw-ccm-1",
		"vcenter1.example.com diagnostics":      "ocp-diagnostics@vsphere.local pw-diagnostics-1",
		"vcenter1.example.com installer":        "ocp-installer@vsphere.local pw-installer-1",
		"vcenter2.example.com machine-api":      "ocp-machine-api@vsphere.local pw-machine-api-2",
		"vcenter2.example.com installer":        "ocp-installer@vsphere.local pw-installer-2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if f.Changed() {
		t.Error("changed by reading")
	}
}

func TestUserWithoutPasswordIsNoAccount(t *testing.T) {
	f := opened(t, "[vc]\nmachine-api.user = a@b\n")
	if a, ok := f.Get("vc", "machine-api"); ok {
		t.Errorf("got %v", a)
	}
	if _, ok := f.Get("VC", "machine-api"); ok {
		t.Error("section names must be matched as they are spelt")
	}
}

func TestWritesNewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".vsphere", "credentials")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	set(t, f, "vcenter1.example.com", component.Installer, "ocp-installer@vsphere.local", "raw-is-fine")
	set(t, f, "vcenter1.example.com", "csi-driver", "ocp-csi@vsphere.local", "needs#backticks")
	set(t, f, "vcenter2.example.com", "csi-driver", `CORP\ocp-csi`, `trailing\`)
	if !f.Changed() {
		t.Error("not changed")
	}
	save(t, f)
	if f.Changed() {
		t.Error("changed after Save")
	}
	want := "[vcenter1.example.com]\n" +
		"user = ocp-installer@vsphere.local\n" +
		"password = raw-is-fine\n" +
		"csi-driver.user = ocp-csi@vsphere.local\n" +
		"csi-driver.password = `needs#backticks`\n" +
		"\n" +
		"[vcenter2.example.com]\n" +
		"csi-driver.user = CORP\\ocp-csi\n" +
		"csi-driver.password = `trailing\\`\n"
	if diff := cmp.Diff(want, content(t, path)); diff != "" {
		t.Error(diff)
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := files.Perm(name, info); got != mode && (files.Posix || !info.IsDir()) {
			t.Errorf("%s has mode %o, want %o", name, got, mode)
		}
	}
	file, err := ini.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := file.Section("vcenter2.example.com").Key("csi-driver.password").String(); got != `trailing\` {
		t.Errorf("the installer reads %q", got)
	}

	for _, s := range f.Servers() {
		for _, c := range components {
			f.Remove(s, c)
		}
	}
	save(t, f)
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file that we made is still there: %v", err)
	}
}

func TestPartialComponents(t *testing.T) {
	f := opened(t, seedFile)
	set(t, f, "vcenter2.example.com", "csi-driver", "ocp-csi@vsphere.local", "new")
	save(t, f)
	want := strings.Replace(seedFile, "machine-api.password = pw-machine-api-2\n",
		"machine-api.password = pw-machine-api-2\ncsi-driver.user = ocp-csi@vsphere.local\ncsi-driver.password = new\n", 1)
	if diff := cmp.Diff(want, content(t, f.Path())); diff != "" {
		t.Error(diff)
	}
	if _, ok := f.Get("vcenter2.example.com", "diagnostics"); ok {
		t.Error("diagnostics was never set on vcenter2")
	}
}

func TestKeepsWhatIsNotOurs(t *testing.T) {
	const before = "; mine\n[vc1] # prod\n  note: `keep\nme`\nmachine-api.user=u@d\nmachine-api.password\t=\told ; rotated in May\n\n\n[other]\nuser = me@x\npassword = p#cut\n"
	f := opened(t, before)
	set(t, f, "vc1", "machine-api", "U@D", "new")
	set(t, f, "vc1", "diagnostics", "d@d", "x")
	save(t, f)
	const after = "; mine\n[vc1] # prod\n  note: `keep\nme`\nmachine-api.user=U@D\nmachine-api.password\t=\tnew ; rotated in May\ndiagnostics.user = d@d\ndiagnostics.password = x\n\n\n[other]\nuser = me@x\npassword = p#cut\n"
	if diff := cmp.Diff(after, content(t, f.Path())); diff != "" {
		t.Error(diff)
	}
}

func TestSameAccountChangesNothing(t *testing.T) {
	f := opened(t, "[vc]\nmachine-api.user = `u@d`\nmachine-api.password = `plain`\n")
	set(t, f, "vc", "machine-api", "u@d", "plain")
	if f.Changed() {
		t.Error("quoting was rewritten without need")
	}
}

func TestForeignAccount(t *testing.T) {
	f := opened(t, seedFile+"diagnostics.password = alone-pw\n")
	err := f.Set("vcenter1.example.com", "csi-driver", account("other@vsphere.local", "canary-pw"))
	if !errors.Is(err, ErrForeign) {
		t.Fatalf("got %v, want ErrForeign", err)
	}
	wantError(t, err, "vcenter1.example.com", "csi-driver.user", "ocp-csi@vsphere.local", "other@vsphere.local")
	if strings.Contains(err.Error(), "pw-csi-1") || strings.Contains(err.Error(), "canary-pw") {
		t.Errorf("password in %q", err)
	}
	err = f.Set("vcenter2.example.com", "diagnostics", account("d@d", "x"))
	if !errors.Is(err, ErrForeign) {
		t.Errorf("a password without a user was overwritten: %v", err)
	}
	set(t, f, "vcenter1.example.com", "csi-driver", "OCP-CSI@vsphere.local", "rotated")
	if a, _ := f.Get("vcenter1.example.com", "csi-driver"); a.Password.Reveal() != "rotated" {
		t.Error("the password of the same user was not changed")
	}
}

func TestFillsEmptyTemplate(t *testing.T) {
	f := opened(t, "[vc]\nmachine-api.user =\nmachine-api.password = # fill me in\n")
	set(t, f, "vc", "machine-api", "u@d", "p")
	save(t, f)
	if diff := cmp.Diff("[vc]\nmachine-api.user = u@d\nmachine-api.password = p # fill me in\n", content(t, f.Path())); diff != "" {
		t.Error(diff)
	}
}
