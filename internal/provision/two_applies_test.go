package provision_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Of two machines that apply first at once, the one that comes second has no password and knows it: nothing of its own run is unfinished,
// also where it was killed before it could take its passwords out of its files again.
func TestTwoFirstApplies(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		first := one(t, vcsim.Options{})
		second := open(t, first.lab, t.TempDir(), first.spec)
		job := second.job(t)
		p := job.Plan(t.Context())
		first.mustApply(t)
		ctx, cancel := context.WithCancel(t.Context())
		if killed {
			cancel()
		}
		err := errors.Join(job.Apply(ctx, p), failures(p))
		cancel()
		job.Close(t.Context())
		if err == nil || !killed && !strings.Contains(err.Error(), "somebody else created it after the plan") {
			t.Errorf("killed %t: %v", killed, err)
		}
		code := map[bool]finding.Code{false: finding.LostPassword, true: finding.OutdatedPassword}[killed]
		after := second.plan(t)
		if len(general(after)) != 1 || general(after)[0].Code != code || len(general(after)[0].Accounts) != 5 || !after.Differs() {
			t.Errorf("killed %t: %+v\n%s", killed, general(after), text(after))
		}
		theirs, err := os.ReadFile(first.path)
		if err == nil {
			err = os.WriteFile(second.path, theirs, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if killed { // its journal has the passwords that were never set
			if found := general(second.plan(t)); len(found) != 1 || found[0].Code != finding.UnfinishedRotation || !found[0].Accounts[0].Undo {
				t.Errorf("%+v", found)
			}
			var undone *plan.Plan
			if undone, err = second.turn(t, "revert"); err != nil {
				t.Errorf("%v\n%s", err, text(undone))
			}
		}
		second.resting(t)
		if after := second.plan(t); after.Differs() {
			t.Errorf("killed %t, with the file of the other: %+v\n%s", killed, general(after), text(after))
		}
	}
}
