package house_test

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// deciding are the rooms that hold what is asked, what was found, and what follows from both. What they do is a function of
// values: none takes a context, so that none can fetch anything while something is decided.
var deciding = []string{"internal/snapshot", "internal/decision"}

// A snapshot can be made by hand and compared, because nothing in it leads back to a server. That holds for the states that it
// consists of, too.
func TestWhatIsDecidedAboutIsPlain(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		fset, file := parse(t, s)
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if slices.Contains(deciding, s.room()) {
					if at := live(d.Type.Params); at != "" {
						t.Errorf("%s: %s takes a %s: what is decided is a function of values", fset.Position(d.Pos()), d.Name.Name, at)
					}
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					named, ok := spec.(*ast.TypeSpec)
					if !ok {
						continue
					}
					plain := slices.Contains(deciding, s.room()) ||
						slices.Contains([]string{"internal/roles", "internal/perms", "internal/sso"}, s.room()) && named.Name.Name == "State"
					fields, isStruct := named.Type.(*ast.StructType)
					if !plain || !isStruct {
						continue
					}
					seen[s.room()+"."+named.Name.Name] = true
					if at := live(fields.Fields); at != "" {
						t.Errorf("%s: %s holds a %s: it is a plain value", fset.Position(named.Pos()), named.Name.Name, at)
					}
				}
			}
		}
	}
	for _, want := range []string{"internal/roles.State", "internal/perms.State", "internal/sso.State", "internal/snapshot.Request", "internal/snapshot.Snapshot", "internal/decision.Decision"} {
		if !seen[want] {
			t.Errorf("%s was not seen: this test no longer looks at it", want)
		}
	}
}

// live is the first of fields that leads to a server; "" if none does.
func live(fields *ast.FieldList) string {
	for _, f := range fields.List {
		of := strings.TrimPrefix(types.ExprString(f.Type), "*")
		if slices.Contains([]string{"context.Context", "vcenter.Session", "sso.Client", "Client", "Job", "target"}, of) {
			return of
		}
	}
	return ""
}
