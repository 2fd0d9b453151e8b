package job

import (
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// A file that is there is in the way of passwords that a plan makes, and of nothing else.
func TestHandoverChecksThePlan(t *testing.T) {
	t.Parallel()
	of := func(verb plan.Verb, kind plan.Kind) *plan.Plan {
		return &plan.Plan{VCenters: []*plan.VCenter{{Changes: []*plan.Change{{Verb: verb, Kind: kind}}}}}
	}
	there := &Handover{out: "x.age", there: true}
	clitest.WantErr(t, there.Check(of(plan.Create, plan.User)), "x.age exists", "the only copy of passwords")
	for name, err := range map[string]error{
		"a permission": there.Check(of(plan.Create, plan.Permission)), "an update": there.Check(of(plan.Update, plan.User)),
		"no file": (&Handover{out: "x.age"}).Check(of(plan.Create, plan.User)), "no hand-over": (*Handover)(nil).Check(of(plan.Create, plan.User)),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
