package explain_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/explain"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// program is what the tests run.
var program = clitest.Program{Name: "vcenter-lab", Main: cli.Run, NewRoot: cli.NewCmdRoot}

var update = flag.Bool("update", false, "write the page of the rules")

const rulesPage = "../../../docs/lab/rules.md"

// TestSimulationRules holds the page of the documentation to the rules of the simulation. With -update it writes it.
func TestSimulationRules(t *testing.T) {
	t.Parallel()
	want := rulesMarkdown(explain.Explanation(nil))
	if *update {
		if err := os.WriteFile(rulesPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(rulesPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is not what the simulation says (go test ./lab/cli/explain -run TestSimulationRules -update):\n%s", rulesPage, diff)
	}
}

// rulesMarkdown is the explanation as a page.
func rulesMarkdown(v explain.View) string {
	var b strings.Builder
	b.WriteString("<!-- Written by go test ./lab/cli/explain -run TestSimulationRules -update: change lab/vcsim/rules_*.go, not this file. -->\n\n" +
		"# What the simulation rests on\n\n" +
		"The simulated vCenter refuses what a vCenter refuses. Each rule says what it rests on, and [evidence](../evidence/README.md)\n" +
		"lists the real vCenters on which it was tried. `vcenter-lab explain` prints the same, and with `-o json` the tests of each rule. Rules for the\n" +
		"tool itself, such as never repeating a failed login, have tests of their own.\n\n" +
		"| rests on | rules | which means |\n|---|---|---|\n")
	for _, basis := range v.Bases {
		fmt.Fprintf(&b, "| %s | %d | %s |\n", basis.Basis, basis.Rules, basis.Meaning)
	}
	b.WriteString("\n| rule | rests on | what | from | enforced in |\n|---|---|---|---|---|\n")
	cell := strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "&#96;", "*", `\*`, `\`, `\\`)
	for _, r := range v.Rules {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | `%s` |\n", r.ID, r.Basis, cell.Replace(r.Text), cell.Replace(r.Source), r.Enforced)
	}
	return b.String()
}

func TestSimulateExplains(t *testing.T) {
	t.Parallel()
	code, out, stderr := program.Run(t, termtest.NewFake(), "explain", "-o", "json")
	if code != command.ExitDone {
		t.Fatal(stderr)
	}
	var v explain.View
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(vcsim.Rules(), v.Rules); diff != "" || v.Kind != "SimulationRules" {
		t.Errorf("kind %s (-want +got):\n%s", v.Kind, diff)
	}
	total := 0
	for _, b := range v.Bases {
		if total += b.Rules; b.Rules == 0 || b.Meaning == "" {
			t.Errorf("%+v", b)
		}
	}
	if total != len(v.Rules) {
		t.Errorf("%d rules rest on something, of %d", total, len(v.Rules))
	}
	code, out, stderr = program.Run(t, termtest.NewFake(), "explain")
	if code != command.ExitDone || stderr != "" {
		t.Fatal(code, stderr)
	}
	for _, want := range []string{"unknown", "not known; the rule", "R39", "Another user or group already exists", "sso_faults.go"} {
		clitest.WantText(t, "the table", strings.Join(strings.Fields(out), " "), want)
	}
}

// A rule is found in any case, with its tests; a word that is none is answered with the nearest.
func TestExplainsOneRule(t *testing.T) {
	t.Parallel()
	code, out, stderr := program.Run(t, termtest.NewFake(), "explain", "r3")
	if code != command.ExitDone || strings.Contains(out, "R39") {
		t.Errorf("exit code %d: %s%s", code, out, stderr)
	}
	for _, r := range vcsim.Rules() {
		if r.ID == "R3" {
			clitest.WantText(t, "the rule", strings.Join(strings.Fields(out), " "), r.Text, "lab/vcsim/"+r.Enforced, r.Tests[0])
		}
	}
	code, _, stderr = program.Run(t, termtest.NewFake(), "explain", "R399")
	if code != command.ExitFailed {
		t.Errorf("exit code %d", code)
	}
	clitest.WantText(t, "stderr", stderr, `no rule "R399"`, `did you mean "R39"?`)
}
