package cli

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(fl *pflag.Flag) { names = append(names, fl.Name) })
	return names
}

// program is what the tests run.
var program = clitest.Program{Main: Run, NewRoot: NewCmdRoot}

// loginOf is user/password of the login that a vCenter would be sent first.
func loginOf(a *command.Administrators, server string) (string, error) {
	if err := a.Ask(context.Background(), []string{server}, false, func(context.Context, string) error { return nil }); err != nil {
		return "", err
	}
	var got command.AdminLogin
	err := a.Admit(context.Background(), server, func(l command.AdminLogin, _ bool) error {
		got = l
		return nil
	})
	return got.User + "/" + got.Password.Reveal(), err
}

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
