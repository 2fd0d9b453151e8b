package house_test

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every run pays for what packages compile and parse when they are initialized, and few need it: pattern.Of and
// sync.OnceValue leave it until then.
func TestNothingIsCompiledAtStart(t *testing.T) {
	t.Parallel()
	costly := []string{"regexp.MustCompile", "template.Must"}
	patterns := 0
	for _, s := range sources(t) {
		if s.test() || isBeside(s.room()) {
			continue
		}
		fset, file := parse(t, s)
		for _, decl := range file.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					_, later := n.(*ast.FuncLit)
					return !later
				}
				switch name := types.ExprString(call.Fun); {
				case slices.Contains(costly, name):
					t.Errorf("%s: %s at package level costs every run: see internal/pattern", fset.Position(call.Pos()), name)
				case name == "pattern.Of":
					patterns++
					if _, err := regexp.Compile(literal(call.Args[0])); err != nil {
						t.Errorf("%s: %v", fset.Position(call.Pos()), err)
					}
				}
				return true
			})
		}
	}
	if patterns == 0 {
		t.Error("nobody uses pattern.Of: this test no longer sees how expressions are compiled")
	}
}

// literal is the text of an expression of string literals; "" if a named constant is in it.
func literal(e ast.Expr) string {
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(e))
	if err != nil {
		return ""
	}
	return constant.StringVal(v.Value)
}

// What heap does has to come before all that allocates: it imports nothing that would be initialized late.
func TestHeapComesFirst(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		switch {
		case p.Path == "internal/heap" && !slices.Equal(p.Imports, []string{"runtime/debug"}):
			t.Errorf("internal/heap imports %s, and is initialized after them", strings.Join(p.Imports, ", "))
		case p.Path == "cmd/ocp-vsphere-admin" && !slices.Contains(p.Imports, module+"/internal/heap"):
			t.Error("cmd/ocp-vsphere-admin does not import internal/heap: libraries' tables are collected at each start")
		}
	}
}
