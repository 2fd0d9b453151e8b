package privileges_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	matrices "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

func TestPrivilegesExportWords(t *testing.T) {
	t.Parallel()
	base := matrices.ExportOptions{
		Layout: "scope", Prefix: "openshift-", Topology: command.TopologyFlags{Folder: "existing", Pool: "root"}, Whole: true,
	}
	for words, change := range map[string]func(*matrices.ExportOptions){
		"--format csv": func(o *matrices.ExportOptions) { o.Format = privileges.FormatCSV },
		"--format govc --layout component --role-prefix x --profile passthrough --vcenters a,b:8443 --matrix installer --components installer": func(o *matrices.ExportOptions) {
			o.Format, o.Layout, o.Prefix, o.Source.Profile, o.Source.Matrix = privileges.FormatGovc, "component", "x", "passthrough", "installer"
			o.Given = []string{"layout", "role-prefix"}
			o.Source.VCenters, o.Source.Components = []string{"a", "b:8443"}, []string{"installer"}
		},
		"--format govc -f spec.yaml": func(o *matrices.ExportOptions) {
			o.Format, o.Source.File, o.Whole = privileges.FormatGovc, "spec.yaml", false
		},
		"--format json --folder created --pool existing --host-groups --template": func(o *matrices.ExportOptions) {
			o.Format, o.Topology, o.Whole = privileges.FormatJSON, command.TopologyFlags{Folder: "created", Pool: "existing", HostGroup: true, Template: true}, false
		},
		"--format markdown --conditions vsan-file": func(o *matrices.ExportOptions) {
			o.Format, o.Source.Conditions, o.Whole = privileges.FormatMarkdown, []string{"vsan-file"}, false
		},
	} {
		want := base
		change(&want)
		var got *matrices.ExportOptions
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		cmd := matrices.NewCmdExport(f, func(o *matrices.ExportOptions) error { got = o; return nil })
		err := program.Parse(t, f, cmd, append([]string{"export"}, strings.Fields(words)...)...)
		if err != nil {
			t.Errorf("%s: %v", words, err)
			continue
		}
		if d := cmp.Diff(&want, got, clitest.WordsOf(matrices.ExportOptions{})); d != "" {
			t.Errorf("%s: %s", words, d)
		}
	}
}

func TestPrivilegesExportRefuses(t *testing.T) {
	t.Parallel()
	for words, part := range map[string]string{
		"":                                 "--format is required",
		"--format gvoc":                    `did you mean "govc"`,
		"--format govc more":               "takes no arguments",
		"--format govc --layout scopes":    `did you mean "scope"`,
		"--format govc --components csi":   `"csi" is not one of`,
		"--format govc --matrix defaults":  `nearest: "default"`,
		"--format govc --conditions no":    "unknown condition",
		"--format govc --vcenters vc1,vc1": "vc1 is named twice",
		"--format govc --vcenters a/b":     "--vcenters: vCenter",
		"--format csv -o json":             "--output: this command takes --format instead",
		"--format json -o yaml":            "--output: this command takes --format instead",
	} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), append([]string{"privileges", "export"}, strings.Fields(words)...)...)
		if code != command.ExitFailed || stdout != "" && !strings.Contains(words, "-o ") || !strings.Contains(stderr, part) {
			t.Errorf("%q: exit code %d, %q, want %q: %s", words, code, stdout, part, stderr)
		}
	}
	code, _, stderr := program.Run(t, termtest.NewFake(), "privileges", "export", "--format", "govc", "--role-prefix", "a\nb")
	if code != command.ExitFailed || !strings.Contains(stderr, "has neither control characters nor") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestPrivilegesDiffOnBothWidths(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 200} {
		code, stdout, stderr := program.Run(t, termtest.NewFake().WithTerminal(width, 24), "privileges", "diff", "enhancement", "component-scoped", "--no-color")
		if code != command.ExitDifferent {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		differences, _ := privileges.Diff(loadMatrix(t, "enhancement"), loadMatrix(t, "component-scoped"))
		for _, d := range differences {
			if !strings.Contains(stdout, d.Privilege) {
				t.Errorf("width %d: %s is not shown", width, d.Privilege)
			}
		}
		clitest.WantText(t, "diff", stdout, "\nsources\n[1] ", "only in enhancement", "only in component-scoped")
	}
	_, stdout, _ := program.Run(t, termtest.NewFake(), "privileges", "diff", "enhancement", "default", "-o", "json")
	clitest.Document(t, "PrivilegeDiff", stdout)
}

func loadMatrix(t *testing.T, name string) *privileges.Matrix {
	t.Helper()
	m, err := privileges.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
