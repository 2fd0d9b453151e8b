package provision_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Every change is in place once it was done, not before, and not any more after destroy, whose changes then are. The
// folders that apply made stay.
func TestInPlace(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := demo(t)
	h.o.Request.CreateFolders = true
	planned := h.plan(t)
	expect := func(when string, p *plan.Plan, want bool) {
		t.Helper()
		job := h.job(t)
		defer job.Close(ctx)
		if now := job.Plan(ctx); now.Err() != nil {
			t.Fatal(now.Err())
		}
		seen := map[plan.Kind]bool{}
		for v, c := range p.Changes() {
			seen[c.Kind] = true
			if got := job.InPlace(ctx, v.Server, c); got != (want || when == "after destroy" && c.Kind == plan.Folder) {
				t.Errorf("%s, %s is in place: %t", when, c.Subject(), got)
			}
		}
		if !seen[plan.Role] || !seen[plan.User] || !seen[plan.Permission] {
			t.Errorf("%s: only %v were asked for", when, seen)
		}
	}
	expect("before", planned, false)
	if report, err := h.apply(t); err != nil {
		t.Fatalf("%v\n%s", err, text(report))
	}
	expect("applied", planned, true)

	job := h.job(t)
	undo := job.PlanDestroy(ctx)
	job.Close(ctx)
	expect("before destroy", undo, false)

	// what has the name but not the state is not in place
	job = h.job(t)
	job.Plan(ctx)
	for v, c := range planned.Changes() {
		other := *c
		switch after := c.After.(type) {
		case plan.RoleState:
			other.After = plan.RoleState{Privileges: append([]string{"VirtualMachine.Interact.Suspend"}, after.Privileges...)}
		case plan.UserState:
			other.After = plan.UserState{Description: after.Description + "x"}
		case plan.PermissionState:
			other.After = plan.PermissionState{Role: after.Role, Propagate: !after.Propagate}
		default:
			continue
		}
		stateless := *c
		stateless.After = nil
		if job.InPlace(ctx, v.Server, &other) || job.InPlace(ctx, v.Server, &stateless) || job.InPlace(ctx, "vc3", c) {
			t.Errorf("%s is in place in another state, in none, or on another vCenter", c.Subject())
		}
	}
	job.Close(ctx)

	if report, err := h.destroy(t); err != nil {
		t.Fatalf("%v\n%s", err, text(report))
	}
	expect("after destroy", undo, true)
	expect("after destroy", planned, false)
}

// A vCenter with another instance UUID than a plan was saved for is an error before anybody logs in there.
func TestInstancesBindVCenters(t *testing.T) {
	t.Parallel()
	h := demo(t)
	instances := map[string]string{}
	for _, v := range h.plan(t).VCenters {
		instances[v.Server] = v.InstanceUUID
	}
	one, two := h.lab.VCenters[0], h.lab.VCenters[1]
	if instances[one.Server()] == "" || instances[one.Server()] == instances[two.Server()] {
		t.Fatal("the vCenters cannot be told apart:", instances)
	}
	h.o.Instances = instances
	if p := h.plan(t); p.Err() != nil {
		t.Error(p.Err())
	}
	h.o.Instances = map[string]string{one.Server(): instances[one.Server()], two.Server(): instances[one.Server()]}
	two.ResetRequests()
	p := h.plan(t)
	if p.VCenters[0].Error != "" || !strings.Contains(p.VCenters[1].Error, two.Server()+": this is another vCenter: ") {
		t.Errorf("errors are %q and %q", p.VCenters[0].Error, p.VCenters[1].Error)
	}
	if n := two.Requests()["Login"] + two.Requests()["LoginByToken"] + two.Requests()["Issue"]; n != 0 {
		t.Errorf("%d logins at the wrong vCenter", n)
	}
}
