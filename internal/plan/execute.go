package plan

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
)

// ErrInterrupted marks changes that an interrupt kept from starting.
var ErrInterrupted = errors.New("interrupted before it started")

// ExecuteOptions configure Execute.
type ExecuteOptions struct {
	Parallel int                          // vCenters at once; 0 = all
	Done     func(server string, s *Step) // called after each change, never concurrently
	Finished func(server string)          // called when a vCenter is finished; may be nil
	Only     func(c *Change) bool         // selects changes; nil = all that are not done yet
}

// Execute does the changes by their steps on o.Parallel vCenters at once, each as soon as its needs
// are met. A failing change fails what depends on it and nothing else. A plan may be executed in
// stages, each with its Only. When ctx ends, calls in flight are finished and nothing new begins.
// The plan becomes its own report: every change has a step with a status.
func (p *Plan) Execute(ctx context.Context, steps Steps, o ExecuteOptions) {
	p.Kind = KindApplied
	e := p.execution(ctx, steps, o)
	e.mu.Lock()
	e.dispatch()
	e.mu.Unlock()
	e.group.Wait()
	for _, v := range e.all { // these wait for each other
		for _, s := range v.steps {
			if s.Status == "" {
				s.end(Skipped, errors.New("needs itself"))
			}
		}
	}
}

// execution is the work on a plan. Waiting changes cost no goroutine, for a thousand vCenters.
type execution struct {
	ctx     context.Context //nolint:containedctx // of one call of Execute
	options ExecuteOptions
	group   crash.Group

	mu     sync.Mutex // guards what follows
	all    []*executing
	active int // vCenters with running changes

	report sync.Mutex // held while Done is called
}

type executing struct {
	server             string
	steps, ready       []*Step
	running, remaining int
}

func (p *Plan) execution(ctx context.Context, steps Steps, o ExecuteOptions) *execution {
	e := &execution{ctx: ctx, options: o}
	providers, begins := map[string][]*Step{}, map[*Step]bool{}
	for _, v := range p.VCenters {
		v.steps = steps
		on := &executing{server: v.Server}
		for _, c := range v.Changes {
			s := steps[c]
			if s == nil { // no step was set
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
		on.remaining = len(on.steps)
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

// dispatch begins all that can begin. A vCenter without running changes makes room. e.mu is held.
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
	defer e.finish(s) // even if Done panics
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
	s.on.remaining--
	if last := s.on.remaining == 0; last && e.options.Finished != nil {
		e.dispatch() // what waited for s does not wait for this
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

// detach returns a context that gives a call the grace after an interrupt.
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
