package provision_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// narrowed runs work with the specification narrowed as --vcenters and --components narrow it.
func (h *house) narrowed(t fatalT, servers, components []string, work func()) {
	t.Helper()
	whole := h.o.Request.Spec
	defer func() { h.o.Request.Spec = whole }()
	narrow := *whole
	if err := narrow.Narrow(servers, components); err != nil {
		t.Fatal(err)
	}
	h.o.Request.Spec = &narrow
	work()
}

// undo takes a rotation of these components back (of all if none), and away what it made.
func (h *house) undo(t fatalT, components ...string) {
	t.Helper()
	h.mustTurn(t, "revert", components...)
	h.mustTurn(t, "withdraw", components...)
}

// turn runs a step of a rotation by replacement: "replace", "finish", "revert" or "withdraw", of these components (all if none).
func (h *house) turn(t fatalT, step string, components ...string) (p *plan.Plan, err error) {
	t.Helper()
	h.narrowed(t, nil, components, func() { p, err = h.turnIn(t, context.Background(), step, len(components) > 0) })
	return p, errors.Join(err, refused(p, components))
}

// refused is the error about components that were named and stay as they are.
func refused(p *plan.Plan, components []string) error {
	var errs []error
	for _, f := range general(p) {
		if len(components) > 0 && f.Code == finding.BlockedRotation {
			errs = append(errs, errors.New(f.Text))
		}
	}
	return errors.Join(errs...)
}

func (h *house) turnIn(t fatalT, ctx context.Context, step string, named bool) (*plan.Plan, error) { //nolint:revive // t comes first in this package
	t.Helper()
	job := h.job(t)
	defer job.Close(context.Background())
	var p *plan.Plan
	var do func() error
	switch step {
	case "replace":
		p = job.PlanReplacement(ctx, named, sso.Limits{})
		do = func() error { return job.Replace(ctx, p) }
	case "finish":
		p = job.PlanFinish(ctx, named)
		do = func() error {
			err := job.Finish(ctx, p, 0)
			return err
		}
	case "revert":
		p = job.PlanRevert(ctx, named)
		do = func() error { return job.Revert(ctx, p) }
	case "withdraw":
		p = job.PlanWithdrawal(ctx, named, true)
		do = func() error {
			err := job.Finish(ctx, p, 0)
			return err
		}
	default:
		t.Fatal(step)
	}
	if err := p.Err(); err != nil {
		return p, err
	}
	return p, errors.Join(do(), failures(p))
}

func (h *house) mustTurn(t fatalT, step string, components ...string) *plan.Plan {
	t.Helper()
	p, err := h.turn(t, step, components...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", step, err, text(p))
	}
	return p
}

// atRest fails unless the plan is empty and verify finds nothing.
func (h *house) atRest(t fatalT, when string) {
	t.Helper()
	if p := h.plan(t); p.Differs() || p.Err() != nil {
		t.Fatalf("%s: %v\n%s", when, p.Err(), text(p))
	}
	if v := h.verify(t); !v.Meets(byDefault) || v.Summary.Unverified > 0 {
		t.Fatalf("%s: %s %v", when, failing(v), v.Findings)
	}
}

// user is whose account the credentials file, or its journal, has.
func user(t fatalT, path, server string, c component.Name) string {
	t.Helper()
	f, err := credfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := f.Get(server, c)
	return a.User
}

// accounts are the names of the accounts of the cluster in a directory.
func (h *house) accounts(v *vcsim.VCenter) []string {
	var names []string
	for _, u := range v.Directory().Users() {
		if strings.HasPrefix(u.Name, "ocp-"+h.spec.Cluster+"-") {
			names = append(names, u.Name)
		}
	}
	slices.Sort(names)
	return names
}

