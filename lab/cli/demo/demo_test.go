package demo_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	toolcli "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/demo"
)

// TestMain is the tool where it is called so, else the tests.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == command.Program {
		streams := term.System()
		ctx, stop := streams.Interrupts(context.Background())
		code := toolcli.Run(ctx, streams, os.Args[1:])
		stop()
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// onPath puts the tool, and nothing else, on PATH.
func onPath(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, command.Program)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

// Each step is shown and succeeds, with files of the demonstration alone, and nothing stays.
func TestDemo(t *testing.T) {
	onPath(t)
	temporary, home := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("HOME", home)
	t.Setenv("VSPHERE_CREDENTIALS_FILE", filepath.Join(home, "mine"))
	t.Setenv("OCP_VSPHERE_ADMIN_COMPONENTS", "csi-driver")
	fake := termtest.NewFake()
	if code := cli.Run(t.Context(), fake.Streams, []string{"demo"}); code != command.ExitDone {
		t.Fatalf("exit code %d: %s%s", code, fake.Stdout.String(), fake.Stderr.String())
	}
	said := fake.Stdout.String() + fake.Stderr.String()
	clitest.WantText(t, "output", said, "$ ocp-vsphere-admin doctor ", "$ ocp-vsphere-admin apply ", "verified: 10 accounts", "kind: Secret", "plan: nothing to change")
	for _, dir := range []string{temporary, home} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", dir, left, err)
		}
	}
}

// Without the tool nothing is started.
func TestDemoNeedsTheTool(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	fake := termtest.NewFake()
	if code := cli.Run(t.Context(), fake.Streams, []string{"demo"}); code != command.ExitFailed || fake.Stdout.String() != "" {
		t.Errorf("exit code %d: %s", code, fake.Stdout.String())
	}
	clitest.WantText(t, "stderr", fake.Stderr.String(), "ocp-vsphere-admin is neither beside this program nor on PATH")
}

// The demonstration cleans up after itself, but for a directory in which somebody has edited a file while it kept running.
func TestDemoLeavesWhatWasEdited(t *testing.T) {
	onPath(t)
	t.Setenv("TMPDIR", t.TempDir())
	fake := termtest.NewFake()
	serving := termtest.NewHears(fake.Err, "serving until interrupted")
	fake.Err = serving
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan int, 1)
	go func() { done <- cli.Run(ctx, fake.Streams, []string{"demo", "--keep"}) }()
	select {
	case <-serving.Done:
	case code := <-done:
		t.Fatalf("ended with %d: %s", code, fake.Stderr.String())
	}
	found, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "vcenter-lab-demo-*", demo.Config))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	if err := os.WriteFile(found[0], []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cancel(term.ErrInterrupted)
	if code := <-done; code != command.ExitDone {
		t.Errorf("exit code %d", code)
	}
	clitest.WantText(t, "stderr", fake.Stderr.String(), "kept, because "+demo.Config+" was changed: "+filepath.Dir(found[0]))
	if command.Missing(found[0]) {
		t.Error("the edited file is gone")
	}
}
