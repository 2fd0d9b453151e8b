package term

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// ErrInterrupted is the cause of a context that ended with a signal.
var ErrInterrupted = errors.New("interrupted")

// Interrupts returns a context that ends at the first SIGINT, SIGTERM or SIGHUP with the cause [ErrInterrupted], after telling
// so. From then on a signal does what it does by default: the second one kills, but for SIGHUP, which a terminal sends to the shell as
// well, and that again. Reading In ends with the context, too. Stop releases the signals.
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
			s.Infof("interrupted: finishing calls in flight (interrupt again to stop at once)")
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