// A rotation by replacement from end to end: the next accounts work before they are handed over, the earlier ones as long as the
// rotation is not finished, and afterwards nothing is left of them.
func TestReplace(t *testing.T) {
	t.Parallel()
	for _, linked := range []bool{false, true} {
		t.Run(fmt.Sprintf("linked=%t", linked), func(t *testing.T) {
			t.Parallel()
			h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: linked}), t.TempDir(), parse(t, demoSpec))
			empty := h.snapshot()
			h.mustApply(t)
			const server = "vcenter1.example.com"
			earlier := password(t, h.path, server, component.CSIDriver)

			h.mustTurn(t, "replace")
			h.atRest(t, "after the replacement")
			if got := user(t, h.path, server, component.CSIDriver); got != "ocp-cluster1-csi-driver-2@vsphere.local" {
				t.Errorf("the credentials file has %s", got)
			}
			if got := password(t, h.journal(), server, credfile.Earlier(component.CSIDriver)); got != earlier {
				t.Error("the journal does not have the earlier password")
			}
			for _, v := range h.lab.VCenters {
				if n := len(h.accounts(v)); n != 10 {
					t.Errorf("%s: %d accounts: %v", v.Server(), n, h.accounts(v))
				}
				if _, err := v.Directory().CheckPassword("ocp-cluster1-csi-driver", earlier); v.Server() == server && err != nil {
					t.Errorf("the earlier account does not work any more: %v", err)
				}
			}
			if v := h.verify(t); v.Summary.Accounts != 20 {
				t.Errorf("%d accounts are verified", v.Summary.Accounts)
			}
			if p := h.mustTurn(t, "replace"); !p.Empty() || !strings.Contains(text(p), "the last rotation is unfinished: first finish it, or undo it") {
				t.Errorf("a second rotation:\n%s", text(p))
			}
			if _, err := h.turn(t, "replace", "csi-driver"); err == nil || !strings.Contains(err.Error(), "first finish it") {
				t.Errorf("a second rotation of one: %v", err)
			}

			h.mustTurn(t, "finish")
			h.resting(t)
			h.atRest(t, "after the end")
			for _, v := range h.lab.VCenters {
				if names := h.accounts(v); len(names) != 5 || slices.ContainsFunc(names, func(n string) bool { return !strings.HasSuffix(n, "-2") }) {
					t.Errorf("%s: %v", v.Server(), names)
				}
			}
			h.mustTurn(t, "replace")
			if got := user(t, h.path, server, component.CSIDriver); got != "ocp-cluster1-csi-driver-3@vsphere.local" {
				t.Errorf("the second rotation made %s", got)
			}
			if p, err := h.destroy(t); err != nil { // in the middle of a rotation
				t.Fatalf("%v\n%s", err, text(p))
			}
			h.resting(t)
			if left := h.snapshot(); left != empty {
				t.Errorf("destroy in the middle of a rotation left something:\n%s", cmp.Diff(empty, left))
			}
			if _, err := os.Stat(h.path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the credentials file is still there: %v", err)
			}
		})
	}
}

// Components and vCenters are rotated independently; what is taken back leaves everything as it was before.
func TestReplaceAndRevert(t *testing.T) {
	t.Parallel()
	for _, linked := range []bool{false, true} {
		t.Run(fmt.Sprintf("linked=%t", linked), func(t *testing.T) {
			t.Parallel()
			h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: linked}), t.TempDir(), parse(t, demoSpec))
			h.mustApply(t)
			before := h.snapshot()
			h.mustTurn(t, "replace")
			h.undo(t)
			h.resting(t)
			h.atRest(t, "with everything taken back")
			if after := h.snapshot(); after != before {
				t.Errorf("taken back, and not as before:\n%s", cmp.Diff(before, after))
			}
			h.mustTurn(t, "replace", "csi-driver", "installer")
			h.mustTurn(t, "replace", "diagnostics")
			h.mustTurn(t, "finish", "diagnostics")
			h.atRest(t, "with one rotation finished and two not")
			if got := user(t, h.path, "vcenter2.example.com", component.MachineAPI); got != "ocp-cluster1-machine-api@vsphere.local" {
				t.Errorf("machine-api, which nobody asked about, is %s", got)
			}
			h.undo(t, "csi-driver")
			h.atRest(t, "with one taken back")
			p := h.mustTurn(t, "revert", "installer")
			h.allOpen(t, "taken back")
			if got := user(t, h.path, "vcenter1.example.com", component.Installer); got != "ocp-cluster1-installer@vsphere.local" || len(h.accounts(h.lab.VCenters[0])) != 6 {
				t.Errorf("%s is in use, of %v\n%s", got, h.accounts(h.lab.VCenters[0]), text(p))
			}
			if p := h.plan(t); !p.Empty() || len(general(p)) != 1 || general(p)[0].Code != finding.BegunRotation {
				t.Errorf("%+v\n%s", general(p), text(p))
			}
			h.mustTurn(t, "withdraw")
			h.resting(t)
			h.atRest(t, "with all taken back")
			for _, step := range []string{"revert", "withdraw"} {
				if p := h.mustTurn(t, step); !p.Empty() {
					t.Errorf("once more:\n%s", text(p))
				}
			}
			if got := user(t, h.path, "vcenter1.example.com", component.Diagnostics); got != "ocp-cluster1-diagnostics-2@vsphere.local" {
				t.Errorf("diagnostics, which was finished, is %s", got)
			}
		})
	}
}

