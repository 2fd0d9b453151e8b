package contract_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	contractcmd "github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
)

var update = flag.Bool("update", false, "write what the pages say of the reports received")

const evidenceDir = "../../../docs/evidence"

// TestEvidence holds two pages to the reports in docs/evidence. With -update it writes them.
func TestEvidence(t *testing.T) {
	t.Parallel()
	all, err := received(evidenceDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []struct{ path, after, before, text string }{
		{filepath.Join(evidenceDir, "README.md"), "## Received\n\n", "\n## ", evidenceTables(all)},
		{"../../../README.md", "- **Evidence.** ", "- **", evidenceSentence(all)},
	} {
		path := part.path
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, found := strings.Cut(string(page), part.after)
		_, tail, closed := strings.Cut(rest, part.before)
		if !found || !closed {
			t.Fatalf("%s has no place for the reports received", path)
		}
		want := head + part.after + part.text + part.before + tail
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(want, string(page)); diff != "" {
			t.Errorf("%s is not what docs/evidence holds (make docs):\n%s", path, diff)
		}
	}
}

// report is one vCenter of a file in docs/evidence.
type report struct {
	file string
	*contract.Report
}

// received are the reports in a directory, by file. A result counts while its rule says what it said then.
func received(dir string) ([]report, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	said := map[string]string{}
	for _, r := range contract.Rules() {
		said[r.Name()] = r.Says
	}
	var all []report
	for _, path := range paths {
		v, err := evidenceFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		for _, r := range v.VCenters {
			r.Rules = slices.DeleteFunc(r.Rules, func(f contract.Result) bool {
				return said[f.Rule+" "+f.Case] != f.Says
			})
			all = append(all, report{filepath.Base(path), r})
		}
	}
	return all, nil
}

// naming is what an address, an account, a path or an identifier would look like.
var naming = regexp.MustCompile(`[@/\\]|\b\d{1,3}(\.\d{1,3}){3}\b|[0-9a-f]{8}-[0-9a-f]{4}-|\b[0-9a-f]{4}:[0-9a-f:]+\b`)

// evidenceFile reads a report that somebody sent, and refuses one that proves nothing or tells too much.
func evidenceFile(path string) (v contractcmd.View, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return v, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, err
	}
	if v.Header != command.NewHeader("Contract") || len(v.VCenters) == 0 {
		return v, fmt.Errorf("not a contract report")
	}
	for _, r := range v.VCenters {
		name := r.Product.Version + "-" + r.Product.Build
		switch {
		case r.Error != "":
			return v, fmt.Errorf("%s was not tried: %s", r.VCenter, r.Error)
		case r.Simulated:
			return v, fmt.Errorf("%s is a simulation", r.VCenter)
		case !strings.HasPrefix(filepath.Base(path), name):
			return v, fmt.Errorf("%s has version and build %s: name the file by it", r.VCenter, name)
		}
		for _, f := range r.Rules {
			if at := naming.FindString(f.Detail); at != "" {
				return v, fmt.Errorf("%s %s: %q may name something", f.Rule, f.Case, at)
			}
		}
	}
	if at := naming.FindString(v.VCenters[0].VCenter); at != "" {
		return v, fmt.Errorf("%q may name something", at)
	}
	return v, nil
}

// evidenceTables are the reports, and what differed.
func evidenceTables(all []report) string {
	if len(all) == 0 {
		return "None yet.\n"
	}
	var reports, differed strings.Builder
	reports.WriteString("| report | hold | differ | not tried |\n|---|---|---|---|\n")
	differed.WriteString("\n| report | rule | says | instead |\n|---|---|---|---|\n")
	differ := 0
	for _, r := range all {
		fmt.Fprintf(&reports, "| [%s](%s) %s | %d | %d | %d |\n", r.file, r.file, r.VCenter,
			r.Count(contract.Holds), r.Count(contract.Differs), r.Count(contract.NotTried))
		for _, f := range r.Different() {
			differ++
			fmt.Fprintf(&differed, "| %s %s | %s %s | %s | %s |\n", r.file, r.VCenter, f.Rule, f.Case, f.Says, f.Detail)
		}
	}
	if differ > 0 {
		reports.WriteString(differed.String())
	}
	return reports.String()
}

