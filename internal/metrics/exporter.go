// Package metrics shows the last result of each command on a fleet to Prometheus: in a file for
// node-exporter, or by scraping.
//
// Labels are places (cluster, vcenter, component) and words of short lists (command, shard, action,
// login, outcome, code, severity), so there are as many series as accounts. No label holds a principal, a path or
// an error.
package metrics

import (
	"cmp"
	"maps"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
)

// Exporter holds the figures of each command's last result. Scrapes may run during Set.
type Exporter struct {
	registry *prometheus.Registry
	descs    map[*family]*prometheus.Desc
	commands map[string]figures // what was set, by command
	earlier  figures            // what a file held before
	runs     figures            // how many there were
	ready    bool               // a run has ended
	mu       sync.Mutex         // of all but registry
}

// New returns an empty Exporter, without figures of Go or of the process.
func New() *Exporter {
	e := &Exporter{
		registry: prometheus.NewPedanticRegistry(), descs: map[*family]*prometheus.Desc{},
		commands: map[string]figures{}, runs: figures{},
	}
	for _, f := range families {
		e.descs[f] = prometheus.NewDesc(prefix+f.name, f.help, f.labels, nil)
	}
	e.registry.MustRegister(collector{e})
	return e
}

// Set replaces the figures of r's command. Times of failed clusters stay: see [Exporter.Load].
func (e *Exporter) Set(r *fleet.Result) {
	e.mu.Lock()
	defer e.mu.Unlock()
	earlier := e.commands[r.Command]
	if earlier == nil {
		earlier = e.earlier
	}
	e.commands[r.Command] = figuresOf(r, earlier)
}

func (e *Exporter) count(command string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, o := range runOutcomes {
		e.runs[at(runs, command, o)] += one((o == failed) == (err != nil))
	}
	e.ready = true
}

// collector makes an Exporter a prometheus.Collector.
type collector struct{ *Exporter }

// Describe implements prometheus.Collector.
func (c collector) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(metrics chan<- prometheus.Metric) {
	c.mu.Lock()
	all := maps.Clone(c.runs)
	for _, f := range c.commands {
		maps.Copy(all, f)
	}
	c.mu.Unlock()
	for s, value := range all {
		metrics <- prometheus.MustNewConstMetric(c.descs[s.family], cmp.Or(s.kind, prometheus.GaugeValue),
			value, s.labels()...)
	}
}

// family is one metric. Its first label is the command, for files of several commands in one
// directory.
type family struct {
	name, help string
	labels     []string             // at most as many as a [series] has room for
	kind       prometheus.ValueType // 0 = a gauge
	stays      bool                 // it is a time, so it stays true of a cluster that failed now
}

// prefix begins the name of each metric.
const prefix = "ocp_vsphere_admin_"

// The metrics. Figures are of the last run, so they are gauges; only runs are counted.
var (
	buildInfo = &family{
		name: "build_info", labels: []string{"command", "shard", "version"},
		help: "1; version is that of the tool that made the figures.",
	}
	findings = &family{
		name: "findings", labels: []string{"command", "cluster", "code", "severity"},
		help: "Findings of the last run by code, as `explain CODE` tells them: errors and warnings.",
	}
	runEnded = &family{
		name: "run_end_timestamp_seconds", labels: []string{"command", "shard"},
		help: "When the last run ended.",
	}
	runSeconds = &family{
		name: "run_duration_seconds", labels: []string{"command", "shard"},
		help: "How long the last run took.",
	}
	runs = &family{
		name: "runs_total", labels: []string{"command", "outcome"}, kind: prometheus.CounterValue,
		help: "Runs since the process began to serve, by outcome: ended, or failed where there is no result at all.",
	}
	clusterOutcome = &family{
		name: "cluster_outcome", labels: []string{"command", "cluster", "outcome"},
		help: "1 for what came of the cluster in the last run (ok, different or failed), 0 for the others.",
	}
	lastSuccess = &family{
		name: "last_success_timestamp_seconds", labels: []string{"command", "cluster"}, stays: true,
		help: "When the cluster was last looked at to its end, whatever was found.",
	}
	clusterSeconds = &family{
		name: "cluster_duration_seconds", labels: []string{"command", "cluster"},
		help: "How long the cluster took in the last run.",
	}
	clusterRequests = &family{
		name: "cluster_requests", labels: []string{"command", "cluster"},
		help: "Requests to the vCenters of the cluster in the last run.",
	}
	vcenterRead = &family{
		name: "vcenter_read", labels: []string{"command", "cluster", "vcenter"},
		help: "1 if the vCenter was read in the last run, 0 if not.",
	}
	pendingChanges = &family{
		name: "pending_changes", labels: []string{"command", "cluster", "vcenter", "action"},
		help: "Drift: changes that apply would make, by action: create, update or delete.",
	}
	accounts = &family{
		name: "accounts", labels: []string{"command", "cluster", "vcenter", "login"},
		help: "Accounts by what came of their login: ok, failed, unverified, computed or disabled.",
	}
	missing = &family{
		name: "missing_privileges", labels: []string{"command", "cluster", "vcenter", "component"},
		help: "Privileges that the component needs and its account does not have, over all objects.",
	}
	excess = &family{
		name: "excess_privileges", labels: []string{"command", "cluster", "vcenter", "component"},
		help: "Privileges that the component does not need and its account has, over all objects.",
	}
	failedLogins = &family{
		name: "failed_logins", labels: []string{"command", "cluster", "vcenter", "component"},
		help: "Accounts of the component that could not log in: refused, not there, or without a password.",
	}
	passwordExpiry = &family{
		name: "password_expiry_timestamp_seconds", labels: []string{"command", "cluster", "vcenter", "component"}, stays: true,
		help: "When the first password of the component's accounts expires, to the day: vCenter gives whole days.",
	}
)

// families is the table of metrics, in the order of docs/metrics.md.
var families = []*family{
	clusterOutcome, lastSuccess, clusterSeconds, clusterRequests, vcenterRead, pendingChanges,
	findings, accounts, missing, excess, failedLogins,
	passwordExpiry, runEnded, runSeconds, runs, buildInfo,
}

// The values of labels that come from short lists.
var (
	outcomes    = []string{string(fleet.OK), string(fleet.Different), string(fleet.Failed)}
	logins      = []fleet.Login{fleet.LoginOK, fleet.LoginFailed, fleet.LoginUnverified, fleet.LoginComputed, fleet.LoginDisabled}
	runOutcomes = []string{ended, failed}
)

// What came of a run.
const (
	ended  = "ended"
	failed = "failed"
)
