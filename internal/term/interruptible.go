package term

import (
	"context"
	"io"
)

// interruptible is a reader whose Read ends with a context; the abandoned read dies with the process.
type interruptible struct {
	ctx  context.Context //nolint:containedctx // a reader is given none
	from io.Reader
}

// Read implements io.Reader.
func (r *interruptible) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	own, done := make([]byte, len(p)), make(chan result, 1)
	go func() {
		n, err := r.from.Read(own)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(p, own[:got.n]), got.err
	case <-r.ctx.Done():
		return 0, context.Cause(r.ctx)
	}
}
