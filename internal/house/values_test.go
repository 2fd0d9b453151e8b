package house_test

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// deciding are the types of internal/provision that hold what is asked, what was found, and what follows from both. Their
// methods are functions over values: none takes a context, so that none can fetch anything while something is decided.
var deciding = []string{"request", "snapshot", "snapshots", "decision", "vcenterPlan", "domainPlan", "desired", "topology"}

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
				if receiver := receiverOf(d); s.room() == "internal/provision" && slices.Contains(deciding, receiver) {
					seen[receiver] = true
					if at := live(d.Type.Params); at != "" {
						t.Errorf("%s: %s.%s takes a %s: what is decided is a function of values", fset.Position(d.Pos()), receiver, d.Name.Name, at)
					}
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					named, ok := spec.(*ast.TypeSpec)
					if !ok {
						continue
					}
					plain := s.room() == "internal/provision" && slices.Contains(deciding, named.Name.Name) ||
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
	for _, want := range append([]string{"internal/roles.State", "internal/perms.State", "internal/sso.State", "internal/provision.snapshot"}, "request", "snapshot", "snapshots", "decision") {
		if !seen[want] {
			t.Errorf("%s was not seen: this test no longer looks at it", want)
		}
	}
}

func receiverOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	return strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*")
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
