package vcenter

import (
	"context"

	"github.com/vmware/govmomi/vim25/soap"
)

// newTransport makes the transport of one service of the session's vCenter. Services share slots and secrets.
func (s *Session) newTransport(inner soap.RoundTripper, relogin func(context.Context) error) *transport {
	return &transport{
		inner: inner, config: s.config, slots: s.slots, hidden: s.hidden, relogin: relogin, turn: make(chan struct{}, 1),
	}
}

// slot is one for a request. The login that a request asks for may run inside the slot of that one, and has it already.
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

// begin waits for a slot and starts the clock: from here on the request, its retries and the login that it may need in
// between have Timeout together. Waiting for other requests of ours is no fault of the vCenter's. end frees the slot.
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
