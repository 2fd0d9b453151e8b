// Package promtest holds the metrics, the alert rules and the dashboard against Prometheus itself: promtool, and its parsers.
//
// It is a module of its own, because promtool is built from it (see go.mod). `make prom` builds it into bin/prom, `make prom-test` runs
// the tests: skipped without promtool, unless PROM=required. The metrics are those of internal/metrics/testdata, which the tests of
// internal/metrics hold against what the product writes.
package promtest
