package program

import (
	"errors"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"
)

// A program gets no login and none of this tool's settings, and one that does not end is ended. Not parallel: the environment is
// the process's.
func TestRunsOnWindows(t *testing.T) {
	t.Setenv("GOVC_PASSWORD", "canary")
	t.Setenv("OCP_VSPHERE_ADMIN_PASSWORD", "canary")
	t.Setenv("KEPT", "kept")
	cmd, err := Find("cmd")
	if err != nil {
		t.Fatal(err)
	}
	out := &Limited{Most: 1 << 20}
	run := Command{Path: cmd, Args: []string{"/c", "set"}, Env: []string{"GIVEN=given"}, Out: out, Patience: time.Minute, Grace: Grace}
	if err := run.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := string(out.Text)
	if strings.Contains(text, "canary") || !strings.Contains(text, "KEPT=kept") || !strings.Contains(text, "GIVEN=given") {
		t.Errorf("%s", text)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run = Command{Path: self, Args: []string{"-test.run=^TestHangs$"}, Env: []string{"HANG=1"}, Patience: time.Second, Grace: time.Second}
	if err := run.Run(t.Context()); !errors.Is(err, ErrPatience) {
		t.Error(err)
	}
}

// TestHangs is the program that does not end.
func TestHangs(t *testing.T) {
	if os.Getenv("HANG") == "" {
		t.Skip("TestRunsOnWindows starts it")
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	<-interrupted
}
