package cli

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/kit"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// printing is a lab with everything made, and how each command that prints data is run on it.
type printing struct {
	config, credentials string
	words               map[string]string // verb → its words; "" = prints no data of its own, or none that a table has
}

// checkDump has clusters that get an account, and one that is refused.
const checkDump = `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: VSphereClusterIdentity, metadata: {name: east}, spec: {secretName: east}, status: {ready: true}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: VSphereCluster, metadata: {namespace: team-a, name: web}, spec: {server: vc1, identityRef: {kind: VSphereClusterIdentity, name: east}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: VSphereCluster, metadata: {namespace: team-b, name: shop}, spec: {server: vc1}}
`

// clusterVersion is that of a cluster with an update that is not reconciled.
const clusterVersion = `apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata: {name: version}
status:
  desired: {version: 4.20.3, image: "quay.io/openshift-release-dev/ocp-release:4.20.3-x86_64"}
  history: [{state: Completed, version: 4.20.3}]
  availableUpdates: [{version: 4.21.0, image: "quay.io/openshift-release-dev/ocp-release:4.21.0-x86_64"}]
  conditions: [{type: Upgradeable, status: "False", reason: "\e[31mRed", message: "a\x1b[2Jb"}]
`

func newPrinting(t *testing.T) *printing {
	t.Helper()
	p, _, _ := newLab(t, vcsim.Options{VCenters: 1})
	p.run(t, termtest.NewFake(), "apply")
	return p
}

