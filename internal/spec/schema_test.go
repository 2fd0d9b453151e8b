package spec

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// compiled is the schema as a validator reads it, which refuses one that is no JSON Schema.
var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(SchemaID, doc); err != nil {
		return nil, err
	}
	return c.Compile(SchemaID)
})

// validate holds a file against the schema, as an editor does.
func validate(t interface{ Fatal(...any) }, data []byte) error {
	s, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := yaml.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func TestSchemaAcceptsWhatYAMLWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		if text := drawSpec(t).YAML(); validate(t, text) != nil {
			t.Fatalf("%v\n%s", validate(t, text), text)
		}
	})
}

// A field that is left empty is left out, for Parse and for an editor.
func TestSchemaAcceptsWhatIsLeftEmpty(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		example, least,
		head + ok + "credentialsFile: \"\"\nprofile:\nprivileges:\naccounts:\ncomponents:\nreconciledAvailableUpdates:\n",
		head + ok + "profile: \"\"\nprivileges: {matrix: \"\", roleLayout: , rolePrefix: , conditions: , added: }\naccounts: {username: }\n",
		head + ok + "privileges: {matrix: my/own, roleLayout: \"\"}\ncomponents: {machine-api: , installer: {principal: , group: , disabled: }}\n",
		head + "vcenters: [{server: vc1, port: , address: , failureDomains: }]\n",
		site + rest + "    folder:\n    resourcePool: \"\"\n    template:\n    hostGroup:\n",
	} {
		if _, err := Parse("spec.yaml", []byte(text)); err != nil {
			t.Errorf("Parse: %v\n%s", err, text)
		}
		if err := validate(t, []byte(text)); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"unknown field", head + ok + "clustr: c2\n", "additional properties 'clustr' not allowed"},
		{"unknown component", head + ok + "components: {machineapi: {}}\n", "additional properties 'machineapi' not allowed"},
		{"unknown field of a component", head + ok + "components: {installer: {user: a}}\n", "additional properties 'user' not allowed"},
		{"unknown field of a vCenter", head + "vcenters: [{server: a, password: b}]\n", "additional properties 'password' not allowed"},
		{"unknown field of a failure domain", site + rest + "    datastor: x\n", "additional properties 'datastor' not allowed"},
		{"wrong profile", head + ok + "profile: kube-sytem\n", "value must be one of 'kube-system'"},
		{"wrong layout", head + ok + "privileges: {roleLayout: scop}\n", "value must be one of 'scope', 'component'"},
		{"wrong matrix", head + ok + "privileges: {matrix: enhancment}\n", "'enhancment' does not match pattern"},
		{"wrong condition", head + ok + "privileges: {conditions: [vsan]}\n", "value must be one of 'vsan-file'"},
		{"condition twice", head + ok + "privileges: {conditions: [vsan-file, vsan-file]}\n", "items at 0 and 1 are equal"},
		{"wrong scope", head + ok + "privileges: {added: [{component: installer, scope: x, privileges: [A]}]}\n", "value must be one of 'vcenter'"},
		{"wrong id", head + ok + "privileges: {added: [{component: installer, scope: folder, privileges: [a b]}]}\n", "'a b' does not match pattern"},
		{"no cluster", "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\n" + ok, "missing property 'cluster'"},
		{"no vCenter", head + "vcenters: []\n", "minItems: got 0, want 1"},
		{"other kind", "apiVersion: ocp-vsphere-admin/v1\nkind: Provision\ncluster: c1\n" + ok, "value must be 'Provisioning'"},
		{"port", head + "vcenters: [{server: a, port: 70000}]\n", "maximum: got 70,000, want 65,535"},
		{"port in quotes", head + "vcenters: [{server: a, port: \"443\"}]\n", "got string, want null or integer"},
		{"cluster's name", strings.Replace(head, "c1", "a b", 1) + ok, "'a b' does not match pattern"},
	} {
		if _, err := Parse("spec.yaml", []byte(c.text)); err == nil {
			t.Errorf("%s: Parse accepts it", c.name)
		}
		err := validate(t, []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

// Each example of a description is right for its field: it is put into a file that is complete but for it.
func TestSchemaAcceptsExamplesOfFields(t *testing.T) {
	t.Parallel()
	var doc map[string]any
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	seen := 0
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if examples, ok := v["examples"].([]any); ok {
				c := jsonschema.NewCompiler()
				if err := c.AddResource("urn:field", v); err != nil {
					t.Fatal(err)
				}
				s := c.MustCompile("urn:field")
				for _, e := range examples {
					if seen++; s.Validate(e) != nil {
						t.Errorf("%v: %v", v["description"], s.Validate(e))
					}
				}
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(doc)
	if want := len(Fields().Fields); seen < want {
		t.Errorf("%d examples were tried, fewer than the %d fields of the top", seen, want)
	}
}

// Every provisioning file of the documents and the scripts that Parse accepts passes the schema.
func TestSchemaAcceptsFilesOfTheDocuments(t *testing.T) {
	t.Parallel()
	const root = "../.."
	found := 0
	for _, from := range []string{"README.md", "docs", "vcsim-tests/testdata", "internal/spec/testdata"} {
		err := filepath.WalkDir(filepath.Join(root, from), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for _, part := range documents(string(text)) {
				if _, err := Parse(path, []byte(part)); err != nil {
					continue
				}
				if found++; validate(t, []byte(part)) != nil {
					t.Errorf("%s: %v\n%s", path, validate(t, []byte(part)), part)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 5 {
		t.Errorf("only %d provisioning files were found", found)
	}
}

// documents are the parts of a text that may be provisioning files: the whole, blocks of Markdown, files of an archive.
func documents(text string) []string {
	const start = "apiVersion: " + APIVersion
	all := []string{text}
	for _, part := range strings.Split("\n"+text, "\n"+start)[1:] {
		for _, end := range []string{"\n```", "\n-- ", "\n---\n"} {
			part, _, _ = strings.Cut(part, end)
		}
		all = append(all, start+part+"\n")
	}
	return all
}
