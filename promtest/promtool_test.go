package promtest

import (
	"bytes"
	"flag"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

const (
	text        = "../internal/metrics/testdata/fleet.prom"
	openMetrics = "../internal/metrics/testdata/fleet.openmetrics"
	rules       = "../deploy/monitoring/rules.yaml"
	rulesTest   = "../deploy/monitoring/rules_test.yaml"
	dashboard   = "../deploy/monitoring/dashboard.json"
)

// promtool runs it as `make prom` left it (PROMBIN says otherwise).
func promtool(t *testing.T, stdin []byte, args ...string) {
	t.Helper()
	dir := os.Getenv("PROMBIN")
	if dir == "" {
		dir = filepath.Join("..", "bin", "prom")
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "promtool"), args...)
	cmd.Stdin = bytes.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What the product writes has names, units and help as Prometheus' guide asks.
func TestMetrics(t *testing.T) {
	t.Parallel()
	promtool(t, read(t, text), "check", "metrics")
}

func TestRules(t *testing.T) {
	t.Parallel()
	promtool(t, nil, "check", "rules", "--lint=all", "--lint-fatal", rules)
	promtool(t, nil, "test", "rules", rulesTest)
}

// groups reads the rules.
func groups(t *testing.T) []rulefmt.Rule {
	t.Helper()
	read, errs := rulefmt.ParseFile(rules, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 || len(read.Groups) == 0 {
		t.Fatalf("%s: %v", rules, errs)
	}
	var all []rulefmt.Rule
	for _, g := range read.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

var update = flag.Bool("update", false, "write the PrometheusRule of deploy/components/prometheus-operator")

// The Prometheus operator gets the rules as they are tested.
func TestPrometheusRule(t *testing.T) {
	t.Parallel()
	const path = "../deploy/components/prometheus-operator/prometheusrule.yaml"
	want := "# The rules of deploy/monitoring, written by go test ./promtest -run TestPrometheusRule -update\n" +
		"apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: ocp-vsphere-admin\nspec:\n"
	_, groups, _ := strings.Cut(string(read(t, rules)), "\ngroups:")
	for line := range strings.Lines("groups:" + groups) {
		if line != "\n" {
			line = "  " + line
		}
		want += line
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(read(t, path)); got != want {
		t.Errorf("%s is not as %s: write it with -update", path, rules)
	}
	var rule struct {
		Kind string
		Spec struct{ Groups []struct{ Rules []any } }
	}
	if err := yaml.Unmarshal([]byte(want), &rule); err != nil || rule.Kind != "PrometheusRule" || len(rule.Spec.Groups) != 1 || len(rule.Spec.Groups[0].Rules) < 10 {
		t.Errorf("%v: %+v", err, rule)
	}
}

// Each alert is tested where it fires and where it does not, and says what is wrong, how bad it is and what to do.
func TestAlertsAreTested(t *testing.T) {
	t.Parallel()
	var file struct {
		Tests []struct {
			Alerts []struct {
				Name     string `yaml:"alertname"`
				Expected []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		} `yaml:"tests"`
	}
	if err := yaml.Unmarshal(read(t, rulesTest), &file); err != nil {
		t.Fatal(err)
	}
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range file.Tests {
		for _, a := range test.Alerts {
			fires[a.Name] = fires[a.Name] || len(a.Expected) > 0
			silent[a.Name] = silent[a.Name] || len(a.Expected) == 0
		}
	}
	page := string(read(t, "../docs/metrics.md"))
	for _, r := range groups(t) {
		if !fires[r.Alert] || !silent[r.Alert] {
			t.Errorf("%s is tested where it fires: %v, and where it does not: %v", r.Alert, fires[r.Alert], silent[r.Alert])
		}
		if !slices.Contains([]string{"critical", "warning"}, r.Labels["severity"]) || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
			t.Errorf("%s: labels %v, annotations %v", r.Alert, r.Labels, r.Annotations)
		}
		heading := "\n### " + r.Alert + "\n"
		const runbook = "https://github.com/ocp-vsphere-admin/ocp-vsphere-admin/blob/main/docs/metrics.md#"
		if r.Annotations["runbook_url"] != runbook+strings.ToLower(r.Alert) || !strings.Contains(page, heading) {
			t.Errorf("%s: %s leads to no heading of docs/metrics.md", r.Alert, r.Annotations["runbook_url"])
		}
	}
}
