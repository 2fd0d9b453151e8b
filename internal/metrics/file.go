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

// extension is the only one that node-exporter reads (github.com/prometheus/node_exporter,
// collector/textfile.go).
const extension = ".prom"

// CheckFile refuses a name that node-exporter would ignore.
func CheckFile(path string) error {
	if filepath.Ext(path) == extension {
		return nil
	}
	return hint.Errorf("call it "+strings.TrimSuffix(path, filepath.Ext(path))+extension,
		"%s: node-exporter reads only files that end in %s", path, extension)
}

// WriteFile writes the figures to path in the Prometheus text format, mode 0644, atomically.
// [CheckFile] checks the name.
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

// Load reads, before Set, what stays of failed clusters from a file of WriteFile: when each was
// last completed, and when passwords expire. A missing file is fine. An error is not fatal: these
// times are lost, or the file is another command's or shard's, whose figures WriteFile will
// replace.
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
