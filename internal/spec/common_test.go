package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

const commonHead = "apiVersion: ocp-vsphere-admin/v1\nkind: CommonSettings\n"

// inDir writes files and gives the path of spec.yaml among them.
func inDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "spec.yaml")
}

// What a provisioning file says goes before what it has in common with others, field by field.
func TestCommonIsBehind(t *testing.T) {
	t.Parallel()
	path := inDir(t, map[string]string{
		"spec.yaml": least + "common: common.yaml\nprivileges:\n  roleLayout: component\n  conditions: [vsan-file]\naccounts:\n",
		"common.yaml": commonHead + "profile: manual\ncredentialsFile: credentials/{cluster}\nlinkedGroup: europe\n" +
			"privileges:\n  matrix: documented\n  roleLayout: scope\n  conditions: [storage-policy]\naccounts:\n  username: \"{component}.{cluster}\"\n" +
			"components:\n  machine-api:\n    principal: capi@corp.example.com\n  csi-driver: {}\n",
	})
	s, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	want := Privileges{Matrix: "documented", RoleLayout: "component", RolePrefix: DefaultRolePrefix, Conditions: []string{"vsan-file"}}
	if d := cmp.Diff(want, s.Privileges); d != "" {
		t.Error(d)
	}
	if s.Profile != "manual" || s.LinkedGroup != "europe" || s.Accounts.Username != "{component}.{cluster}" {
		t.Errorf("%+v", s)
	}
	if want := filepath.Join(filepath.Dir(path), "credentials", s.Cluster); s.CredentialsFile != want {
		t.Errorf("%s, want %s", s.CredentialsFile, want)
	}
	if s.Components["machine-api"].Principal != "capi@corp.example.com" || len(s.Components) != 2 {
		t.Errorf("%+v", s.Components)
	}
	again, err := Parse("elsewhere.yaml", s.YAML()) // everything is written out
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s, again); d != "" {
		t.Error(d)
	}
}

// A component that the file writes itself keeps what the common file says of it beside that, and the state file says what differs from both.
func TestCommonComponents(t *testing.T) {
	t.Parallel()
	path := inDir(t, map[string]string{
		"spec.yaml":   least + "common: common.yaml\ncomponents:\n  csi-driver:\n    disabled: true\n",
		"common.yaml": commonHead + "components:\n  machine-api: {}\n  csi-driver: {}\n  cloud-controller:\n    principal: ccm@corp.example.com\n",
	})
	s, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Components) != 3 || !s.Components["csi-driver"].Disabled || s.Components["cloud-controller"].Principal == "" {
		t.Errorf("%+v", s.Components)
	}
	e, err := NewEdit(path, func(s *Spec) *Spec { return s.Disable([]component.Name{"csi-driver"}, false) })
	if want := "components:\n  csi-driver:\n    disabled: false\n"; err != nil || !strings.HasSuffix(string(e.Text), want) {
		t.Errorf("%v\n%s", err, e.Text)
	}
}

// Each error is that of the file in which something is wrong.
func TestCommonErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, spec, common, want string }{
		{"there is none", "common: other.yaml\n", commonHead, "does not exist: create it, with kind: CommonSettings, or correct the path"},
		{"not a text", "common: [a]\n", commonHead, "spec.yaml:6: common: must be text"},
		{"a provisioning file", "common: common.yaml\n", least, "common.yaml:2: kind: \"Provisioning\" is not valid: use CommonSettings"},
		{"a field of one cluster", "common: common.yaml\n", commonHead + "cluster: c1\n", "common.yaml:3: unknown field \"cluster\"; it is of one cluster"},
		{"a chain", "common: common.yaml\n", commonHead + "common: more.yaml\n", "common.yaml:3: unknown field \"common\""},
		{"a password", "common: common.yaml\n", commonHead + "password: x\n", "common.yaml:3: unknown field \"password\"; a provisioning file holds no credentials"},
		{"what a reconciliation wrote", "common: common.yaml\n", commonHead + "privileges:\n  added: []\n", "common.yaml:4: privileges.added: is of one cluster"},
		{"disabled", "common: common.yaml\n", commonHead + "components:\n  installer:\n    disabled: true\n", "common.yaml:5: components.installer.disabled: is of one cluster"},
		{"a wrong value", "common: common.yaml\n", commonHead + "profile: nonsense\n", "common.yaml:3: profile: \"nonsense\""},
		{"no YAML", "common: common.yaml\n", "a: b: c\n", "common.yaml:1: not valid YAML"},
		{"another mapping", "common: common.yaml\n", "user bob: canary\ncanary: 1\n", "common.yaml:1: kind is missing: write kind: CommonSettings"},
		{"a device", "common: " + os.DevNull + "\n", "", filepath.Base(os.DevNull) + " is not a regular file"},
		{"a group", "linkedGroup: a b\n", commonHead, "spec.yaml:6: linkedGroup: \"a b\" is not a name"},
	} {
		path := inDir(t, map[string]string{"spec.yaml": least + c.spec, "common.yaml": c.common})
		_, err := Load(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}
