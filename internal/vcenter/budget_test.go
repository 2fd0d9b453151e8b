package vcenter

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
)

// scripted answers one request after the other, and notes until when each had to be answered.
type scripted struct {
	answers   []func(ctx context.Context, res soap.HasFault) error // the last one again and again
	deadlines []time.Time
}

func (s *scripted) RoundTrip(ctx context.Context, _, res soap.HasFault) error {
	until, _ := ctx.Deadline()
	s.deadlines = append(s.deadlines, until)
	return s.answers[min(len(s.deadlines), len(s.answers))-1](ctx, res)
}

func hang(ctx context.Context, _ soap.HasFault) error { <-ctx.Done(); return ctx.Err() }

func broken(context.Context, soap.HasFault) error { return io.ErrUnexpectedEOF }

func loggedOut(_ context.Context, res soap.HasFault) error {
	f := &soap.Fault{Code: "ServerFaultCode"}
	f.Detail.Fault = types.NotAuthenticated{}
	return soap.WrapSoapFault(f)
}

func works(_ context.Context, res soap.HasFault) error {
	res.(*methods.CurrentTimeBody).Res = &types.CurrentTimeResponse{}
	return nil
}

func over(inner soap.RoundTripper, timeout time.Duration, relogin func(context.Context) error) *transport {
	c := Config{Timeout: timeout, Retries: []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}}.withDefaults()
	s := &Session{config: c, slots: make(chan struct{}, 1), hidden: &hidden{}}
	return s.newTransport(inner, relogin)
}

func ask(ctx context.Context, t *transport) error {
	return t.RoundTrip(ctx, &methods.CurrentTimeBody{Req: &types.CurrentTime{}}, &methods.CurrentTimeBody{})
}

// One request, its retries and the login in between have one deadline together, which is --timeout from its start.
func TestTimeoutIsOfTheWholeRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers  []func(context.Context, soap.HasFault) error
		timeout  time.Duration
		attempts int
		fails    error
	}{
		"hang":                   {[]func(context.Context, soap.HasFault) error{hang}, 20 * time.Millisecond, 1, context.DeadlineExceeded},
		"hang after a retry":     {[]func(context.Context, soap.HasFault) error{broken, hang}, 100 * time.Millisecond, 2, context.DeadlineExceeded},
		"broken for ever":        {[]func(context.Context, soap.HasFault) error{broken}, time.Hour, 4, io.ErrUnexpectedEOF},
		"works at last":          {[]func(context.Context, soap.HasFault) error{broken, broken, broken, works}, time.Hour, 4, nil},
		"logged out, then works": {[]func(context.Context, soap.HasFault) error{broken, loggedOut, works}, time.Hour, 3, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inner := &scripted{answers: c.answers}
			var relogins []time.Time
			rt := over(inner, c.timeout, func(ctx context.Context) error {
				until, _ := ctx.Deadline()
				relogins = append(relogins, until)
				return nil
			})
			before := time.Now()
			if err := ask(t.Context(), rt); !errors.Is(err, c.fails) {
				t.Errorf("%v, want %v", err, c.fails)
			}
			if len(inner.deadlines) != c.attempts {
				t.Errorf("%d attempts, want %d", len(inner.deadlines), c.attempts)
			}
			if strings.HasPrefix(name, "logged out") != (len(relogins) == 1) {
				t.Errorf("%d logins", len(relogins))
			}
			for _, until := range append(inner.deadlines, relogins...) {
				if !until.Equal(inner.deadlines[0]) || until.Before(before.Add(c.timeout)) {
					t.Errorf("deadlines %v and %v, want one, %s after %v", inner.deadlines, relogins, c.timeout, before)
				}
			}
			if len(rt.slots) != 0 || len(rt.turn) != 0 {
				t.Error("a slot was not given back")
			}
		})
	}
}

// Who waits for the login that another request began waits no longer than its own time.
func TestWaitingForALoginEnds(t *testing.T) {
	t.Parallel()
	rt := over(&scripted{answers: []func(context.Context, soap.HasFault) error{loggedOut}}, 20*time.Millisecond, func(context.Context) error {
		t.Error("two log in at once")
		return nil
	})
	rt.turn <- struct{}{}
	if err := ask(t.Context(), rt); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// A decoder that panics over an answer is an error of that request, and the slot comes back.
func TestPanicOfTheDecoder(t *testing.T) {
	t.Parallel()
	rt := over(&scripted{answers: []func(context.Context, soap.HasFault) error{
		func(context.Context, soap.HasFault) error {
			panic("reflect.Set: value of type A is not assignable to type B")
		},
	}}, time.Hour, nil)
	err := ask(t.Context(), rt)
	var crashed *crash.Error
	if !errors.As(err, &crashed) || err.Error() != "the answer cannot be read: it does not have the form that a vCenter gives it" || len(rt.slots) != 0 {
		t.Errorf("%v, %d slots taken", err, len(rt.slots))
	}
}

// A value computed once that panics is an error for everybody who asks, not nothing without an error.
func TestOnceThatPanics(t *testing.T) {
	t.Parallel()
	var o onceResult[*SSO]
	for range 2 {
		if _, err := o.get(func() (*SSO, error) { panic("no") }); err == nil {
			t.Error("no error")
		}
	}
}
