package term

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// ErrInterrupted is the cause of a context that ended with a signal.
var ErrInterrupted = errors.New("interrupted")

// Interrupts returns a context that ends at the first SIGINT, SIGTERM or SIGHUP with the cause
// [ErrInterrupted] and a message. After it, signals act as by default: a second one kills, except
// SIGHUP, which a shell repeats. Reading In ends with the context, too. Stop releases the signals.
func (s *Streams) Interrupts(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	s.In = &interruptible{ctx, s.In}
	released := make(chan struct{})
	go func() {
		select {
		case <-signals:
			signal.Ignore(syscall.SIGHUP)
			signal.Stop(signals)
			s.Todof("interrupted: finishing calls in flight (interrupt again to stop at once)")
			cancel(ErrInterrupted)
		case <-released:
		}
	}()
	return ctx, sync.OnceFunc(func() {
		signal.Stop(signals)
		close(released)
		cancel(nil)
	})
}

// interruptible is a reader whose Read ends with a context.
type interruptible struct {
	ctx  context.Context //nolint:containedctx // a reader is given none
	from io.Reader
}

// Read implements io.Reader.
func (i *interruptible) Read(p []byte) (int, error) {
	own, err := abandonable(i.ctx, func() ([]byte, error) {
		own := make([]byte, len(p))
		n, err := i.from.Read(own)
		return own[:n], err
	})
	return copy(p, own), err
}

// Interruptible runs a read that may block for ever, until an interrupt; see [Streams.Interrupts].
func (s *Streams) Interruptible(read func() ([]byte, error)) ([]byte, error) {
	if in, interrupts := s.In.(*interruptible); interrupts {
		return abandonable(in.ctx, read)
	}
	return read()
}

// abandonable reads until the context ends; what is abandoned dies with the process.
func abandonable[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type result struct {
		data T
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := read()
		done <- result{data, err}
	}()
	select {
	case got := <-done:
		return got.data, got.err
	case <-ctx.Done():
		return *new(T), context.Cause(ctx)
	}
}
