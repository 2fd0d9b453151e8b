package vcenter

import (
	"context"
	"time"
)

// Pause lets time pass before the vCenter is asked again, as [Config] says. It ends with the context, whose error it gives.
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
