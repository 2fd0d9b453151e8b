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

// slot is one for a login. The request that asked for another login has one already.
func (s *Session) slot(ctx context.Context, again bool) (release func(), err error) {
	if again {
		return func() {}, nil
	}
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, Ended(ctx)
	}
}

// begin waits for a slot and starts the clock: from here on the request, its retries and the login that it may need in
// between have Timeout together. Waiting for other requests of ours is no fault of the vCenter's. end frees the slot.
func (t *transport) begin(ctx context.Context, method string) (_ context.Context, end func(), err error) {
	release := func() {}
	if !logins[method] { // a login may run inside the slot of the request that asked for it
		select {
		case t.slots <- struct{}{}:
			release = func() { <-t.slots }
		case <-ctx.Done():
			return nil, nil, Ended(ctx)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, t.config.Timeout)
	return ctx, func() {
		cancel()
		release()
	}, nil
}
