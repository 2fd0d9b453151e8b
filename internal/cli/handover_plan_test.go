package cli

import (
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// A file that is there is in the way of passwords that a plan makes, and of nothing else.
func TestHandoverChecksThePlan(t *testing.T) {
	t.Parallel()
	of := func(verb plan.Verb, kind plan.Kind) *plan.Plan {
		return &plan.Plan{VCenters: []*plan.VCenter{{Changes: []*plan.Change{{Verb: verb, Kind: kind}}}}}
	}
	there := &handover{out: "x.age", there: true}
	clitest.WantErr(t, there.check(of(plan.Create, plan.User)), "x.age exists", "the only copy of passwords")
	for name, err := range map[string]error{
		"a permission": there.check(of(plan.Create, plan.Permission)), "an update": there.check(of(plan.Update, plan.User)),
		"no file": (&handover{out: "x.age"}).check(of(plan.Create, plan.User)), "no hand-over": (*handover)(nil).check(of(plan.Create, plan.User)),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
