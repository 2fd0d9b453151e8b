package cli

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/clitest"
)

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(fl *pflag.Flag) { names = append(names, fl.Name) })
	return names
}

// program is what the tests run.
var program = clitest.Program{Main: Run, NewRoot: NewCmdRoot}

// sources are the files of cli and of the packages below it, tests too, but for what tests share.
func sources(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.go", "*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return filepath.Dir(path) == "clitest" })
}
