package yamldoc_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// read asks a text for one field of each kind.
func read(text string, rules yamldoc.Rules) (string, error) {
	r := yamldoc.New("f.yaml", rules)
	root := r.Document([]byte(text))
	if root == nil {
		return "", r.Err()
	}
	o := r.Object(root, yamldoc.Place{Line: 1}, "text", "number", "truth", "list", "choice", "inner")
	var got []string
	list, _ := o.Texts("list")
	for _, t := range list {
		got = append(got, t.Value)
	}
	o.Number("number", 0)
	o.Truth("truth")
	got = append(got, o.Text("text").Value, o.Choice("choice", "", "red", "green"), o.Object("inner", "text").Text("text").Value)
	return strings.Join(got, " "), r.Err()
}

func TestProblemsAreToldWithLineAndPath(t *testing.T) {
	t.Parallel()
	closed := yamldoc.Rules{Closed: true}
	for name, c := range map[string]struct {
		text, want string
		rules      yamldoc.Rules
	}{
		"nothing":         {"# a comment\n", "f.yaml: is empty", closed},
		"a list":          {"- a\n", "f.yaml:1: must be fields with values, not a list", closed},
		"two":             {"text: a\n---\ntext: b\n", "f.yaml:3: a second document begins here: a file may have only one", closed},
		"unknown":         {"text: a\ntxet: b\n", `f.yaml:2: unknown field "txet"; did you mean "text"?`, closed},
		"with its remedy": {"pass: b\n", `f.yaml:1: unknown field "pass": no passwords here`, yamldoc.Rules{Closed: true, Unknown: func(string) string { return ": no passwords here" }}},
		"passed over":     {"txet: b\ntxet: c\n", "", yamldoc.Rules{}},
		"twice":           {"text: a\ninner:\n  text: b\n  text: c\n", "f.yaml:4: inner.text: is given twice, first on line 3: remove one", yamldoc.Rules{}},
		"twice but for case": {
			"text: a\nTEXT: c\n", "f.yaml:2: text: is given twice, first on line 1: remove one", yamldoc.Rules{FoldCase: true},
		},
		"types": {
			"text: 1\nnumber: canary\ntruth: 3\nlist: [a, {b: canary}]\ninner: [canary]\n",
			"f.yaml:1: text: must be text, not a number: put it in quotes\nf.yaml:2: number: must be a whole number, not text\n" +
				"f.yaml:3: truth: must be true or false, not a number\nf.yaml:4: list[1]: must be text, not fields\nf.yaml:5: inner: must be fields, not a list", closed,
		},
		"any scalar":    {"text: 1\n", "", yamldoc.Rules{Closed: true, Scalars: true}},
		"an escape":     {"text: \"canary\\n\"\n", `f.yaml:1: text: contains a line break or another control character; in double quotes \ begins an escape, in single quotes it does not`, closed},
		"a line break":  {"text: |\n  canary\n", "f.yaml:1: text: contains a line break or another control character: write it on one line", closed},
		"a choice":      {"choice: gren\n", `f.yaml:1: choice: "gren" is unknown; did you mean "green"?`, closed},
		"no anchor":     {"number: 1\ntext: *canary\n", "f.yaml:2: not valid YAML, here or below: an alias (*name) has no anchor; put a value that begins with * in quotes", closed},
		"a colon":       {"text: canary: b\n", "f.yaml:1: not valid YAML, here or below: a value contains a colon and a space; put it in quotes", closed},
		"a control":     {"number: 1\ntext: canary\x01\n", "f.yaml:2: not valid YAML, here or below: control characters are not allowed", closed},
		"merges":        {"inner: &a\n  <<: *a\n", "f.yaml:1: merge keys (<<) nest too deeply", closed},
		"no field name": {"[canary]: a\n", "f.yaml:1: a field name must be text, not a list", closed},
	} {
		_, err := read(c.text, c.rules)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(c.want, got); diff != "" || strings.Contains(got, "canary") {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAliasesAndMergesAreFollowed(t *testing.T) {
	t.Parallel()
	got, err := read("inner: &i {text: &t hello}\nlist: [*t, a]\n<<: {text: merged, choice: red}\n", yamldoc.Rules{Closed: true})
	if err != nil || got != "hello a merged red hello" {
		t.Errorf("%q, %v", got, err)
	}
}

// A few kilobytes that unfold into a billion values are refused instead of read.
func TestUnfoldingIsBounded(t *testing.T) {
	t.Parallel()
	r := yamldoc.New("f.yaml", yamldoc.Rules{MaxNodes: 1000})
	root := r.Document([]byte("a: &a [" + strings.Repeat("x,", 100) + "]\nlist: [" + strings.Repeat("*a,", 100) + "]\n"))
	items, _ := r.Object(root, yamldoc.Place{}).List("list")
	for _, item := range items {
		r.Resolve(item.Node)
	}
	if err := r.Err(); !r.Broken() || err == nil || err.Error() != "f.yaml: more than 1000 values, aliases unfolded" {
		t.Errorf("%v", err)
	}
}

// The name of a field may be a key of a secret, or worse: it must not break the line that tells its place.
func TestStrangeNamesAreQuotedInPaths(t *testing.T) {
	t.Parallel()
	p := yamldoc.Place{Path: "data"}
	for name, want := range map[string]string{"vc1.example.com.username": "data.vc1.example.com.username", "a\nb": `data["a\nb"]`, "": `data[""]`} {
		if got := p.Field(name).Path; got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
