package vcsimtests

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// onWine are the packages whose tests run on Windows: what speaks to files, terminals, shells and other programs.
var onWine = []string{"credfile", "files", "kube", "program", "script", "sealed", "spec", "term"}

// TestWine runs the programs and these tests as Windows would, under Debian's Wine. `make wine` prepares it, and `make wine-test` runs it;
// TEST_WINE=required fails where there is none. docs/windows.md says what it cannot show.
func TestWine(t *testing.T) {
	mode := os.Getenv("TEST_WINE")
	if mode == "" {
		t.Skip("'make wine-test' runs it")
	}
	dir := os.Getenv("WINEBIN")
	if dir == "" {
		dir = filepath.Join("..", "bin", "wine")
	}
	library, err := os.ReadFile(filepath.Join(dir, "bcryptprimitives.dll"))
	if _, missing := exec.LookPath("wine"); err != nil || missing != nil {
		if mode == "required" {
			t.Fatalf("no Wine: 'make wine' prepares it (%v)", err)
		}
		t.Skipf("no Wine: 'make wine' prepares it (%v)", err)
	}
	w := newWine(t, library)
	packages := make([]string, len(onWine))
	for i, name := range onWine {
		packages[i] = "./internal/" + name
	}
	built := t.TempDir()
	w.cross(t, append([]string{"test", "-c", "-vet=off", "-ldflags=-w", "-o", built + "/"}, packages...)...)
	w.cross(t, "build", "-trimpath", "-ldflags=-s -w", "-o", w.tools+"/", "./cmd/"+program, "./cmd/"+labProgram)
	for _, name := range onWine {
		t.Run(name, func(t *testing.T) {
			out, err := w.run(t, filepath.Join("..", "internal", name), filepath.Join(built, name+".test.exe"), "-test.short")
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	t.Run("promises", w.promises)
}

// wine is a Windows of its own.
type wine struct {
	env               []string
	drive             string // C:
	home, work, tools string // %USERPROFILE%, C:\Ann's work, and C:\Program Files\vSphere tools
}

// newWine makes one, without a display, that ends with the test. Files that nobody protects are open to all there.
func newWine(t *testing.T, library []byte) *wine {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "prefix")
	drive := filepath.Join(prefix, "drive_c")
	w := &wine{drive: drive, work: filepath.Join(drive, "Ann's work"), tools: filepath.Join(drive, "Program Files", "vSphere tools")}
	w.env = append(os.Environ(), "WINEPREFIX="+prefix, "WINEDEBUG=-all", "DISPLAY=", "RAPID_SEED=1", "NO_PROXY=*")
	// What nobody protects is private here, as in the folder of a user of Windows: Wine makes access lists of modes, and modes of them.
	before := syscall.Umask(0o077)
	t.Cleanup(func() { syscall.Umask(before) })
	t.Cleanup(func() {
		end := exec.Command("wineserver", "-k", "-w")
		end.Env = w.env
		_ = end.Run()
	})
	if out, err := w.run(t, ".", "wineboot", "-i"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	users, err := filepath.Glob(filepath.Join(drive, "users", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range users {
		if filepath.Base(user) != "Public" {
			w.home = user
		}
	}
	for _, dir := range []string{w.work, w.tools} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(drive, "windows", "system32", "bcryptprimitives.dll"), library, 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// cross has Go build for Windows.
func (w *wine) cross(t *testing.T, args ...string) {
	t.Helper()
	build := exec.Command("go", args...)
	build.Dir = ".."
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// patience is how long a program may take, so that one that hangs is a failure with a name.
const winePatience = 3 * time.Minute

// run runs a program in dir and gives what it printed, with line ends as here.
func (w *wine) run(t *testing.T, dir, exe string, args ...string) (string, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), winePatience)
	defer stop()
	var out bytes.Buffer
	cmd := w.command(ctx, dir, exe, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return strings.ReplaceAll(out.String(), "\r", ""), err
}

func (w *wine) command(ctx context.Context, dir, exe string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "wine", append([]string{exe}, args...)...)
	cmd.Dir, cmd.Env = dir, w.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
