package provision_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Whatever goes wrong with the requests of a replacement, once or for good: a password on the disk opens every account, no
// account is locked, and the next run comes to the end.
func TestReplaceFaults(t *testing.T) {
	notShort(t, "TestWrongAnswers has faults too")
	t.Parallel()
	steps := map[string][]string{
		"replace": {"CreateLocalPersonUser", "SetEntityPermissions", "RequestSecurityToken", "Login", "FetchUserPrivilegeOnEntities"},
		"finish":  {"DisableUserAccount", "RemoveEntityPermission", "DeleteLocalPrincipal"},
		"revert":  {"RequestSecurityToken", "Login", "EnableUserAccount"},
	}
	for step, methods := range steps {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			h := one(t, vcsim.Options{})
			h.spec.Components = map[component.Name]spec.Component{"machine-api": {}, "csi-driver": {}}
			h.mustApply(t)
			v := h.lab.VCenters[0]
			for _, f := range sample(faultCases(methods...), 5) {
				name := fmt.Sprintf("%s, fault %d, for good %t", f.method, f.kind, f.forGood)
				if step != "replace" {
					h.mustTurn(t, "replace")
				}
				struck := 0
				v.SetFault(func(_ int, called string) vcsim.Fault {
					if called == f.method {
						struck++
					}
					if called != f.method || struck > 3 && !f.forGood || struck < 3 && f.method == "RequestSecurityToken" { // the administrator's come first
						return vcsim.Fault{}
					}
					return vcsim.Fault{Kind: f.kind}
				})
				_, _ = h.turn(t, step)
				v.SetFault(nil)
				h.allOpen(t, name)
				h.mustTurn(t, step)
				h.allOpen(t, name+", after the second run")
				switch step {
				case "replace":
					h.undo(t)
				case "revert":
					h.mustTurn(t, "withdraw")
				}
				h.resting(t)
				for _, u := range h.accounts(v) {
					if found, _ := v.Directory().User(u); found.Locked || found.Disabled {
						t.Errorf("%s: %s is locked: %t, disabled: %t", name, u, found.Locked, found.Disabled)
					}
				}
				if n := len(h.accounts(v)); n != 2 {
					t.Fatalf("%s: %v", name, h.accounts(v))
				}
			}
			h.atRest(t, "at the end")
		})
	}
}

