package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestEveryExampleParses(t *testing.T) {
	t.Parallel()
	eachCommand(func(cmd *cobra.Command) {
		lines := program.CommandLines(cmd.Example)
		if cmd.Example != "" && len(lines) == 0 {
			t.Errorf("the example of %s runs nothing", cmd.CommandPath())
		}
		for _, line := range lines {
			program.Parses(t, line)
		}
	})
}

// Every command line in the guides and the README is one that this program takes, those that no test can run as well.
func TestEveryDocumentedCommandParses(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../docs/*.md")
	more, moreErr := filepath.Glob("../../docs/lab/*.md")
	if err != nil || moreErr != nil || len(files) == 0 || len(more) == 0 {
		t.Fatal(err, moreErr)
	}
	files = append(files, more...)
	for _, path := range append(files, "../../README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split("\n"+string(text), "\n```") {
			if i%2 == 0 {
				continue
			}
			kind, body, _ := strings.Cut(block, "\n")
			if kind == "console" { // commands alone, not what they print
				goesOn := false
				body = strings.Join(slices.DeleteFunc(strings.Split(body, "\n"), func(l string) bool {
					command := goesOn || strings.HasPrefix(l, "$ ")
					goesOn = command && strings.HasSuffix(l, "\\")
					return !command
				}), "\n")
			}
			if kind != "yaml" {
				for _, line := range program.CommandLines(body) {
					program.Parses(t, line)
				}
			}
		}
	}
}

func TestCommandLines(t *testing.T) {
	t.Parallel()
	got := program.CommandLines("$ A=1 ocp-vsphere-admin plan -f x.yaml > out 2>&1\nocp-vsphere-admin secrets emit \\\n  --vcenters none | oc apply -f -  # why\nsource <(ocp-vsphere-admin completion bash)\nthe ocp-vsphere-admin x\n")
	want := []string{"ocp-vsphere-admin plan -f x.yaml", "ocp-vsphere-admin secrets emit    --vcenters none", "ocp-vsphere-admin completion bash"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
