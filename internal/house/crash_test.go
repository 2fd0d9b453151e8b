package house_test

import (
	"go/ast"
	"go/token"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// alone are the goroutines that nothing of a vCenter reaches.
var alone = []string{"internal/term/interruptible.go", "internal/term/signals.go", "internal/term/tty.go"}

// A panic in a goroutine ends the process with the exit code that means "differences", whoever else is at work.
func TestNoGoroutineCanEndTheProcess(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test() || slices.Contains([]string{"lab/vcsim", "lab/consumers", "internal/crash"}, s.room()) || slices.Contains(alone, s.path) {
			continue
		}
		fset, file := parse(t, s)
		for _, pos := range unguarded(file) {
			t.Errorf("%s begins a goroutine whose panic nobody catches: use crash.Group for sync.WaitGroup, or crash.Try in it", fset.Position(pos))
		}
	}
}

// unguarded finds sync.WaitGroup, errgroup, and go statements without a word of crash.
func unguarded(file *ast.File) []token.Pos {
	var found []token.Pos
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && (x.Name == "sync" && n.Sel.Name == "WaitGroup" || x.Name == "errgroup") {
				found = append(found, n.Pos())
			}
		case *ast.GoStmt:
			if !guarded(n) {
				found = append(found, n.Pos())
			}
		}
		return true
	})
	return found
}

func guarded(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			x, ok := sel.X.(*ast.Ident)
			found = found || ok && x.Name == "crash"
		}
		return !found
	})
	return found
}

func TestDetectorOfGoroutines(t *testing.T) {
	t.Parallel()
	fset, file := parse(t, source{path: "x.go", text: []byte(`package x
import ( "sync"; "golang.org/x/sync/errgroup" )
func f(wg *sync.WaitGroup) {
	go f(nil)
	go func() { done <- crash.Try(work) }()
	var g errgroup.Group
}`)})
	var lines []int
	for _, pos := range unguarded(file) {
		lines = append(lines, fset.Position(pos).Line)
	}
	if diff := cmp.Diff([]int{3, 4, 6}, lines); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}