// A file that cannot be written stops a replacement before anything is changed, and an exchange that cannot be saved is made up
// for by the next run.
func TestReplaceWritesFirst(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	before := h.snapshot()
	job := h.job(t)
	defer job.Close(t.Context())
	p := job.PlanReplacement(t.Context(), false, sso.Limits{})
	if err := os.Mkdir(h.journal(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := job.Replace(t.Context(), p); err == nil || !strings.Contains(err.Error(), "rotation journal ") || h.snapshot() != before {
		t.Errorf("%v", err)
	}
	if err := os.Remove(h.journal()); err != nil {
		t.Fatal(err)
	}
	again := h.job(t)
	defer again.Close(t.Context())
	p = again.PlanReplacement(t.Context(), false, sso.Limits{})
	if err := appendTo(h.path, "# a note\n"); err != nil {
		t.Fatal(err)
	}
	if err := again.Replace(t.Context(), p); err == nil || !strings.Contains(err.Error(), "changed by somebody else") {
		t.Fatalf("%v", err)
	}
	h.allOpen(t, "after the edit")
	if p := h.plan(t); len(general(p)) != 1 || !p.Empty() || !strings.Contains(text(p), "! 5 accounts exist, but your credentials file does not use them: a rotation was interrupted, undone, or done elsewhere") {
		t.Errorf("%+v\n%s", general(p), text(p))
	}
	h.mustTurn(t, "replace")
	h.atRest(t, "after the next run")
	if text, err := os.ReadFile(h.path); err != nil || !strings.Contains(string(text), "# a note") {
		t.Errorf("the edit is lost: %v", err)
	}
}

// What a lost journal leaves behind does not stand in the way: the account before is removed without its password, and the
// rotation cannot be taken back.
func TestLostJournal(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	h.mustTurn(t, "replace")
	if err := os.Remove(h.journal()); err != nil {
		t.Fatal(err)
	}
	if p := h.plan(t); !p.Empty() || p.Err() != nil {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
	if p, err := h.turn(t, "revert"); err != nil || !p.Empty() || !strings.Contains(text(p), "the password of the previous account is not in "+h.journal()) {
		t.Errorf("%v\n%s", err, text(p))
	}
	h.mustTurn(t, "finish")
	h.atRest(t, "after the end")
	if n := len(h.accounts(h.lab.VCenters[0])); n != 5 {
		t.Errorf("%d accounts", n)
	}
}

// An interrupt while the replaced accounts are disabled leaves them so; the same command again removes them, and undo enables
// them.
func TestFinishInterrupted(t *testing.T) {
	t.Parallel()
	for _, next := range []string{"finish", "revert"} {
		h := one(t, vcsim.Options{})
		h.mustApply(t)
		before := h.snapshot()
		h.mustTurn(t, "replace")
		ctx, interrupt := context.WithCancel(t.Context())
		h.o.Pause = func(ctx context.Context, d time.Duration) error {
			if d == time.Hour {
				interrupt()
			}
			return ctx.Err()
		}
		job := h.job(t)
		p := job.PlanFinish(ctx, false)
		err := job.Finish(ctx, p, time.Hour)
		job.Close(t.Context())
		if err == nil || !strings.Contains(err.Error(), "interrupted: the old accounts are disabled but not removed") {
			t.Errorf("%v", err)
		}
		v := h.lab.VCenters[0]
		if u, _ := v.Directory().User("ocp-cluster1-csi-driver"); !u.Disabled {
			t.Error("the account before is not disabled")
		}
		if got := h.verify(t); !got.Meets(byDefault) || got.Summary.Disabled != 5 {
			t.Errorf("%+v", got.Summary)
		}
		h.o.Pause = noPause
		if p := h.mustTurn(t, next); strings.Contains(text(p), "disabled, but not in the specification") {
			t.Errorf("says of an account that is put back into use that it stays disabled:\n%s", text(p))
		}
		if next == "revert" {
			h.mustTurn(t, "withdraw")
		}
		h.resting(t)
		h.atRest(t, next+" after the interrupt")
		if next == "revert" && h.snapshot() != before {
			t.Error("not as before")
		}
	}
}

// A finish that took the permissions of the replaced account away and did not remove it: plan and apply leave that account alone, say
// how it goes on, and the next finish removes it.
func TestFinishThatKeepsTheAccount(t *testing.T) {
	t.Parallel()
	h := oneComponent(t, vcsim.Options{VCenters: 2, Linked: true})
	for _, undone := range []string{"DeleteLocalPrincipal", "RemoveEntityPermission"} {
		h.mustTurn(t, "replace")
		for _, v := range h.lab.VCenters {
			v.SetFault(func(n int, method string) vcsim.Fault {
				if method == undone {
					return vcsim.Fault{Kind: vcsim.Blocked}
				}
				return vcsim.Fault{}
			})
		}
		if _, err := h.turn(t, "finish"); err == nil {
			t.Fatalf("%s: finished", undone)
		}
		for _, v := range h.lab.VCenters {
			v.SetFault(nil)
		}
		before := h.snapshot()
		p, err := h.apply(t)
		if err != nil || !p.Empty() || h.snapshot() != before || !strings.Contains(text(p), "has replaced it; it is disabled until rotate finish removes it") {
			t.Errorf("%s: %v\n%s", undone, err, text(p))
		}
		if v := h.verify(t); !v.Meets(byDefault) || v.Summary.Disabled == 0 {
			t.Errorf("%s: %s", undone, failing(v))
		}
		h.mustTurn(t, "finish")
		h.atRest(t, undone+", finished")
	}
}

// Two runs at once: one of them works, the other one says so and does nothing.
func TestTwoReplacements(t *testing.T) {
	t.Parallel()
	d := newDesk(t, start(t, vcsim.Options{}), strings.Split(demoSpec, "- server: vcenter2")[0])
	d.must(t, d.words("apply")...)
	d.must(t, d.words("rotate")...)
	before := d.snapshot()
	unlock, err := credfile.Lock(d.path, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"rotate", "rotate undo", "rotate finish"} {
		if code, stdout, stderr := d.run(d.replacement(step)...); code != command.ExitFailed || !strings.Contains(stderr, "another run is in progress") {
			t.Errorf("%s: exit code %d\n%s%s", step, code, stdout, stderr)
		}
	}
	unlock()
	if d.snapshot() != before {
		t.Error("something was changed")
	}
	d.must(t, d.replacement("rotate finish")...)
	if left, err := filepath.Glob(d.path + ".*"); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
	if _, err := os.Stat(d.journal()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// apply --prune takes the accounts out of both files that it removes, in all their generations, and leaves alone what the journal
// has of others.
func TestPruneInTheMiddleOfRotations(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	v := h.lab.VCenters[0]
	h.mustTurn(t, "replace", "cloud-controller")
	job := h.job(t)
	p := job.PlanRotation(t.Context(), false, sso.Limits{})
	if err := appendTo(h.path, "# a note\n"); err != nil {
		t.Fatal(err)
	}
	if err := job.Rotate(t.Context(), p); err == nil {
		t.Fatal("the rotation in place came to its end")
	}
	job.Close(t.Context())
	h.spec.Components = map[component.Name]spec.Component{"machine-api": {}, "csi-driver": {}, "diagnostics": {}, "installer": {}}
	h.o.Request.Prune = true
	if p, err := h.apply(t); err != nil || p.Summary.Delete == 0 {
		t.Fatalf("%v\n%s", err, text(p))
	}
	h.o.Request.Prune = false
	h.allOpen(t, "after the prune")
	if names := h.accounts(v); len(names) != 4 {
		t.Errorf("%v", names)
	}
	for _, slot := range []component.Name{component.CloudController, credfile.Earlier(component.CloudController)} {
		if got := user(t, h.journal(), v.Server(), slot); got != "" {
			t.Errorf("the journal still has %s", got)
		}
	}
	h.mustRotate(t)
	h.atRest(t, "at the end")
}