// evidenceSentence is what the README says of them.
func evidenceSentence(all []report) string {
	const rest = "  Each rule has a test and [names its source](docs/lab/rules.md); " +
		"`vcenter-lab contract` tries them on your own vCenter.\n"
	if len(all) == 0 {
		return "No run against a real vCenter is claimed, and " +
			"[no report of one was received](docs/evidence/README.md).\n" + rest
	}
	tried, differ := map[string]bool{}, map[string]bool{}
	var versions []string
	for _, r := range all {
		versions = append(versions, r.Product.Version)
		for _, f := range r.Rules {
			name := f.Rule + " " + f.Case
			tried[name] = tried[name] || f.Verdict != contract.NotTried
			differ[name] = differ[name] || f.Verdict == contract.Differs
		}
	}
	count := func(of map[string]bool) (n int) {
		for _, yes := range of {
			if yes {
				n++
			}
		}
		return n
	}
	slices.Sort(versions)
	return fmt.Sprintf("%d of the simulation's rules were tried on real vCenters (%s), and %d differed:"+
		" [reports](docs/evidence/README.md).\n"+rest, count(tried), strings.Join(slices.Compact(versions), ", "), count(differ))
}

// evidence is a directory with one report, changed by f.
func evidence(t *testing.T, name string, f func(*contract.Report)) string {
	t.Helper()
	rules := contract.Rules()
	r := &contract.Report{
		VCenter: "vcenter-1", Product: contract.Product{Version: "8.0.3", Build: "24322831"},
		Rules: []contract.Result{
			{Rule: rules[0].ID, Case: rules[0].Case, Says: rules[0].Says, Verdict: contract.Holds},
			{Rule: rules[1].ID, Case: rules[1].Case, Says: rules[1].Says, Verdict: contract.Differs, Detail: "CreateFolder was accepted"},
			{Rule: rules[2].ID, Case: rules[2].Case, Says: "as it was worded once", Verdict: contract.Differs},
			{Rule: rules[3].ID, Case: rules[3].Case, Says: rules[3].Says, Verdict: contract.NotTried, Detail: "interrupted"},
		},
	}
	f(r)
	data, err := json.Marshal(contractcmd.View{Header: command.NewHeader("Contract"), VCenters: []*contract.Report{r}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Reports are counted by rule; one whose sentence changed since counts no more.
func TestEvidenceIsCounted(t *testing.T) {
	t.Parallel()
	all, err := received(evidence(t, "8.0.3-24322831.json", func(*contract.Report) {}))
	if err != nil {
		t.Fatal(err)
	}
	clitest.WantText(t, "the tables", evidenceTables(all), "| [8.0.3-24322831.json](8.0.3-24322831.json) vcenter-1 | 1 | 1 | 1 |",
		contract.Rules()[1].Says+" | CreateFolder was accepted |")
	clitest.WantText(t, "the sentence", evidenceSentence(all), "2 of the simulation's rules were tried on real vCenters (8.0.3), and 1 differed")
}

func TestEvidenceRefuses(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]func(*contract.Report){
		"vcenter-1 is a simulation":                          func(r *contract.Report) { r.Simulated = true },
		"vcenter-1 was not tried: the login was refused":     func(r *contract.Report) { r.Error = "the login was refused" },
		"has version and build 9.0.0-1: name the file by it": func(r *contract.Report) { r.Product = contract.Product{Version: "9.0.0", Build: "1"} },
		`"@" may name something`:                             func(r *contract.Report) { r.Rules[1].Detail = "svc@corp" },
		`"10.0.0.7" may name something`:                      func(r *contract.Report) { r.Rules[1].Detail = "10.0.0.7 answered" },
		`"/" may name something`:                             func(r *contract.Report) { r.VCenter = "vc/1" },
	} {
		_, err := received(evidence(t, "8.0.3-24322831.json", f))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
