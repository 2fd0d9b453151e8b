package privileges_test

import (
	"flag"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	matrices "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

var update = flag.Bool("update", false, "write the pages of docs/privileges")

func TestPrivilegesShowWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]*matrices.ShowOptions{
		"": {Matrix: "default"},
		"csi-driver installer --matrix enhancement --scope folder,vcenter --conditions vsan-file": {
			Components: []component.Name{"csi-driver", "installer"}, Matrix: "enhancement",
			Scopes: []string{"folder", "vcenter"}, Conditions: []string{"vsan-file"},
		},
	} {
		f := command.NewFactory(term.NewFake().Streams, command.Build{})
		var got *matrices.ShowOptions
		cmd := matrices.NewCmdShow(f, func(o *matrices.ShowOptions) error { got = o; return nil })
		if err := program.Parse(t, f, cmd, append([]string{"show"}, strings.Fields(words)...)...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, clitest.WordsOf(matrices.ShowOptions{})); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
}

func TestPrivilegesRefuse(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"show csi-drivr":              `did you mean "csi-driver"?`,
		"show --scope foldr":          `did you mean "folder"?`,
		"show --matrix defalt":        "default",
		"show --conditions vsan-fle":  "vsan-file",
		"lint --matrix /nowhere.yaml": "/nowhere.yaml",
		"list more":                   "more",
	} {
		code, stdout, stderr := program.Run(t, term.NewFake(), append([]string{"privileges"}, strings.Fields(words)...)...)
		if code != command.ExitFailed || stdout != "" {
			t.Errorf("%s: exit code %d, %s", words, code, stdout)
		}
		clitest.WantText(t, words, stderr, want)
	}
}

func TestPrivilegesShow(t *testing.T) {
	t.Parallel()
	_, stdout, stderr := program.Run(t, term.NewFake(), "privileges", "show", "cloud-controller", "--matrix", "enhancement")
	clitest.WantText(t, "the two unknown ids", stdout+stderr,
		"VirtualMachine.Config.Query (on no vCenter: never sent)", "Host.Inventory.View (on no vCenter: never sent)",
		"Resource > Query vMotion", "\nsources\n[1] openshift/enhancements@")

	_, stdout, _ = program.Run(t, term.NewFake(), "privileges", "show", "csi-driver", "-o", "json")
	clitest.Document(t, "PrivilegeMatrix", stdout)
	for _, field := range []string{"scope", "privilege", "vsphereClient", "propagate", "conditions", "why", "source"} {
		clitest.WantText(t, "json", stdout, `"`+field+`": `)
	}
}

func TestPrivilegesShowConditions(t *testing.T) {
	t.Parallel()
	rows := func(words ...string) int {
		_, stdout, _ := program.Run(t, term.NewFake(), append([]string{"privileges", "show", "machine-api", "-o", "json"}, words...)...)
		clitest.Document(t, "PrivilegeMatrix", stdout)
		return strings.Count(stdout, `"privilege":`)
	}
	all, plain := rows(), rows("--conditions", "managed-storageclass")
	documented := rows("--conditions", "documented-only")
	if !(plain < documented && documented <= all) {
		t.Errorf("all %d, plain %d, documented-only %d rows", all, plain, documented)
	}
	if folder := rows("--scope", "folder"); folder == 0 || folder >= all {
		t.Errorf("scope folder: %d of %d rows", folder, all)
	}
}

func TestPrivilegesShowOnANarrowTerminal(t *testing.T) {
	t.Parallel()
	_, stdout, _ := program.Run(t, term.NewFake().WithTerminal(80, 24), "privileges", "show", "diagnostics", "--no-color")
	before, _, _ := strings.Cut(stdout, "\non the containers") // sources are left in one piece, to copy
	for line := range strings.Lines(before) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("too wide: %s", line)
		}
	}
	clitest.WantText(t, "narrow", before, "  named ", "  when ", "  why ", "  source ")
}

func TestPrivilegesListAndLint(t *testing.T) {
	t.Parallel()
	_, stdout, _ := program.Run(t, term.NewFake(), "privileges", "list")
	clitest.WantText(t, "list", stdout, privileges.Names()...)
	code, stdout, stderr := program.Run(t, term.NewFake(), "privileges", "lint")
	clitest.WantText(t, "lint", stdout+stderr, "VirtualMachine.Config.Query", "note", "0 errors")
	if code != 0 {
		t.Errorf("the embedded matrices: exit code %d", code)
	}

	text := "apiVersion: ocp-vsphere-admin/v1\nkind: PrivilegeMatrix\nname: mine\nsource: me\n" +
		"components:\n  csi-driver:\n    grants:\n    - {scope: vcenter, propagate: false, privileges: [Datastore.Brwse]}\n"
	code, stdout, stderr = program.Run(t, term.NewFake(), "privileges", "lint", clitest.WriteFile(t, "mine.yaml", text, 0o600), "-o", "json")
	if code != command.ExitDifferent {
		t.Fatalf("a misspelt id: exit code %d: %s", code, stderr)
	}
	clitest.Document(t, "PrivilegeLint", stdout)
	clitest.WantText(t, "lint", stdout, `"nearest": "Datastore.Browse"`, `"errors": 1`)
}
