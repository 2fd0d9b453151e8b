package spec

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// writtenFields are the fields that YAML writes, by their paths: what the types of a provisioning file have.
func writtenFields(of reflect.Type, path string) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if name == "-" {
			continue
		}
		at, typ := strings.TrimPrefix(path+"."+name, "."), field.Type
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if typ == reflect.TypeFor[yaml.Node]() { // by component, whose order a struct could not keep
			typ = map[string]reflect.Type{"components": reflect.TypeFor[Component](), "accounts": reflect.TypeFor[fileAccount]()}[name]
		}
		all[at] = typ
		if typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() == reflect.Struct {
			maps.Copy(all, writtenFields(typ, at))
		}
	}
	return all
}

// describedFields are those of [Fields], by the same paths.
func describedFields(f Field, path string) map[string]Field {
	all := map[string]Field{}
	for _, below := range f.Fields {
		at := strings.TrimPrefix(path+"."+below.Name, ".")
		all[at] = below
		maps.Copy(all, describedFields(below, at))
	}
	return all
}

// Every field that a file is written with is described, and nothing else is; the description says the type.
func TestFieldsAreThoseOfTheTypes(t *testing.T) {
	t.Parallel()
	written, described := writtenFields(reflect.TypeFor[file](), ""), describedFields(Fields(), "")
	for path, typ := range written {
		f, ok := described[path]
		if !ok {
			t.Errorf("field %s has no description in Fields", path)
			continue
		}
		want := map[reflect.Kind][]Type{
			reflect.String: {Text}, reflect.Int: {Number}, reflect.Bool: {Truth}, reflect.Struct: {Object, ByComponent},
			reflect.Slice: {Objects},
		}[typ.Kind()]
		if typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.String {
			want = []Type{Texts}
		}
		if !slices.Contains(want, f.Type) {
			t.Errorf("field %s is described as %s, and is a %s", path, f.Type, typ)
		}
	}
	for path := range described {
		if _, ok := written[path]; !ok && path != "common" { // which is written out
			t.Errorf("field %s is described, and no type has it", path)
		}
	}
}

// A description says all that a reader asks: what the field is, and what leaving it out means.
func TestFieldsAreDescribed(t *testing.T) {
	t.Parallel()
	for path, f := range describedFields(Fields(), "") {
		leaf := f.Type != Object && f.Type != Objects && f.Type != ByComponent
		switch {
		case f.Text == "" || !strings.HasSuffix(f.Text, "."):
			t.Errorf("%s: %q is no sentence", path, f.Text)
		case f.Required && (f.Omitted != "" || f.Default != nil):
			t.Errorf("%s is required, and something is said of leaving it out", path)
		case !f.Required && (f.Omitted == "") == (f.Default == nil):
			t.Errorf("%s: either a default or what leaving it out means", path)
		case leaf && f.Example == "":
			t.Errorf("%s has no example", path)
		case leaf != (len(f.Fields) == 0):
			t.Errorf("%s is %s, and has %d fields", path, f.Type, len(f.Fields))
		}
	}
}

// What a description says of leaving a field out is what Parse does.
func TestDefaultsAreThoseOfTheReader(t *testing.T) {
	t.Parallel()
	s, err := Parse("spec.yaml", []byte(least))
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := yaml.Unmarshal(s.YAML(), &doc); err != nil {
		t.Fatal(err)
	}
	written := map[string]any{}
	leaves(doc, "", written)
	checked := 0
	for path, f := range describedFields(Fields(), "") {
		switch got, there := written[path]; {
		case !there && (f.Default == nil || f.Default == false):
		case f.Default != nil && got != f.Default:
			t.Errorf("%s is %v where it is left out, and is described as %v", path, got, f.Default)
		case f.Default == nil && !f.Required && f.Type != Object:
			t.Errorf("%s is %v where it is left out, and no default is described", path, got)
		case f.Default != nil:
			checked++
		}
	}
	if checked < 6 {
		t.Errorf("only %d defaults were compared:\n%s", checked, s.YAML())
	}
}

// leaves are the values of a document by the paths of their fields, of entries of lists without their number.
func leaves(value any, path string, into map[string]any) {
	switch v := value.(type) {
	case map[string]any:
		for name, below := range v {
			leaves(below, strings.TrimPrefix(path+"."+name, "."), into)
		}
	case []any:
		if len(v) == 0 {
			into[path] = value
		}
		for _, entry := range v {
			leaves(entry, path, into)
		}
	default:
		into[path] = value
	}
}

// The example of the reference page is a provisioning file, and shows every field.
func TestCompleteExample(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/complete.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse("testdata/complete.yaml", data); err != nil {
		t.Error(err)
	}
	var doc any
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	shown := map[string]any{}
	leaves(doc, "", shown)
	for path, f := range describedFields(Fields(), "") {
		if rest, ok := strings.CutPrefix(path, "components."); ok {
			path = fmt.Sprintf("components.%s.%s", map[string]string{"principal": "diagnostics", "group": "cloud-controller", "disabled": "installer", "memberOf": "csi-driver"}[rest], rest)
		}
		path = strings.Replace(path, "vcenters.accounts.", "vcenters.accounts.csi-driver.", 1)
		if _, ok := shown[path]; !ok && len(f.Fields) == 0 {
			t.Errorf("the example does not show %s", path)
		}
	}
}
