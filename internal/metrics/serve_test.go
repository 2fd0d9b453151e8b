package metrics

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
)

// get asks the handler of e.
func get(e *Exporter, method, path, accept string) *httptest.ResponseRecorder {
	answer, request := httptest.NewRecorder(), httptest.NewRequest(method, path, http.NoBody)
	request.Header.Set("Accept", accept)
	e.Handler().ServeHTTP(answer, request)
	return answer
}

func TestOpenMetrics(t *testing.T) {
	t.Parallel()
	answer := get(everything(), http.MethodGet, "/metrics", "application/openmetrics-text;version=1.0.0")
	if kind := answer.Header().Get("Content-Type"); !strings.HasPrefix(kind, "application/openmetrics-text; version=1.0.0") {
		t.Errorf("content type %s", kind)
	}
	golden(t, "fleet.openmetrics", answer.Body.Bytes())
}

func TestPlainText(t *testing.T) {
	t.Parallel()
	e := everything()
	answer := get(e, http.MethodGet, "/metrics", "")
	if diff := cmp.Diff(text(t, e, t.TempDir()), answer.Body.String()); diff != "" {
		t.Errorf("scraped is not what is written (-file +scraped):\n%s", diff)
	}
}

func TestWhatIsAnswered(t *testing.T) {
	t.Parallel()
	e := New()
	for _, c := range []struct {
		method, path string
		code         int
	}{
		{http.MethodGet, "/healthz", http.StatusOK},
		{http.MethodGet, "/readyz", http.StatusServiceUnavailable},
		{http.MethodPost, "/metrics", http.StatusMethodNotAllowed},
		{http.MethodDelete, "/healthz", http.StatusMethodNotAllowed},
		{http.MethodGet, "/", http.StatusNotFound},
		{http.MethodGet, "/debug/pprof/", http.StatusNotFound},
	} {
		if got := get(e, c.method, c.path, "").Code; got != c.code {
			t.Errorf("%s %s: %d, not %d", c.method, c.path, got, c.code)
		}
	}
	e.count(fleet.Verify, errors.New("no specification"))
	if got := get(e, http.MethodGet, "/readyz", "").Code; got != http.StatusOK {
		t.Errorf("a run has ended, and readyz says %d", got)
	}
}

// An address in use is an error before anything runs.
func TestAddressInUse(t *testing.T) {
	t.Parallel()
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = New().Serve(t.Context(), Server{Address: l.Addr().String(), Every: time.Hour, Run: func(context.Context) error {
		t.Error("it ran")
		return nil
	}})
	wantError(t, err, "cannot listen on "+l.Addr().String(), "in use", "choose another address")
}

// What was found is scraped while the next run is in progress; the end of ctx ends that run and the server.
func TestServe(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	e, address, results := New(), make(chan string, 1), make(chan *fleet.Result)
	done := make(chan error)
	go func() {
		done <- e.Serve(ctx, Server{
			Address: "localhost:0", Every: time.Nanosecond, Command: fleet.Verify,
			Run: func(ctx context.Context) error {
				select {
				case r := <-results:
					e.Set(r)
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			},
			Failed:  func(err error) { t.Errorf("failed: %v", err) },
			Serving: func(a net.Addr) { address <- a.String() },
		})
	}()
	at := <-address
	scraped := func() string {
		answer, err := http.Get("http://" + at + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if body := scraped(); strings.Contains(body, "cluster_outcome") {
		t.Errorf("before the first run has ended:\n%s", body)
	}
	results <- verified()
	results <- planned() // taken by the second run: the first has ended
	if body := scraped(); !strings.Contains(body, `ocp_vsphere_admin_runs_total{command="verify",outcome="ended"} 1`) && !strings.Contains(body, `outcome="ended"} 2`) || !strings.Contains(body, "missing_privileges") {
		t.Errorf("after the first run:\n%s", body)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("interrupted: %v", err)
	}
	if answer, err := http.Get("http://" + at + "/metrics"); err == nil {
		answer.Body.Close()
		t.Error("it still serves")
	}
}

// Runs begin every so often, counted from the beginning of the last: one that takes longer leaves out what passed meanwhile. A run that
// fails, or panics, is counted, and what was found before stays.
func TestRepeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		began := time.Now()
		var starts []time.Duration
		var said []string
		running := false
		e := New()
		go e.repeat(ctx, Server{Every: time.Hour, Command: fleet.Verify, Failed: func(err error) { said = append(said, err.Error()) }, Run: func(context.Context) error {
			if running {
				t.Error("a run began while another was in progress")
			}
			running = true
			defer func() { running = false }()
			starts = append(starts, time.Since(began))
			switch len(starts) {
			case 1:
				time.Sleep(10 * time.Minute)
				e.Set(verified())
			case 2:
				time.Sleep(150 * time.Minute)
				return errors.New("no specification")
			case 3:
				panic("a bug")
			}
			return nil
		}})
		time.Sleep(5*time.Hour + 30*time.Minute)
		stop()
		synctest.Wait()
		if diff := cmp.Diff([]time.Duration{0, time.Hour, 4 * time.Hour, 5 * time.Hour}, starts); diff != "" {
			t.Errorf("runs began at (-want +got):\n%s", diff)
		}
		if len(said) != 2 || said[0] != "no specification" || !strings.Contains(said[1], "internal error: a bug") {
			t.Errorf("said: %q", said)
		}
		body := get(e, http.MethodGet, "/metrics", "").Body.String()
		for _, want := range []string{
			`ocp_vsphere_admin_runs_total{command="verify",outcome="ended"} 2`, `ocp_vsphere_admin_runs_total{command="verify",outcome="failed"} 2`,
			`ocp_vsphere_admin_run_end_timestamp_seconds{command="verify",shard="0/4"} 1.79565849e+09`,
		} {
			if !strings.Contains(body, want+"\n") {
				t.Errorf("%s\nis not in\n%s", want, body)
			}
		}
	})
}

// Scrapes see one result or the other, whole.
func TestScrapedWhileSet(t *testing.T) {
	t.Parallel()
	e := New()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				e.Set(verified())
			}
		}
	}()
	e.Set(verified())
	want := get(e, http.MethodGet, "/metrics", "").Body.String()
	for range 20 {
		if got := get(e, http.MethodGet, "/metrics", "").Body.String(); got != want {
			t.Fatalf("half a result:\n%s", got)
		}
	}
	close(stop)
	<-done
}
