package report

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/usage"
)

// neutral is a text of each kind: what a report says in a test until it is renamed.
var neutral = map[string]string{
	"account": "svc@dom", "principal": `dom\jane`, "vcenter": "vc", "cluster": "c1", "domain": "dom", "instance": "uuid", "path": "/dc/vm/folder",
	"secret": "ns/secret", "role": "editors", "prefix": "acme-", "matrix": "own", "subject": "subject", "text": "free text", "made": "", "word": "word",
}

// Every field of a report that holds text says what kind of text it is: one that somebody adds is not forgotten.
func TestFieldsSayWhatTheyHold(t *testing.T) {
	t.Parallel()
	seen := map[reflect.Type]bool{}
	var walk func(typ reflect.Type, kind, at string)
	walk = func(typ reflect.Type, kind, at string) {
		switch typ.Kind() {
		case reflect.String:
			if _, known := neutral[kind]; !known && (kind != "" || typ == reflect.TypeFor[string]()) {
				t.Errorf("%s: its kind %q is not known", at, kind)
			}
		case reflect.Pointer, reflect.Slice:
			walk(typ.Elem(), kind, at)
		case reflect.Map, reflect.Interface, reflect.Array:
			t.Errorf("%s: names in a %s are not replaced", at, typ.Kind())
		case reflect.Struct:
			if seen[typ] {
				return
			}
			seen[typ] = true
			for f := range typ.Fields() {
				if f.IsExported() {
					walk(f.Type, f.Tag.Get("redact"), at+"."+f.Name)
				}
			}
		}
	}
	walk(reflect.TypeFor[Report](), "", "Report")
}

// filled gives every field that is empty a value, so that no place for a name is without one.
func filled(v reflect.Value, kind string) {
	switch v.Kind() {
	case reflect.String:
		named := map[reflect.Type]string{reflect.TypeFor[finding.Code](): "missing-privileges", reflect.TypeFor[finding.Severity](): "error"}[v.Type()]
		switch {
		case v.String() != "":
		case kind == "":
			v.SetString(named)
		default:
			v.SetString(neutral[kind])
		}
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		filled(v.Elem(), kind)
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			filled(v.Index(i), kind)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				filled(v.Field(i), f.Tag.Get("redact"))
			}
		}
	}
}

// renamed is a copy of a report in which each name is another one, and each free text has all of them.
func renamed(r *Report, names map[string]string) *Report {
	to := func(name string) string {
		if name == "" || slices.Contains(built, name) {
			return name
		}
		if names[name] == "" {
			panic("no other name for " + name)
		}
		return names[name]
	}
	return mapped(r, func(kind, text string) string {
		switch kind {
		case "word", "made":
			return text
		case "text":
			if text == login.OK {
				return text
			}
			for _, name := range names {
				text += " " + name
			}
			return text
		case "role":
			if strings.HasPrefix(text, "openshift-csi") {
				return text
			}
		}
		var out strings.Builder
		for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(`/@\`, r) }) {
			at := strings.Index(text, part)
			out.WriteString(text[:at] + to(part))
			text = text[at+len(part):]
		}
		return out.String() + text
	})
}

// estate is a report in which every field has something, with every name that it has, each in lower case.
func estate(t *testing.T) (*Report, []string) {
	r := sample("vc", "svc@dom", "folder")
	r.Verification.VCenters[0].Accounts[0].Objects[0].Reasons = nil
	r.VCenters[0].Usage = &usage.VCenter{}
	r.Scope.Matrix, r.Scope.RolePrefix, r.VCenters[0].Reader = "own", "acme-", "jane@dom"
	filled(reflect.ValueOf(r), "")
	var names []string
	mapped(r, func(kind, text string) string {
		if kind != "word" && kind != "made" && kind != "text" {
			names = append(names, strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(`/@\`, r) })...)
		}
		return text
	})
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		return slices.Contains(built, name) || strings.HasPrefix(name, "openshift-csi")
	})
	if len(names) < 15 {
		t.Fatalf("few names: %q", names)
	}
	return r, names
}

// texts are a report in each format that others get.
func texts(t interface{ Fatal(args ...any) }, r *Report) [3]string {
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return [3]string{string(data), string(page), string(r.Markdown())}
}

// Nothing of a redacted report depends on a name of the estate, in any format and compared with an earlier one: two reports that differ in
// nothing but names are the same, byte for byte. Names are of any script, change their length when they are folded, are parts of each other
// and words of this tool.
func TestRedactedTellsNoName(t *testing.T) {
	t.Parallel()
	r, names := estate(t)
	earlier := mapped(r, func(_, text string) string { return text })
	earlier.VCenters[0].Map, earlier.VCenters[0].Others = nil, nil
	want := texts(t, r.Redact(earlier))
	kept := slices.Concat(built, privileges.Names(), []string{"Admin", privileges.ReadOnly, "NoAccess", spec.DefaultRolePrefix})
	words := []string{"a", "in", "openshift", "account", "account-1", "object-2", "person-2-install", "left out", "csi-driver", "td", "İ", "i̇", "ß", "ẞ", "SS", "permission of", "made", "none"}
	rapid.Check(t, func(t *rapid.T) {
		to, taken := map[string]string{}, map[string]bool{}
		for i, name := range names {
			random := rapid.StringOfN(rapid.RuneFrom([]rune("İıßẞéȺⱥ\u0301\u202e\u200d\u00ad漢אب𝐀😀<&\"'|*_ .:-aB1")), 1, 12, -1)
			gen := rapid.OneOf(random, rapid.SampledFrom(words))
			if i > 0 { // a part of the last one, or more than it
				last := to[names[i-1]]
				gen = rapid.OneOf(gen, rapid.Just(last+"x"), rapid.Just(string([]rune(last)[:1])))
			}
			to[name] = gen.Filter(func(s string) bool {
				return strings.TrimSpace(s) == s && !taken[strings.ToLower(s)] && !slices.ContainsFunc(kept, func(k string) bool { return strings.EqualFold(k, s) })
			}).Draw(t, name)
			taken[strings.ToLower(to[name])] = true
		}
		got := texts(t, renamed(r, to).Redact(renamed(earlier, to)))
		for i, format := range []string{"JSON", "HTML", "Markdown"} {
			if got[i] != want[i] {
				a, b := strings.Split(got[i], "\n"), strings.Split(want[i], "\n")
				for n := range min(len(a), len(b)) {
					if a[n] != b[n] {
						t.Fatalf("%s tells a name: line %d is\n%s\nand is\n%s\nwith others", format, n+1, a[n], b[n])
					}
				}
				t.Fatalf("%s tells a name", format)
			}
		}
	})
}

// A limit of the evidence stays one when its text cannot: what names nothing is said as it is.
func TestRedactedKeepsLimits(t *testing.T) {
	t.Parallel()
	r := sample("vc", "svc@dom", "o")
	r.VCenters[0].Notes = []string{inspect.NoSessions, "jane may not"}
	r.VCenters[0].Error, r.VCenters[0].History.Unknown = "refused jane", "refused jane"
	r.Complete()
	had, has := len(r.Limits), r.Redact(nil).Limits
	if len(has) != had {
		t.Errorf("%d limits of %d: %q", len(has), had, has)
	}
	for _, want := range []string{"vcenter-1: " + inspect.NoSessions, "vcenter-1: left out", "vcenter-1: not read to the end: left out"} {
		if !strings.Contains(fmt.Sprint(has), want) {
			t.Errorf("no %q in %q", want, has)
		}
	}
}
