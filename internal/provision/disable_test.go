package provision_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// retired says in the specification that the installer's account is out of use, or in use again.
func (h *house) retired(disabled bool) {
	h.spec.Components = map[component.Name]spec.Component{}
	for _, c := range component.Default() {
		h.spec.Components[c] = spec.Component{Disabled: disabled && c == component.Installer}
	}
}

// accountsJob is a job about the accounts of a few components alone.
func (h *house) accountsJob(t *testing.T, components ...string) *provision.Job {
	t.Helper()
	narrowed, o := *h.spec, h.o
	if err := narrowed.Narrow(nil, components); err != nil {
		t.Fatal(err)
	}
	h.o.Request.Spec, h.o.Request.Only = &narrowed, plan.User
	defer func() { h.o = o }()
	return h.job(t)
}

func (h *house) setDisabled(t *testing.T, disabled bool) *plan.Plan {
	t.Helper()
	job := h.accountsJob(t, "installer")
	defer job.Close(context.Background())
	p := job.PlanDisabled(context.Background(), disabled)
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	job.SetDisabled(context.Background(), p)
	if err := failures(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// verifyCounting verifies, and counts the logins.
func (h *house) verifyCounting(t *testing.T) (*verify.Result, int) {
	t.Helper()
	for _, v := range h.lab.VCenters {
		v.ResetRequests()
	}
	found, logins := h.verify(t), 0
	for _, v := range h.lab.VCenters {
		logins += v.Requests()["Login"] + v.Requests()["LoginByToken"]
	}
	return found, logins
}

func (h *house) isDisabled(i int) bool {
	u, _ := h.lab.VCenters[i].Directory().User("ocp-cluster1-installer")
	return u.Disabled
}

// A disabled account stays as the specification has it: apply disables it, plan is empty, verify does not try it, and nothing
// puts it back into use but users enable.
func TestDisabledBySpecification(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]vcsim.Options{"apart": {VCenters: 2}, "linked": {VCenters: 2, Linked: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, start(t, o), t.TempDir(), parse(t, demoSpec))
			before := h.snapshot()
			h.mustApply(t)
			_, logins := h.verifyCounting(t)
			h.retired(true)
			domains := 2
			if o.Linked {
				domains = 1
			}
			p := h.plan(t)
			if p.Summary != (plan.Summary{Update: domains}) || !strings.Contains(text(p), "~ user ocp-cluster1-installer@vsphere.local: disabled\n") {
				t.Fatalf("%s", text(p))
			}
			h.mustApply(t)
			h.resting(t)
			if p := h.plan(t); p.Differs() || !h.isDisabled(0) || !h.isDisabled(1) {
				t.Fatalf("%s", text(p))
			}
			v, fewer := h.verifyCounting(t)
			if !v.Meets(byDefault) || v.Summary.Disabled != 2 || len(v.VCenters[0].Preflight) != 0 {
				t.Errorf("%s", failing(v))
			}
			if fewer != logins-2 { // one on each vCenter
				t.Errorf("%d logins, %d before: the account was tried", fewer, logins)
			}

			h.retired(false) // who forgets it does not put it back into use
			p = h.plan(t)
			if !p.Empty() || !p.Differs() || !strings.Contains(text(p), "users enable") {
				t.Errorf("%s", text(p))
			}
			h.mustApply(t)
			if !h.isDisabled(0) {
				t.Error("apply enabled an account that somebody had disabled")
			}
			if v := h.verify(t); v.Meets(asAsked) || !strings.Contains(failing(v), "login") {
				t.Errorf("%s", failing(v))
			}
			if p := h.setDisabled(t, false); p.Summary.Update != domains {
				t.Errorf("%s", text(p))
			}
			if p := h.plan(t); p.Differs() || h.isDisabled(0) || h.isDisabled(1) {
				t.Errorf("%s", text(p))
			}
			if v := h.verify(t); !v.Meets(byDefault) {
				t.Errorf("%s", failing(v))
			}
			if _, err := h.destroy(t); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, h.snapshot()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An account that is not there yet is made, granted, and disabled at once: what the file says is what there is, and users
// enable is all that it takes later.
func TestDisabledFromTheBeginning(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.retired(true)
	if p := h.plan(t); !strings.Contains(text(p), "+ user ocp-cluster1-installer@vsphere.local: OpenShift cluster cluster1, component installer; made by ocp-vsphere-admin, disabled\n") {
		t.Errorf("%s", text(p))
	}
	h.mustApply(t)
	if p := h.plan(t); p.Differs() || !h.isDisabled(0) {
		t.Fatalf("%s", text(p))
	}
	h.setDisabled(t, false)
	h.retired(false)
	h.resting(t)
	if v := h.verify(t); !v.Meets(byDefault) || len(v.VCenters[0].Preflight) == 0 {
		t.Errorf("%s", failing(v))
	}
}

// What kept a vCenter from disabling an account is an error, and the same command again finishes it: apply, and users disable
// whose answer was lost.
func TestDisableIsFinishedByTheNextRun(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.retired(true)
	v := h.lab.VCenters[0]
	kind := vcsim.Blocked
	v.SetFault(func(_ int, method string) vcsim.Fault {
		if method == "DisableUserAccount" || method == "EnableUserAccount" {
			return vcsim.Fault{Kind: kind}
		}
		return vcsim.Fault{}
	})
	if _, err := h.apply(t); err == nil || h.isDisabled(0) {
		t.Fatalf("%v", err)
	}
	if p := h.plan(t); p.Summary.Update != 1 || !strings.Contains(text(p), "~ user ocp-cluster1-installer@vsphere.local: disabled") {
		t.Errorf("%s", text(p))
	}
	kind = vcsim.LostReply
	h.mustApply(t)
	h.atRest(t, "disabled")
	h.setDisabled(t, false)
	if h.isDisabled(0) {
		t.Error("the account is still disabled")
	}
}

// The account that is in use is the one that is disabled, whichever generation it is, and it gets no next one while it is out
// of use.
func TestDisabledGeneration(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	before := h.snapshot()
	h.mustApply(t)
	h.mustTurn(t, "replace", "installer")
	h.mustTurn(t, "finish", "installer")
	dir := h.lab.VCenters[0].Directory()
	p := h.setDisabled(t, true)
	if u, _ := dir.User("ocp-cluster1-installer-2"); !u.Disabled || p.Summary.Update != 1 {
		t.Fatalf("%+v\n%s", u, text(p))
	}
	h.retired(true)
	h.atRest(t, "out of use")
	if p, err := h.turn(t, "replace", "installer"); err == nil || !strings.Contains(err.Error(), ".disabled)") {
		t.Errorf("%v\n%s", err, text(p))
	}
	if p := h.mustTurn(t, "replace"); p.Summary.Create == 0 || strings.Contains(text(p), "installer-3") {
		t.Errorf("%s", text(p))
	}
	if u, _ := dir.User("ocp-cluster1-installer-2"); !u.Disabled {
		t.Error("a rotation of the others enabled it")
	}
	h.mustTurn(t, "finish")
	h.atRest(t, "the others rotated")
	if _, err := h.destroy(t); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, h.snapshot()); diff != "" {
		t.Error(diff)
	}
}

// A vCenter that was told to disable an account and did not is found out.
func TestVerifyFindsAnEnabledAccount(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	h.retired(true)
	v := h.verify(t)
	if v.Meets(asAsked) || v.Summary.Failed != 1 || v.Summary.Disabled != 0 || !strings.Contains(failing(v), "login "+verify.LoginEnabled) {
		t.Errorf("%s", failing(v))
	}
}

// Twice is once, and somebody else's account stays as it is.
func TestDisableTwice(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	if p := h.setDisabled(t, true); p.Summary.Update != 1 || !h.isDisabled(0) {
		t.Errorf("%s", text(p))
	}
	if p := h.setDisabled(t, true); !p.Empty() || !strings.Contains(text(p), "is disabled already") {
		t.Errorf("%s", text(p))
	}
	h.spec.Components = map[component.Name]spec.Component{"installer": {Principal: "administrator@vsphere.local"}}
	h.o.Request.Only = plan.User
	job := h.job(t)
	defer job.Close(context.Background())
	if p := job.PlanDisabled(context.Background(), true); p.Err() == nil || !strings.Contains(p.Err().Error(), "belongs to somebody else") {
		t.Errorf("%v", p.Err())
	}
}

// drawDisabled may take one of the accounts out of use that can be.
func drawDisabled(t *rapid.T, s *spec.Spec) {
	c := rapid.SampledFrom(component.Default()).Draw(t, "out of use")
	if s.CheckDisabled(c) != nil || !slices.Contains(s.ComponentNames(), c) || !rapid.Bool().Draw(t, "is out of use") {
		return
	}
	all := map[component.Name]spec.Component{}
	for _, named := range component.Default() {
		if of, ok := s.Components[named]; ok || len(s.Components) == 0 {
			all[named] = of
		}
	}
	of := all[c]
	of.Disabled = true
	all[c], s.Components = of, all
}

// disabledAsSaid holds the accounts of ours against the specification.
func (h *house) disabledAsSaid(t fatalT) {
	t.Helper()
	for _, c := range h.spec.ComponentNames() {
		a := h.spec.Account(c)
		for _, v := range h.lab.VCenters {
			u, exists := v.Directory().User(a.Name)
			if a.Ours() && (!exists || u.Disabled != h.spec.Disabled(c)) {
				t.Errorf("%s: %s: there is one %t, disabled %t, and the specification says %t", v.Server(), a.Name, exists, u.Disabled, h.spec.Disabled(c))
			}
		}
	}
}
