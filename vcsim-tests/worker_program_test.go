package vcsimtests

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Exit codes and streams of a worker are those of the program as a process, whatever it ran before.
func TestWorkerIsTheProgram(t *testing.T) {
	t.Parallel()
	lab, err := vcsim.Start(vcsim.Options{VCenters: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	dir := t.TempDir()
	logins := ""
	for _, v := range lab.VCenters {
		logins += "[" + v.Server() + "]\nuser = " + v.AdminUser() + "\npassword = `" + v.AdminPassword() + "`\n\n"
	}
	for name, text := range map[string]string{"ca.pem": string(lab.CA), "admin.ini": logins, "spec.yaml": provisioning(domains(lab))} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	to := func(first, second string) []string {
		return []string{
			"-f", "spec.yaml", "--cacert", "ca.pem", "--admin-credentials", "admin.ini",
			"--connect-to", lab.VCenters[0].Server() + "=" + first, "--connect-to", lab.VCenters[1].Server() + "=" + second,
		}
	}
	both := to(lab.VCenters[0].Addr(), lab.VCenters[1].Addr())
	lines := []struct {
		code  int
		words []string
	}{
		{0, []string{"version"}},
		{0, []string{"privileges", "export", "--format", "json"}},
		{0, append([]string{"plan"}, both...)},
		{2, append([]string{"plan", "--exit-code"}, both...)},
		{3, append([]string{"plan"}, to(lab.VCenters[0].Addr(), "127.0.0.1:1")...)},
		{1, append([]string{"apply", "--no-input"}, both...)},
		{1, append([]string{"apply"}, both...)},
		{1, []string{"plan", "-f", "-"}},
		{1, []string{"plan", "-f", "missing.yaml"}},
		{1, []string{"plam"}},
		{0, []string{"rotate", "--help"}},
	}
	env := map[string]string{"HOME": dir, "TMPDIR": t.TempDir(), "GORACE": "atexit_sleep_ms=20", "GOGC": "400"}
	want := make([]answer, len(lines))
	for i, line := range lines {
		want[i] = asProcess(t, dir, env, line.words)
		if want[i].Code != line.code {
			t.Fatalf("%q: exit code %d, want %d: %s", line.words, want[i].Code, line.code, want[i].Stderr)
		}
	}
	w, err := startWorker()
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	for _, backwards := range []bool{false, true} {
		order := make([]int, len(lines))
		for i := range order {
			order[i] = i
		}
		if backwards {
			slices.Reverse(order)
		}
		for _, i := range order {
			got, err := w.run(request{dir, env, lines[i].words})
			if err != nil {
				t.Fatal(err)
			}
			got.Busy = false // which machine is how fast
			// Another script comes in between, with a directory and an environment of its own.
			other, err := w.run(request{elsewhere, map[string]string{"OCP_VSPHERE_ADMIN_OUTPUT": "json"}, []string{"plan", "-f", "spec.yaml"}})
			if err != nil || other.Code != 1 || !strings.Contains(other.Stdout, "spec.yaml: no such file") {
				t.Errorf("%v: %+v", err, other)
			}
			if diff := cmp.Diff(want[i], got); diff != "" {
				t.Errorf("%q, backwards %v (-process +worker):\n%s", lines[i].words, backwards, diff)
			}
		}
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
}

func asProcess(t *testing.T, dir string, env map[string]string, words []string) (a answer) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, words...)
	var stdout, stderr strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, []string{}, strings.NewReader(""), &stdout, &stderr
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var exited *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exited) {
		t.Fatal(err)
	}
	return answer{Code: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
}

// A worker that ends by itself, or says something that is no answer, fails its script.
func TestBrokenWorkerIsAnError(t *testing.T) {
	t.Parallel()
	w, err := startWorker()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.to.Encode(1); err != nil { // no command line
		t.Fatal(err)
	}
	if err := w.stop(); err == nil || !strings.Contains(err.Error(), "test harness: gob") {
		t.Errorf("a worker broke, and its script hears %v", err)
	}
}
