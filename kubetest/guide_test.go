package kubetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// follow runs the commands of the guide, and the pods that they make.
func (tm *team) follow(t *testing.T) {
	bin := t.TempDir()
	// There is no kubelet to ask for logs, and these runs have nothing to warn of.
	logs := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = logs ]; then echo a warning; exec cat %s/*-\"${5##*=}\"-*; fi\nexec %s \"$@\"\n", tm.logs, tm.cluster.kubectl)
	if err := os.WriteFile(filepath.Join(bin, "kubectl"), []byte(logs), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(tm.product, filepath.Join(bin, "ocp-vsphere-admin")); err != nil {
		t.Fatal(err)
	}
	for _, s := range guide(t) {
		if job, ok := strings.CutPrefix(s.command, "kubectl wait job/"); ok {
			tm.finish(t, fleetNamespace, strings.Fields(job)[0])
			tm.succeeded(t, strings.Fields(job)[0])
		}
		out := tm.bash(t, bin, s.command)
		if !s.printed(out) {
			t.Errorf("$ %s\nprints\n%s\nand the guide says\n%s", s.command, out, strings.Join(s.lines, "\n"))
		}
	}
	tm.sameResult(t)
	tm.toldOf(t, "today")
}

// succeeded fails the test if a pod did, with what that said.
func (tm *team) succeeded(t *testing.T, job string) {
	t.Helper()
	for _, p := range tm.pods(t, fleetNamespace, "job-name="+job) {
		if p.Status.Phase == "Succeeded" {
			continue
		}
		t.Fatalf("%s: %s: %s", p.Metadata.Name, p.Status.Phase, tm.said(t, p))
	}
}

// bash runs a command of the guide.
func (tm *team) bash(t *testing.T, bin, command string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-ec", command)
	cmd.Dir = tm.home
	cmd.Env = append([]string{"HOME=" + tm.home, "PATH=" + bin + ":" + os.Getenv("PATH"), "KUBECONFIG=" + filepath.Join(tm.dir, "kubeconfig")}, tm.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("$ %s\n%v\n%s", command, err, out)
	}
	return string(out)
}

// step is a command of the guide, and what it prints: ... is anything.
type step struct {
	command string
	lines   []string
}

// guide are the commands of deploy/README.md.
func guide(t *testing.T) (steps []step) {
	t.Helper()
	text, err := os.ReadFile("../deploy/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(text), "```console\n")[1:] {
		block, _, _ = strings.Cut(block, "```\n")
		for line := range strings.Lines(block) {
			line = strings.TrimSuffix(line, "\n")
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				steps = append(steps, step{command: command})
				continue
			}
			last := &steps[len(steps)-1]
			if strings.HasSuffix(last.command, "\\") {
				last.command += "\n" + line
				continue
			}
			last.lines = append(last.lines, line)
		}
	}
	return steps
}

// printed reports whether the lines are printed, in their order.
func (s step) printed(out string) bool {
	pattern := "(?s)"
	for _, line := range s.lines {
		pattern += ".*" + strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, ".*")
	}
	return regexp.MustCompile(pattern).MatchString(out)
}
