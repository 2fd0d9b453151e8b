package plan_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

func role(name string) *plan.Change {
	return &plan.Change{
		Verb: plan.Create, Kind: plan.Role, Name: name, After: plan.RoleState{Privileges: []string{"Datastore.Browse"}},
		Provides: plan.Key("vc1", plan.Role, name),
	}
}

func permission(principal, roleName string) *plan.Change {
	return &plan.Change{
		Verb: plan.Update, Kind: plan.Permission, Object: "/DC1", Principal: principal,
		Before: plan.PermissionState{Role: "ReadOnly", Propagate: true}, After: plan.PermissionState{Role: roleName},
		Note: "displaces ReadOnly", Needs: []string{plan.Key("vc1", plan.Role, roleName)},
	}
}

func nothing(context.Context) error { return nil }

// doing are steps of which each does nothing.
func doing(changes ...*plan.Change) plan.Steps {
	steps := plan.Steps{}
	for _, c := range changes {
		steps.Do(c, nothing)
	}
	return steps
}

// What is wrong is wrapped between words, and the command that fixes it is whole.
func TestFoundFitsTheTerminal(t *testing.T) {
	const command = "ocp-vsphere-admin rotate --components csi-driver --in-place"
	found := []*finding.Finding{{Text: "the passwords of two accounts are lost", Remedies: []string{command, "to undo it: " + command}}}
	for width, want := range map[int]string{
		0:  "! the passwords of two accounts are lost\n  hint: " + command + "\n  hint: to undo it: " + command + "\n\n",
		30: "! the passwords of two\n  accounts are lost\n  hint: " + command + "\n  hint: to undo it:\n  " + command + "\n\n",
	} {
		var out bytes.Buffer
		if err := plan.Found(&out, width, found); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestJSONIsTheContract(t *testing.T) {
	p := plan.New("cluster1")
	p.Add("vc1", []*plan.Change{role("r"), permission("a@d", "r")}, nil)
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"apiVersion":"ocp-vsphere-admin/v1","kind":"Plan","cluster":"cluster1","findings":[],"domains":[],"vcenters":[{"server":"vc1","error":"","changes":[` +
		`{"verb":"create","kind":"role","name":"r","before":null,"after":{"privileges":["Datastore.Browse"]},"note":""},` +
		`{"verb":"update","kind":"permission","object":"/DC1","principal":"a@d","before":{"role":"ReadOnly","propagate":true},` +
		`"after":{"role":"r","propagate":false},"note":"displaces ReadOnly"}]}],"summary":{"create":1,"update":1,"delete":0}}`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
}

func TestExecuteFailsOnlyWhatDepends(t *testing.T) {
	p := plan.New("c")
	bad, of, good, other := role("bad"), permission("a@d", "bad"), role("good"), role("other")
	p.Add("vc1", []*plan.Change{bad, of, good, permission("b@d", "good")}, nil)
	p.Add("vc2", []*plan.Change{other}, nil)
	steps := doing(good, p.VCenters[0].Changes[3], other)
	steps.Do(bad, func(context.Context) error { return errors.New("refused") })
	steps.Do(of, func(context.Context) error { t.Error("done without its role"); return nil })
	p.Execute(context.Background(), steps, plan.ExecuteOptions{})
	var got []plan.Status
	for v, c := range p.Changes() {
		got = append(got, v.Status(c))
	}
	want := []plan.Status{plan.Failed, plan.Skipped, plan.Done, plan.Done, plan.Done}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !p.Partial() {
		t.Error("one vCenter failed and one did not, but Partial says no")
	}
	if err := p.Err(); err == nil || !strings.Contains(err.Error(), "vc1: role bad: refused") {
		t.Errorf("error is %v", err)
	}
	if p.Kind != plan.KindApplied {
		t.Errorf("kind is %s", p.Kind)
	}
}

// A change never starts before all that it needs is done, whatever the graph.
func TestExecuteKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "changes")
		var mu sync.Mutex
		var done []int
		changes := make([]*plan.Change, n)
		needs := make([][]int, n)
		steps := plan.Steps{}
		for i := range n {
			if i > 0 {
				needs[i] = rapid.SliceOfDistinct(rapid.IntRange(0, i-1), rapid.ID[int]).Draw(t, fmt.Sprintf("needs %d", i))
			}
			c := &plan.Change{Verb: plan.Create, Kind: plan.Role, Name: fmt.Sprint(i), Provides: fmt.Sprint(i)}
			for _, need := range needs[i] {
				c.Needs = append(c.Needs, fmt.Sprint(need))
			}
			steps.Do(c, func(context.Context) error {
				mu.Lock()
				defer mu.Unlock()
				for _, need := range needs[i] {
					if !slices.Contains(done, need) {
						return fmt.Errorf("%d began before %d was done", i, need)
					}
				}
				done = append(done, i)
				return nil
			})
			changes[i] = c
		}
		p := plan.New("c")
		p.Add("vc1", changes, nil)
		p.Execute(context.Background(), steps, plan.ExecuteOptions{})
		if err := p.Err(); err != nil || len(done) != n {
			t.Fatalf("%d of %d done: %v", len(done), n, err)
		}
	})
}

// No more vCenters are at work at once than asked for, one that waits for another's account keeps nobody from working, and
// each is finished once, when its last change is done.
func TestExecuteOnSoManyVCentersAtOnce(t *testing.T) {
	p := plan.New("c")
	var mu sync.Mutex
	working, most := map[string]int{}, 0
	var finished []string
	work := func(server string) func(context.Context) error {
		return func(context.Context) error {
			mu.Lock()
			working[server]++
			most = max(most, len(working))
			mu.Unlock()
			runtime.Gosched()
			mu.Lock()
			defer mu.Unlock()
			if working[server]--; working[server] == 0 {
				delete(working, server)
			}
			return nil
		}
	}
	const n = 12
	steps := plan.Steps{}
	for i := range n {
		server := fmt.Sprintf("vc%d", i)
		account := &plan.Change{Verb: plan.Create, Kind: plan.User, Name: "a", Provides: fmt.Sprintf("account %d", i)}
		if i < n-1 { // each waits for the next: the first begin last
			account.Needs = []string{fmt.Sprintf("account %d", i+1)}
		}
		p.Add(server, []*plan.Change{account, role("r"), role("s")}, nil)
		for _, c := range p.VCenters[i].Changes {
			steps.Do(c, work(server))
		}
	}
	p.Execute(context.Background(), steps, plan.ExecuteOptions{Parallel: 2, Finished: func(server string) {
		mu.Lock()
		defer mu.Unlock()
		if working[server] != 0 {
			t.Errorf("%s is finished while it works", server)
		}
		finished = append(finished, server)
	}})
	if err := p.Err(); err != nil || most > 2 {
		t.Errorf("%d vCenters at once, %v", most, err)
	}
	slices.Sort(finished)
	if len(slices.Compact(finished)) != n || len(finished) != n {
		t.Errorf("finished: %v", finished)
	}
}

// Changes that need each other are not done, and nobody waits for them.
func TestExecuteEndsWhereChangesNeedEachOther(t *testing.T) {
	p := plan.New("c")
	a := &plan.Change{Verb: plan.Create, Kind: plan.Role, Name: "a", Provides: "a", Needs: []string{"b"}}
	b := &plan.Change{Verb: plan.Create, Kind: plan.Role, Name: "b", Provides: "b", Needs: []string{"a"}}
	r := role("r")
	p.Add("vc1", []*plan.Change{a, b, r}, nil)
	steps := doing(a, b, r)
	p.Execute(context.Background(), steps, plan.ExecuteOptions{})
	if steps.Status(a) != plan.Skipped || steps.Status(b) != plan.Skipped || steps.Status(r) != plan.Done {
		t.Errorf("a is %q, b is %q, r is %q", steps.Status(a), steps.Status(b), steps.Status(r))
	}
}

// A change that panics has failed, and with it what needs it; nothing else has.
func TestPanicOfAChange(t *testing.T) {
	p := plan.New("c")
	all := []*plan.Change{role("broken"), permission("a@d", "broken"), role("other")}
	p.Add("vc1", all, nil)
	steps := doing(all...)
	broken, needs, other := steps.Do(all[0], func(context.Context) error { panic("nobody expects it") }), steps[all[1]], steps[all[2]]
	p.Execute(context.Background(), steps, plan.ExecuteOptions{})
	if broken.Status != plan.Failed || !strings.Contains(broken.Error, "internal error: nobody expects it") || needs.Status != plan.Skipped || other.Status != plan.Done {
		t.Errorf("broken is %s (%s), what needs it %s, the other %s", broken.Status, broken.Error, needs.Status, other.Status)
	}
}

func TestInterruptFinishesCallsInFlight(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	p := plan.New("c")
	p.Add("vc1", []*plan.Change{role("first"), permission("a@d", "first")}, nil)
	steps := plan.Steps{}
	first := steps.Do(p.VCenters[0].Changes[0], func(call context.Context) error {
		interrupt()
		return call.Err() // the call itself goes on
	})
	second := steps.Do(p.VCenters[0].Changes[1], func(context.Context) error { t.Error("begun after the interrupt"); return nil })
	p.Execute(ctx, steps, plan.ExecuteOptions{})
	if first.Status != plan.Done || second.Status != plan.Skipped || !errors.Is(second.Err(), plan.ErrInterrupted) {
		t.Errorf("first is %s, second is %s (%v)", first.Status, second.Status, second.Err())
	}
}

func TestDigestIgnoresTheReportOnly(t *testing.T) {
	build := func(roleName string) *plan.Plan {
		p := plan.New("c")
		p.Add("vc1", []*plan.Change{role(roleName)}, nil)
		return p
	}
	p := build("r")
	p.Seal("decided")
	before := p.Digest
	p.Execute(context.Background(), doing(p.VCenters[0].Changes...), plan.ExecuteOptions{})
	p.Seal("decided")
	if err := plan.CheckDigest(before); err != nil || p.Digest != before {
		t.Errorf("the report changed the digest %s to %s, or its form: %v", before, p.Digest, err)
	}
}

// A plan that is executed in stages does each change once, and what an earlier stage did counts for a later one.
func TestExecuteInStages(t *testing.T) {
	p := plan.New("c")
	var mu sync.Mutex
	times := map[string]int{}
	work := func(name string, err error) func(context.Context) error {
		return func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			times[name]++
			return err
		}
	}
	steps := plan.Steps{}
	first, failed := steps.Do(role("first"), work("first", nil)), steps.Do(role("failed"), work("failed", errors.New("refused")))
	after, never := steps.Do(permission("a@d", "first"), work("after", nil)), steps.Do(permission("b@d", "failed"), work("never", nil))
	p.Add("vc1", []*plan.Change{after.Change, first.Change, never.Change, failed.Change}, nil)
	p.Execute(context.Background(), steps, plan.ExecuteOptions{Only: func(c *plan.Change) bool { return c.Kind == plan.Role }})
	if first.Status != plan.Done || failed.Status != plan.Failed || after.Status != "" || never.Status != "" {
		t.Errorf("after the first stage: %q, %q, %q, %q", first.Status, failed.Status, after.Status, never.Status)
	}
	p.Execute(context.Background(), steps, plan.ExecuteOptions{})
	if after.Status != plan.Done || never.Status != plan.Skipped {
		t.Errorf("after the second one: %q, %q", after.Status, never.Status)
	}
	if diff := cmp.Diff(map[string]int{"first": 1, "failed": 1, "after": 1}, times); diff != "" {
		t.Error(diff)
	}
}
