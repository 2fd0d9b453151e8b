package term

import (
	"context"
	"io"
)

// interruptible is a reader whose Read ends with a context.
type interruptible struct {
	ctx  context.Context //nolint:containedctx // a reader is given none
	from io.Reader
}

// Read implements io.Reader.
func (r *interruptible) Read(p []byte) (int, error) {
	own, err := abandonable(r.ctx, func() ([]byte, error) {
		own := make([]byte, len(p))
		n, err := r.from.Read(own)
		return own[:n], err
	})
	return copy(p, own), err
}

// Interruptible reads what may never come, as from a pipe that nobody writes to: it ends with an interrupt; see [Streams.Interrupts].
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
