package crash_test

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
)

type box struct{ text string }

func open(b *box) string { return b.text }

func TestTry(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	for name, c := range map[string]struct {
		f    func() error
		want []string // parts of the error; none = no error
	}{
		"nothing": {f: func() error { return nil }},
		"error":   {f: func() error { return failed }, want: []string{"failed"}},
		"nil":     {f: func() error { _ = open(nil); return nil }, want: []string{"internal error: ", "nil pointer", "crash_test.open, crash_test.go:1"}},
		"text":    {f: func() error { panic("two\nlines") }, want: []string{"internal error: two lines (crash_test.TestTry"}},
		"long":    {f: func() error { panic(strings.Repeat("é", 10000)) }, want: []string{"é... ("}},
	} {
		err := crash.Try(c.f)
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) || len(err.Error()) > 1200 {
				t.Errorf("%s: %v, want %q in it", name, err, part)
			}
		}
	}
	var crashed *crash.Error
	if err := crash.Try(func() error { return failed }); !errors.Is(err, failed) || errors.As(err, &crashed) {
		t.Errorf("an error became %v", err)
	}
}

// The panic of one does not stop the others; who waits for them all gets it, however deep.
func TestGroup(t *testing.T) {
	t.Parallel()
	var done atomic.Int64
	err := crash.Try(func() error {
		var outer crash.Group
		for i := range 5 {
			outer.Go(func() {
				var inner crash.Group
				inner.Go(func() {
					if i == 3 {
						_ = open(nil)
					}
					done.Add(1)
				})
				inner.Wait()
				done.Add(1)
			})
		}
		outer.Wait()
		t.Error("Wait came back")
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "crash_test.open") || done.Load() != 8 {
		t.Errorf("%v after %d", err, done.Load())
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	var busy, most, done atomic.Int64
	var group crash.Group
	group.Limit(2)
	for range 20 {
		group.Go(func() {
			now := busy.Add(1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
			}
			runtime.Gosched()
			busy.Add(-1)
			done.Add(1)
		})
	}
	group.Wait()
	if done.Load() != 20 || most.Load() > 2 {
		t.Errorf("%d done, %d at once", done.Load(), most.Load())
	}
}
