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
var ErrInterrupted = errors.New("interrupted before it started")

// ExecuteOptions steer Execute.
type ExecuteOptions struct {
	Parallel int                            // vCenters at once; 0 = all
	Done     func(server string, c *Change) // called after each change, never concurrently
	Finished func(server string)            // called once nothing is left to do on a vCenter; nil = nobody
	Only     func(c *Change) bool           // which changes are done; nil = all that are not done yet
}

// Execute does the changes, on so many vCenters at once, each as soon as what it needs is done. A failing change fails what
// depends on it and nothing else. A plan may be executed in stages, each with its Only: what is done by then stays done. How many requests one vCenter gets at once is the session's business. When ctx ends, calls in flight are finished and nothing new begins. The plan becomes
// its own report: every acting change has a status afterwards.
func (p *Plan) Execute(ctx context.Context, o ExecuteOptions) {
	p.Kind = KindApplied
	e := p.execution(ctx, o)
	e.mu.Lock()
	e.dispatch()
	e.mu.Unlock()
	e.group.Wait()
	for _, v := range e.all { // what is left waits for itself
		for _, c := range v.changes {
			if c.Status == "" {
				c.end(Skipped, errors.New("needs itself"))
			}
		}
	}
}

// execution is the work on a plan. A change that waits costs no goroutine: there may be a thousand vCenters.
type execution struct {
	ctx     context.Context //nolint:containedctx // of one call of Execute
	options ExecuteOptions
	group   crash.Group

	mu     sync.Mutex // guards what follows
	all    []*executing
	active int // vCenters with changes at work

	report sync.Mutex // held while Done is called
}

// executing is the work on one vCenter.
type executing struct {
	server         string
	changes, ready []*Change
	running, left  int
}

func (p *Plan) execution(ctx context.Context, o ExecuteOptions) *execution {
	e := &execution{ctx: ctx, options: o}
	providers, begins := map[string][]*Change{}, map[*Change]bool{}
	for _, v := range p.VCenters {
		on := &executing{server: v.Server}
		for _, c := range v.Changes {
			if !c.Acts() {
				continue
			}
			if c.Provides != "" {
				providers[c.Provides] = append(providers[c.Provides], c)
			}
			if c.Status != "" || o.Only != nil && !o.Only(c) {
				continue
			}
			on.changes, begins[c] = append(on.changes, c), true
			c.providers, c.on, c.open, c.dependents = providers, on, 0, nil
		}
		on.left = len(on.changes)
		e.all = append(e.all, on)
	}
	for _, on := range e.all {
		for _, c := range on.changes {
			for _, key := range append(slices.Clone(c.Needs), c.Waits...) {
				for _, p := range providers[key] {
					if p != c && begins[p] {
						p.dependents = append(p.dependents, c)
						c.open++
					}
				}
			}
			if c.open == 0 {
				on.ready = append(on.ready, c)
			}
		}
	}
	return e
}

// dispatch begins all that can begin. A vCenter with nothing at work makes room for another, so that one that waits for
// another's accounts keeps nobody waiting. e.mu is held.
func (e *execution) dispatch() {
	for _, on := range e.all {
		if len(on.ready) == 0 {
			continue
		}
		if on.running == 0 {
			if e.options.Parallel > 0 && e.active >= e.options.Parallel {
				continue
			}
			e.active++
		}
		on.running += len(on.ready)
		for _, c := range on.ready {
			e.group.Go(func() { e.do(c) })
		}
		on.ready = nil
	}
}

func (e *execution) do(c *Change) {
	defer e.finish(c) // whatever Done does
	switch err := c.Blocked(); {
	case e.ctx.Err() != nil:
		c.end(Skipped, ErrInterrupted)
	case err != nil:
		c.end(Skipped, err)
	default:
		c.run(e.ctx)
	}
	e.report.Lock()
	defer e.report.Unlock()
	if e.options.Done != nil {
		e.options.Done(c.on.server, c)
	}
}

// finish makes those ready that waited for c.
func (e *execution) finish(c *Change) {
	e.mu.Lock()
	for _, d := range c.dependents {
		if d.open--; d.open == 0 {
			d.on.ready = append(d.on.ready, d)
		}
	}
	c.on.left--
	if last := c.on.left == 0; last && e.options.Finished != nil {
		e.dispatch() // whoever waited for c does not wait for this
		e.mu.Unlock()
		e.options.Finished(c.on.server)
		e.mu.Lock()
	}
	defer e.mu.Unlock()
	if c.on.running--; c.on.running == 0 {
		e.active--
	}
	e.dispatch()
}

// Blocked says what c needs and was not done, nil if nothing is in the way. It may be asked once everything that c
// waits for has ended.
func (c *Change) Blocked() error {
	for _, need := range c.Needs {
		for _, p := range c.providers[need] {
			if p != c && p.Status != Done {
				return fmt.Errorf("skipped, because it needs %s", p.Subject())
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
