package metrics

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

var update = flag.Bool("update", false, "write testdata and the table of docs/metrics.md")

var night = time.Date(2026, 11, 26, 2, 0, 0, 0, time.UTC)

// verified is a result with everything that there can be.
func verified() *fleet.Result {
	days := func(n int) *int { return &n }
	return &fleet.Result{
		Command: fleet.Verify, Tool: "ocp-vsphere-admin v1.2.3", Began: night, Ended: night.Add(90 * time.Second), Shard: &fleet.Shard{Count: 4},
		Clusters: []fleet.Cluster{
			{Name: "berlin", Outcome: fleet.OK, Ended: night.Add(40 * time.Second), Seconds: 40, Requests: 210, VCenters: []fleet.VCenter{
				{Server: "vcenter1.example.com", Accounts: []fleet.Account{
					{Component: "machine-api", Principal: "VSPHERE.LOCAL\\berlin-machine-api", Login: fleet.LoginOK, DaysLeft: days(60)},
					{Component: "csi-driver,cloud-controller", Principal: "VSPHERE.LOCAL\\berlin-storage", Login: fleet.LoginOK, Excess: 2},
				}},
			}},
			{Name: "paris", Outcome: fleet.Different, Ended: night.Add(50 * time.Second), Seconds: 45.5, Requests: 180, Findings: []fleet.Finding{
				{Code: finding.AdministratorFound, Severity: finding.Error, Text: "paris-csi@vsphere.local is an administrator"},
				{Code: finding.GlobalPermission, Severity: finding.Warning},
				{Code: finding.UnableComponent, Severity: finding.Warning},
				{Code: finding.ExpiringAdopted, Severity: finding.Warning},
			}, VCenters: []fleet.VCenter{
				{Server: "vcenter2.example.com", Accounts: []fleet.Account{
					{Component: "machine-api", Principal: "paris-machine-api@vsphere.local", Login: fleet.LoginFailed, Missing: 3, DaysLeft: days(2)},
					{Component: "csi-driver", Principal: "paris-csi@vsphere.local", Login: fleet.LoginComputed, Missing: 1, DaysLeft: days(-1)},
				}},
				{Server: "vcenter3.example.com", Error: "connection refused"},
			}},
			{Name: "rome", Outcome: fleet.Failed, Error: "vcenter4.example.com: no route to host", Ended: night.Add(70 * time.Second), Seconds: 30, Requests: 2},
		},
	}
}

// planned is what a plan of the same fleet shows.
func planned() *fleet.Result {
	return &fleet.Result{
		Command: fleet.Plan, Tool: "ocp-vsphere-admin v1.2.3", Began: night, Ended: night.Add(time.Minute),
		Clusters: []fleet.Cluster{{Name: "berlin", Outcome: fleet.Different, Ended: night.Add(time.Minute), Seconds: 60, Requests: 90, VCenters: []fleet.VCenter{
			{Server: "vcenter1.example.com", Changes: &plan.Summary{Create: 1, Update: 2}},
		}}},
	}
}

// everything is an Exporter that has a series of each family.
func everything() *Exporter {
	e := New()
	e.Set(verified())
	e.Set(planned())
	e.count(fleet.Verify, nil)
	return e
}

