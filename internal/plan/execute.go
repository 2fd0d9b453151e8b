package plan

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
)

// ErrInterrupted marks changes that were not begun because the run was interrupted.
var ErrInterrupted = errors.New("interrupted before it started")

// ExecuteOptions steer Execute.
type ExecuteOptions struct {
	Parallel int                          // vCenters at once; 0 = all
	Done     func(server string, s *Step) // called after each change, never concurrently
	Finished func(server string)          // called once nothing is left to do on a vCenter; nil = nobody
	Only     func(c *Change) bool         // which changes are done; nil = all that are not done yet
}

// Execute does the changes by their steps, on so many vCenters at once, each as soon as what it needs is done. A failing change fails what
// depends on it and nothing else. A plan may be executed in stages, each with its Only: what is done by then stays done. How many requests one vCenter gets at once is the session's business. When ctx ends, calls in flight are finished and nothing new begins. The plan becomes
// its own report: every change has a step with a status afterwards.
func (p *Plan) Execute(ctx context.Context, steps Steps, o ExecuteOptions) {
	p.Kind = KindApplied
	e := p.execution(ctx, steps, o)
	e.mu.Lock()
	e.dispatch()
	e.mu.Unlock()
	e.group.Wait()
	for _, v := range e.all { // what is left waits for itself
		for _, s := range v.steps {
			if s.Status == "" {
				s.end(Skipped, errors.New("needs itself"))
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
	server        string
	steps, ready  []*Step
	running, left int
}

func (p *Plan) execution(ctx context.Context, steps Steps, o ExecuteOptions) *execution {
	e := &execution{ctx: ctx, options: o}
	providers, begins := map[string][]*Step{}, map[*Step]bool{}
	for _, v := range p.VCenters {
		v.steps = steps
		on := &executing{server: v.Server}
		for _, c := range v.Changes {
			s := steps[c]
			if s == nil { // nobody said what it does
				s = steps.Do(c, nil)
			}
			if c.Provides != "" {
				providers[c.Provides] = append(providers[c.Provides], s)
			}
			if s.Status != "" || o.Only != nil && !o.Only(c) {
				continue
			}
			on.steps, begins[s] = append(on.steps, s), true
			s.providers, s.on, s.open, s.dependents = providers, on, 0, nil
		}
		on.left = len(on.steps)
		e.all = append(e.all, on)
	}
	for _, on := range e.all {
		for _, s := range on.steps {
			for _, key := range append(slices.Clone(s.Needs), s.Waits...) {
				for _, p := range providers[key] {
					if p != s && begins[p] {
						p.dependents = append(p.dependents, s)
						s.open++
					}
				}
			}
			if s.open == 0 {
				on.ready = append(on.ready, s)
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
		for _, s := range on.ready {
			e.group.Go(func() { e.do(s) })
		}
		on.ready = nil
	}
}

func (e *execution) do(s *Step) {
	defer e.finish(s) // whatever Done does
	switch err := s.Blocked(); {
	case e.ctx.Err() != nil:
		s.end(Skipped, ErrInterrupted)
	case err != nil:
		s.end(Skipped, err)
	default:
		s.run(e.ctx)
	}
	e.report.Lock()
	defer e.report.Unlock()
	if e.options.Done != nil {
		e.options.Done(s.on.server, s)
	}
}

// finish makes those ready that waited for s.
func (e *execution) finish(s *Step) {
	e.mu.Lock()
	for _, d := range s.dependents {
		if d.open--; d.open == 0 {
			d.on.ready = append(d.on.ready, d)
		}
	}
	s.on.left--
	if last := s.on.left == 0; last && e.options.Finished != nil {
		e.dispatch() // whoever waited for s does not wait for this
		e.mu.Unlock()
		e.options.Finished(s.on.server)
		e.mu.Lock()
	}
	defer e.mu.Unlock()
	if s.on.running--; s.on.running == 0 {
		e.active--
	}
	e.dispatch()
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
