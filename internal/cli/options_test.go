package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// No value of a command or of the wizard holds a context: it is an argument of what runs. And no command reaches for the
// flags of another one: who wants to name a command asks an invocation, and who wants its work begins it.
func TestCommandsHoldNoContextAndNoOtherCommand(t *testing.T) {
	t.Parallel()
	looked := 0
	wizard, err := filepath.Glob("../wizard/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(sources(t), wizard...) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		looked++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range misplaced(file) {
			t.Errorf("%s", set.Position(n.Pos()))
		}
	}
	if looked < 80 {
		t.Errorf("only %d files were found", looked)
	}
}

// misplaced are contexts in structs, flags that are set by name, and commands that are looked up; only the help of a command
// is looked for by its words.
func misplaced(file *ast.File) (found []ast.Node) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, f := range n.Fields.List {
				if named(f.Type, "context", "Context") {
					found = append(found, f)
				}
			}
		case *ast.FuncDecl:
			return n.Name.Name != "helpRefusesUnknownWords"
		case *ast.CallExpr:
			call, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ofCall := call.X.(*ast.CallExpr)
			x, isName := call.X.(*ast.Ident)
			switch {
			case call.Sel.Name == "Find" && (isName && x.Name == "root" || ofCall && calls(of, "Root")):
				found = append(found, n)
			case call.Sel.Name == "Set" && ofCall && (calls(of, "Flags") || calls(of, "PersistentFlags")):
				found = append(found, n)
			}
		}
		return true
	})
	return found
}

func named(e ast.Expr, pkg, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg
}

func calls(e *ast.CallExpr, name string) bool {
	sel, ok := e.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == name
}

func TestDetectorOfMisplacedContexts(t *testing.T) {
	t.Parallel()
	const bad = `package x
type options struct { ctx context.Context; run func(ctx context.Context) }
func f(cmd *cobra.Command) { cmd.Flags().Set("a", "b"); cmd.Root().Find(nil); v.Set("a", 1) }`
	file, err := parser.ParseFile(token.NewFileSet(), "bad.go", bad, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(misplaced(file)); got != 3 {
		t.Errorf("%d of 3 found", got)
	}
}
