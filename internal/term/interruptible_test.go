package term

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// A pipe that nobody writes to is read until the run is interrupted, and no longer.
func TestReadingEndsWithAnInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	from, to := io.Pipe()
	defer to.Close()
	read := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(&interruptible{ctx, from})
		read <- err
	}()
	cancel(ErrInterrupted)
	if err := <-read; !errors.Is(err, ErrInterrupted) {
		t.Error(err)
	}
	forever := func() ([]byte, error) { return io.ReadAll(from) }
	if _, err := (&Streams{In: &interruptible{ctx, from}}).Interruptible(forever); !errors.Is(err, ErrInterrupted) {
		t.Error(err)
	}
	if text, err := io.ReadAll(&interruptible{t.Context(), strings.NewReader("all of it")}); string(text) != "all of it" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}
