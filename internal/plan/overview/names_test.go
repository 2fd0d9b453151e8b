package overview_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
)

// Where a single vCenter of several could be read, it is named.
func TestOneVCenterWasRead(t *testing.T) {
	for _, n := range []int{2, 5, 40} {
		p := plan.New("c")
		p.Add("vc0", []*plan.Change{role(plan.Create, folder, "A.B")}, nil)
		p.Findings = tell("vc0", plan.Change{Kind: plan.User, Name: "u@x"}, finding.PlanNote, "is locked")
		for i := 1; i < n; i++ {
			p.Add(fmt.Sprintf("vc%d", i), nil, errors.New("refused"))
		}
		got := drawn(t, p, overview.Options{})
		if strings.Contains(got, "all 1") || !strings.Contains(got, "\ni vc0: u@x: is locked\n") {
			t.Errorf("of %d vCenters:\n%s", n, got)
		}
		if n > 4 && !strings.Contains(got, "  vc0\n") {
			t.Errorf("of %d vCenters:\n%s", n, got)
		}
	}
}

// A short name stands for one role: where another one is called that, each is named in full.
func TestForeignRolesWithShortNames(t *testing.T) {
	for foreign, made := range map[string]string{"read": "ReadOnly", "folder": folder, "cluster": "openshift-machine-api-cluster-aaaaaa", "folder-f065b3": folder} {
		p := plan.New("c")
		p.Add("vc1", []*plan.Change{{
			Verb: plan.Update, Kind: plan.Permission, Object: "/DC1", Principal: machines,
			Before: plan.PermissionState{Role: foreign}, After: plan.PermissionState{Role: made},
		}, grant(storage, "/DC1", "ReadOnly", false), role(plan.Create, folder, "A.B")}, nil)
		got := drawn(t, p, overview.Options{})
		if strings.Contains(got, foreign+" → "+foreign+" ") || strings.Contains(got, foreign+" → "+foreign+"\n") {
			t.Errorf("%s:\n%s", foreign, got)
		}
		if foreign == "read" && strings.Contains(got, "read: role ReadOnly") {
			t.Errorf("%s:\n%s", foreign, got)
		}
	}
}
