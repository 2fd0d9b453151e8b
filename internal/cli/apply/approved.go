package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// approved refuses a plan other than the approved one: the changes of the saved plan in their
// order, what is left of them on readable vCenters, or the plan with the digest.
func (a *applying) approved(ctx context.Context, live *plan.Plan) error {
	if a.saved == nil {
		return a.liveDigest(live)
	}
	differences := plan.Differences(a.saved.Plan, live)
	if len(differences) == 0 {
		live.Digest = a.saved.Digest
		return nil
	}
	unread := live.Err() != nil
	made, superseded, ok := a.RestOf(ctx, a.saved.Plan, live)
	if !ok || made == 0 && !unread {
		return a.errMoved(live, differences, superseded)
	}
	live.Digest = a.saved.Digest // what is left of an approved plan is approved
	switch {
	case live.Empty() && !unread:
		a.Infof("%s was already applied: nothing was done", a.path)
	case made > 0 && !live.Empty():
		a.Infof("%s: %d of its %s made since it was saved; the rest follows", a.path, made,
			term.Count(a.saved.Plan.Summary.Total(), "change"))
	}
	return nil
}

func (a *applying) liveDigest(live *plan.Plan) error {
	const rest = "what is left of a saved plan stays approved, and can be done where vCenters can be read: save it with --out when you plan"
	switch {
	case a.digest == "" || live.Digest == a.digest:
		return nil
	case live.Err() != nil:
		return hint.Wrap(errors.Join(live.Err(), errors.New("--digest: some vCenters cannot be read, so the plan cannot be compared and nothing was done")), rest)
	case live.Empty() && a.goesOn:
		return nil
	case live.Empty():
		return hint.Errorf("run verify to check the vCenters",
			"--digest: the vCenters need no change: the approved plan may have been applied already")
	}
	return hint.Wrap(errOtherDigest("the current plan has", live.Digest), rest)
}

func errOtherDigest(which, digest string) error {
	return hint.Errorf("have the current plan approved: the digest covers changes, vCenters, specification and options",
		"--digest: %s the digest %s, not the approved one; nothing was done", which, digest)
}

// restores prints how to restore files that later commands read and that are gone.
func (a *applying) restores() {
	again := func(path, what string, part savedplan.Part, to string) {
		line := a.CommandLine("plan show", nil, a.path, "--print", string(part)) + " >" + script.Word(to)
		a.Command(path+" is gone; to write "+what+":", line)
	}
	const same = "it again, as it was planned"
	if file := a.Invocation["file"]; len(file) > 0 && command.Missing(file[0]) {
		again(file[0], same, savedplan.PartSpec, file[0])
	}
	for _, source := range []string{"install-config", command.InfrastructureFlag} {
		if path := a.Invocation[source]; len(path) > 0 && !command.OfCluster(path[0]) && command.Missing(path[0]) {
			again(path[0], "what it said as a provisioning file", savedplan.PartSpec, command.FilePlaceholder)
			a.Invocation = a.Invocation.Without(source).With("file", command.FilePlaceholder)
		}
	}
	if matrix := a.saved.Wanted.Privileges.Matrix; a.saved.Own != nil && command.Missing(matrix) {
		again(matrix, same, savedplan.PartMatrix, matrix)
	}
}

// apart is a difference between saved and live plan; at is "vCenter: ", "" = no vCenter.
type apart struct{ at, text string }

// folded are errors of differences: a count and the first per vCenter, with full a line for each.
func folded(all []apart, full bool) (errs []error) {
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].at == all[from].at {
			to++
		}
		first := all[from].at + term.Count(to-from, "difference")
		if to-from > 1 {
			first += ", the first"
		}
		if !full {
			errs = append(errs, errors.New(first+": "+all[from].text))
		} else {
			for _, x := range all[from:to] {
				errs = append(errs, errors.New("  "+x.at+x.text))
			}
		}
		from = to
	}
	return errs
}

// errMoved is the error of vCenters that need other changes than the saved plan shows.
func (a *applying) errMoved(live *plan.Plan, differences []plan.Difference, superseded bool) error {
	unread := map[string]bool{}
	for _, v := range live.VCenters {
		unread[term.Line(v.Server)] = v.Error != ""
	}
	var all []apart
	for _, d := range differences {
		if !unread[d.Server] {
			at := strings.TrimPrefix(d.Server+": ", ": ")
			all = append(all, apart{at, "file: " + cmp.Or(d.File, "nothing") + "; live: " + cmp.Or(d.Live, "nothing")})
		}
	}
	again := a.CommandLine("plan", a.Invocation, "--out", "FILE")
	err := fmt.Errorf("%s: the vCenters now need other changes than this plan; nothing was done", a.path)
	hints := []string{"the vCenters or the file changed after it was saved; plan again: " + again}
	if superseded {
		err = fmt.Errorf("%s: another plan of this cluster was applied after this one was saved, and superseded it; nothing was done", a.path)
		hints[0] = "discard it; if what it says is still wanted, plan again: " + again
	}
	errs := append([]error{err}, folded(all, a.Show.Full)...)
	if !a.Show.Full && len(all) >= len(errs) {
		hints = append(hints, "--full lists all of them")
	}
	return command.Joined(live.Err(), hint.Wrap(errors.Join(errs...), hints...))
}
