package promtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql/parser"
)

// exported are the values of each label of each metric, as the product writes them in either format.
func exported(t *testing.T, path, kind string) map[string]map[string][]string {
	t.Helper()
	p, err := textparse.New(read(t, path), kind, labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string][]string{}
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var series labels.Labels
		p.Labels(&series)
		name := series.Get(model.MetricNameLabel)
		if found[name] == nil {
			found[name] = map[string][]string{}
		}
		series.Range(func(l labels.Label) { found[name][l.Name] = append(found[name][l.Name], l.Value) })
	}
}

// Prometheus reads both formats, and finds the same in them.
func TestFormats(t *testing.T) {
	t.Parallel()
	plain := exported(t, text, "text/plain; version=0.0.4")
	open := exported(t, openMetrics, "application/openmetrics-text; version=1.0.0")
	for name := range plain {
		if fmt.Sprint(plain[name]) != fmt.Sprint(open[name]) {
			t.Errorf("%s: as text %v, as OpenMetrics %v", name, plain[name], open[name])
		}
	}
	if len(plain) == 0 || len(plain) != len(open) {
		t.Errorf("%d metrics as text, %d as OpenMetrics", len(plain), len(open))
	}
}

// wrong says what an expression names that is not exported: metrics, their labels, values of those that have few, and labels by which it
// groups. Names of variables are taken out of it before.
func wrong(expression string, metrics map[string]map[string][]string) error {
	read, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	var errs []error
	parser.Inspect(read, func(node parser.Node, _ []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		has := metrics[selector.Name]
		if has == nil {
			errs = append(errs, fmt.Errorf("no metric is called %q", selector.Name))
			return nil
		}
		for name := range has {
			known[name] = true
		}
		for _, m := range selector.LabelMatchers {
			few := slices.Contains([]string{"command", "outcome", "login", "action"}, m.Name)
			switch values, ok := has[m.Name]; {
			case m.Name == model.MetricNameLabel:
			case !ok:
				errs = append(errs, fmt.Errorf("%s has no label %q", selector.Name, m.Name))
			case few && !slices.ContainsFunc(values, m.Matches):
				errs = append(errs, fmt.Errorf("%s: nothing matches %s", selector.Name, m))
			}
		}
		return nil
	})
	parser.Inspect(read, func(node parser.Node, _ []parser.Node) error {
		var by []string
		switch n := node.(type) {
		case *parser.AggregateExpr:
			by = n.Grouping
		case *parser.BinaryExpr:
			if n.VectorMatching != nil {
				by = slices.Concat(n.VectorMatching.MatchingLabels, n.VectorMatching.Include)
			}
		}
		for _, name := range by {
			if !known[name] {
				errs = append(errs, fmt.Errorf("groups by %q, which no metric in it has", name))
			}
		}
		return nil
	})
	if len(metrics) > 0 && len(known) == 0 {
		errs = append(errs, errors.New("names no metric"))
	}
	return errors.Join(errs...)
}

func TestRulesNameMetrics(t *testing.T) {
	t.Parallel()
	metrics := exported(t, text, "text/plain")
	for _, r := range groups(t) {
		if err := wrong(r.Expr, metrics); err != nil {
			t.Errorf("%s: %v", r.Alert, err)
		}
	}
}

// panel is what a test reads of a panel of Grafana.
type panel struct {
	Title       string          `json:"title"`
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Datasource  json.RawMessage `json:"datasource"`
	Targets     []struct {
		Expr       string          `json:"expr"`
		Datasource json.RawMessage `json:"datasource"`
	} `json:"targets"`
	Panels []panel `json:"panels"`
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	var d struct {
		Title      string  `json:"title"`
		Panels     []panel `json:"panels"`
		Templating struct {
			List []struct {
				Name, Type string
				Query      any
			} `json:"list"`
		} `json:"templating"`
	}
	if err := json.Unmarshal(read(t, dashboard), &d); err != nil {
		t.Fatal(err)
	}
	metrics := exported(t, text, "text/plain")
	variables := []string{"$__range", "1d", "$__rate_interval", "1d"}
	source := false
	for _, v := range d.Templating.List {
		source = source || v.Type == "datasource" && v.Query == "prometheus"
		variables = append(variables, "$"+v.Name, ".*", "${"+v.Name+"}", ".*")
		if v.Type != "query" {
			continue
		}
		query, _ := v.Query.(map[string]any)
		inner, ok := strings.CutPrefix(fmt.Sprint(query["query"]), "label_values(")
		expression, name, found := strings.Cut(strings.TrimSuffix(inner, ")"), ", ")
		if !ok || !found {
			t.Errorf("variable %s: %v is not label_values(METRIC, LABEL)", v.Name, v.Query)
			continue
		}
		if err := wrong("max by ("+name+") ("+strings.NewReplacer(variables...).Replace(expression)+")", metrics); err != nil {
			t.Errorf("variable %s: %v", v.Name, err)
		}
	}
	if !source {
		t.Error("the data source is not a variable")
	}
	expand := strings.NewReplacer(variables...)
	expressions := 0
	named := map[string]bool{}
	for _, p := range d.Panels {
		if p.Type == "row" {
			continue
		}
		if len(p.Targets) == 0 || p.Description == "" || !strings.Contains(string(p.Datasource), "${datasource}") {
			t.Errorf("panel %q: %d expressions, description %q, data source %s", p.Title, len(p.Targets), p.Description, p.Datasource)
		}
		for _, target := range p.Targets {
			expressions++
			if err := wrong(expand.Replace(target.Expr), metrics); err != nil {
				t.Errorf("panel %q: %s: %v", p.Title, target.Expr, err)
			}
			for name := range metrics {
				named[name] = named[name] || strings.Contains(target.Expr, name)
			}
		}
	}
	for name := range metrics {
		if !named[name] && name != "ocp_vsphere_admin_build_info" {
			t.Errorf("no panel shows %s", name)
		}
	}
	if expressions < 10 {
		t.Errorf("only %d expressions were read", expressions)
	}
}

// What reads expressions has to see what is wrong with them.
func TestWrongExpressionsAreFound(t *testing.T) {
	t.Parallel()
	metrics := exported(t, text, "text/plain")
	for expression, want := range map[string]string{
		`sum(ocp_vsphere_admin_pending_changes`:        "unclosed",
		`sum(ocp_vsphere_admin_drift)`:                 "no metric",
		`ocp_vsphere_admin_accounts{component="x"}`:    "no label",
		`ocp_vsphere_admin_accounts{login="good"}`:     "nothing matches",
		`sum by (server) (ocp_vsphere_admin_accounts)`: "groups by",
		`1 + 1`: "names no metric",
		`sum by (cluster) (ocp_vsphere_admin_accounts{login=~"ok|computed"})`: "",
	} {
		err := wrong(expression, metrics)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", expression, err, want)
		}
	}
}
