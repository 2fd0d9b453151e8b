package metrics

import (
	"cmp"
	"maps"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
)

// Exporter holds the figures of the last result of each command. It may be scraped while it is given another.
type Exporter struct {
	registry *prometheus.Registry
	descs    map[*family]*prometheus.Desc
	commands map[string]figures // what was set, by command
	earlier  figures            // what a file held before
	runs     figures            // how many there were
	ready    bool               // a run has ended
	mu       sync.Mutex         // of all but registry
}

// New returns an Exporter without figures. Nothing but them is exported: no figures of Go or of the process.
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

// Set replaces the figures of r's command. The times of clusters that failed in r stay as they were: see [Exporter.Load].
func (e *Exporter) Set(r *fleet.Result) {
	e.mu.Lock()
	defer e.mu.Unlock()
	earlier := e.commands[r.Command]
	if earlier == nil {
		earlier = e.earlier
	}
	e.commands[r.Command] = figuresOf(r, earlier)
}

// count counts a run of command; err is why there is no result of it.
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
		metrics <- prometheus.MustNewConstMetric(c.descs[s.family], cmp.Or(s.kind, prometheus.GaugeValue), value, s.labels()...)
	}
}
