package house_test

import (
	"go/ast"
	"testing"
)

// TestExportedNamesAreExplained asks for a comment on every exported name: there is no other manual for
// the next reader.
func TestExportedNamesAreExplained(t *testing.T) {
	t.Parallel()
	packageDoc := map[string]bool{}
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		fset, file := parse(t, s)
		packageDoc[s.room()] = packageDoc[s.room()] || file.Doc != nil
		for _, name := range undocumented(file) {
			t.Errorf("%s: %s has no comment: say what it is, its unit, default, errors, and where a fact comes from", fset.Position(name.Pos()), name.Name)
		}
	}
	for room, ok := range packageDoc {
		if !ok {
			t.Errorf("%s has no package comment", room)
		}
	}
}

// wellKnown are methods whose name is their whole contract.
var wellKnown = map[string]bool{"Error": true, "Unwrap": true, "String": true}

func undocumented(file *ast.File) []*ast.Ident {
	var bare []*ast.Ident
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) && !(d.Recv != nil && wellKnown[d.Name.Name]) {
				bare = append(bare, d.Name)
			}
		case *ast.GenDecl:
			bare = append(bare, undocumentedSpecs(d)...)
		}
	}
	return bare
}

// undocumentedSpecs accepts the comment of a block for all of its constants, variables and type aliases: they are one list.
func undocumentedSpecs(d *ast.GenDecl) []*ast.Ident {
	var bare []*ast.Ident
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && s.Comment == nil && (d.Doc == nil || d.Lparen.IsValid() && !s.Assign.IsValid()) {
				bare = append(bare, s.Name)
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if n.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
					bare = append(bare, n)
				}
			}
		}
	}
	return bare
}

// exportedReceiver reports whether a method can be seen from outside: its type is exported too. A function always can.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}
