package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// What scripts rely on, as the last release had it, and what may be missing of it. docs/stability.md explains both.
const (
	recordedSurface = "testdata/surface.txt"
	deprecated      = "testdata/deprecated.txt"
)

// TestSurface holds the surface against that of the last release: what is new is fine, what is missing or different has been deprecated.
// Each release records its own: go test ./internal/cli -run TestSurface -update
func TestSurface(t *testing.T) {
	t.Parallel()
	now := surface(t)
	if *update {
		head := "# What the last release promises (docs/stability.md), a line each. Written by go test ./internal/cli -run TestSurface -update\n"
		if err := os.WriteFile(recordedSurface, []byte(head+strings.Join(now, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, broken := range breaks(lines(t, recordedSurface), now, lines(t, deprecated)) {
		t.Error(broken)
	}
}

// breaks compares. A deprecation is a line of the record, the release that announced it, and what to use instead, between tabs.
func breaks(recorded, now, deprecations []string) (found []string) {
	gone := map[string]bool{}
	for _, d := range deprecations {
		parts := strings.Split(d, "\t")
		switch {
		case len(parts) != 3 || parts[1] == "" || parts[2] == "":
			found = append(found, fmt.Sprintf("%s: %q is not LINE<tab>RELEASE<tab>WHAT INSTEAD", deprecated, d))
		case !slices.Contains(recorded, parts[0]):
			found = append(found, fmt.Sprintf("%s: the last release had no %q", deprecated, parts[0]))
		default:
			gone[parts[0]] = true
		}
	}
	for _, line := range recorded {
		if !gone[line] && !slices.Contains(now, line) {
			found = append(found, fmt.Sprintf("missing or changed: %q: scripts rely on it; bring it back, or announce it (docs/stability.md)", line))
		}
	}
	for _, line := range now { // a new field that has to be there breaks the files that people have
		at, isField := strings.CutSuffix(line, " required")
		above := at[:max(strings.LastIndex(at, "."), 0)]
		if isField && !slices.Contains(recorded, line) && slices.ContainsFunc(recorded, func(old string) bool {
			return above == "" || strings.HasPrefix(old, above+".")
		}) {
			found = append(found, fmt.Sprintf("new and required: %q: files of the last release do not have it", line))
		}
	}
	return found
}

// lines are those of a file, without comments.
func lines(t *testing.T, path string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

// surface is what scripts see of the tool: commands, flags, exit codes, fields of documents and of the files that people write.
func surface(t *testing.T) []string {
	t.Helper()
	all := map[string]bool{}
	add := func(format string, args ...any) { all[fmt.Sprintf(format, args...)] = true }
	root := NewCmdRoot(command.NewFactory(termtest.NewFake().Streams, command.Build{}))
	command.EachCommand(root, func(cmd *cobra.Command) {
		name := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), command.Program), " ")
		if name != "" {
			add("command %s", name)
		}
		for _, alias := range cmd.Aliases {
			add("command %s = %s", name, alias)
		}
		cmd.LocalFlags().VisitAll(func(fl *pflag.Flag) {
			flag := strings.TrimSpace(name+" --") + fl.Name
			if fl.Name == "help" {
				return
			}
			if fl.Shorthand != "" {
				add("flag %s = -%s", flag, fl.Shorthand)
			}
			kind := fl.Value.Type()
			if choice, ok := fl.Value.(interface{ Words() []string }); ok {
				kind = "choice"
				for _, word := range choice.Words() {
					add("flag %s takes %s", flag, word)
				}
			}
			add("flag %s is a %s, default %q", flag, kind, fl.DefValue)
		})
	})
	for name, code := range map[string]int{
		"done": command.ExitDone, "failed": command.ExitFailed, "different": command.ExitDifferent, "partly": command.ExitPartly,
		"interrupted": command.ExitInterrupted,
	} {
		add("exit %s %d", name, code)
	}
	for name, schema := range map[string][]byte{"provisioning file": spec.Schema(), "matrix file": privileges.Schema()} {
		var s map[string]any
		if err := json.Unmarshal(schema, &s); err != nil {
			t.Fatal(err)
		}
		schemaLines(add, name+" ", s, s, nil)
	}
	p := newPrinting(t)
	p.each(t, func(verb string) {
		if strings.HasPrefix(verb, labName) {
			return
		}
		fake := termtest.NewFake()
		fake.OnPrint(func(v any, _ func(int) (string, error)) {
			documentLines(add, "document of "+verb+" ", reflect.TypeOf(v), nil)
		})
		p.run(t, fake, verb)
	})
	return slices.Sorted(maps.Keys(all))
}

// schemaLines are the fields of a JSON schema, with what they take.
func schemaLines(add func(string, ...any), at string, s, root map[string]any, within []string) {
	if ref, ok := s["$ref"].(string); ok && !slices.Contains(within, ref) {
		var to any = root
		for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			to = to.(map[string]any)[step]
		}
		schemaLines(add, at, to.(map[string]any), root, append(within, ref))
	}
	if kind, ok := s["type"]; ok {
		add("%s is a %v", at, kind)
	}
	values, _ := s["enum"].([]any)
	for _, v := range values {
		add("%s takes %v", at, v)
	}
	properties, _ := s["properties"].(map[string]any)
	for name, of := range properties {
		schemaLines(add, at+"."+name, of.(map[string]any), root, within)
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		add("%s.%v required", at, name)
	}
	for key, mark := range map[string]string{"items": "[]", "additionalProperties": ".*"} {
		if of, ok := s[key].(map[string]any); ok {
			schemaLines(add, at+mark, of, root, within)
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		several, _ := s[key].([]any)
		for _, of := range several {
			schemaLines(add, at, of.(map[string]any), root, within)
		}
	}
}

// documentLines are the fields that a value has in JSON.
func documentLines(add func(string, ...any), at string, v reflect.Type, within []reflect.Type) {
	switch {
	case v.Implements(reflect.TypeFor[json.Marshaler]()) || v == reflect.TypeFor[time.Time]():
		add("%s is a %s", at, v)
		return
	case v.Kind() == reflect.Pointer:
		documentLines(add, at, v.Elem(), within)
		return
	case v.Kind() == reflect.Slice:
		documentLines(add, at+"[]", v.Elem(), within)
		return
	case v.Kind() == reflect.Map:
		documentLines(add, at+".*", v.Elem(), within)
		return
	case v.Kind() != reflect.Struct:
		add("%s is a %s", at, v.Kind())
		return
	case slices.Contains(within, v):
		return
	}
	for f := range v.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			documentLines(add, at, f.Type, append(within, v))
		default:
			if name == "" {
				name = f.Name
			}
			documentLines(add, at+"."+name, f.Type, append(within, v))
		}
	}
}

