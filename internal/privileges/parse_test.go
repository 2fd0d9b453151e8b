package privileges

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

const good = `name: mine
source: us
sources: {docs: The Manual}
components:
  csi-driver:
    grants:
      - scope: datastore
        propagate: false
        source: $docs, page 1
        why: volumes
        privileges:
          - Datastore.Browse
          - id: Datastore.Nothing
            unknown: true
            why: nobody has it
      - scope: cluster
        propagate: true
        conditions: [vsan-file, pool-root]
        privileges: [Host.Config.Storage]
  installer:
    like: csi-driver
  diagnostics:
    from: enhancement
`

func TestLoadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.yaml")
	if err := os.WriteFile(path, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	m := load(t, path)
	want := []Row{
		{Component: component.CSIDriver, Scope: ScopeDatastore, Privilege: "Datastore.Browse", Conditions: []Condition{Always}, Why: "volumes", Source: "The Manual, page 1"},
		{Component: component.CSIDriver, Scope: ScopeDatastore, Privilege: "Datastore.Nothing", Conditions: []Condition{Always}, Why: "nobody has it", Source: "The Manual, page 1", Unknown: true},
		{Component: component.CSIDriver, Scope: ScopeCluster, Propagate: true, Privilege: "Host.Config.Storage", Conditions: []Condition{VSANFile, PoolRoot}, Source: "us"},
	}
	if d := cmp.Diff(want, m.Rows[:3]); d != "" {
		t.Error(d)
	}
	if got := m.Components(); !slices.Equal(got, []component.Name{component.CSIDriver, component.Diagnostics, component.Installer}) {
		t.Error(got)
	}
	last := m.Rows[len(m.Rows)-1]
	if last.Component != component.Installer || last.Privilege != "Host.Config.Storage" {
		t.Errorf("installer is like csi-driver, got %+v", last)
	}
	if d := cmp.Diff(rowKeys(load(t, "enhancement"), component.Diagnostics), rowKeys(m, component.Diagnostics)); d != "" {
		t.Error(d)
	}
}

