package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Server is what repeats a run and is scraped meanwhile.
type Server struct {
	Address string        // host:port, :port
	Every   time.Duration // from the beginning of one run to that of the next
	Command string        // that runs, for the count of runs
	// Run passes its result to [Exporter.Set]. An error means no result: former figures stay.
	Run     func(context.Context) error
	Failed  func(error)    // is told why a run failed
	Serving func(net.Addr) // is told once where the metrics are
}

// How long clients may take.
const (
	headerTimeout   = 5 * time.Second
	answerTimeout   = time.Minute
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 5 * time.Second
)

// Handler answers GET only: /metrics in the Prometheus text format or as OpenMetrics, /healthz
// while it serves, and /readyz, with 503 until a run has ended with any outcome.
func (e *Exporter) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(e.registry, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	mux.HandleFunc("GET /healthz",
		func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		e.mu.Lock()
		ready := e.ready
		e.mu.Unlock()
		if !ready {
			http.Error(w, "no run has ended yet", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	})
	return mux
}

// Serve listens first, so that an address in use is an error before any run. Then it runs at once
// and every s.Every, until ctx ends: it ends the run, answers open requests, and returns nil. A run
// longer than s.Every skips the times passed, so that runs never overlap. Failures and panics are
// counted.
func (e *Exporter) Serve(ctx context.Context, s Server) error {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", s.Address)
	if err != nil {
		if why, ok := errors.AsType[*net.OpError](err); ok {
			err = why.Err
		}
		return hint.Errorf("choose another address, such as localhost:9091", "cannot listen on %s: %w",
			s.Address, err)
	}
	server := &http.Server{
		Handler: e.Handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: headerTimeout, WriteTimeout: answerTimeout, IdleTimeout: idleTimeout,
		ErrorLog: log.New(io.Discard, "", 0), // what clients do wrong is theirs
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var serving crash.Group
	var broken error
	serving.Go(func() {
		defer stop()
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			broken = fmt.Errorf("%s: %w", s.Address, err)
		}
	})
	if s.Serving != nil {
		s.Serving(l.Addr())
	}
	e.repeat(ctx, s)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if server.Shutdown(last) != nil {
		_ = server.Close() // who did not take the answer in time
	}
	serving.Wait()
	return broken
}

// repeat runs until ctx ends.
func (e *Exporter) repeat(ctx context.Context, s Server) {
	for ctx.Err() == nil {
		began := time.Now()
		err := crash.Try(func() error { return s.Run(ctx) })
		if ctx.Err() != nil {
			return
		}
		e.count(s.Command, err)
		if err != nil && s.Failed != nil {
			s.Failed(err)
		}
		next := time.NewTimer(s.Every - time.Since(began)%s.Every)
		select {
		case <-next.C:
		case <-ctx.Done():
			next.Stop()
		}
	}
}