// newLab is a lab in which nothing is made yet.
func newLab(t *testing.T, o vcsim.Options) (*printing, *vcsim.Lab, *kit.Files) {
	t.Helper()
	lab, err := vcsim.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	dir := t.TempDir()
	files, err := kit.Write(lab, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	p := &printing{config: files.Settings, credentials: filepath.Join(dir, "credentials")}
	spec := " -f " + files.Spec
	dump := clitest.WriteFile(t, "dump.yaml", strings.ReplaceAll(clitest.SecretsDump, "vc1", lab.VCenters[0].Server()), 0o600)
	version := clitest.WriteFile(t, "version.yaml", clusterVersion, 0o600)
	cluster := " --infrastructure " + clitest.WriteFile(t, "infrastructure.yaml", clitest.SmallInfrastructure, 0o600)
	p.words = map[string]string{
		"plan": spec, "plan show": " " + filepath.Join(dir, "plan.json"), "verify": spec, "doctor": spec, "status": spec, "report": spec, "report check": "", "apply": spec + " --yes", "create-all": "", "destroy": "",
		"report merge": " " + filepath.Join(dir, "many"),
		"rotate":       spec + " --in-place --dry-run", "rotate status": spec, "rotate finish": spec + " --dry-run", "rotate undo": spec + " --dry-run",
		"reconcile": "", "reconcile prune": "", "reconcile status": spec + " --cluster-version " + version,
		"privileges record start": spec + " --force --out " + filepath.Join(dir, "marks.json"), "privileges record show": spec, "privileges list": " ", "privileges show": " csi-driver", "privileges lint": spec,
		"privileges diff": " enhancement default", "privileges export": "",
		"roles list": spec, "roles diff": spec, "roles create": spec + " --dry-run", "roles delete": spec + " --dry-run",
		"users list": spec, "users create": spec + " --dry-run", "users delete": spec + " --dry-run",
		"users disable": spec + " --components installer --dry-run", "users enable": spec + " --components installer --dry-run",
		"permissions list": spec, "permissions grant": spec + " --dry-run", "permissions revoke": spec + " --dry-run",
		"permissions check": spec + " --components csi-driver --object /DC1/datastore/ds1",
		"credentials show":  " ", "credentials validate": spec, "credentials resolve": spec, "credentials import": "", "credentials export": "", "credentials rename": "", "credentials template": "",
		"secrets emit": "", "secrets renew": "", "secrets explain": "", "secrets release": "", "secrets sync": "", "secrets manifests": "", "secrets diff": spec + " --against " + dump,
		"identity emit": "", "identity check": " --dump " + clitest.WriteFile(t, "clusters.yaml", checkDump, 0o600),
		"vcenter-lab serve": "", "vcenter-lab demo": "", "vcenter-lab export": "", "vcenter-lab contract": spec, "vcenter-lab explain": " ",
		"vcenter-lab version": " ", "vcenter-lab completion": "",
		"install-config render": "", "install-config extract": "",
		"init": "", "spec schema": "", "spec validate": spec, "install-config validate": "", "spec diff": spec + cluster, "spec update": spec + cluster + " --dry-run", "privileges schema": "", "completion": "", "version": " ", "explain": " lost-password",
	}
	p.run(t, termtest.NewFake(), "plan", "--out", filepath.Join(dir, "plan.json"))
	p.run(t, termtest.NewFake(), "plan", "-f", files.Spec, "--results", filepath.Join(dir, "many"))
	return p, lab, files
}

func (p *printing) run(t *testing.T, fake *termtest.Fake, verb string, more ...string) (stdout string) {
	t.Helper()
	words := append(strings.Fields(verb+p.words[verb]), more...)
	fake.Env["OCP_VSPHERE_ADMIN_CONFIG"] = p.config
	fake.Env["VSPHERE_CREDENTIALS_FILE"] = p.credentials
	code, stdout, stderr := program.Run(t, fake, words...)
	if code != command.ExitDone && code != command.ExitDifferent {
		t.Fatalf("%s: exit code %d: %s", strings.Join(words, " "), code, stderr)
	}
	return stdout
}

// each calls do for every command that prints data. One that the table does not know fails.
func (p *printing) each(t *testing.T, do func(verb string)) {
	t.Helper()
	eachCommand(func(cmd *cobra.Command) {
		if cmd.HasSubCommands() && !command.IsItself(cmd) || !cmd.IsAvailableCommand() || cmd.Name() == "help" {
			return
		}
		verb, known := p.words[words(cmd)]
		if !known {
			t.Errorf("%s is in no test of what commands print: say how it is run", cmd.CommandPath())
		}
		if verb != "" {
			do(words(cmd))
		}
	})
}

var escapeSequence = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// Whatever a command prints: colours paint what the text says without them, and end up in no pipe; tables fit the
// terminal, however narrow; -o json and -o yaml say the same, with a header. A command runs for people and for programs, and what
// it prints is rendered in the other forms as well.
func TestPrinting(t *testing.T) {
	t.Parallel()
	p, painted := newPrinting(t), 0
	p.each(t, func(verb string) {
		var plain, narrow, piped string
		fake := termtest.NewFake().WithTerminal(120, 40)
		fake.OnPrint(func(_ any, table func(width int) (string, error)) {
			for width, out := range map[int]*string{120: &plain, 50: &narrow, 0: &piped} {
				text, err := table(width)
				if *out += text; err != nil {
					t.Errorf("%s: %v", verb, err)
				}
			}
		})
		colours := p.run(t, fake, verb)
		if strings.Contains(plain+narrow+piped, "\x1b") {
			t.Errorf("%s prints escape sequences with --no-color, or in a pipe", verb)
		}
		if diff := cmp.Diff(plain, escapeSequence.ReplaceAllString(colours, "")); diff != "" {
			t.Errorf("%s says something else in colours (-without +with):\n%s", verb, diff)
		}
		if colours != plain {
			painted++
		}
		fits(t, verb, plain, 120)
		fits(t, verb, narrow, 50)
		var asYAML []byte
		fake = termtest.NewFake()
		fake.OnPrint(func(v any, _ func(width int) (string, error)) {
			var err error
			if asYAML, err = term.YAML(v); err != nil {
				t.Errorf("%s: %v", verb, err)
			}
		})
		sameInYAML(t, verb, p.run(t, fake, verb, "-o", "json"), string(asYAML))
	})
	for _, more := range [][]string{{"--no-color"}, {"-o", "yaml"}} { // by their flags
		if out := p.run(t, termtest.NewFake().WithTerminal(120, 40), "plan", more...); out == "" || strings.Contains(out, "\x1b") {
			t.Errorf("plan %v prints escape sequences, or nothing:\n%s", more, out)
		}
	}
	if painted == 0 {
		t.Error("nothing was painted: this test proves nothing")
	}
}

var wholeThumbprint = regexp.MustCompile(`(?:[0-9A-F]{2}:){31}[0-9A-F]{2}`)

// fits holds the rows of tables to the width. A sentence may be longer: a terminal breaks it. So may the line of a
// change, and that of a thumbprint, which is copied in one piece.
func fits(t *testing.T, verb, out string, width int) {
	t.Helper()
	changes := []string{"plan", "apply", "roles create", "roles delete", "users create", "users delete", "users disable", "users enable", "permissions grant", "permissions revoke", "rotate", "rotate finish", "rotate undo"}
	if slices.Contains(changes, verb) {
		return
	}
	for line := range strings.Lines(out) {
		row := strings.Contains(strings.TrimSpace(line), "  ")
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width && row && !wholeThumbprint.MatchString(line) {
			t.Errorf("%s on %d columns: a line of %d: %s", verb, width, n, line)
			return
		}
	}
}

func sameInYAML(t *testing.T, verb, asJSON, asYAML string) {
	t.Helper()
	var fromJSON, fromYAML, normal map[string]any
	if err := json.Unmarshal([]byte(asJSON), &fromJSON); err != nil {
		t.Errorf("%s -o json: %v:\n%s", verb, err, asJSON)
		return
	}
	if err := yaml.Unmarshal([]byte(asYAML), &fromYAML); err != nil {
		t.Errorf("%s -o yaml: %v:\n%s", verb, err, asYAML)
		return
	}
	if fromJSON["apiVersion"] != command.APIVersion || fromJSON["kind"] == "" || fromJSON["kind"] == nil {
		t.Errorf("%s -o json: header is %v, %v", verb, fromJSON["apiVersion"], fromJSON["kind"])
	}
	for _, end := range []string{"errors", "next"} { // which come when the run ends: TestEndOfADocument
		delete(fromJSON, end)
	}
	again, err := json.Marshal(fromYAML) // numbers become what JSON makes of them
	if err == nil {
		err = json.Unmarshal(again, &normal)
	}
	if err != nil {
		t.Errorf("%s -o yaml: %v", verb, err)
	} else if !reflect.DeepEqual(fromJSON, normal) { // cmp takes seconds for the longest
		t.Errorf("%s: -o yaml is not -o json:\n%s", verb, cmp.Diff(fromJSON, normal))
	}
}
