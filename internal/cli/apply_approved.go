package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// approvedFor is what the live plan is sealed with: what the saved plan says, where there is one, so that other addresses
// on this command line do not make another plan of it.
func (a *applying) approvedFor() savedplan.Decided {
	if a.saved != nil {
		return a.saved.Decided
	}
	return a.work.decided()
}

// approved refuses a plan other than the one that was approved: the changes that the saved plan shows, all of them and in
// their order, or those with the digest. A saved plan that was done before is one of nothing to do.
func (a *applying) approved(ctx context.Context, live *plan.Plan) error {
	if a.saved == nil && a.digest == "" {
		return nil
	}
	if err := live.Err(); err != nil {
		what := a.path
		if a.saved == nil {
			what = "--digest"
		}
		return errors.Join(err, fmt.Errorf("%s: some vCenters cannot be read, so the plan cannot be compared and nothing was done", what))
	}
	if a.saved == nil {
		return a.liveDigest(live)
	}
	differences := plan.Differences(a.saved.Plan, live)
	if len(differences) == 0 {
		return nil
	}
	gone, ok := a.gone(ctx, live)
	switch {
	case !ok || len(gone) == 0:
		return a.errMoved(differences)
	case live.Empty():
		a.Infof("%s was already applied: nothing was done", a.path)
		return nil
	}
	return a.errPartly(gone)
}

// liveDigest holds the digest of the approver against the plan that was just made.
func (a *applying) liveDigest(live *plan.Plan) error {
	switch {
	case live.Digest == a.digest:
		return nil
	case live.Empty():
		return hint.Errorf("run verify to check the vCenters",
			"--digest: the vCenters need no change: the approved plan may have been applied already")
	}
	return errOtherDigest("the current plan has", live.Digest)
}

func errOtherDigest(which, digest string) error {
	return hint.Errorf("have the current plan approved: the digest covers changes, vCenters, specification and options",
		"--digest: %s the digest %s, not the approved one; nothing was done", which, digest)
}

// gone are the changes of the saved plan that have been made since, named with their vCenters. ok is false if the live
// plan is not what they leave.
func (a *applying) gone(ctx context.Context, live *plan.Plan) (all []apart, ok bool) {
	gone, ok := plan.Gone(a.saved.Plan, live)
	if !ok {
		return nil, false
	}
	for _, v := range a.saved.Plan.VCenters {
		for _, c := range gone[v.Server] {
			if !a.job.InPlace(ctx, v.Server, c) {
				return nil, false
			}
			all = append(all, apart{term.Line(v.Server), term.Line(c.Sign() + " " + c.Subject())})
		}
	}
	return all, true
}

// apart is something that keeps a saved plan from being applied, on a vCenter; "" = on none.
type apart struct{ server, text string }

func (x apart) at() string {
	if x.server == "" {
		return ""
	}
	return x.server + ": "
}

// folded are errors for all of these: one for each vCenter, with their number and the first, or with full a line for each. what is
// what one of them is called.
func folded(all []apart, full bool, what string) (errs []error) {
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].server == all[from].server {
			to++
		}
		first := all[from].at() + term.Count(to-from, what)
		if to-from > 1 {
			first += ", the first"
		}
		if !full {
			errs = append(errs, errors.New(first+": "+all[from].text))
		} else {
			for _, x := range all[from:to] {
				errs = append(errs, errors.New("  "+x.at()+x.text))
			}
		}
		from = to
	}
	return errs
}

// errMoved says that the vCenters need other changes than a saved plan shows: they have changed, or the file has.
func (a *applying) errMoved(differences []plan.Difference) error {
	all := make([]apart, len(differences))
	for i, d := range differences {
		all[i] = apart{d.Server, "file: " + orNothing(d.File) + "; live: " + orNothing(d.Live)}
	}
	err := fmt.Errorf("%s: the vCenters now need other changes than this plan; nothing was done", a.path)
	return a.planAgain(append([]error{err}, folded(all, a.Show.Full, "difference")...), len(all), "the vCenters or the file changed after it was saved")
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// errPartly names the changes of a saved plan that have been made since.
func (a *applying) errPartly(done []apart) error {
	was := "were"
	if len(done) == 1 {
		was = "was"
	}
	err := fmt.Errorf("%s: %d of its %s %s made since it was saved; nothing was done", a.path, len(done), term.Count(a.saved.Plan.Summary.Total(), "change"), was)
	return a.planAgain(append([]error{err}, folded(done, a.Show.Full, "change")...), len(done), "a new plan contains the rest")
}

// planAgain adds what to do: because is what a new plan is for, n what there is to be said of in full.
func (a *applying) planAgain(errs []error, n int, because string) error {
	hints := []string{because + "; plan again: " + a.command("plan", a.said, "--out", "FILE")}
	if !a.Show.Full && n >= len(errs) {
		hints = append(hints, "--full lists all of them")
	}
	return hint.Wrap(errors.Join(errs...), hints...)
}
