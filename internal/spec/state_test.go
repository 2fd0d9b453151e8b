package spec

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

const stateHead = "# ocp-vsphere-admin writes this file. Keep it in version control, beside spec.yaml.\n" +
	"apiVersion: ocp-vsphere-admin/v1\nkind: State\ncluster: c1\n"

// edited records a change, and gives what the state file says then.
func edited(t interface{ Fatal(args ...any) }, path string, change func(*Spec) *Spec) (text string, changes bool) {
	e, err := NewEdit(path, change)
	if err == nil {
		err = os.WriteFile(e.Path, e.Text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(e.Text), e.Changes
}

// What the tool records stands in the state file alone, and both files together say it; back again, that file says nothing.
func TestState(t *testing.T) {
	t.Parallel()
	one := privileges.Added{
		Component: component.CSIDriver, Scope: privileges.ScopeFolder, Propagate: true, Privileges: []string{"A.B", "C.D"},
		Release: "4.23.0", Reason: "CredentialsRequest x requires it",
	}
	b := release.Ref{Version: "4.21.0", Image: digest("b")}
	reconcile := func(to Reconciled) func(*Spec) *Spec { return func(s *Spec) *Spec { return s.Reconcile(to) } }
	const own = "privileges:\n  added:\n  - {component: csi-driver, scope: folder, propagate: true, privileges: [A.B, X.Y]}\n"
	const listed = "reconciledAvailableUpdates: [{version: 4.20.3, image: a.b/c:d}]\n"
	for name, c := range map[string]struct {
		spec   string
		change func(*Spec) *Spec
		want   string // behind the head
	}{
		"nothing":              {"", reconcile(Reconciled{}), ""},
		"an account":           {"", func(s *Spec) *Spec { return s.Disable([]component.Name{component.Installer}, true) }, "components:\n  installer:\n    disabled: true\n"},
		"disabled by its file": {"components: {installer: {disabled: true}, machine-api: , csi-driver: , cloud-controller: , diagnostics: }\n", func(s *Spec) *Spec { return s.Disable([]component.Name{component.Installer}, false) }, "components:\n  installer:\n    disabled: false\n"},
		"none of its own":      {"", func(s *Spec) *Spec { return s.Disable([]component.Name{component.ClusterAPI}, true) }, ""},
		"a privilege":          {"", reconcile(Reconciled{Added: []privileges.Added{one}}), "privileges:\n  added:\n    - component: csi-driver\n      scope: folder\n      propagate: true\n      privileges: [A.B, C.D]\n      release: 4.23.0\n      reason: CredentialsRequest x requires it\n"},
		"a matrix":             {"privileges: {matrix: documented}\n", reconcile(Reconciled{Matrix: "./my matrix.yaml"}), "privileges:\n  matrix: ./my matrix.yaml\n"},
		"one more":             {"components: {machine-api: {principal: a@b}}\n", reconcile(Reconciled{Name: []component.Name{component.CSIDriver}}), "components:\n  csi-driver:\n    named: true\n"},
		"one less":             {"", reconcile(Reconciled{Drop: []component.Name{component.CSIDriver}}), "components:\n  csi-driver:\n    named: false\n"},
		"a release":            {"", func(s *Spec) *Spec { return s.Prepare(b) }, "reconciledAvailableUpdates:\n  - version: 4.21.0\n    image: " + b.Image + "\n"},
		"no release":           {listed, (*Spec).Unprepared, "reconciledAvailableUpdates: []\n"},
	} {
		path := inDir(t, map[string]string{"spec.yaml": head + c.spec + ok})
		before, err := Load(path)
		if err != nil {
			t.Fatal(name, err)
		}
		text, changes := edited(t, path, c.change)
		if diff := cmp.Diff(stateHead+c.want, text); diff != "" || changes != (c.want != "") {
			t.Errorf("%s: %t %s", name, changes, diff)
		}
		after, err := Load(path)
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(string(c.change(before).plain()), string(after.plain())); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if _, changes := edited(t, path, c.change); changes {
			t.Errorf("%s: it changes twice", name)
		}
		if text, _ := edited(t, path, func(*Spec) *Spec { return before }); text != stateHead {
			t.Errorf("%s: back:\n%s", name, text)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != head+c.spec+ok {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}

	// a privilege that both add at one place is as the state file says, and what the provisioning file adds stays
	path := inDir(t, map[string]string{"spec.yaml": head + own + ok})
	if err := os.WriteFile(StatePath(path), []byte(stateHead+"privileges:\n  added:\n  - {component: csi-driver, scope: folder, propagate: true, conditions: [pool-root], privileges: [A.B]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []privileges.Added{
		{Component: component.CSIDriver, Scope: privileges.ScopeFolder, Propagate: true, Privileges: []string{"X.Y"}},
		{Component: component.CSIDriver, Scope: privileges.ScopeFolder, Propagate: true, Privileges: []string{"A.B"}, Conditions: []privileges.Condition{privileges.PoolRoot}},
	}
	if diff := cmp.Diff(want, s.Privileges.Added) + cmp.Diff(want[:1], s.Privileges.Own); diff != "" {
		t.Error(diff)
	}
	if _, err := NewEdit(path, func(s *Spec) *Spec { return s.Reconcile(Reconciled{Added: want[1:]}) }); err == nil || !strings.Contains(err.Error(), "spec.state.yaml cannot say this beside ") {
		t.Error(err)
	}
}

// Whatever a specification says, and whatever changes: both files together say that, and back again the state file says nothing.
func TestStateProperty(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSpec(t)
		path := filepath.Join(dir, "spec.yaml")
		_ = os.Remove(StatePath(path))
		if err := os.WriteFile(path, s.YAML(), 0o600); err != nil {
			t.Fatal(err)
		}
		to := Reconciled{Added: append(slices.Clip(s.Privileges.Added), drawAdded(t)...), Matrix: rapid.SampledFrom([]string{"", "default", "./b.yaml"}).Draw(t, "to")}
		to.Name = rapid.SliceOfDistinct(rapid.SampledFrom(component.Names()), rapid.ID).Draw(t, "name")
		disable, disabled := rapid.SampledFrom(component.Names()).Draw(t, "account"), rapid.Bool().Draw(t, "disable")
		more := drawReleases(t)
		change := func(s *Spec) *Spec {
			s = s.Reconcile(to).Disable([]component.Name{disable}, disabled)
			for _, r := range more {
				s = s.Prepare(r)
			}
			return s
		}
		want := change(s)
		if _, err := Parse("spec.yaml", want.YAML()); err != nil { // a privilege stands there twice, or an account is not disabled
			return
		}
		edited(t, path, change)
		after, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		after.CredentialsFile = want.CredentialsFile // which Load makes absolute
		if diff := cmp.Diff(string(want.plain()), string(after.plain())); diff != "" {
			t.Fatal(diff)
		}
		if text, _ := edited(t, path, func(*Spec) *Spec { return s }); strings.Count(text, "\n") != 4 {
			t.Fatal(text)
		}
	})
}

// A state file that is broken, unknown or of another cluster is one error, which names it.
func TestStateErrors(t *testing.T) {
	t.Parallel()
	const line = "spec.state.yaml:5: "
	for text, want := range map[string]string{
		"":                                  "spec.state.yaml: is empty",
		"a: b: c\n":                         "spec.state.yaml:1: not valid YAML",
		head:                                `spec.state.yaml:2: kind: "Provisioning" is not valid: use State`,
		"kind: State\n":                     "apiVersion is missing",
		stateHead + "vcenters: []\n":        line + `unknown field "vcenters"`,
		stateHead + "password: canary\n":    line + `unknown field "password"; a provisioning file holds no credentials`,
		stateHead + "components: {x: {}}\n": line + `unknown field "x"`,
		stateHead + "components: {installer: {principal: a@b}}\n":                                 line + `unknown field "principal"`,
		stateHead + "components: {installer: {disabled: maybe}}\n":                                line + "components.installer.disabled: must be true or false",
		stateHead + "privileges: {matrix: defaults}\n":                                            line + `privileges.matrix: "defaults" is unknown`,
		stateHead + "privileges: {added: [{component: csi, scope: folder, privileges: [A.B]}]}\n": line + `privileges.added[0].component: "csi" is unknown`,
		stateHead + "reconciledAvailableUpdates: [{version: 4.20.3}]\n":                           line + "reconciledAvailableUpdates[0]: has no image",
		stateHead + "components: {diagnostics: {named: false}, installer: {disabled: true}}\n":    "spec.state.yaml: components.installer.disabled cannot be set: the specification has no account for diagnostics",
		strings.Replace(stateHead, "c1", "c2", 1):                                                 "spec.state.yaml is the state of cluster c2, not of c1",
		strings.Replace(stateHead, "cluster: c1\n", "", 1):                                        "cluster is missing",
	} {
		path := inDir(t, map[string]string{"spec.yaml": head + ok, "spec.state.yaml": text})
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "spec.state.yaml") || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	path := inDir(t, map[string]string{"spec.yaml": head + ok})
	if err := os.Mkdir(StatePath(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "spec.state.yaml") {
		t.Error(err)
	}
}

// An account that was disabled under another profile waits there: a component that has none of its own works with another's.
func TestStateOfAnotherProfile(t *testing.T) {
	t.Parallel()
	files := map[string]string{"spec.yaml": head + "profile: passthrough\n" + ok, "spec.state.yaml": stateHead + "components: {csi-driver: {disabled: true}}\n"}
	s, err := Load(inDir(t, files))
	if err != nil || s.Components[component.CSIDriver].Disabled || !s.Has(component.CSIDriver) {
		t.Fatalf("%v, %+v", err, s)
	}
	files["spec.state.yaml"] = stateHead + "components: {installer: {disabled: true}}\n"
	if _, err = Load(inDir(t, files)); err == nil || !strings.Contains(err.Error(), "gives machine-api, csi-driver, cloud-controller, diagnostics the same account") {
		t.Fatal(err)
	}
	var hinted *hint.Error
	if !errors.As(err, &hinted) || len(hinted.Hints()) != 1 {
		t.Errorf("%v has no remedy", err)
	}
}

// A link leads to one state file, and whoever changes one of the two files meanwhile is noticed.
func TestStateFiles(t *testing.T) {
	t.Parallel()
	path := inDir(t, map[string]string{"spec.yaml": head + ok})
	link := filepath.Join(t.TempDir(), "prod.yml")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Skip("Wine makes no links") // and says that it did
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	for of, want := range map[string]string{"prod.yaml": "prod.state.yaml", "a/b.yml": "a/b.state.yaml", "spec": "spec.state.yaml", "v1.2": "v1.2.state.yaml", link: StatePath(target)} {
		if got := StatePath(of); got != want {
			t.Errorf("%s: %s", of, got)
		}
	}
	for _, changed := range []string{path, StatePath(path)} {
		e, err := NewEdit(path, (*Spec).Unprepared)
		if err != nil || e.Stale() {
			t.Fatal(err)
		}
		if err := os.WriteFile(changed, []byte(stateHead), 0o600); err != nil {
			t.Fatal(err)
		}
		if !e.Stale() {
			t.Error(changed)
		}
		if err := os.WriteFile(path, []byte(head+ok), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
