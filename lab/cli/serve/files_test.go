package serve_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// lab is `serve` at work, until stop.
type lab struct {
	view map[string]any
	stop func() (code int, stderr string) // a second time it says the same
}

// startLab runs serve with words until it serves.
func startLab(t *testing.T, words ...string) lab {
	t.Helper()
	fake := termtest.NewFake()
	serving := termtest.NewHears(fake.Err, "serving until interrupted")
	fake.Err = serving
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan int, 1)
	go func() { done <- program.Main(ctx, fake.Streams, append([]string{"serve", "-o", "json"}, words...)) }()
	l := lab{stop: func() (int, string) {
		cancel(term.ErrInterrupted)
		code := <-done
		done <- code
		return code, fake.Stderr.String()
	}}
	t.Cleanup(func() { l.stop() })
	select {
	case <-serving.Done:
		l.view = clitest.Document(t, "Simulation", fake.Stdout.String())
	case code := <-done:
		done <- code
		t.Fatalf("ended with %d: %s", code, fake.Stderr.String())
	}
	return l
}

// names in a directory, sorted.
func listed(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A file that somebody has edited outlives the lab, in a directory that was named and in one of our own.
func TestSimulateLeavesWhatWasEdited(t *testing.T) {
	for _, named := range []bool{true, false} {
		dir := filepath.Join(t.TempDir(), "lab")
		t.Setenv("TMPDIR", t.TempDir())
		var words []string
		if named {
			words = []string{"--dir", dir}
		}
		l := startLab(t, words...)
		spec, _ := l.view["spec"].(string)
		dir = filepath.Dir(spec)
		for _, name := range []string{"provisioning.yaml", "mine.txt"} {
			f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString("# an hour of work\n"); err != nil || f.Close() != nil {
				t.Fatal(err)
			}
		}
		code, stderr := l.stop()
		if got := listed(t, dir); code != command.ExitDone || !slices.Equal(got, []string{"mine.txt", "provisioning.yaml"}) {
			t.Errorf("named %t: exit code %d, %v is left", named, code, got)
		}
		clitest.WantText(t, "stderr", stderr, "kept, because it was changed: "+spec)
		if said := strings.Contains(stderr, "mine.txt"); said == named { // in a directory of his own he knows what he has
			t.Errorf("named %t: %s", named, stderr)
		}
	}
}

// A directory of ours goes with the lab.
func TestSimulateRemovesItsDirectory(t *testing.T) {
	t.Parallel()
	l := startLab(t)
	spec, _ := l.view["spec"].(string)
	if code, stderr := l.stop(); code != command.ExitDone || !command.Missing(filepath.Dir(spec)) || strings.Contains(stderr, "left") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// The ready file is there, whole, once everything else is, says what -o json says, and goes with the lab unless it was edited.
func TestSimulateReadyFile(t *testing.T) {
	t.Parallel()
	for _, edited := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "ready.json")
		l := startLab(t, "--ready-file", path, "--vcenters", "2")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		view := clitest.Document(t, "Simulation", string(text))
		if diff := cmp.Diff(l.view, view); diff != "" {
			t.Errorf("(-stdout +ready file)\n%s", diff)
		}
		if code, _, stderr := program.Run(t, termtest.NewFake(), "serve", "--ready-file", path); code != command.ExitFailed || !strings.Contains(stderr, "--ready-file: "+path+" exists: it is not overwritten") {
			t.Errorf("a second lab: exit code %d, %s", code, stderr)
		}
		if edited {
			if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, stderr := l.stop()
		if code != command.ExitDone || command.Missing(path) == edited || strings.Contains(stderr, "kept") != edited {
			t.Errorf("edited %t: exit code %d, gone %t: %s", edited, code, command.Missing(path), stderr)
		}
		if got := listed(t, dir); !edited && got != nil {
			t.Errorf("left behind: %v", got)
		}
	}
}

// What cannot be written ends the lab, and nothing stays.
func TestSimulateReadyFileThatCannotBe(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "lab")
	code, _, stderr := program.Run(t, termtest.NewFake(), "serve", "--dir", dir, "--ready-file", filepath.Join(dir, "no", "ready.json"))
	if code != command.ExitFailed || !strings.Contains(stderr, "--ready-file") || listed(t, dir) != nil {
		t.Errorf("exit code %d, %v: %s", code, listed(t, dir), stderr)
	}
}
