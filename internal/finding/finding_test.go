package finding

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every code is in the table once, and is explained.
func TestEveryCodeIsExplained(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[Code]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if named, ok := spec.Type.(*ast.Ident); ok && named.Name == "Code" {
			c, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes[Code(c)] = true
		}
		return true
	})
	if len(codes) < 40 {
		t.Fatalf("%d codes: the test no longer sees them", len(codes))
	}
	form := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for _, a := range table {
		switch {
		case !codes[a.Code]:
			t.Errorf("%s is in the table twice, or is no code", a.Code)
		case !form.MatchString(string(a.Code)) || a.Severity == "" || a.From == "" || !strings.HasSuffix(a.Means, ".") || !strings.HasSuffix(a.Remedy, "."):
			t.Errorf("%s is not explained: %+v", a.Code, a)
		case strings.Contains(a.Remedy, "printed"): // in a redacted report it stands alone
			t.Errorf("%s: its remedy speaks of a command that may not be there: %s", a.Code, a.Remedy)
		}
		delete(codes, a.Code)
	}
	for c := range codes {
		t.Errorf("the table lacks %s", c)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	f := New(SecretMissing, "kube-system/vsphere-creds", "has no key %s", "a").About("vc1", "")
	if f.Severity != Error || f.Text != "has no key a" || f.Remedies == nil || len(f.Accounts) != 1 {
		t.Errorf("%+v", f)
	}
	defer func() {
		if recover() == nil {
			t.Error("a code without an entry is taken")
		}
	}()
	New("nonsense", "", "")
}
