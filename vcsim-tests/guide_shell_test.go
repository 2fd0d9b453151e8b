package vcsimtests

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

// guideShell is one bash for a whole guide, in a directory and a home of its own: what a command exports or changes
// holds for those behind it.
type guideShell struct {
	dir   string
	env   []string
	stdin io.Writer
	lines chan string
}

// endOfCommand is what bash says behind each command, with the exit code.
const endOfCommand = "-- end of command: "

func newGuideShell(t *testing.T, bash string) *guideShell {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	sh := &guideShell{dir: dir, env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=20", "GOGC=400"}}
	cmd := exec.Command(bash, "--noprofile", "--norc")
	if sh.stdin, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	sh.lines = sh.start(t, cmd)
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return sh
}

// onPath has the shell find the programs of a directory.
func (sh *guideShell) onPath(t *testing.T, dir string) {
	t.Helper()
	if _, code := sh.run(t, "export PATH="+dir+":$PATH"); code != 0 {
		t.Fatalf("%s does not get on the path", dir)
	}
}

// start runs cmd with both streams on one pipe, in the order of writing, and gives its lines.
func (sh *guideShell) start(t *testing.T, cmd *exec.Cmd) chan string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = sh.dir, sh.env, w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	lines := make(chan string, 1024)
	go func() {
		defer close(lines)
		defer r.Close()
		s := bufio.NewScanner(r)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			lines <- s.Text()
		}
	}()
	return lines
}

// run gives what a command prints, without blanks at line ends, and its exit code.
func (sh *guideShell) run(t *testing.T, command string) ([]string, int) {
	t.Helper()
	if strings.HasPrefix(command, labProgram+" serve") {
		return sh.serve(t, command), 0
	}
	// $? of the command before is there for this one, and stdin is nobody's.
	fmt.Fprintf(sh.stdin, "(exit ${code:-0})\n{ %s\n} </dev/null\ncode=$?\necho; echo \"%s$code\"\n", command, endOfCommand)
	lines := until(t, sh.lines, command, func(l string) bool { return strings.HasPrefix(l, endOfCommand) })
	last := lines[len(lines)-1]
	code, err := strconv.Atoi(strings.TrimPrefix(last, endOfCommand))
	if err != nil {
		t.Fatalf("$ %s\nbash ended: %v", command, lines)
	}
	lines = lines[:len(lines)-1]
	if n := len(lines); n > 0 && lines[n-1] == "" { // the echo, behind a whole line or an unfinished one
		lines = lines[:n-1]
	}
	for n := len(lines); n > 0 && lines[n-1] == ""; n-- {
		lines = lines[:n-1]
	}
	return lines, code
}

// serve starts simulated vCenters that serve until the guide is done, and gives what is printed till they do.
func (sh *guideShell) serve(t *testing.T, command string) []string {
	t.Helper()
	path, err := exec.LookPath(labProgram)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, strings.Fields(command)[1:]...)
	lines := sh.start(t, cmd)
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		for range lines { // until it has ended
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	})
	return until(t, lines, command, func(l string) bool { return l == "serving until interrupted" })
}

// until reads lines to the first that ends it, or to the last there is.
func until(t *testing.T, lines chan string, command string, end func(string) bool) (all []string) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case l, more := <-lines:
			if !more {
				return append(all, "")
			}
			all = append(all, strings.TrimRight(l, " "))
			if end(l) {
				return all
			}
		case <-late:
			t.Fatalf("$ %s\ndoes not end; so far:\n%s", command, strings.Join(all, "\n"))
		}
	}
}

func (sh *guideShell) write(t *testing.T, name string, lines []string) {
	t.Helper()
	path := filepath.Join(sh.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}
