package house_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The rules are only worth something when they find what breaks them: each detector is shown one file of offences.

func TestDetectorOfTerminalUses(t *testing.T) {
	t.Parallel()
	_, file := parse(t, source{path: "x.go", text: []byte(`package x
import ( "fmt"; sys "os"; "log" )
func f() {
	fmt.Fprintln(sys.Stderr, sys.Getenv("HOME"))
	fmt.Println(sys.Args)
	log.New(nil, "", 0).Fatal("own logger")
	if false { sys.Exit(1) }
	g := sys.Stdout
}`)})
	var got []string
	for _, use := range terminalUses(file) {
		got = append(got, use.Sel.Name)
	}
	if diff := cmp.Diff([]string{"Stderr", "Getenv", "Println", "Exit", "Stdout"}, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func TestDetectorOfUnfilteredText(t *testing.T) {
	t.Parallel()
	_, file := parse(t, source{path: "x.go", text: []byte(`package x
import format "fmt"
func f(w io.Writer) {
	format.Fprintf(w, "%s", format.Sprint(1))
	term.Fprintf(w, "%s", 2)
	format.Fprintln(w)
}`)})
	var got []string
	for _, use := range usesOf(file, writing) {
		got = append(got, use.Sel.Name)
	}
	if diff := cmp.Diff([]string{"Fprintf", "Fprintln"}, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func TestDetectorOfMissingComments(t *testing.T) {
	t.Parallel()
	_, file := parse(t, source{path: "x.go", text: []byte(`package x
type Bare struct{}
// Said is explained.
type Said struct{}
func (Bare) Method() {}
func (Bare) Error() string { return "" }
func (hidden) Exported() {}
func (*Generic[T]) Method2() {}
func Func() {}
func unexported() {}
// a list
const ( A = 1; B = 2 )
const C = 3
var ( D int // explained on its line
	E int )
// aliases
type ( Alias = int; NotAlias int )`)})
	var got []string
	for _, name := range undocumented(file) {
		got = append(got, name.Name)
	}
	if diff := cmp.Diff([]string{"Bare", "Method", "Method2", "Func", "C", "E", "NotAlias"}, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func TestDetectorOfImports(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"github.com/vmware/govmomi/simulator":        true,
		"github.com/vmware/govmomi/lookup/simulator": true,
		"github.com/vmware/govmomi/simulator/esx":    true,
		"github.com/vmware/govmomi/ssoadmin":         false,
		"github.com/vmware/govmomi":                  false,
		module + "/internal/simulator":               false,
	} {
		if got := isSimulator(path); got != want {
			t.Errorf("isSimulator(%q) = %v", path, got)
		}
	}
	if m := under("github.com/spf13/cobra"); !m("github.com/spf13/cobra/doc") || m("github.com/spf13/cobra2") {
		t.Error("under matches by path element")
	}
}
