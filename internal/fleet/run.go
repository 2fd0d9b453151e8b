package fleet

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
)

// Runner does a job for each member.
type Runner struct {
	Parallel int // vCenters at once, at least 1; a cluster may take more
	// does the job, with at most so many vCenters at once, and notes the outcome
	Look func(ctx context.Context, m Member, c *Cluster)
	Kept func(m Member) (Cluster, bool) // an earlier run's result; may be nil
	Keep func(c Cluster)                // gets each result when it is done, one at a time; may be nil
}

// Run does the job for all members and returns each outcome, in the order of names. Errors are
// outcomes of their member. Members not done when ctx ends are left out.
func (r Runner) Run(ctx context.Context, all []Member) []Cluster {
	free := semaphore.NewWeighted(int64(r.Parallel))
	var group crash.Group
	var taking sync.Mutex
	var clusters []Cluster
	take := func(c Cluster) {
		taking.Lock()
		defer taking.Unlock()
		if r.Keep != nil {
			r.Keep(c)
		}
		clusters = append(clusters, c)
	}
	for _, m := range all {
		if r.Kept != nil {
			if c, ok := r.Kept(m); ok {
				take(c)
				continue
			}
		}
		weight := int64(r.Weight(m))
		if free.Acquire(ctx, weight) != nil {
			break
		}
		group.Go(func() {
			defer free.Release(weight)
			if ctx.Err() != nil {
				return
			}
			if c := r.one(ctx, m); ctx.Err() == nil || c.Outcome != Failed { // it may be the interrupt's
				take(c)
			}
		})
	}
	group.Wait()
	slices.SortFunc(clusters, func(a, b Cluster) int { return cmp.Compare(a.Name, b.Name) })
	return clusters
}

// Weight is how many vCenters of a member are worked on at once.
func (r Runner) Weight(m Member) int {
	if m.Spec == nil {
		return 1
	}
	return max(1, min(r.Parallel, len(m.Spec.VCenters)))
}

// one does the job for one member.
func (r Runner) one(ctx context.Context, m Member) (c Cluster) {
	began := time.Now()
	c = Cluster{Name: m.Name, File: m.File, VCenters: []VCenter{}}
	err := m.Err
	if err == nil {
		err = crash.Try(func() error { r.Look(ctx, m, &c); return nil })
	}
	if err != nil {
		c.Fail(err)
	}
	c.Ended, c.Seconds = time.Now().UTC(), time.Since(began).Seconds()
	return c
}
