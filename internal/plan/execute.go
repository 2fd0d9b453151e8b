package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ErrInterrupted marks changes that were not begun because the run was interrupted.
var ErrInterrupted = errors.New("interrupted before it began")

// ExecuteOptions steer Execute.
type ExecuteOptions struct {
	Done func(server string, c *Change) // called after each change, never concurrently
}

// Execute does the changes, on all vCenters at once, each as soon as what it needs is done. A failing change fails what
// depends on it and nothing else. How many requests one vCenter gets at once is the session's business. When ctx ends, calls in flight are finished and nothing new begins. The plan becomes
// its own report: every acting change has a status afterwards.
func (p *Plan) Execute(ctx context.Context, o ExecuteOptions) {
	p.Kind = KindApplied

	finished := map[*Change]chan struct{}{}
	providers := map[string][]*Change{}
	for _, v := range p.VCenters {
		for _, c := range v.Changes {
			if !c.Acts() {
				continue
			}
			finished[c] = make(chan struct{})
			c.providers = providers
			if c.Provides != "" {
				providers[c.Provides] = append(providers[c.Provides], c)
			}
		}
	}

	var wg crash.Group
	var report sync.Mutex
	for _, v := range p.VCenters {
		for _, c := range v.Changes {
			if !c.Acts() {
				continue
			}
			wg.Go(func() {
				defer close(finished[c])
				if err := c.await(ctx, finished); err != nil {
					c.end(Skipped, err)
				} else {
					c.run(ctx)
				}
				report.Lock()
				defer report.Unlock()
				if o.Done != nil {
					o.Done(v.Server, c)
				}
			})
		}
	}
	wg.Wait()
}

// await blocks until everything that c needs or waits for is done, and says why c cannot be done.
func (c *Change) await(ctx context.Context, finished map[*Change]chan struct{}) error {
	for _, key := range append(slices.Clone(c.Needs), c.Waits...) {
		for _, p := range c.providers[key] {
			if p == c {
				continue
			}
			select {
			case <-finished[p]:
			case <-ctx.Done():
				return ErrInterrupted
			}
		}
	}
	return c.Blocked()
}

// Blocked says what c needs and was not done, nil if nothing is in the way. It may be asked once everything that c
// waits for has ended.
func (c *Change) Blocked() error {
	for _, need := range c.Needs {
		for _, p := range c.providers[need] {
			if p != c && p.Status != Done {
				return fmt.Errorf("needs %s, which was not done", p.Subject())
			}
		}
	}
	return nil
}

func (c *Change) run(ctx context.Context) {
	if ctx.Err() != nil {
		c.end(Skipped, ErrInterrupted)
		return
	}
	call, cancel := detach(ctx)
	defer cancel()
	if err := crash.Try(func() error { return c.Do(call) }); err != nil {
		c.end(Failed, fmt.Errorf("%s: %w", c.Subject(), err))
		return
	}
	c.end(Done, nil)
}

func (c *Change) end(s Status, err error) {
	c.Status, c.cause, c.Error = s, err, ""
	if err != nil {
		c.Error = term.ErrorText(err)
	}
}

// grace is how long calls in flight may take after an interrupt.
const grace = 10 * time.Second

// detach is a context for a call that an interrupt lets finish, within the grace.
func detach(ctx context.Context) (context.Context, context.CancelFunc) {
	call, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(grace, cancel)
		context.AfterFunc(call, func() { timer.Stop() })
	})
	return call, func() {
		stop()
		cancel()
	}
}
