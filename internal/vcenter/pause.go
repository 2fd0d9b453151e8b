package vcenter

import (
	"context"
	"time"
)

// Pause lets time pass before a vCenter is asked again. It ends with the context, whose error it gives.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
