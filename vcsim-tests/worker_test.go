package vcsimtests

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	labcli "github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli"
)

// worker is a process that runs one command line after another as the program does: to start the program for each takes
// most of a script's processor time. Its directory and its environment are those of the command line, and it ends when a
// command leaves a goroutine behind, as the program's own process would. TestWorkerIsTheProgram holds it to the program.
type worker struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.Closer
	to     *gob.Encoder
	from   *gob.Decoder
	stray  termtest.SyncBuffer // what was written past the streams of a command: by the race detector, by a crash
	ran    int                 // command lines
	proxy  string              // of the first: net/http reads these variables once in a process
}

// request is a command line with where it is typed.
type request struct {
	Dir   string
	Env   map[string]string
	Words []string
}

// idle are the workers that no script has. Cobra keeps the flags of every command line, so they do not serve for ever.
var idle struct {
	sync.Mutex
	workers []*worker
}

const servesAtMost = 60

// answer is what a process leaves behind.
type answer struct {
	Code           int
	Stdout, Stderr string
	Busy           bool // goroutines go on
}

// proxy is what the variables of proxies say.
func (r request) proxy() (all string) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"} {
		if value := r.Env[name]; value != "" {
			all += name + "=" + value + "\n"
		}
	}
	return all
}

// hire takes a worker that is idle, or starts one.
func hire(proxy string) (*worker, error) {
	idle.Lock()
	defer idle.Unlock()
	if n := len(idle.workers); n > 0 && proxy == "" {
		w := idle.workers[n-1]
		idle.workers = idle.workers[:n-1]
		return w, nil
	}
	w, err := startWorker()
	if err == nil {
		w.proxy = proxy
	}
	return w, err
}

// release lets another script have the worker, or ends it.
func (w *worker) release() error {
	if w.ran >= servesAtMost || w.stray.String() != "" || w.proxy != "" {
		return w.stop()
	}
	idle.Lock()
	defer idle.Unlock()
	idle.workers = append(idle.workers, w)
	return nil
}

// dismissAll ends the workers that are idle.
func dismissAll() error {
	var errs []error
	for _, w := range idle.workers {
		errs = append(errs, w.stop())
	}
	return errors.Join(errs...)
}

func startWorker() (*worker, error) {
	path, err := exec.LookPath(program + "-worker")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background()) // it ends with its input
	w := &worker{cmd: exec.CommandContext(ctx, path), cancel: cancel}
	w.cmd.Env, w.cmd.Stderr = processEnvironment(), &w.stray
	in, inErr := w.cmd.StdinPipe()
	out, outErr := w.cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		cancel()
		return nil, err
	}
	w.in, w.to, w.from = in, gob.NewEncoder(in), gob.NewDecoder(out)
	return w, w.cmd.Start()
}

func (w *worker) run(r request) (a answer, err error) {
	w.ran++
	if err = w.to.Encode(r); err == nil {
		err = w.from.Decode(&a)
	}
	if err != nil {
		err = fmt.Errorf("%q ended its worker: %w", r.Words, err)
	}
	return a, err
}

// stop ends the worker. It is an error that it did anything but answer.
func (w *worker) stop() error {
	defer w.cancel()
	_ = w.in.Close()
	if err := w.cmd.Wait(); err != nil || w.stray.String() != "" {
		return fmt.Errorf("a worker ended with %s: %s", w.cmd.ProcessState, &w.stray)
	}
	return nil
}

// work is main of the worker: command lines come in on stdin, answers go out on stdout.
func work() {
	leaveTerminal()
	_, stop := (&term.Streams{}).Interrupts(context.Background()) // os/signal's goroutine stays for ever
	stop()
	from, to := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	for {
		var r request
		if err := from.Decode(&r); errors.Is(err, io.EOF) {
			os.Exit(0)
		} else if err != nil {
			fatal("%v", err)
		}
		os.Clearenv()
		for name, value := range r.Env {
			if err := os.Setenv(name, value); err != nil {
				fatal("%v", err)
			}
		}
		if err := os.Chdir(r.Dir); err != nil {
			fatal("%v", err)
		}
		if err := to.Encode(answerTo(r.Words)); err != nil {
			fatal("%v", err)
		}
	}
}

