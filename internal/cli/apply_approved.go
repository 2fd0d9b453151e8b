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
// their order, or those with the digest. applied tells that the saved plan was done before.
func (a *applying) approved(ctx context.Context, live *plan.Plan) (applied bool, err error) {
	if a.saved == nil && a.digest == "" {
		return false, nil
	}
	if err := live.Err(); err != nil {
		what := a.path
		if a.saved == nil {
			what = "--digest"
		}
		return false, errors.Join(err, fmt.Errorf("%s: it cannot be compared with vCenters that cannot be read, so nothing was done", what))
	}
	if a.saved == nil {
		return false, a.liveDigest(live)
	}
	differences := plan.Differences(a.saved.Plan, live)
	if len(differences) == 0 {
		return false, nil
	}
	gone, ok := a.gone(ctx, live)
	switch {
	case !ok || len(gone) == 0:
		return false, errMoved(a.path, differences)
	case live.Empty():
		return true, nil
	}
	return false, errPartly(a.path, gone, a.saved.Plan.Summary.Total())
}

// liveDigest holds the digest of the approver against the plan that was just made.
func (a *applying) liveDigest(live *plan.Plan) error {
	switch {
	case live.Digest == a.digest:
		return nil
	case live.Empty():
		return hint.Errorf("verify tells whether everything is as it has to be",
			"--digest: the vCenters need no change, so this is not the digest of what is left to do: the approved plan may have been applied already")
	}
	return errOtherDigest("the plan that was just made has", live.Digest)
}

func errOtherDigest(which, digest string) error {
	return hint.Errorf("show that plan to whoever approves it: the digest covers changes, vCenters, specification and options",
		"--digest: %s the digest %s, which is not the approved one, so nothing was done", which, digest)
}

// gone are the changes of the saved plan that have been made since, named with their vCenters. ok is false if the live
// plan is not what they leave.
func (a *applying) gone(ctx context.Context, live *plan.Plan) (names []string, ok bool) {
	gone, ok := plan.Gone(a.saved.Plan, live)
	if !ok {
		return nil, false
	}
	for _, v := range a.saved.Plan.VCenters {
		for _, c := range gone[v.Server] {
			if !a.job.InPlace(ctx, v.Server, c) {
				return nil, false
			}
			names = append(names, term.Line(v.Server+": "+c.Sign()+" "+c.Subject()))
		}
	}
	return names, true
}

// An error shows this many differences, and names this many changes.
const (
	shownAtMost = 5
	namedAtMost = 20
)

// errMoved says that the vCenters need other changes than a saved plan shows: they have changed, or the file has.
func errMoved(path string, differences []plan.Difference) error {
	errs := []error{fmt.Errorf("%s: the vCenters need other changes than it shows, so nothing was done", path)}
	for _, d := range differences[:min(shownAtMost, len(differences))] {
		where := "  "
		if d.Server != "" {
			where += d.Server + ": "
		}
		errs = append(errs, errors.New(where+"file: "+orNothing(d.File)), errors.New(where+"live: "+orNothing(d.Live)))
	}
	if more := len(differences) - shownAtMost; more > 0 {
		errs = append(errs, fmt.Errorf("  and %d more", more))
	}
	return hint.Wrap(errors.Join(errs...), "the vCenters have changed since it was saved, or the file has: look at the differences and plan again")
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// errPartly names the changes of a saved plan that have been made since.
func errPartly(path string, done []string, all int) error {
	errs := []error{fmt.Errorf("%s: %d of its %d changes have been made since it was saved, so nothing was done", path, len(done), all)}
	for _, name := range done[:min(namedAtMost, len(done))] {
		errs = append(errs, errors.New("  "+name))
	}
	if more := len(done) - namedAtMost; more > 0 {
		errs = append(errs, fmt.Errorf("  and %d more", more))
	}
	return hint.Wrap(errors.Join(errs...), "plan again: the new plan holds what is left")
}
