package serve_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	contractcmd "github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/serve"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// What the simulation cannot be made like is said; a report of nothing, or of something else, is refused.
func TestSimulateLikeSaysWhatItCannot(t *testing.T) {
	t.Parallel()
	view := contractcmd.View{Header: command.NewHeader("Contract"), VCenters: []*contract.Report{
		contract.Unread(os.ErrDeadlineExceeded),
		{
			Product:    contract.Product{Version: "6.7.0"},
			Privileges: contract.Catalogue{Unrecorded: 3, Lacks: []string{"Zone.Manage"}},
			Passwords:  &contract.Passwords{MinLength: 1, MinAlphabetic: 4},
			Rules:      []contract.Result{{Rule: "R3", Case: "case", Verdict: contract.Differs, Detail: "it was accepted"}, {Rule: "R9", Verdict: contract.Holds}},
		},
	}}
	dir := t.TempDir()
	write := func(name string, v any) string {
		text, err := json.Marshal(v)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	fake := termtest.NewFake()
	f := command.NewFactory(fake.Streams, command.Build{})
	var o *serve.Options
	words := []string{"serve", "--like", write("report.json", view), "--without", "Cns.Searchable"}
	if err := program.Parse(t, f, serve.NewCmd(f, func(got *serve.Options) error { o = got; return nil }), words...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Cns.Searchable"}, o.Lab.Without); diff != "" {
		t.Errorf("the flag counts more: %s", diff)
	}
	lab, err := vcsim.Start(o.Lab)
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	o.Resemble(lab)
	clitest.WantText(t, "what is not simulated", fake.Stderr.String(),
		"the password policy of the report is not simulated", "version 6.7.0", "3 privileges unknown to the simulation", "R3 case: it was accepted")
	if strings.Contains(fake.Stderr.String(), "R9") {
		t.Errorf("a rule that holds is named: %s", fake.Stderr.String())
	}
	other, none := view, view
	other.Kind, none.VCenters = "Plan", view.VCenters[:1]
	for name, want := range map[string]string{
		write("other.json", other): "is not a contract report",
		write("more.json", map[string]any{"apiVersion": command.APIVersion, "kind": "Contract", "surplus": 1}): "is not a contract report",
		write("none.json", none): "no vCenter in it could be reached",
		filepath.Join(dir, "x"):  "--like",
	} {
		code, _, stderr := program.Run(t, termtest.NewFake(), "serve", "--like", name)
		if code != command.ExitFailed {
			t.Errorf("%s: exit code %d", name, code)
		}
		clitest.WantText(t, name, stderr, want)
	}
}

func TestNearestRelease(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"7.0.3": "7.0.3", "7.0.2": "7.0.3", "8.0.0": "8.0.1", "8.0.2": "8.0.1", "8.0.3": "8.0.3", "8.0.10": "8.0.3", "9.0.1": "9.0", "6.7.0": "", "": "",
	} {
		if got := serve.NearestRelease(version); got != want {
			t.Errorf("%q: %q, not %q", version, got, want)
		}
	}
}