// answerTo does what main of either program does, on streams of its own: pipes, as a process that testscript starts has them.
func answerTo(words []string) (a answer) {
	before := runtime.NumGoroutine()
	in, nobody := pipe()
	nobody.Close()
	out, stdout := collected(&a.Stdout)
	errs, stderr := collected(&a.Stderr)
	defer func(in, out, err *os.File) { os.Stdin, os.Stdout, os.Stderr = in, out, err }(os.Stdin, os.Stdout, os.Stderr)
	os.Stdin, os.Stdout, os.Stderr = in, out, errs
	streams := term.System()
	ctx, stop := streams.Interrupts(context.Background())
	run := cli.Run
	if name, rest := programOf(words); name == labProgram {
		run, words = labcli.Run, rest
	}
	a.Code = run(ctx, streams, words)
	stop()
	in.Close()
	out.Close()
	errs.Close()
	<-stdout
	<-stderr
	a.Busy = !settled(before)
	return a
}

// settled reports whether what a command began has ended. Connections that it closed take a moment.
func settled(before int) bool {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 50 {
		if runtime.NumGoroutine() <= before {
			return true
		}
		<-tick.C
	}
	return false
}

func collected(text *string) (w *os.File, done chan struct{}) {
	r, w := pipe()
	done = make(chan struct{})
	go func() {
		defer close(done)
		defer r.Close()
		all, err := io.ReadAll(r)
		if err != nil {
			fatal("%v", err)
		}
		*text = string(all)
	}()
	return w, done
}

func pipe() (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		fatal("%v", err)
	}
	return r, w
}

// runProgram runs the program for a script, in its worker: as a process of its own where input waits for one.
func runProgram(ts *testscript.TestScript, words []string) (code int) {
	if hidden(ts, "stdin").Len() > 0 || hidden(ts, "ttyin").Len() > 0 {
		name, words := programOf(words)
		return exitCode(ts, ts.Exec(name, words...))
	}
	a := askWorker(ts, words)
	_, _ = io.WriteString(ts.Stdout(), a.Stdout)
	_, _ = io.WriteString(ts.Stderr(), a.Stderr)
	return a.Code
}

// askWorker gives the answer of the script's worker.
func askWorker(ts *testscript.TestScript, words []string) answer {
	r := request{Dir: filepath.Clean(ts.MkAbs(".")), Env: map[string]string{}, Words: words}
	for list, i := hidden(ts, "env"), 0; i < list.Len(); i++ {
		name, value, _ := strings.Cut(list.Index(i).String(), "=")
		r.Env[name] = value
	}
	r.Env["PWD"] = r.Dir
	b := benchOf(ts)
	if b.worker != nil && b.worker.proxy != r.proxy() {
		ts.Check(b.dismiss())
	}
	if b.worker == nil {
		w, err := hire(r.proxy())
		ts.Check(err)
		b.worker = w
	}
	a, err := b.worker.run(r)
	if err != nil {
		w := b.worker
		b.worker = nil
		ts.Fatalf("%v", errors.Join(err, w.stop()))
	}
	if a.Busy {
		w := b.worker
		b.worker = nil
		ts.Check(w.stop())
	}
	return a
}

// dismiss gives up the worker, if there is one.
func (b *bench) dismiss() error {
	w := b.worker
	if b.worker = nil; w == nil {
		return nil
	}
	return w.release()
}

// hidden is what testscript gives to the processes that it starts, and to nobody else. It panics where the field has gone.
func hidden(ts *testscript.TestScript, field string) reflect.Value {
	v := reflect.ValueOf(ts).Elem().FieldByName(field)
	if !v.IsValid() {
		panic("testscript has no field " + field + " any more")
	}
	return v
}

func fatal(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "test harness: "+format+"\n", args...)
	os.Exit(125)
}
