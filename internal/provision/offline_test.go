package provision_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// created are what a plan creates: what it is, where, for whom, and by which role. Permissions that only read are left out: a
// plan without a vCenter takes each network for one of a distributed switch, so that of the datacenter propagates, and those
// below it are not needed.
func created(t fatalT, p *plan.Plan) map[string]bool {
	t.Helper()
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, v := range p.VCenters {
		for _, c := range v.Changes {
			role := ""
			if after, is := c.After.(plan.PermissionState); is {
				if role = after.Role; role == privileges.ReadOnly || strings.Contains(role, "-read-") {
					continue
				}
			}
			all[fmt.Sprintln(v.Server, c.Verb, c.Kind, c.Name, c.Object, c.Principal, role)] = true
		}
	}
	return all
}

// A plan without a vCenter is that of vCenters that have nothing of this tool, and the roles of an export are its roles, for
// failure domains of any topology, in any number, on several vCenters. It takes a lab to know what such a plan is.
func TestOfflinePlanIsThatOfUntouchedVCenters(t *testing.T) {
	t.Parallel()
	several := 0
	for _, seed := range sample([]int{0, 1, 2, 3, 4, 5, 6, 7}, 2) {
		lab := start(t, vcsim.Options{VCenters: 2, Estate: vcsim.EstateOptions{Seed: uint64(seed + 3)}})
		text := rapid.Custom(func(t *rapid.T) string { return drawSpec(t, lab, "c") }).Example(seed)
		h := open(t, lab, t.TempDir(), parse(t, text))
		h.supply(lawMembers("c"))
		live := h.plan(t)
		h.o.Offline = true
		for _, v := range lab.VCenters {
			v.ResetRequests()
		}
		offline := h.plan(t)
		for _, v := range lab.VCenters {
			if asked := v.Requests(); len(asked) > 0 {
				t.Errorf("%s was asked: %v", v.Server(), asked)
			}
		}
		if diff := cmp.Diff(created(t, live), created(t, offline)); diff != "" {
			t.Errorf("seed %d (-live +offline):\n%s\n%s", seed, diff, text)
		}
		q := snapshot.NewRequest(snapshot.Request{Spec: h.spec, Matrix: h.o.Request.Matrix})
		var defs []privileges.RoleDef
		for _, v := range h.spec.VCenters {
			roles, domains, err := snapshot.Unread(q, v).RoleSet()
			if err != nil {
				t.Fatal(err)
			}
			several += len(domains) - 1
			defs = access.Unite(defs, roles...)
		}
		exported := map[string][]string{}
		for _, d := range defs {
			exported[d.Name] = privileges.Strip(d.Privileges)
		}
		if diff := cmp.Diff(plannedRoles(t, live), exported, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("seed %d (-live +exported):\n%s\n%s", seed, diff, text)
		}
	}
	if several == 0 {
		t.Error("no vCenter had several failure domains")
	}
}
