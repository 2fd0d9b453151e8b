package vcsimtests

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// promises is what docs/windows.md says of both programs, one after the other: each begins where the one before ended.
func (w *wine) promises(t *testing.T) {
	temp := filepath.Join(w.home, "Temp")
	before := listed(t, temp)
	out := w.must(t, 0, labProgram, "demo")
	if want := "& 'C:\\Program Files\\vSphere tools\\vcenter-lab.exe' demo --keep"; !strings.Contains(out, want) {
		t.Errorf("demo does not end with %s:\n%s", want, out)
	}
	if after := listed(t, temp); !slices.Equal(before, after) {
		t.Errorf("demo leaves %q, and there was %q", after, before)
	}

	lab := w.serve(t)
	credentials := filepath.Join(w.home, ".vsphere", "credentials")
	specification := filepath.Join(w.drive, strings.ReplaceAll(strings.TrimPrefix(lab.Spec, `C:\`), `\`, "/"))
	redirected(t, specification, filepath.Join(w.work, "spec.yaml"))
	flags := []string{"-f", "spec.yaml", "--config", lab.Settings, "--credentials-file", `C:` + strings.ReplaceAll(strings.TrimPrefix(credentials, w.drive), "/", `\`)}

	// A plan that was made of a redirected specification, and that somebody printed into a file with PowerShell.
	w.must(t, 0, program, append([]string{"plan", "--out", "plan.json"}, flags...)...)
	w.private(t, filepath.Join(w.work, "plan.json"))
	redirected(t, filepath.Join(w.work, "plan.json"), filepath.Join(w.work, "plan 16.json"))
	if out := w.must(t, 0, program, "plan", "show", "plan 16.json"); !strings.Contains(out, "to create") {
		t.Errorf("plan show:\n%s", out)
	}
	w.must(t, 0, program, append([]string{"apply", "--yes"}, flags...)...)
	w.private(t, credentials)
	w.must(t, 0, program, append([]string{"plan", "--exit-code"}, flags...)...)
	w.must(t, 0, program, append([]string{"verify"}, flags...)...)

	// Notepad leaves CRLF.
	text := string(read(t, credentials))
	write(t, credentials, strings.ReplaceAll(text, "\n", "\r\n"), 0o600)
	w.must(t, 0, program, append([]string{"rotate", "--yes"}, flags...)...)
	w.must(t, 0, program, append([]string{"verify"}, flags...)...)
	if again := string(read(t, credentials)); again == text || strings.Count(again, "password") < strings.Count(text, "password") {
		t.Error("rotate changed no password")
	}
	w.private(t, credentials)
	if left := listed(t, filepath.Dir(credentials)); !slices.Contains(left, "credentials") ||
		slices.ContainsFunc(left, func(name string) bool { return strings.HasSuffix(name, ".lock") || strings.HasPrefix(name, ".") }) {
		t.Errorf("rotate leaves %q", left)
	}

	// What cmd.exe redirects, and what the tool writes.
	emit := append([]string{"secrets", "emit"}, flags...)
	words := `"C:\Program Files\vSphere tools\` + program + `.exe" ` + strings.Join(inCmd(emit), " ") + ` >"out of cmd.yaml"`
	write(t, filepath.Join(w.work, "emit.bat"), "@"+words+"\r\n", 0o600)
	if out, err := w.run(t, w.work, "cmd", "/c", "emit.bat"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if text := string(read(t, filepath.Join(w.work, "out of cmd.yaml"))); strings.Count(text, "kind: Secret\n") < 4 {
		t.Errorf("secrets emit wrote\n%s", text)
	}
	w.must(t, 0, program, append(emit, "--output-dir", "secrets dir")...)
	for _, name := range listed(t, filepath.Join(w.work, "secrets dir")) {
		w.private(t, filepath.Join(w.work, "secrets dir", name))
	}

	// A file that others can read is refused, with what to paste into PowerShell.
	if err := os.Chmod(credentials, 0o644); err != nil {
		t.Fatal(err)
	}
	out = w.must(t, 1, program, append([]string{"rotate", "--yes"}, flags...)...)
	if want := `must be 0600 or stricter): run icacls 'C:\users\` + filepath.Base(w.home) + `\.vsphere\credentials' /inheritance:r /grant:r "${env:USERNAME}:F"`; !strings.Contains(out, want) {
		t.Errorf("no %s in\n%s", want, out)
	}
}

// must runs one of the programs in C:\Ann's work and gives what it printed.
func (w *wine) must(t *testing.T, code int, name string, args ...string) string {
	t.Helper()
	out, err := w.run(t, w.work, filepath.Join(w.tools, name+".exe"), append(args, "--no-input")...)
	got := 0
	if exit, ended := errors.AsType[*exec.ExitError](err); ended {
		got = exit.ExitCode()
	} else if err != nil {
		got = -1
	}
	if got != code {
		t.Fatalf("%s %q: %v, want %d\n%s", name, args, err, code, out)
	}
	return out
}

// private fails if a file has no access list of its own, or one that names others.
func (w *wine) private(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	// Wine makes a mode of a list with all rights that lets us run the file, and others nothing; without a list nobody can run it.
	if info.Mode().Perm()&0o107 != 0o100 {
		t.Errorf("%s has no access list for us alone: %v", path, info.Mode())
	}
}

type served struct {
	Spec, Settings string
}

// serve starts two vCenters, which end with the test.
func (w *wine) serve(t *testing.T) (lab served) {
	t.Helper()
	cmd := w.command(t.Context(), w.work, filepath.Join(w.tools, labProgram+".exe"), "serve", "--vcenters", "2", "--dir", "the lab", "--ready-file", "ready.json", "-o", "json")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Cancel()
		<-ended
	})
	for {
		text, err := os.ReadFile(filepath.Join(w.work, "ready.json"))
		if err == nil && json.Unmarshal(text, &lab) == nil {
			return lab
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("serve ended: %v", err)
		case <-t.Context().Done():
			t.Fatal("serve is not ready")
		default:
		}
	}
}

// redirected writes what is at from to a file as Windows PowerShell's > does: UTF-16 with a byte order mark and CRLF.
func redirected(t *testing.T, from, to string) {
	t.Helper()
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(strings.ReplaceAll(string(read(t, from)), "\n", "\r\n"))) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	write(t, to, string(out), 0o600)
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func listed(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// inCmd is what cmd.exe takes for these words.
func inCmd(words []string) []string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = `"` + word + `"`
	}
	return out
}
