package privileges

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// validates holds a matrix file against the schema, as an editor does.
func validates(t *testing.T, data []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(SchemaID, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(SchemaID)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := yaml.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if value, err = jsonschema.UnmarshalJSON(bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return s.Validate(value)
}

// An exported matrix is a file that can be used: with the same rows, and in the shape that the schema describes.
func TestExportedMatrixIsAMatrix(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		m := load(t, name)
		text, err := m.Export(FormatMatrix, ExportOptions{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("mine.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if back.Name != "mine" {
			t.Errorf("%s is called %s", name, back.Name)
		}
		back.Name = m.Name
		if diff := cmp.Diff(m, back, cmpopts.IgnoreUnexported(Matrix{}), cmpopts.EquateEmpty(), cmp.Comparer(func(a, b Releases) bool { return a.String() == b.String() })); diff != "" {
			t.Errorf("%s differs after the export:\n%s", name, diff)
		}
		if err := validates(t, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaHoldsForMatrixFiles(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		data, err := embedded.ReadFile("matrix/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if err := validates(t, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for before, after := range map[string]string{"scope: cluster": "scope: clutser", "propagate: true": "propagte: true", "csi-driver:": "csi:", "- Host.Config.Storage": "- id: 3"} {
		if text := strings.Replace(page(t), before, after, 1); text == page(t) || validates(t, []byte(text)) == nil {
			t.Errorf("the schema takes %s", after)
		}
	}
}

// page is the example of the reference page.
func page(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../docs/matrix-file.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "```yaml\napiVersion")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page has no example")
	}
	return "apiVersion" + example
}

func TestMatrixPageHoldsAMatrix(t *testing.T) {
	t.Parallel()
	if _, err := Parse("my-matrix.yaml", []byte(page(t))); err != nil {
		t.Error(err)
	}
	if err := validates(t, []byte(page(t))); err != nil {
		t.Error(err)
	}
	data, err := os.ReadFile("../../docs/matrix-file.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]string{matrixFields(), ancestorFields(), componentFields(), grantFields(), privilegeFields(), preflightFields(), component.Words(Scopes()), component.Words(Conditions()), evidence()} {
		for _, word := range list {
			if !strings.Contains(string(data), "`"+word+"`") {
				t.Errorf("the page does not describe `%s`", word)
			}
		}
	}
}

// What privileges prints for readers is refused with the command that writes a file.
func TestViewsAreNoMatrixFiles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"apiVersion: ocp-vsphere-admin/v1\nkind: PrivilegeExport\nrows: []\n", "kind: PrivilegeMatrix\ncomponents:\n- component: csi-driver\n"} {
		_, err := Parse("v.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), "export --format matrix") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	}
}
