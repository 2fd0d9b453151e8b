package plan

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrInterrupted marks changes that were not begun because the run was interrupted.
var ErrInterrupted = errors.New("interrupted before it began")

// ExecuteOptions steer Execute.
type ExecuteOptions struct {
	Done   func(server string, c *Change)                              // called after each change, never concurrently
	Detach func(context.Context) (context.Context, context.CancelFunc) // context of a call in flight; default survives an interrupt
}

// Execute does the changes, on all vCenters at once, each as soon as what it needs is done. A failing change fails what
// depends on it and nothing else. How many requests one vCenter gets at once is the session's business. When ctx ends, calls in flight are finished and nothing new begins. The plan becomes
// its own report: every acting change has a status afterwards.
func (p *Plan) Execute(ctx context.Context, o ExecuteOptions) {
	if o.Detach == nil {
		o.Detach = func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithCancel(context.WithoutCancel(ctx))
		}
	}
	p.Kind = KindApplied

	finished := map[*Change]chan struct{}{}
	providers := map[string][]*Change{}
	for _, v := range p.VCenters {
		for _, c := range v.Changes {
			if !c.Acts() {
				continue
			}
			finished[c] = make(chan struct{})
			if c.Provides != "" {
				providers[c.Provides] = append(providers[c.Provides], c)
			}
		}
	}

	var wg sync.WaitGroup
	var report sync.Mutex
	for _, v := range p.VCenters {
		for _, c := range v.Changes {
			if !c.Acts() {
				continue
			}
			wg.Go(func() {
				defer close(finished[c])
				if err := c.await(ctx, providers, finished); err != nil {
					c.end(Skipped, err)
				} else {
					c.run(ctx, o.Detach)
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

// await blocks until everything that c needs is done, and says why c cannot be done.
func (c *Change) await(ctx context.Context, providers map[string][]*Change, finished map[*Change]chan struct{}) error {
	for _, need := range c.Needs {
		for _, p := range providers[need] {
			if p == c {
				continue
			}
			select {
			case <-finished[p]:
			case <-ctx.Done():
				return ErrInterrupted
			}
			if p.Status != Done {
				return fmt.Errorf("needs %s, which was not done", p.Subject())
			}
		}
	}
	return nil
}

func (c *Change) run(ctx context.Context, detach func(context.Context) (context.Context, context.CancelFunc)) {
	if ctx.Err() != nil {
		c.end(Skipped, ErrInterrupted)
		return
	}
	call, cancel := detach(ctx)
	defer cancel()
	if err := c.Do(call); err != nil {
		c.end(Failed, fmt.Errorf("%s: %w", c.Subject(), err))
		return
	}
	c.end(Done, nil)
}

func (c *Change) end(s Status, err error) {
	c.Status, c.cause, c.Error = s, err, ""
	if err != nil {
		c.Error = err.Error()
	}
}
