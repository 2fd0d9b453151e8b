package command_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// watched runs words of a command that has the flags; look is what it does.
func watched(ctx context.Context, f *command.Factory, look func(context.Context) (*fleet.Result, error), words ...string) error {
	var m command.MetricsFlags
	cmd := &cobra.Command{Use: "verify", SilenceErrors: true, SilenceUsage: true, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := m.Check(cmd, f); err != nil {
			return err
		}
		return m.Watch(cmd.Context(), f, fleet.Verify, nil, look)
	}}
	cmd.Flags().String("results", "", "")
	m.Register(cmd, "results")
	cmd.SetArgs(words)
	return cmd.ExecuteContext(ctx)
}

func oneCluster(outcome fleet.Outcome) *fleet.Result {
	now := time.Now()
	return &fleet.Result{Command: fleet.Verify, Began: now, Ended: now, Clusters: []fleet.Cluster{{Name: "berlin", Outcome: outcome, Ended: now}}}
}

func TestMetricsWords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	prom := filepath.Join(dir, "fleet.prom")
	for words, want := range map[string]string{
		"--metrics " + prom + " --every 1h":                   "--every: is for --listen",
		"--metrics " + filepath.Join(dir, "fleet.txt"):        "--metrics: " + filepath.Join(dir, "fleet.txt") + ": node-exporter reads only files that end in .prom",
		"--metrics " + filepath.Join(dir, "no", "fleet.prom"): "--metrics: " + filepath.Join(dir, "no", "fleet.prom") + ": its directory does not exist",
		"--metrics " + dir:                                    "--metrics: " + dir + " is not a regular file",
		"--metrics -":                                         "--metrics: - is no file: name one",
		"--listen 9090":                                       `--listen: "9090" is not an address with a port`,
		"--listen localhost:http":                             `--listen: "localhost:http" is not an address with a port`,
		"--listen :9090 --every 30s":                          "--every: must be at least 1m",
		"--listen :9090 --every soon":                         "must be days or hours",
		"--listen :9090 --results x":                          "none of the others can be",
	} {
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		err := watched(t.Context(), f, func(context.Context) (*fleet.Result, error) {
			t.Errorf("%s: it ran", words)
			return nil, nil
		}, strings.Fields(words)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", words, err, want)
		}
	}
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	f.Output = term.FormatJSON
	if err := watched(t.Context(), f, nil, "--listen", ":9090"); err == nil || !strings.Contains(err.Error(), "--output: a run with --listen does not end with a document") {
		t.Errorf("-o json: %v", err)
	}
}

// A run that found differences is written like any other, and ends as it would without metrics. The next one writes over it.
func TestMetricsFile(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake()
	f := command.NewFactory(fake.Streams, command.Build{})
	path := filepath.Join(t.TempDir(), "fleet.prom")
	differs := &command.ExitError{Code: command.ExitDifferent}
	for _, c := range []struct {
		found *fleet.Result
		err   error
		line  string
	}{
		{oneCluster(fleet.Different), differs, `ocp_vsphere_admin_cluster_outcome{cluster="berlin",command="verify",outcome="different"} 1`},
		{oneCluster(fleet.OK), nil, `ocp_vsphere_admin_cluster_outcome{cluster="berlin",command="verify",outcome="ok"} 1`},
		{nil, errors.New("no specification"), `ocp_vsphere_admin_cluster_outcome{cluster="berlin",command="verify",outcome="ok"} 1`},
	} {
		err := watched(t.Context(), f, func(context.Context) (*fleet.Result, error) { return c.found, c.err }, "--metrics", path)
		if err != c.err { //nolint:errorlint // the same one
			t.Errorf("%v, not %v", err, c.err)
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), c.line+"\n") {
			t.Errorf("%v\n%s\nis not in\n%s", err, c.line, text)
		}
	}
	if said := fake.Stderr.String(); said != "" {
		t.Errorf("said: %s", said)
	}
	if err := os.WriteFile(path, []byte("what is this\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := watched(t.Context(), f, func(context.Context) (*fleet.Result, error) { return oneCluster(fleet.OK), nil }, "--metrics", path); err != nil {
		t.Error(err)
	}
	if said := fake.Stderr.String(); !strings.HasPrefix(said, "warning: --metrics: "+path+": earlier times are lost") {
		t.Errorf("said: %s", said)
	}
}

// With --listen a run that found differences is served and written, one that fails is a warning, and neither is the end.
func TestMetricsListen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		found        *fleet.Result
		err          error
		served, said string
	}{
		{oneCluster(fleet.Different), &command.ExitError{Code: command.ExitDifferent}, `outcome="different"} 1`, ""},
		{nil, errors.New("no specification"), `outcome="failed"} 1`, "warning: no specification\n"},
	} {
		fake := termtest.NewFake()
		f := command.NewFactory(fake.Streams, command.Build{})
		path := filepath.Join(t.TempDir(), "fleet.prom")
		ctx, stop := context.WithCancel(t.Context())
		began, done := make(chan struct{}), make(chan error)
		go func() {
			done <- watched(ctx, f, func(context.Context) (*fleet.Result, error) {
				close(began)
				return c.found, c.err
			}, "--listen", "localhost:0", "--metrics", path)
		}()
		<-began
		_, at, _ := strings.Cut(fake.Stderr.String(), "serving metrics at ")
		at, rest, ok := strings.Cut(at, "/metrics, ")
		if !ok || !strings.HasPrefix(rest, "a run every 6h, until interrupted\n") {
			t.Fatalf("said: %s", fake.Stderr.String())
		}
		for code := 0; code != http.StatusOK; code, _ = get(t, at+"/readyz") {
		}
		if _, body := get(t, at+"/metrics"); !strings.Contains(body, c.served+"\n") {
			t.Errorf("%s\nis not in\n%s", c.served, body)
		}
		if _, err := os.Stat(path); (err == nil) != (c.found != nil) {
			t.Errorf("--metrics with --listen: %v", err)
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if said := fake.Stderr.String(); !strings.HasSuffix(said, c.said) || strings.Contains(said, "warning") != (c.said != "") {
			t.Errorf("said: %s", said)
		}
	}
}

// get is the status and the body of an answer.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}
