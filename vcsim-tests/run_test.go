package vcsimtests

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	ossignal "os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// patience ends waiting for something that does not happen; nothing takes so long that works.
const patience = 2 * time.Minute

// lifetime ends a process that a script leaves running. A simulated lab serves the whole script, however long that takes
// on a busy machine.
const lifetime = 10 * time.Minute

// cmdRun runs the program, in the script's worker if it can, and holds it to its exit code.
//
//	run [-disk-full|-no-root] CODE WORD...
//
// @lab stands for the flags that point at the lab, @config for --install-config and those, @spec for -f and those,
// @sim for the flags that serve printed. A first word vcenter-lab means that program.
func cmdRun(ts *testscript.TestScript, neg bool, args []string) {
	limit := ""
	if len(args) > 0 && (args[0] == "-disk-full" || args[0] == "-no-root") {
		limit, args = args[0], args[1:]
	}
	want, words := codeAndWords(ts, args)
	var got int
	if limit == "" {
		got = runProgram(ts, words)
	} else {
		got = exitCode(ts, ts.Exec(program+limit, words...))
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// programOf is the program that words are for, and the words for it.
func programOf(words []string) (string, []string) {
	if len(words) > 0 && words[0] == labProgram {
		return labProgram, words[1:]
	}
	return program, words
}

func codeAndWords(ts *testscript.TestScript, args []string) (int, []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: CODE WORD...")
	}
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	return code, words(ts, args[1:])
}

func words(ts *testscript.TestScript, args []string) []string {
	var all []string
	for _, a := range args {
		switch a {
		case "@lab":
			all = append(all, benchOf(ts).flags...)
		case "@config":
			all = append(append(all, "--install-config", "install-config.yaml"), benchOf(ts).flags...)
		case "@spec":
			all = append(append(all, "-f", "spec.yaml"), benchOf(ts).flags...)
		case "@sim":
			all = append(all, benchOf(ts).sim.Flags...)
		default:
			all = append(all, a)
		}
	}
	return all
}

func exitCode(ts *testscript.TestScript, err error) int {
	var exited *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exited):
		return exited.ExitCode()
	}
	ts.Fatalf("%v", err)
	return -1
}

// cmdInterrupt runs the program and interrupts, or kills, it while a vCenter serves the n-th request of a method; with -hup its
// terminal goes away.
//
//	interrupt [-kill|-hup] METHOD N CODE WORD...
//
// It and what comes after it are answered only after the program has said that it heard, or is dead, so the moment is always the same.
func cmdInterrupt(ts *testscript.TestScript, neg bool, args []string) {
	signal := os.Interrupt
	switch args[0] {
	case "-kill":
		signal, args = os.Kill, args[1:]
	case "-hup":
		signal, args = syscall.SIGHUP, args[1:]
		caught := make(chan os.Signal, 1) // a child does not inherit that nohup ignores it, where it is caught here
		ossignal.Notify(caught, signal)
		defer ossignal.Stop(caught)
	}
	method := args[0]
	at, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	want, words := codeAndWords(ts, args[2:])

	cmd, stdout, stderr := start(ts, words)
	ended := make(chan error, 1)
	heard, started := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var seen atomic.Int64
	for _, v := range benchOf(ts).lab.VCenters {
		v.SetFault(func(_ int, m string) vcsim.Fault {
			if m == method && seen.Add(1) == at {
				<-started // its first request may be here before Start has returned
				_ = cmd.Process.Signal(signal)
			}
			if seen.Load() >= at { // nor are others answered: on a busy machine a signal takes its time
				select {
				case <-heard:
				case <-time.After(patience):
				}
			}
			return vcsim.Fault{}
		})
	}
	ts.Check(cmd.Start())
	close(started)
	go func() {
		text, _ := io.ReadAll(watch(stderr.pipe, "interrupted", func() { once.Do(func() { close(heard) }) }))
		stderr.text = string(text)
		once.Do(func() { close(heard) })
		out, _ := io.ReadAll(stdout.pipe)
		stdout.text = string(out)
		ended <- cmd.Wait()
	}()
	code := exitCode(ts, <-ended)
	for _, v := range benchOf(ts).lab.VCenters {
		v.SetFault(nil)
	}
	_, _ = io.WriteString(ts.Stdout(), stdout.text)
	_, _ = io.WriteString(ts.Stderr(), stderr.text)
	if n := seen.Load(); n < at {
		ts.Fatalf("only %d requests of %s came", n, method)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// stream is the output of a process that runs beside the script.
type stream struct {
	pipe io.Reader
	text string
}

func start(ts *testscript.TestScript, words []string) (cmd *exec.Cmd, stdout, stderr *stream) {
	ctx, cancel := context.WithTimeout(context.Background(), lifetime)
	ts.Defer(cancel)
	name, words := programOf(words)
	path, err := exec.LookPath(name)
	ts.Check(err)
	cmd = exec.CommandContext(ctx, path, words...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "TMPDIR", "NO_COLOR", "GORACE", "GOGC"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	errs, err := cmd.StderrPipe()
	ts.Check(err)
	return cmd, &stream{pipe: out}, &stream{pipe: errs}
}

// watch passes everything through and calls found when text has come by.
func watch(r io.Reader, text string, found func()) io.Reader {
	return &watcher{r, text, found, ""}
}

type watcher struct {
	r     io.Reader
	text  string
	found func()
	seen  string
}

func (w *watcher) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if w.seen += string(p[:n]); strings.Contains(w.seen, w.text) {
		w.found()
	}
	return n, err
}

// simulator is what `serve -o json` says of itself, and its process.
type simulator struct {
	Spec     string
	Flags    []string
	VCenters []struct{ Server, Address, Thumbprint, AdminUser string }

	cmd    *exec.Cmd
	stderr *stream
	read   chan struct{}
}

// cmdServe starts `vcenter-lab serve -o json WORD...` beside the script until `serve stop CODE`.
func cmdServe(ts *testscript.TestScript, neg bool, args []string) {
	b := benchOf(ts)
	if len(args) > 0 && args[0] == "stop" {
		want, _ := codeAndWords(ts, args[1:])
		ts.Check(b.sim.cmd.Process.Signal(os.Interrupt))
		<-b.sim.read
		code := exitCode(ts, b.sim.cmd.Wait())
		_, _ = io.WriteString(ts.Stderr(), b.sim.stderr.text)
		if code != want {
			ts.Fatalf("exit code %d, want %d", code, want)
		}
		return
	}
	cmd, stdout, stderr := start(ts, append([]string{labProgram, "serve", "-o", "json"}, args...))
	b.sim = &simulator{cmd: cmd, stderr: stderr, read: make(chan struct{})}
	ts.Check(cmd.Start())
	ts.Check(json.NewDecoder(stdout.pipe).Decode(b.sim))
	serving := make(chan struct{})
	go func() {
		defer close(b.sim.read)
		say := sync.OnceFunc(func() { close(serving) })
		defer say()
		lines := bufio.NewScanner(stderr.pipe)
		for lines.Scan() {
			stderr.text += lines.Text() + "\n"
			if lines.Text() == "serving until interrupted" {
				say()
			}
		}
	}()
	<-serving // only then all its files are there
	for i, v := range b.sim.VCenters {
		n := "SIM" + strconv.Itoa(i+1)
		ts.Setenv(n, v.Server)
		ts.Setenv(n+"_ADDR", v.Address)
		ts.Setenv(n+"_THUMBPRINT", v.Thumbprint)
	}
	ts.Setenv("SIM_SPEC", b.sim.Spec)
}
