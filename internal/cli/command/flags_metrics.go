package command

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/metrics"
)

// The names of the flags.
const (
	MetricsFlag = "metrics"
	ListenFlag  = "listen"
	EveryFlag   = "every"
)

// Limits of the interval. More often than each minute is load for vCenters without news.
const (
	defaultEvery  = 6 * time.Hour
	shortestEvery = time.Minute
)

// MetricsFlags publish results of a fleet to Prometheus.
type MetricsFlags struct {
	File   string         // --metrics; "" = none
	Listen string         // --listen; "" = one run
	Every  *time.Duration // --every; nil = [defaultEvery]
}

// Register adds the flags to cmd. --listen excludes those named in once, which are about one run.
func (m *MetricsFlags) Register(cmd *cobra.Command, once ...string) {
	p := cmd.Flags()
	FileFlag(cmd, &m.File, MetricsFlag,
		"write metrics for node-exporter to this file, which ends in .prom", "prom")
	p.StringVar(&m.Listen, ListenFlag, "", "serve metrics at this address, such as :9090, and repeat the run")
	p.Var(NewSpan(&m.Every), EveryFlag,
		`with --listen: time from one run to the next (default "`+SpanText(defaultEvery)+`")`)
	MarkCommandLineOnly(cmd, ListenFlag, EveryFlag) // simulate listens, too
	for _, flag := range once {
		cmd.MarkFlagsMutuallyExclusive(ListenFlag, flag)
	}
}

// Check refuses what cannot be written or served, before anything is read.
func (m *MetricsFlags) Check(cmd *cobra.Command, f *Factory) error {
	if m.File != "" {
		written := OverwriteFlag{Force: true} // over that of the last run
		if err := written.Check(MetricsFlag, m.File); err != nil {
			return err
		}
		if err := metrics.CheckFile(m.File); err != nil {
			return BadFlag(MetricsFlag, "%w", err)
		}
	}
	if m.Listen == "" {
		if m.Every != nil {
			return hint.Wrap(BadFlag(EveryFlag, "is for --%s", ListenFlag), "add --"+ListenFlag+" :9090")
		}
		return nil
	}
	if err := checkListen(m.Listen); err != nil {
		return BadFlag(ListenFlag, "%w", err)
	}
	if m.Every != nil && *m.Every < shortestEvery {
		return BadFlag(EveryFlag, "must be at least %s", SpanText(shortestEvery))
	}
	return f.CheckOutput(cmd, "a run with --"+ListenFlag+" does not end with a document: its results are metrics")
}

func checkListen(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return hint.Errorf("such as :9090 or localhost:9090", "%s is not an address with a port",
			hint.Quote(address))
	}
	return nil
}

// Watch calls look once, or with --listen until ctx ends, and publishes the results. A result
// counts even with an error; an error alone is a failed run, with --listen a warning.
func (m *MetricsFlags) Watch(ctx context.Context, f *Factory, verb string, shard *fleet.Shard,
	look func(context.Context) (*fleet.Result, error),
) error {
	shown := metrics.New()
	if m.File != "" {
		if err := shown.Load(m.File, verb, shard); err != nil {
			f.Warnf("--%s: %v", MetricsFlag, err)
		}
	}
	show := func(r *fleet.Result) error {
		if shown.Set(r); m.File == "" {
			return nil
		}
		if err := shown.WriteFile(m.File); err != nil {
			return BadFlag(MetricsFlag, "%w", err)
		}
		return nil
	}
	if m.Listen == "" {
		r, err := look(ctx)
		if r == nil {
			return err
		}
		return Joined(err, show(r))
	}
	every := defaultEvery
	if m.Every != nil {
		every = *m.Every
	}
	err := shown.Serve(ctx, metrics.Server{
		Address: m.Listen, Every: every, Command: verb,
		Run: func(ctx context.Context) error {
			r, err := look(ctx)
			if r == nil {
				return err
			}
			return show(r)
		},
		Failed: func(err error) { f.Warnf("%v", err) },
		Serving: func(at net.Addr) {
			f.Infof("serving metrics at http://%s/metrics, a run every %s, until interrupted", at, SpanText(every))
		},
	})
	if err != nil {
		return BadFlag(ListenFlag, "%w", err)
	}
	return nil
}
