package house_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// maxLines is the hard limit of a source file; the aim is under 300 lines, with one idea.
const maxLines = 400

// tables are Go files that are data: they may be as long as the data is.
var tables = []string{}

func TestFilesHoldOneIdea(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if lines := bytes.Count(s.text, []byte("\n")); lines > maxLines && !s.test() && !slices.Contains(tables, s.path) {
			t.Errorf("%s has %d lines, the limit is %d: split it by idea", s.path, lines, maxLines)
		}
	}
}

// maxColumns is how wide a line may be without the texts of its strings and comments; a tab counts as one.
const maxColumns = 140

func TestLinesFitBesideEachOther(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		for line, width := range widths(s.text) {
			if width > maxColumns {
				t.Errorf("%s:%d has %d columns without texts, the limit is %d: wrap it", s.path, line+1, width, maxColumns)
			}
		}
	}
}

// widths are those of the lines of a Go file, without the texts of strings and comments.
func widths(text []byte) (all []int) {
	for line := range bytes.Lines(text) {
		all = append(all, len(bytes.TrimRight(line, "\n")))
	}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		at, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return all
		case token.STRING, token.COMMENT:
			for i, part := range strings.Split(literal, "\n") {
				all[file.Line(at)-1+i] -= len(part)
			}
		}
	}
}

func TestWidths(t *testing.T) {
	t.Parallel()
	text := "package p\n\nvar x = \"a text\" + `b\nc\nd` + y // why\n"
	if got := widths([]byte(text)); !slices.Equal(got, []int{9, 0, 11, 0, 5}) {
		t.Errorf("%v", got)
	}
}

// A package above these is likely two, whose names have become hard to find.
const (
	maxPackageLines     = 4000
	maxPackageFunctions = 200
)

// whyLarge is the heading in a package comment of the reason for being larger.
const whyLarge = "# Size"

func TestPackagesFitOrSayWhyNot(t *testing.T) {
	t.Parallel()
	type size struct {
		lines, functions int
		explained        bool
	}
	rooms := map[string]size{}
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		_, file := parse(t, s)
		of := rooms[s.room()]
		of.lines += bytes.Count(s.text, []byte("\n"))
		for _, d := range file.Decls {
			if _, is := d.(*ast.FuncDecl); is {
				of.functions++
			}
		}
		of.explained = of.explained || strings.Contains(file.Doc.Text(), "\n"+whyLarge+"\n")
		rooms[s.room()] = of
	}
	for room, of := range rooms {
		switch large := of.lines > maxPackageLines || of.functions > maxPackageFunctions; {
		case large && !of.explained:
			t.Errorf("%s has %d lines and %d functions: split it, or give the reason below %q in its package comment", room, of.lines, of.functions, whyLarge)
		case !large && of.explained:
			t.Errorf("%s has %d lines and %d functions: remove %q from its package comment", room, of.lines, of.functions, whyLarge)
		}
	}
}

// terminal names what only term and main may touch: the process's streams, its environment, its end.
var terminal = map[string][]string{
	"os":  {"Stdin", "Stdout", "Stderr", "Getenv", "LookupEnv", "Environ", "ExpandEnv", "Exit"},
	"fmt": {"Print", "Printf", "Println"},
	"log": {"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln", "Default"},
}

func TestProcessMeetsTheTerminalInTermAndMain(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test() || s.room() == "internal/term" {
			continue
		}
		fset, file := parse(t, s)
		if file.Name.Name == "main" {
			continue
		}
		for _, use := range terminalUses(file) {
			t.Errorf("%s uses %s.%s: only internal/term and main do; take a stream or a getenv function as an argument",
				fset.Position(use.Pos()), use.X, use.Sel.Name)
		}
	}
}

func terminalUses(file *ast.File) []*ast.SelectorExpr { return usesOf(file, terminal) }

// writing names the functions that put text together with what comes from elsewhere without a look at it.
var writing = map[string][]string{"fmt": {"Fprint", "Fprintf", "Fprintln"}}

// speakers are the rooms whose text people read, with what is below them.
var speakers = []string{"internal/cli", "internal/decision", "internal/plan", "internal/provision", "internal/snapshot", "internal/wizard", "internal/workorder", "lab/cli"}

// unfiltered are the files of speakers that may write all the same, with why.
var unfiltered = map[string]string{
	"internal/cli/privileges/export.go": "a document for other tools, which quotes by their rules",
	"lab/cli/kit/files.go":              "a document, whose values are quoted for YAML",
	"internal/wizard/input.go":          "moves the cursor",
	"internal/wizard/survey.go":         "moves the cursor, and shows what went through term.Line",
}

// Names and faults that a vCenter sends must not steer the terminal or forge a line. term.Fprintf makes its arguments safe
// by itself; who writes with fmt would have to remember.
func TestTextIsWrittenByTerm(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, s := range sources(t) {
		if s.test() || !slices.ContainsFunc(speakers, func(room string) bool { return under(room)(s.room()) }) {
			continue
		}
		fset, file := parse(t, s)
		for _, use := range usesOf(file, writing) {
			if used[s.path] = true; unfiltered[s.path] == "" {
				t.Errorf("%s writes with %s.%s: term.Fprintf makes names safe for a terminal", fset.Position(use.Pos()), use.X, use.Sel.Name)
			}
		}
	}
	for path := range unfiltered {
		if !used[path] {
			t.Errorf("%s is excepted, and need not be: take it out of the table", path)
		}
	}
}

// usesOf finds the uses of some functions, by the path of their package.
func usesOf(file *ast.File, functions map[string][]string) []*ast.SelectorExpr {
	names := map[string]string{} // local name of the import → path
	for _, i := range file.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		switch {
		case functions[path] == nil:
		case i.Name != nil:
			names[i.Name.Name] = path
		default:
			names[path] = path
		}
	}
	var uses []*ast.SelectorExpr
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(functions[names[x.Name]], sel.Sel.Name) {
				uses = append(uses, sel)
			}
		}
		return true
	})
	return uses
}

func TestNoInit(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		fset, file := parse(t, s)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function: what happens at start-up is called from main", fset.Position(f.Pos()))
			}
		}
	}
}

func parse(t *testing.T, s source) (*token.FileSet, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, s.path, s.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return fset, file
}
