package job

import (
	"cmp"
	"context"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Among is a cluster's part of a change of many: a dry run sets its plan, which is agreed to with
// those of the others, and then that plan is made, or what is left of it.
type Among struct {
	Covers   any        // options that the digest of the plan covers besides; nil = none
	Earlier  *plan.Plan // agreed to before a run that was interrupted; nil = none
	Plan     *plan.Plan // made by a dry run, later agreed to
	Differ   bool       // there is something to do
	Stays    error      // what it cannot mend, where there is nothing to do; nil = nothing
	Complete bool       // that run has made all of the earlier plan
	Made     *plan.Plan // as it was made; nil = nothing was
}

// planned notes the plan of a dry run, and refuses what the change would refuse.
func (a *Among) planned(ctx context.Context, r *Run, p *plan.Plan, c Change) error {
	var decided any = r.decided()
	if a.Covers != nil {
		decided = []any{decided, a.Covers}
	}
	p.Seal(decided)
	a.Plan, a.Differ = p, !p.Empty() || c.State != nil && c.State.Changes || a.Earlier != nil
	if e := a.Earlier; e != nil {
		was := e.Digest
		if e.Seal(decided); e.Digest == was && r.agreedTo(ctx, e, p) { // nobody has edited it
			if a.Plan, a.Complete = e, p.Empty() && !e.Empty(); a.Complete {
				return nil // a finding may say that it cannot be made twice
			}
		}
	}
	if !a.Differ {
		a.Stays = unsettled(p)
	}
	return cmp.Or(r.notMade(p, c), r.guarded(p, c), r.agreeDisplacing(ctx, p))
}

// agreed refuses another plan than the one that was agreed to, or what is left of that: clusters
// made before may share roles with this one.
func (a *Among) agreed(ctx context.Context, r *Run, live *plan.Plan) error {
	if !r.agreedTo(ctx, a.Plan, live) {
		return cmp.Or(live.Err(), hint.Errorf("plan again, and agree to that",
			"its plan is not the one that was agreed to: its specification or its vCenters were changed meanwhile; nothing was done"))
	}
	live.Digest, a.Made = a.Plan.Digest, live
	return nil
}

// agreedTo reports whether a plan is the one that was agreed to, or what is left of it. Roles that
// nobody uses any more, since clusters before it were changed, go as well.
func (r *Run) agreedTo(ctx context.Context, agreed, live *plan.Plan) bool {
	if len(plan.Differences(agreed, live)) == 0 {
		return true
	}
	rest := *live
	rest.VCenters = nil
	for _, v := range live.VCenters {
		of := *v
		of.Changes = slices.DeleteFunc(slices.Clone(v.Changes), func(c *plan.Change) bool {
			return c.Kind == plan.Role && c.Verb == plan.Delete && !agreed.Any(func(other *plan.Change) bool {
				return other.Kind == plan.Role && other.Verb == plan.Delete && other.Name == c.Name
			})
		})
		rest.VCenters = append(rest.VCenters, &of)
	}
	_, _, ok := r.RestOf(ctx, agreed, &rest)
	return ok
}

// RestOf reports whether a plan made now is what is left of an earlier one: how many of its changes
// were made since. superseded: another plan has made them otherwise.
func (r *Run) RestOf(ctx context.Context, earlier, live *plan.Plan) (made int, superseded, ok bool) {
	all, ok := plan.Made(earlier, live)
	if !ok {
		return 0, false, false
	}
	for server, changes := range all {
		for _, c := range changes {
			gone := c.Verb == plan.Update && slices.ContainsFunc(changes, func(later *plan.Change) bool {
				return later.Verb == plan.Delete && later.Kind == plan.User && later.Kind == c.Kind && later.Name == c.Name
			})
			if made++; !gone && !r.Job.InPlace(ctx, server, c) { // what is there is needed by nothing that is left
				return 0, true, false
			}
		}
	}
	return made, false, true
}