// text is what e writes.
func text(t interface {
	Fatal(args ...any)
}, e *Exporter, dir string,
) string {
	path := filepath.Join(dir, "fleet.prom")
	if err := e.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// parsed reads it as node-exporter does.
func parsed(t interface {
	Fatal(args ...any)
}, written string,
) map[string]*dto.MetricFamily {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	found, err := parser.TextToMetricFamilies(strings.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// golden holds got against a file of testdata, which promtest reads too.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", path, diff)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	written := text(t, everything(), t.TempDir())
	golden(t, "fleet.prom", []byte(written))
	problems, err := promlint.New(strings.NewReader(written)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v, %v", problems, err)
	}
}

// promtest knows the metrics from the golden text, so each has to be there with its labels and all words that these choose from.
func TestTextHasEachMetric(t *testing.T) {
	t.Parallel()
	found := parsed(t, text(t, everything(), t.TempDir()))
	if len(found) != len(families) {
		t.Errorf("%d metrics are written, the table has %d", len(found), len(families))
	}
	for _, f := range families {
		var labels []string
		for _, l := range found[prefix+f.name].GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		want := slices.Clone(f.labels)
		slices.Sort(want)
		if slices.Sort(labels); !slices.Equal(labels, want) {
			t.Errorf("%s has the labels %q, the table says %q", f.name, labels, want)
		}
	}
}

// Each component of an account that several share has its series, and the account is counted once among the accounts.
func TestSharedAccount(t *testing.T) {
	t.Parallel()
	f := figuresOf(verified(), nil)
	for series, want := range map[series]float64{
		at(excess, fleet.Verify, "berlin", "vcenter1.example.com", "csi-driver"):        2,
		at(excess, fleet.Verify, "berlin", "vcenter1.example.com", "cloud-controller"):  2,
		at(excess, fleet.Verify, "berlin", "vcenter1.example.com", "machine-api"):       0,
		at(accounts, fleet.Verify, "berlin", "vcenter1.example.com", "ok"):              2,
		at(passwordExpiry, fleet.Verify, "paris", "vcenter2.example.com", "csi-driver"): seconds(night.Add(50*time.Second - 24*time.Hour)),
		at(lastSuccess, fleet.Verify, "paris"):                                          seconds(night.Add(50 * time.Second)),
	} {
		if got, ok := f[series]; !ok || got != want {
			t.Errorf("%s%q: %v, not %v", series.name, series.labels(), got, want)
		}
	}
	if _, ok := f[at(lastSuccess, fleet.Verify, "rome")]; ok {
		t.Error("rome failed, and has a last success")
	}
	if _, ok := f[at(pendingChanges, fleet.Verify, "berlin", "vcenter1.example.com", "create")]; ok {
		t.Error("a verification looks for no changes, and has none to export")
	}
}

// Two accounts of one component on a vCenter, as during a rotation: figures add up, and the password that expires first counts.
func TestTwoAccountsOfOneComponent(t *testing.T) {
	t.Parallel()
	soon, late := 3, 30
	r := &fleet.Result{Command: fleet.Verify, Ended: night, Clusters: []fleet.Cluster{{Name: "c", Outcome: fleet.OK, Ended: night, VCenters: []fleet.VCenter{
		{Server: "v", Accounts: []fleet.Account{
			{Component: "machine-api", Login: fleet.LoginFailed, Missing: 1, DaysLeft: &late},
			{Component: "machine-api", Login: fleet.LoginFailed, Missing: 2, DaysLeft: &soon},
		}},
	}}}}
	f := figuresOf(r, nil)
	where := []string{fleet.Verify, "c", "v", "machine-api"}
	got := []float64{f[at(missing, where...)], f[at(failedLogins, where...)], f[at(passwordExpiry, where...)]}
	if want := []float64{3, 2, seconds(night.Add(72 * time.Hour))}; !slices.Equal(got, want) {
		t.Errorf("missing, failed logins, expiry: %v, not %v", got, want)
	}
}

// A run that fails for a cluster keeps its times, and takes no figure for current that is not.
func TestFailedClusterKeepsItsTimes(t *testing.T) {
	t.Parallel()
	e := New()
	e.Set(verified())
	now := verified()
	now.Clusters = []fleet.Cluster{{Name: "paris", Outcome: fleet.Failed, Ended: night.Add(24 * time.Hour)}}
	e.Set(now)
	e.Set(planned())
	e.Set(now) // twice: the times that stayed stay
	f := e.commands[fleet.Verify]
	if f[at(lastSuccess, fleet.Verify, "paris")] != seconds(night.Add(50*time.Second)) {
		t.Error("paris lost its last success")
	}
	if _, ok := f[at(passwordExpiry, fleet.Verify, "paris", "vcenter2.example.com", "machine-api")]; !ok {
		t.Error("paris lost when its passwords expire")
	}
	for s := range f {
		switch {
		case slices.Contains(s.labels(), "berlin"):
			t.Errorf("%s%q: berlin is no longer in the fleet", s.name, s.labels())
		case s.family == missing || s.family == failedLogins:
			t.Errorf("%s%q is from an earlier run", s.name, s.labels())
		}
	}
}

// A name that steers a terminal, or turns the direction of text, is written out.
func TestLabelsHideNothing(t *testing.T) {
	t.Parallel()
	e := New()
	e.Set(&fleet.Result{Command: fleet.Verify, Tool: "tool 1", Clusters: []fleet.Cluster{{Name: "a\x1b[2J\u202eb", Outcome: fleet.OK}}})
	path := filepath.Join(t.TempDir(), "x.prom")
	if err := e.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || bytes.ContainsAny(text, "\x1b\u202e") || !bytes.Contains(text, []byte(`cluster="a\\x1b[2J\\u202eb"`)) {
		t.Errorf("%v: %q", err, text)
	}
}

// arbitrary draws a result, with hidden words in what must not get out.
func arbitrary() *rapid.Generator[*fleet.Result] {
	hidden := rapid.StringMatching(`hidden-[a-z]{4}`)
	name := rapid.OneOf(rapid.SampledFrom([]string{"berlin", "paris"}), rapid.StringN(0, 10, -1), rapid.SampledFrom([]string{"a\xff", "new\nline", `q"uo\te`, ""}))
	account := rapid.Custom(func(t *rapid.T) fleet.Account {
		var names []string
		for _, c := range rapid.SliceOfN(rapid.SampledFrom(component.Names()), 1, 3).Draw(t, "components") {
			names = append(names, string(c))
		}
		return fleet.Account{
			Component: strings.Join(names, ","), Principal: hidden.Draw(t, "principal"), Login: rapid.SampledFrom(logins).Draw(t, "login"),
			Missing: rapid.IntRange(0, 1e6).Draw(t, "missing"), Excess: rapid.IntRange(0, 1e6).Draw(t, "excess"),
			DaysLeft: rapid.Ptr(rapid.IntRange(-1000, 10000), true).Draw(t, "days"),
		}
	})
	vcenter := rapid.Custom(func(t *rapid.T) fleet.VCenter {
		v := fleet.VCenter{Server: name.Draw(t, "server"), Error: rapid.OneOf(rapid.Just(""), hidden).Draw(t, "error"), Accounts: rapid.SliceOfN(account, 0, 4).Draw(t, "accounts")}
		if rapid.Bool().Draw(t, "changes") {
			v.Changes = &plan.Summary{Create: rapid.IntRange(0, 9).Draw(t, "create")}
		}
		return v
	})
	moment := rapid.OneOf(rapid.Just(time.Time{}), rapid.Just(night))
	cluster := rapid.Custom(func(t *rapid.T) fleet.Cluster {
		return fleet.Cluster{
			Name: name.Draw(t, "cluster"), File: hidden.Draw(t, "file"), Digest: hidden.Draw(t, "digest"), Error: hidden.Draw(t, "error"),
			Hints: []string{hidden.Draw(t, "hint")}, Warnings: []string{hidden.Draw(t, "warning")},
			Findings: []fleet.Finding{{Code: finding.AccountGone, Severity: finding.Error, Text: hidden.Draw(t, "text")}}, Document: []byte(hidden.Draw(t, "document")),
			Outcome: rapid.SampledFrom([]fleet.Outcome{fleet.OK, fleet.Different, fleet.Failed, ""}).Draw(t, "outcome"), Ended: moment.Draw(t, "ended"),
			Seconds: rapid.Float64().Draw(t, "seconds"), Requests: rapid.Int64().Draw(t, "requests"), VCenters: rapid.SliceOfN(vcenter, 0, 3).Draw(t, "vcenters"),
		}
	})
	return rapid.Custom(func(t *rapid.T) *fleet.Result {
		return &fleet.Result{
			Command: rapid.SampledFrom([]string{fleet.Plan, fleet.Verify, fleet.Report}).Draw(t, "command"), Tool: "ocp-vsphere-admin v1",
			Began: moment.Draw(t, "began"), Ended: moment.Draw(t, "ended"), Clusters: rapid.SliceOfN(cluster, 0, 4).Draw(t, "clusters"),
		}
	})
}

// Whatever is found, the text can be read, has no more series than there are clusters, vCenters and components, and says nothing of
// principals, files, errors and documents.
func TestAnyResultIsShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		e := New()
		results := rapid.SliceOfN(arbitrary(), 1, 3).Draw(t, "results")
		for _, r := range results {
			e.Set(r)
		}
		written := text(t, e, dir)
		if strings.Contains(written, "hidden-") {
			t.Fatalf("what must not get out did:\n%s", written)
		}
		clusters, places := 0, 0
		for _, r := range results {
			clusters += len(r.Clusters)
			for _, c := range r.Clusters {
				places += len(c.VCenters)
			}
		}
		found := parsed(t, written)
		for _, f := range families {
			most := 3 // commands
			switch {
			case slices.Contains(f.labels, "component"):
				most = places * len(component.Names())
			case slices.Contains(f.labels, "vcenter"):
				most = places * len(logins)
			case slices.Contains(f.labels, "cluster"):
				most = clusters * len(outcomes)
			}
			if n := len(found[prefix+f.name].GetMetric()); n > most {
				t.Fatalf("%s has %d series for %d clusters and %d vCenters", f.name, n, clusters, places)
			}
		}
		again := New()
		again.Set(results[0])
		if first := text(t, again, dir); first != text(t, again, dir) {
			t.Fatal("the same figures are written in another order")
		}
	})
}

// The page has the table as the code has it.
func TestMetricsPage(t *testing.T) {
	t.Parallel()
	const path, begin, end = "../../docs/metrics.md", "<!-- metrics: written by go test ./internal/metrics -run TestMetricsPage -update -->\n", "<!-- end of metrics -->\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(page, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", path)
	}
	var table strings.Builder
	fmt.Fprintln(&table, "| `"+prefix+"` and | type | labels | value |\n|---|---|---|---|")
	for _, f := range families {
		kind := "gauge"
		if f.kind != 0 {
			kind = "counter"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", f.name, kind, strings.Join(f.labels, ", "), f.help)
	}
	want := slices.Concat(before, []byte(begin), []byte(table.String()), []byte(end), after)
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), string(page)); diff != "" {
		t.Errorf("%s is behind the code (-update writes it):\n%s", path, diff)
	}
}
