package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// What changes vCenters is called in changes alone, so that no command passes its guards by.
func TestNothingIsDoneButByAChange(t *testing.T) {
	t.Parallel()
	mutators := []string{"Apply", "Destroy", "Finish", "Replace", "Revert", "Rotate", "SetDisabled"}
	paths := sources(t)
	found := 0
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		allowed := map[ast.Node]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.KeyValueExpr:
				if key, ok := x.Key.(*ast.Ident); ok && key.Name == "Do" {
					ast.Inspect(x.Value, func(n ast.Node) bool { allowed[n] = true; return true })
				}
			case *ast.AssignStmt:
				for _, l := range x.Lhs {
					if s, ok := l.(*ast.SelectorExpr); ok && s.Sel.Name == "Do" {
						ast.Inspect(x, func(n ast.Node) bool { allowed[n] = true; return true })
					}
				}
			case *ast.SelectorExpr:
				if job, ok := x.X.(*ast.SelectorExpr); ok && job.Sel.Name == "Job" && slices.Contains(mutators, x.Sel.Name) {
					if found++; !allowed[n] {
						t.Errorf("%s: Job.%s stands outside of a change", path, x.Sel.Name)
					}
				}
			}
			return true
		})
	}
	if found < len(mutators) {
		t.Errorf("%d calls were found", found)
	}
}
