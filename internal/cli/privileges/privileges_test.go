package privileges_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	matrices "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
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
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
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
		code, stdout, stderr := program.Run(t, termtest.NewFake(), append([]string{"privileges"}, strings.Fields(words)...)...)
		if code != command.ExitFailed || stdout != "" {
			t.Errorf("%s: exit code %d, %s", words, code, stdout)
		}
		clitest.WantText(t, words, stderr, want)
	}
}

func TestPrivilegesShow(t *testing.T) {
	t.Parallel()
	_, stdout, stderr := program.Run(t, termtest.NewFake(), "privileges", "show", "cloud-controller", "--matrix", "enhancement")
	clitest.WantText(t, "the two unknown ids", stdout+stderr,
		"VirtualMachine.Config.Query (on no vCenter: never sent)", "Host.Inventory.View (on no vCenter: never sent)",
		"Resource > Query vMotion", "\nsources\n[1] openshift/enhancements@")

	_, stdout, _ = program.Run(t, termtest.NewFake(), "privileges", "show", "csi-driver", "-o", "json")
	clitest.Document(t, "PrivilegeMatrix", stdout)
	for _, field := range []string{"scope", "privilege", "vsphereClient", "propagate", "conditions", "why", "source"} {
		clitest.WantText(t, "json", stdout, `"`+field+`": `)
	}
}

func TestPrivilegesShowConditions(t *testing.T) {
	t.Parallel()
	rows := func(words ...string) int {
		_, stdout, _ := program.Run(t, termtest.NewFake(), append([]string{"privileges", "show", "machine-api", "-o", "json"}, words...)...)
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

// No line is longer than the terminal, sources included; every id is in one piece.
func TestPrivilegesFitTheTerminal(t *testing.T) {
	t.Parallel()
	commands := [][]string{{"list"}, {"diff", "enhancement", "component-scoped"}}
	for _, name := range []string{"enhancement", "component-scoped", "default"} {
		commands = append(commands, []string{"show", "--matrix", name})
	}
	for _, width := range []int{80, 120, 160} {
		for _, words := range commands {
			_, stdout, _ := program.Run(t, termtest.NewFake().WithTerminal(width, 24), append([]string{"privileges", "--no-color"}, words...)...)
			for line := range strings.Lines(stdout) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%d columns, %v: %d: %s", width, words, n, line)
				}
			}
			if words[0] != "show" {
				continue
			}
			for _, id := range privileges.Strip(loadMatrix(t, words[2]).Privileges()) {
				clitest.WantText(t, strings.Join(words, " "), stdout, id)
			}
		}
	}
	_, stdout, _ := program.Run(t, termtest.NewFake().WithTerminal(80, 24), "privileges", "show", "diagnostics", "--no-color")
	clitest.WantText(t, "narrow", stdout, "  named ", "  when ", "  why ", "  source ")
}

// A component is said once, with the count of its differences, and so is what several of them share.
func TestPrivilegesDiffFoldsByComponent(t *testing.T) {
	t.Parallel()
	design, err := privileges.Load("enhancement")
	if err != nil {
		t.Fatal(err)
	}
	granted, err := privileges.Load("default")
	if err != nil {
		t.Fatal(err)
	}
	differences, _ := privileges.Diff(design, granted)
	var more, changed, own, ownChanged int // of all, and of diagnostics
	for _, d := range differences {
		mine := d.Component == component.Diagnostics
		switch {
		case d.A == nil && mine:
			own++
			more++
		case d.A == nil:
			more++
		case mine:
			ownChanged++
			changed++
		default:
			changed++
		}
	}
	for width, want := range map[int][]string{
		0:  {"\n+                 InventoryService.Tagging.DeleteCategory       vSphere Tagging > Delete vSphere Tag Category\n"},
		80: {"\n+ InventoryService.Tagging.CreateCategory\n+ InventoryService.Tagging.DeleteCategory\n+ InventoryService.Tagging.EditCategory\n  on      vcenter\n"},
	} {
		streams := termtest.NewFake()
		if width > 0 {
			streams = streams.WithTerminal(width, 24)
		}
		_, stdout, stderr := program.Run(t, streams, "privileges", "diff", "enhancement", "default", "--no-color")
		clitest.WantText(t, "diff", stdout, append(want,
			fmt.Sprintf("\ndiagnostics: %d only in default, %d in both but different\n", own, ownChanged),
			"propagate: false in")...)
		clitest.WantText(t, "in all", stderr,
			fmt.Sprintf("0 only in enhancement, %d only in default, %d in both but different", more, changed))
		for _, c := range component.Names() {
			if n := strings.Count("\n"+stdout, "\n"+string(c)+": "); n > 1 {
				t.Errorf("%d columns: %s has %d paragraphs", width, c, n)
			}
		}
	}
}

// The numbers that the design gives stand beside those of its tables.
func TestPrivilegesListCounts(t *testing.T) {
	t.Parallel()
	_, stdout, _ := program.Run(t, termtest.NewFake(), "privileges", "list")
	lines := map[string]bool{}
	for line := range strings.Lines(stdout) {
		fields := strings.Fields(line)
		lines[strings.Join(fields[:min(3, len(fields))], " ")] = true
	}
	for _, want := range []string{
		"COMPONENT ENHANCEMENT STATED", "machine-api 37 ~35", "csi-driver 8 ~10-15", "cloud-controller 7* ~10", "diagnostics 3 ~5", "installer 48 ~45",
	} {
		if !lines[want] {
			t.Errorf("no line begins with %q:\n%s", want, stdout)
		}
	}
	clitest.WantText(t, "what no vCenter has", stdout, "\n* with VirtualMachine.Config.Query, Host.Inventory.View: no vCenter has them")
}

func TestPrivilegesListAndLint(t *testing.T) {
	t.Parallel()
	_, stdout, _ := program.Run(t, termtest.NewFake(), "privileges", "list")
	clitest.WantText(t, "list", stdout, privileges.Names()...)
	code, stdout, stderr := program.Run(t, termtest.NewFake(), "privileges", "lint")
	clitest.WantText(t, "lint", stdout+stderr, "VirtualMachine.Config.Query", "note", "0 errors")
	if code != 0 {
		t.Errorf("the embedded matrices: exit code %d", code)
	}

	text := "apiVersion: ocp-vsphere-admin/v1\nkind: PrivilegeMatrix\nname: mine\nsource: me\n" +
		"components:\n  csi-driver:\n    grants:\n    - {scope: vcenter, propagate: false, privileges: [Datastore.Brwse]}\n"
	code, stdout, stderr = program.Run(t, termtest.NewFake(), "privileges", "lint", clitest.WriteFile(t, "mine.yaml", text, 0o600), "-o", "json")
	if code != command.ExitDifferent {
		t.Fatalf("a misspelt id: exit code %d: %s", code, stderr)
	}
	clitest.Document(t, "PrivilegeLint", stdout)
	clitest.WantText(t, "lint", stdout, `"nearest": "Datastore.Browse"`, `"errors": 1`)
}
