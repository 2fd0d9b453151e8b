package vcenter

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// transport sends requests of one service: a limited number at once, retried if harmless, logged in
// again once if the session ended, each within one deadline.
type transport struct {
	inner   soap.RoundTripper
	config  Config
	slots   chan struct{}
	hidden  *hidden
	relogin func(context.Context) error // nil: a lost login is final

	turn       chan struct{} // filled while logging in again
	dead       error         // that login's error; there is no third
	generation atomic.Int64
}

// logins are never sent twice: each wrong password counts towards the lock-out.
var logins = map[string]bool{"Login": true, "LoginByToken": true, "RequestSecurityToken": true}

// RoundTrip implements soap.RoundTripper.
func (t *transport) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	return t.hidden.Scrub(t.config.unanswered(t.trip(ctx, req, res)))
}

func (t *transport) trip(ctx context.Context, req, res soap.HasFault) error {
	method := methodName(req)
	ctx, end, err := t.begin(ctx, method)
	if err != nil {
		return err
	}
	defer end()
	generation := t.generation.Load()
	err = t.attempts(ctx, method, req, res)
	if t.relogin == nil || logins[method] || method == "Logout" ||
		!fault.Is(err, &types.NotAuthenticated{}) && !(err == nil && unread(res)) {
		return err
	}
	if err := t.again(ctx, generation); err != nil {
		return err
	}
	served := Retried(err)
	if err = t.attempts(ctx, method, req, res); err != nil && served {
		return &retriedError{err}
	}
	return err
}

// again logs in once for all the requests that found the same session gone.
func (t *transport) again(ctx context.Context, generation int64) error {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return Ended(ctx)
	}
	if t.dead != nil || t.generation.Load() != generation {
		return t.dead
	}
	if t.dead = t.relogin(ctx); t.dead != nil {
		return t.dead
	}
	t.generation.Add(1)
	return nil
}

func (t *transport) attempts(ctx context.Context, method string, req, res soap.HasFault) error {
	served := false // perhaps, by an attempt whose answer was lost
	for n := 0; ; n++ {
		reflect.ValueOf(res).Elem().SetZero() // a fault of the attempt before would stay in it
		err := t.once(ctx, method, req, res)
		if err == nil || n == len(t.config.Retries) || ctx.Err() != nil || !retryable(err, logins[method]) {
			if err != nil && served {
				return &retriedError{err}
			}
			return err
		}
		served = served || !unserved(err)
		pause := t.config.Retries[n]
		if t.config.Pause(ctx, pause/2+rand.N(pause/2+1)) != nil { //nolint:gosec // jitter
			return err
		}
	}
}

// retriedError is the failure of a request of which an earlier attempt may have been served.
type retriedError struct{ error }

// Unwrap gives errors.Is and errors.As the failure itself.
func (e *retriedError) Unwrap() error { return e.error }

// Refused reports whether a request was answered with a fault and no earlier attempt can have
// succeeded.
func Refused(err error) bool {
	if Retried(err) {
		return false
	}
	return soap.IsSoapFault(err) || soap.IsVimFault(err)
}

// Retried reports whether an earlier attempt of a failed request may have succeeded.
func Retried(err error) bool {
	_, ok := errors.AsType[*retriedError](err)
	return ok
}

func (t *transport) once(ctx context.Context, method string, req, res soap.HasFault) error {
	start := time.Now()
	err := t.exchange(ctx, method, req, res)
	if err != nil && ctx.Err() != nil && !unserved(err) && !soap.IsSoapFault(err) && !soap.IsVimFault(err) {
		err = Ended(ctx) // what comes over a connection that we cut is not the cause
	}
	if t.config.Trace != nil {
		t.config.Trace(method, time.Since(start), err)
	}
	return err
}

func methodName(req soap.HasFault) string {
	return strings.TrimSuffix(reflect.TypeOf(req).Elem().Name(), "Body")
}

// unread reports whether properties in an answer could not be read because the session ended.
func unread(res soap.HasFault) bool {
	body, ok := res.(*methods.RetrievePropertiesExBody)
	if !ok || body.Res == nil || body.Res.Returnval == nil {
		return false
	}
	for _, o := range body.Res.Returnval.Objects {
		for _, m := range o.MissingSet {
			if _, gone := m.Fault.Fault.(*types.NotAuthenticated); gone {
				return true
			}
		}
	}
	return false
}

// unserved reports whether a request cannot have reached the vCenter. Only a failed dial proves
// that: a gateway's 502 or 503 may stand for a lost answer.
func unserved(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// retryable reports whether to send again. All our requests can be repeated, except a login that
// may have been served.
func retryable(err error, login bool) bool {
	if soap.IsSoapFault(err) || soap.IsVimFault(err) {
		return false
	}
	if unserved(err) {
		var dns *net.DNSError
		return !errors.As(err, &dns) || dns.IsTemporary
	}
	if login {
		return false
	}
	var status interface{ StatusCode() int }
	if errors.As(err, &status) {
		code := status.StatusCode()
		return code == http.StatusBadGateway || code == http.StatusServiceUnavailable
	}
	if text := err.Error(); strings.Contains(text, "502 Bad Gateway") ||
		strings.Contains(text, "503 Service Unavailable") {
		return true
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) {
		return true
	}
	var wrapped *url.Error
	return errors.As(err, &wrapped) &&
		(wrapped.Timeout() || strings.Contains(err.Error(), "server closed idle connection") ||
			strings.Contains(err.Error(), "connection broken"))
}

// newTransport makes the transport of one service. Services share slots and secrets.
func (s *Session) newTransport(inner soap.RoundTripper, relogin func(context.Context) error) *transport {
	return &transport{
		inner: inner, config: s.config, slots: s.slots, hidden: s.hidden, relogin: relogin, turn: make(chan struct{}, 1),
	}
}

// slot waits for a slot for a request. A login within a request uses its slot (has).
func slot(ctx context.Context, slots chan struct{}, has bool) (release func(), err error) {
	if has {
		return func() {}, nil
	}
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, Ended(ctx)
	}
}

// begin waits for a slot and then starts the Timeout of the request, its retries and any login in
// between: waiting for our other requests does not count. end frees the slot.
func (t *transport) begin(ctx context.Context, method string) (_ context.Context, end func(), err error) {
	release, err := slot(ctx, t.slots, logins[method])
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, t.config.Timeout)
	return ctx, func() {
		cancel()
		release()
	}, nil
}

// Pause waits as [Config] says before the vCenter is asked again, or returns the context's error.
func (s *Session) Pause(ctx context.Context, d time.Duration) error { return s.config.Pause(ctx, d) }

// Pause really lets time pass, or ends with the context, whose error it gives.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return Ended(ctx)
	}
}