// What is new may come; what goes, changes, or has to be written all of a sudden is said.
func TestBreaks(t *testing.T) {
	t.Parallel()
	recorded := []string{"command a", "flag a --x, default \"\"", "provisioning file .a.b required", "provisioning file .a.c is a string"}
	for name, c := range map[string]struct {
		now, deprecations []string
		want              string
	}{
		"the same":            {recorded, nil, ""},
		"a new command":       {append([]string{"command b", "provisioning file .a.d is a string"}, recorded...), nil, ""},
		"a command goes":      {recorded[1:], nil, `"command a"`},
		"an announced one":    {recorded[1:], []string{"command a\t1.0.0\tcommand b"}, ""},
		"another default":     {append([]string{"flag a --x, default \"y\""}, recorded[2:]...), []string{"command a\t1.0.0\tb"}, `--x, default \"\"`},
		"required now":        {append([]string{"provisioning file .a.c required"}, recorded...), nil, "new and required"},
		"required, all new":   {append([]string{"provisioning file .z.c required"}, recorded...), nil, ""},
		"an empty reason":     {recorded, []string{"command a\t1.0.0\t"}, "is not LINE"},
		"of nothing recorded": {recorded, []string{"command z\t1.0.0\tb"}, "had no"},
	} {
		got := strings.Join(breaks(recorded, c.now, c.deprecations), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