func TestLoadNames(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("taken.yaml", []byte(strings.Replace(good, "mine", "default", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("plain", []byte(strings.Replace(good, "name: mine\n", "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if m := load(t, "plain"); m.Name != "plain" {
		t.Errorf("a file without a name is called %q", m.Name)
	}
	for arg, want := range map[string]string{
		"defualt":    `unknown matrix "defualt"; nearest: "default" (a file needs a path: ./defualt.yaml)`,
		"mine.yaml":  "no such file",
		"taken.yaml": `taken.yaml: name "default" is used by an embedded matrix`,
		dir:          "is a directory",
		"":           "no such file",
	} {
		if _, err := Load(arg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", arg, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{"propagate: true", "propogate: true", `m.yaml:17: unknown field "propogate"; did you mean "propagate"?`},
		{"        propagate: true\n", "", `m.yaml:16: propagate is missing in a grant of csi-driver`},
		{"propagate: true", "propagate: maybe", `m.yaml:17: components.csi-driver.grants[1].propagate: must be true or false, not text`},
		{"csi-driver:\n", "csi-drivers:\n", `m.yaml:5: unknown field "csi-drivers"; did you mean "csi-driver"?`},
		{"scope: cluster", "scope: clusters", `m.yaml:16: unknown scope "clusters"; nearest: "cluster"`},
		{"scope: cluster", "scope: [cluster]", `m.yaml:16: components.csi-driver.grants[1].scope: must be text, not a list`},
		{"vsan-file", "vsan-fle", `m.yaml:18: unknown condition "vsan-fle"; nearest: "vsan-file"`},
		{"[vsan-file, pool-root]", "[]", `m.yaml:18: the list of conditions is empty`},
		{"[vsan-file, pool-root]", "[always, pool-root]", `m.yaml:18: always makes the other conditions redundant`},
		{"[vsan-file, pool-root]", "[pool-root, pool-root]", `m.yaml:18: condition "pool-root" is listed twice`},
		{"[Host.Config.Storage]", "[]", `m.yaml:19: the list of privileges is empty`},
		{"[Host.Config.Storage]", "Host.Config.Storage", `m.yaml:19: components.csi-driver.grants[1].privileges: must be a list, not text`},
		{"[Host.Config.Storage]", "[Host.Config.Storage, Host.Config.Storage]", `m.yaml:19: csi-driver cluster: Host.Config.Storage is already in line 19`},
		{"[Host.Config.Storage]", "[Host Config]", `m.yaml:19: privilege "Host Config" has the character ' '`},
		{"[Host.Config.Storage]", "[null]", `m.yaml:19: a privilege is empty`},
		{"[Host.Config.Storage]", `[""]`, `m.yaml:19: a privilege is empty`},
		{"unknown: true", "unkown: true", `m.yaml:14: unknown field "unkown"; did you mean "unknown"?`},
		{"id: Datastore.Nothing", "ids: Datastore.Nothing", `m.yaml:13: unknown field "ids"; did you mean "id"?`},
		{"why: volumes", "evidence: rumour", `m.yaml:10: unknown evidence "rumour"`},
		{"$docs", "$dosc", `m.yaml:9: unknown name in sources "dosc"; nearest: "docs"`},
		{"source: us", "name: us", `m.yaml:2: name: is given twice, first on line 1: remove one`},
		{"name: mine", "kind: Provisioning", `m.yaml:1: kind must be PrivilegeMatrix`},
		{"name: mine", "apiVersion: v2", `m.yaml:1: apiVersion must be ocp-vsphere-admin/v1`},
		{"like: csi-driver", "like: machine-api", `installer is like machine-api, which this file does not list`},
		{"like: csi-driver", "like: installer", `installer is like installer, which is itself like installer`},
		{"from: enhancement", "from: enhancment", `m.yaml:23: unknown matrix "enhancment"; nearest: "enhancement"`},
		{"from: enhancement", "from: installer", `m.yaml:23: matrix installer has no rows for diagnostics`},
		{"from: enhancement", "from: enhancement\n    like: csi-driver", `m.yaml:23: from and like exclude each other`},
		{"from: enhancement", "upstream: x", `m.yaml:23: component diagnostics has no grants`},
		{"from: enhancement", "from: enhancement\n    grants:\n      - {scope: datastore, propagate: false, privileges: [Datastore.Browse]}", `m.yaml:25: diagnostics datastore: Datastore.Browse is already in the rows`},
		{"    like: csi-driver\n", "", `m.yaml:20: component installer has no grants`},
		{"components:", "ancestors: {components: [csi]}\ncomponents:", `m.yaml:4: unknown component "csi"; nearest: "csi-driver"`},
		{"components:", "ancestors: {why: x}\ncomponents:", `m.yaml:4: ancestors needs components and privileges`},
		{"        privileges: [Host.Config.Storage]", "        preflight: {group: cluster}\n        privileges: [Host.Config.Storage]", `m.yaml:19: preflight needs group and description`},
		{good, "", `m.yaml: is empty`},
		{good, "# nothing\n", `m.yaml: is empty`},
		{good, "name: x\n", `m.yaml:1: components is missing`},
		{good, "components: {}\n", `m.yaml:1: the matrix is empty`},
		{good, "- a\n", `m.yaml:1: must be fields with values, not a list`},
		{good, good + "---\nname: second\n", `m.yaml:25: a second document begins here`},
		{good, "name: [\n", `m.yaml:1: `},
		{"source: us", "source: &a us", ""},
		{"why: volumes", "why: *a", `m.yaml:10: not valid YAML, here or below: an alias (*name) has no anchor`},
	} {
		text := strings.Replace(good, tt.old, tt.new, 1)
		if text == good {
			t.Errorf("%q is not in the text", tt.old)
		}
		_, err := Parse("m.yaml", []byte(text))
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.new, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s:\n got %v\nwant %s", tt.new, err, tt.want)
		}
	}
}

func TestParseTellsEverythingAtOnce(t *testing.T) {
	text := strings.NewReplacer("vsan-file", "vsan", "scope: datastore", "scope: datastor", "unknown:", "unkown:").Replace(good)
	_, err := Parse("m.yaml", []byte(text))
	if err == nil || strings.Count(err.Error(), "\n") != 2 { // and no error that follows from another one
		t.Errorf("want three errors, got %v", err)
	}
}

func TestAliasesAreFollowed(t *testing.T) {
	text := strings.Replace(strings.Replace(good, "why: volumes", "why: &w volumes", 1), "why: nobody has it", "why: *w", 1)
	m, err := Parse("m.yaml", []byte(text))
	if err != nil || m.Rows[1].Why != "volumes" {
		t.Errorf("%v, %+v", err, m)
	}
}

// The package comment shows a file: it has to be one.
func TestDocumentedShape(t *testing.T) {
	data, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for line := range strings.Lines(string(data)) {
		if body, ok := strings.CutPrefix(line, "//\t"); ok {
			text.WriteString(body)
		}
	}
	m, err := Parse("doc.yaml", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	last := m.Rows[len(m.Rows)-1]
	want := "OpenShift Container Platform 4.22, Installing on VMware vSphere, table 2.11"
	if m.Name != "mine" || m.Ancestors == nil || !last.Unknown || last.Source != want {
		t.Errorf("%s: %+v", m.Name, last)
	}
}

// located is an error that names file and line, but for a file as a whole; and nothing of the file breaks it.
var located = regexp.MustCompile(`^fuzz\.yaml(:[1-9][0-9]*: [^\x00-\x09\x0b-\x1f]+|: is empty|: more than [0-9]+ values, aliases unfolded)\n?$`)

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("components: {csi-driver: {like: csi-driver, grants: [{scope: vcenter}]}}"))
	f.Add([]byte("components: &a\n  csi-driver: *a\n"))
	f.Add([]byte("? [a]\n: b\n"))
	for _, name := range Names() {
		data, err := embedded.ReadFile("matrix/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	catalogue := Catalogue()
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse("fuzz.yaml", data)
		if err != nil {
			if m != nil {
				t.Fatalf("a matrix and an error: %v", err)
			}
			for line := range strings.Lines(err.Error()) { // one for each thing that is wrong
				if !located.MatchString(line) {
					t.Fatalf("the error names no line: %q in %q", line, err)
				}
			}
			return
		}
		if len(m.Rows) == 0 {
			t.Fatal("an empty matrix was read without an error")
		}
		for _, r := range m.Rows {
			if !slices.Contains(component.Names(), r.Component) || !slices.Contains(Scopes(), r.Scope) || r.Privilege == "" || len(r.Conditions) == 0 || r.Source == "" {
				t.Fatalf("row %+v", r)
			}
		}
		m.Lint(catalogue)
		for _, c := range component.Names() {
			m.Grants(c, nil)
		}
	})
}
