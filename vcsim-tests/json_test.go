package vcsimtests

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

// A JSON path names values of the last output: summary.create, vcenters[0].server, vcenters[*].changes[kind=user].name.
// [*] is every element, [field=value] those elements that have it; several conditions follow each other. At a path
// that begins with FILE: the document is read from that file.

// cmdJSON holds the values at a path to these, in order: json PATH VALUE... Strings stand as they are, everything else
// as JSON without spaces. ! json PATH says that there is nothing.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	got := []string{}
	for _, v := range find(ts, args[0]) {
		got = append(got, plain(v))
	}
	if neg {
		if len(got) > 0 {
			ts.Fatalf("%s is %q", args[0], got)
		}
		return
	}
	want := make([]string, len(args)-1)
	for i, a := range args[1:] {
		var v any
		if want[i] = a; strings.HasPrefix(a, "{") && json.Unmarshal([]byte(a), &v) == nil {
			want[i] = plain(v) // whatever the order of the fields
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		ts.Fatalf("%s (-want +got):\n%s", args[0], diff)
	}
}

// cmdJSONCount counts the values at a path: json-count PATH N.
func cmdJSONCount(ts *testscript.TestScript, neg bool, args []string) {
	if got := strconv.Itoa(len(find(ts, args[0]))); (got == args[1]) == neg {
		ts.Fatalf("%s: %s values, want %s", args[0], got, args[1])
	}
}

// cmdJSONFields says which fields the objects at a path have: json-fields PATH FIELD...; FIELD? may be missing. There is
// at least one object.
func cmdJSONFields(ts *testscript.TestScript, neg bool, args []string) {
	all := find(ts, args[0])
	if len(all) == 0 {
		ts.Fatalf("nothing at %s", args[0])
	}
	for _, v := range all {
		o, ok := v.(map[string]any)
		if !ok {
			ts.Fatalf("%s: no object: %s", args[0], plain(v))
		}
		for name := range o {
			if !slices.Contains(args[1:], name) && !slices.Contains(args[1:], name+"?") {
				ts.Fatalf("%s: field %s is not in the contract: %s", args[0], name, plain(v))
			}
		}
		for _, name := range args[1:] {
			if _, has := o[name]; !has && !strings.HasSuffix(name, "?") {
				ts.Fatalf("%s: field %s is missing: %s", args[0], name, plain(v))
			}
		}
	}
}

func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

var step = regexp.MustCompile(`^\.?([^.\[\]]+)|^\[([^\]]*)\]`)

func find(ts *testscript.TestScript, path string) []any {
	file := "stdout"
	if name, rest, ok := strings.Cut(path, ":"); ok {
		file, path = name, rest
	}
	var doc any
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		ts.Fatalf("%s is no JSON: %v", file, err)
	}
	if d.More() {
		ts.Fatalf("%s: there is more than one document", file)
	}
	at := []any{doc}
	for path != "" && path != "." {
		m := step.FindStringSubmatch(path)
		if m == nil {
			ts.Fatalf("path %q is not understood", path)
		}
		path = path[len(m[0]):]
		var next []any
		for _, v := range at {
			next = append(next, follow(v, m[1], m[2])...)
		}
		at = next
	}
	return at
}

func follow(v any, field, index string) []any {
	if field != "" {
		if o, ok := v.(map[string]any); ok {
			if value, has := o[field]; has {
				return []any{value}
			}
		}
		return nil
	}
	if key, want, ok := strings.Cut(index, "="); ok {
		elements, isList := v.([]any)
		if !isList { // a further condition on what the last one found
			elements = []any{v}
		}
		return slices.DeleteFunc(slices.Clone(elements), func(e any) bool {
			o, _ := e.(map[string]any)
			value, has := o[key]
			return !has || plain(value) != want
		})
	}
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	if index == "*" {
		return list
	}
	if n, err := strconv.Atoi(index); err == nil && n >= 0 && n < len(list) {
		return list[n : n+1]
	}
	return nil
}

// cmdSameJSON compares the value at a path of the last output with a whole document: same-json PATH FILE.
func cmdSameJSON(ts *testscript.TestScript, neg bool, args []string) {
	var want any
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[1])))
	d.UseNumber() // as find does
	ts.Check(d.Decode(&want))
	got := find(ts, args[0])
	if len(got) != 1 {
		ts.Fatalf("%s: %d values", args[0], len(got))
	}
	if diff := cmp.Diff(want, got[0]); (diff == "") == neg {
		ts.Fatalf("%s and %s (-file +here):\n%s", args[0], args[1], diff)
	}
}