// One of two vCenters of an SSO domain alone is not enough: the account is that of both.
func TestReplaceNeedsTheWholeDomain(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	before := h.snapshot()
	h.narrowed(t, []string{"vcenter1.example.com"}, nil, func() {
		p, err := h.turnIn(t, t.Context(), "replace", false)
		if err == nil || !p.Empty() || !strings.Contains(text(p), "vcenter2.example.com, in the same SSO domain, uses the account too, and is not part of this run") {
			t.Errorf("%v\n%s", err, text(p))
		}
	})
	h.lab.VCenters[1].SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Refused} })
	if p, err := h.turn(t, "replace"); err == nil || len(staying(p)) == 0 || !p.Empty() {
		t.Errorf("%v\n%s", err, text(p))
	}
	h.lab.VCenters[1].SetFault(nil)
	h.resting(t)
	if h.snapshot() != before {
		t.Error("something was changed")
	}
}

// Who is next is told by the age of passwords, in place as well.
func TestReplaceWhatIsDue(t *testing.T) {
	t.Parallel()
	within, older := 14*24*time.Hour, 60*24*time.Hour
	soon, old := sso.Limits{ExpiringWithin: &within}, sso.Limits{OlderThan: &older}
	h, pass := later(t)
	h.mustApply(t)
	for _, c := range []struct {
		days      int // that pass
		soon, old int // accounts that are due
	}{{0, 0, 0}, {59, 0, 0}, {2, 0, 5}, {20, 5, 5}, {30, 5, 5}} {
		pass(c.days)
		for limits, want := range map[*sso.Limits]int{&soon: c.soon, &old: c.old} {
			job := h.job(t)
			replaced, reset := map[string]bool{}, map[string]bool{}
			for _, change := range job.PlanReplacement(t.Context(), false, *limits).VCenters[0].Changes {
				if change.Kind == plan.User && change.Verb == plan.Create {
					replaced[change.Name] = true
				}
			}
			for _, change := range job.PlanRotation(t.Context(), false, *limits).VCenters[0].Changes {
				if change.Kind == plan.User {
					reset[change.Name] = true
				}
			}
			if len(replaced) != want || len(reset) != want {
				t.Errorf("%d days later: %v, in place %v, want %d", c.days, replaced, reset, want)
			}
			job.Close(t.Context())
		}
	}
}

// What is made on one linked vCenter and has not arrived at another is not made there again.
func TestNotArrivedYet(t *testing.T) {
	t.Parallel()
	clock := newLabClock()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true, Now: clock.now}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	clock.pass(2 * time.Hour)
	h.lab.VCenters[1].Directory().SetReplication(time.Hour)
	h.lab.VCenters[1].SetFault(func(_ int, method string) vcsim.Fault { // else it waits a minute for each
		if method == "SetEntityPermissions" {
			return vcsim.Fault{Kind: vcsim.Blocked}
		}
		return vcsim.Fault{}
	})
	if _, err := h.turn(t, "replace", "csi-driver"); err == nil {
		t.Fatal("it was handed over")
	}
	h.lab.VCenters[1].SetFault(nil)
	job := h.job(t)
	defer job.Close(t.Context())
	p := job.PlanReplacement(t.Context(), false, sso.Limits{})
	if p.Err() != nil || !strings.Contains(text(p), "ocp-cluster1-csi-driver-2@vsphere.local: exists on vcenter1.example.com, in the same SSO domain, but is not replicated to this one yet") {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
	for _, c := range p.VCenters[1].Changes {
		if c.Kind == plan.User && c.Verb == plan.Create && strings.HasSuffix(c.Name, "csi-driver-2@vsphere.local") {
			t.Errorf("it is made again:\n%s", text(p))
		}
	}
	h.lab.VCenters[1].Directory().SetReplication(0)
	h.mustTurn(t, "replace", "csi-driver")
	h.mustTurn(t, "finish", "csi-driver")
	h.atRest(t, "after it arrived")
}

// The name of the next generation may be somebody else's, and other components' accounts are never taken for one.
func TestReplaceAvoidsTakenNames(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {}}
	h.mustApply(t)
	v := h.lab.VCenters[0]
	if err := v.Directory().AddUser("ocp-cluster1-csi-driver-2@vsphere.local", "Somebody-Elses-1", directory.Details{Description: "of another"}); err != nil {
		t.Fatal(err)
	}
	h.mustTurn(t, "replace")
	h.mustTurn(t, "finish")
	h.atRest(t, "beside somebody else's account")
	if got := user(t, h.path, v.Server(), component.CSIDriver); got != "ocp-cluster1-csi-driver-3@vsphere.local" {
		t.Errorf("it is %s", got)
	}
	if _, err := v.Directory().CheckPassword("ocp-cluster1-csi-driver-2", "Somebody-Elses-1"); err != nil {
		t.Errorf("somebody else's account: %v", err)
	}
}
