package house_test

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readsSentences are functions that look into what people are told, with the reason why they may.
var readsSentences = map[string]string{
	"exclusive": "cobra has no type for flags that exclude each other",
	"Plainly":   "Go's parser of durations has no type for what is wrong",
}

// What is decided follows from codes and data: a sentence that is searched or compared changes what the tool does when somebody words
// it better.
func TestNobodyDecidesBySentences(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, s := range sources(t) {
		if s.test() || !slices.ContainsFunc([]string{"internal/cli", "internal/decision", "internal/plan", "internal/provision", "internal/snapshot"}, func(room string) bool { return under(room)(s.room()) }) {
			continue
		}
		fset, file := parse(t, s)
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for _, at := range decidesBySentence(f) {
				used[f.Name.Name] = true
				if readsSentences[f.Name.Name] == "" {
					t.Errorf("%s: a sentence is read as data: decide by a code or a field", fset.Position(at))
				}
			}
		}
	}
	for name := range readsSentences {
		if !used[name] {
			t.Errorf("%s reads no sentence: take it off the list", name)
		}
	}
}

// decidesBySentence is where a function searches a sentence, or compares it with anything but nothing, or another one: what is the same
// is said once.
func decidesBySentence(f *ast.FuncDecl) (found []token.Pos) {
	said := map[string]bool{} // variables that hold an error's text
	sentence := func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.SelectorExpr:
			of, ok := e.X.(*ast.Ident)
			constant := ok && slices.Contains([]string{"plan", "finding"}, of.Name)
			return slices.Contains([]string{"Note", "Text"}, e.Sel.Name) && !constant
		case *ast.Ident:
			return said[e.Name]
		case *ast.CallExpr:
			called, ok := e.Fun.(*ast.SelectorExpr)
			return ok && called.Sel.Name == "Error" && len(e.Args) == 0
		}
		return false
	}
	nothing := func(e ast.Expr) bool {
		literal, ok := e.(*ast.BasicLit)
		return ok && literal.Value == `""`
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			name, ok := n.Lhs[0].(*ast.Ident)
			if call, calls := n.Rhs[0].(*ast.CallExpr); ok && calls && sentence(call) {
				said[name.Name] = true
			}
		case *ast.CallExpr:
			called, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) == 0 {
				break
			}
			of, ok := called.X.(*ast.Ident)
			searches := []string{"HasPrefix", "HasSuffix", "Contains", "Index", "EqualFold", "Cut", "CutPrefix", "CutSuffix"}
			if ok && of.Name == "strings" && slices.Contains(searches, called.Sel.Name) && sentence(n.Args[0]) {
				found = append(found, n.Pos())
			}
		case *ast.BinaryExpr:
			compares := n.Op == token.EQL || n.Op == token.NEQ
			if compares && (sentence(n.X) && !nothing(n.Y) && !sentence(n.Y) || sentence(n.Y) && !nothing(n.X) && !sentence(n.X)) {
				found = append(found, n.Pos())
			}
		}
		return true
	})
	return found
}

func TestDetectorOfSentences(t *testing.T) {
	t.Parallel()
	fset, file := parse(t, source{path: "x.go", text: []byte(`package x
func f() bool {
	if c.Note != "" && c.Verb == plan.Create { return c.Note == "displaces" }
	said := err.Error()
	_, why, _ := strings.Cut(said, ": ")
	return strings.HasSuffix(f.Text, why) || strings.Contains(name, " ") ||
		"refused" == err.Error()
}`)})
	var got []int
	for _, at := range decidesBySentence(file.Decls[0].(*ast.FuncDecl)) {
		got = append(got, fset.Position(at).Line)
	}
	if diff := cmp.Diff([]int{3, 5, 6, 7}, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}
