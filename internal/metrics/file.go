package metrics

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// extension is what node-exporter reads; it ignores all other files without a word (github.com/prometheus/node_exporter,
// collector/textfile.go).
const extension = ".prom"

// CheckFile refuses a name that node-exporter would ignore.
func CheckFile(path string) error {
	if filepath.Ext(path) == extension {
		return nil
	}
	return hint.Errorf("call it "+strings.TrimSuffix(path, filepath.Ext(path))+extension, "%s: node-exporter reads only files that end in %s", path, extension)
}

// WriteFile writes the figures to path in the Prometheus text format, mode 0644: all of them or, after an error, none. [CheckFile] says
// which names are wrong.
func (e *Exporter) WriteFile(path string) error {
	if err := CheckFile(path); err != nil {
		return err
	}
	found, err := e.registry.Gather()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	for _, f := range found {
		if _, err := expfmt.MetricFamilyToText(&text, f); err != nil {
			return err
		}
	}
	return files.WriteShared(path, text.Bytes())
}

// Load takes from a file that WriteFile wrote before what stays of clusters that failed since: when each was last looked at to its end,
// and when passwords expire. A missing file is fine. An error is no reason to stop: it says that those times are lost, or that the file
// is that of another command or shard, whose figures the next WriteFile replaces. Call it before Set.
func (e *Exporter) Load(path, command string, shard *fleet.Shard) error {
	data, err := files.Read(path, files.Plan, files.Regular)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	found, err := parser.TextToMetricFamilies(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%s: earlier times are lost, because it is not in the Prometheus text format: %w", path, err)
	}
	earlier := figures{}
	for _, f := range families {
		if !f.stays {
			continue
		}
		for _, m := range found[prefix+f.name].GetMetric() {
			earlier[seriesOf(f, m)] = value(m)
		}
	}
	e.mu.Lock()
	e.earlier = earlier
	e.mu.Unlock()
	mine := at(runEnded, command, shardOf(&fleet.Result{Shard: shard}))
	for _, m := range found[prefix+runEnded.name].GetMetric() {
		if other := seriesOf(runEnded, m); other != mine {
			return fmt.Errorf("%s: the metrics of %s are replaced by those of %s: give each command and each shard a file of its own", path, other.run(), mine.run())
		}
	}
	return nil
}

// run names the run of a series of runEnded.
func (s series) run() string {
	if s.values[1] == "" {
		return s.values[0]
	}
	return s.values[0] + " --shard " + s.values[1]
}

// seriesOf is the series of f that m is.
func seriesOf(f *family, m *dto.Metric) series {
	s := series{family: f}
	for i, name := range f.labels {
		for _, l := range m.GetLabel() {
			if l.GetName() == name {
				s.values[i] = l.GetValue()
			}
		}
	}
	return s
}

// value is that of m, whose type a file may leave out.
func value(m *dto.Metric) float64 {
	if m.GetGauge() != nil {
		return m.GetGauge().GetValue()
	}
	return m.GetUntyped().GetValue()
}
