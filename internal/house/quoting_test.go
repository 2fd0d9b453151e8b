package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Whoever quotes for a shell doubles a quote or steps out of it. Such a text in a product file is a second quoter.
func TestOnlyScriptQuotes(t *testing.T) {
	t.Parallel()
	quoters := map[string]int{}
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			file := filepath.Join(root, p.Path, name)
			for _, text := range quotesIn(t, file) {
				quoters[p.Path]++
				if !slices.Contains(mayQuote, p.Path) {
					t.Errorf("%s holds %q: quoting for scripts is internal/script's", file, text)
				}
			}
		}
	}
	if quoters["internal/script"] == 0 {
		t.Error("internal/script does not quote: this test no longer sees how it is done")
	}
}

// mayQuote are the rooms that double quotes: for scripts, and for YAML, whose single quotes are no shell's.
var mayQuote = []string{"internal/script", "internal/installconfig"}

// quotesIn are the texts of a file that are what a single quote becomes within single quotes.
func quotesIn(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && slices.Contains([]string{`'\''`, `'"'"'`, "''", `\'`, "$'"}, strings.TrimSpace(text)) {
				found = append(found, text)
			}
		}
		return true
	})
	return found
}
