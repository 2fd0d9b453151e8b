package vcsimtests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/kit"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

const examples = "../docs/examples"

// differs is what is another text in each run, and what stands for it in the examples.
var differs = [][2]string{
	{`\d{4}-\d\d-\d\d \d\d:\d\d UTC`, "2026-01-01 00:00 UTC"},
	{`( on |valid until )\d{4}-\d\d-\d\d`, "${1}2026-01-01"},
	{`ocp-vsphere-admin (devel|v?\d[^ ]*)( on |, with)`, "ocp-vsphere-admin 1.0.0$2"},
	{`[0-9a-f]{64}`, strings.Repeat("0", 64)},
	{`SHA-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}`, "SHA-256 00:11:22:..:EE:FF"},
	{`/\S*/vcenter-lab-demo-\d+`, "/tmp/vcenter-lab-demo"},
	{`\S*/vcenter-lab demo --keep`, "vcenter-lab demo --keep"},
	{`(\.password: )\S+`, "${1}cmFuZG9t"},
}

// TestExamples fails when the programs do not write what docs/examples shows: go test ./vcsim-tests -run TestExamples -update
func TestExamples(t *testing.T) {
	t.Parallel()
	lab, err := vcsim.Start(vcsim.Options{VCenters: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	dir := t.TempDir()
	files, err := kit.Write(lab, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	run := func(name string, words ...string) []byte {
		t.Helper()
		cmd := exec.Command(name, words...)
		cmd.Dir = dir
		cmd.Env = append([]string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}, append(files.Environment(), processEnvironment()...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(words, " "), err, out)
		}
		return out
	}
	run(program, "plan", "-f", "provisioning.yaml", "--out", "approved.plan", "--html", "plan.html", "--markdown", "plan.md")
	run(program, "apply", "--plan", "approved.plan", "--yes")
	run(program, "report", "-f", "provisioning.yaml", "--components", "csi-driver", "--html", "report.html", "--markdown", "report.md")
	if err := os.WriteFile(filepath.Join(dir, "demo.cast"), recorded(t, masked(run(labProgram, "demo"))), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, limit := range map[string]int{"plan.html": 40e3, "plan.md": 40e3, "report.html": 100e3, "report.md": 60e3, "demo.cast": 60e3} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got = masked(got)
		if len(got) > limit || len(got) == 0 {
			t.Errorf("%s has %d bytes", name, len(got))
		}
		shown := filepath.Join(examples, name)
		if *update {
			if err := os.WriteFile(shown, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(shown); err != nil || !bytes.Equal(want, got) {
			t.Errorf("%s is behind (-update): %v\n%s", shown, err, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")))
		}
	}
}

// sameMinute are the events of a report that have one time: their order is another in each run.
var sameMinute = regexp.MustCompile(`(?m)(^(<tr><td>|\| [^ ]+ \| )2026-01-01 00:00 UTC( \||</td>).*\n)+`)

func masked(text []byte) []byte {
	for _, d := range differs {
		text = regexp.MustCompile(d[0]).ReplaceAll(text, []byte(d[1]))
	}
	return sameMinute.ReplaceAllFunc(text, func(rows []byte) []byte {
		return bytes.Join(slices.SortedFunc(bytes.Lines(rows), bytes.Compare), nil)
	})
}

// recorded is output as asciicast v2, at the pace of a reader: commands take a second, other lines a fraction of one.
func recorded(t *testing.T, output []byte) []byte {
	t.Helper()
	var cast bytes.Buffer
	write := func(v any) {
		line := json.NewEncoder(&cast)
		line.SetEscapeHTML(false)
		if err := line.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	write(map[string]any{"version": 2, "width": 160, "height": 45, "title": "vcenter-lab demo"})
	at := 0
	for line := range strings.Lines("$ vcenter-lab demo\n" + string(output)) {
		write([]any{json.RawMessage(fmt.Sprintf("%d.%02d", at/100, at%100)), "o", strings.TrimSuffix(line, "\n") + "\r\n"})
		at += 6
		if strings.HasPrefix(line, "$ ") {
			at += 100
		}
	}
	return cast.Bytes()
}
