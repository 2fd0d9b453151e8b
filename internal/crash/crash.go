// Package crash turns a panic into an error. A panic would end the program with exit code 2, for
// scripts "differences found", and the work on all other vCenters.
package crash

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Error is a panic: a bug of ours, or of a library that met what it did not expect.
type Error struct {
	Value string // what it said, on one line, cut where it is long
	At    string // function, file and line
}

// Error implements error.
func (e *Error) Error() string { return "internal error: " + e.Value + " (" + e.At + ")" }

// Hints are the remedies, as package hint has them.
func (*Error) Hints() []string {
	return []string{"this is a bug: report it with this line and the output of --verbose"}
}

// Try runs f. Its panic is an *Error.
func Try(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = caught(value)
		}
	}()
	return f()
}

// TryOn runs work on one vCenter. A panic becomes this vCenter's error.
func TryOn(server string, work func() error) error {
	err := Try(work)
	if crashed, ok := err.(*Error); ok { //nolint:errorlint // only one that nobody has named a vCenter for
		return fmt.Errorf("%s: %w", server, crashed)
	}
	return err
}

// Group is a sync.WaitGroup whose Wait repeats the first panic. The zero value is ready.
type Group struct {
	slots chan struct{} // nil = no limit
	wg    sync.WaitGroup
	once  sync.Once
	first *Error
}

// Limit is called before Go, to run at most n at once; n below 1 sets no limit.
func (g *Group) Limit(n int) {
	if n > 0 {
		g.slots = make(chan struct{}, n)
	}
}

// Go runs f at the same time, as soon as the limit allows.
func (g *Group) Go(f func()) {
	if g.slots != nil {
		g.slots <- struct{}{}
	}
	g.wg.Go(func() {
		if g.slots != nil {
			defer func() { <-g.slots }()
		}
		defer func() {
			if value := recover(); value != nil {
				g.once.Do(func() { g.first = caught(value) })
			}
		}()
		f()
	})
}

// Wait waits for all.
func (g *Group) Wait() {
	g.wg.Wait()
	if g.first != nil {
		panic(g.first)
	}
}

const longest = 1000 // bytes of a panic's text: some print all that they hold

// caught is called by the function that recovered, while the stack of the panic is still there.
func caught(value any) *Error {
	if e, ok := value.(*Error); ok { // of a Group
		return e
	}
	text := strings.Join(strings.Fields(fmt.Sprint(value)), " ")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "..."
	}
	return &Error{Value: text, At: at()}
}

// at is where the panic began: the first function below runtime's own.
func at() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicking := false
	for {
		frame, more := frames.Next()
		switch {
		case strings.HasPrefix(frame.Function, "runtime."):
			panicking = panicking || frame.Function == "runtime.gopanic"
		case panicking:
			return fmt.Sprintf("%s, %s:%d", frame.Function[strings.LastIndex(frame.Function, "/")+1:],
				filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return "location unknown"
		}
	}
}
