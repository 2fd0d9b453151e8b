package provision_test

import (
	"os"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// refused fails unless a step of a rotation says why it does nothing about the account of csi-driver, does nothing, and is an
// error for somebody who asked for just that.
func (h *house) refused(t *testing.T, step, why string) {
	t.Helper()
	before := h.snapshot()
	if p, err := h.turn(t, step); err != nil || !p.Empty() || !strings.Contains(text(p), why) {
		t.Errorf("%s: %v\n%s", step, err, text(p))
	}
	if _, err := h.turn(t, step, "csi-driver"); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("%s of one: %v", step, err)
	}
	if h.snapshot() != before {
		t.Errorf("%s changed something", step)
	}
}

// edit writes the account of csi-driver in the credentials file.
func (h *house) edit(t *testing.T, server, user, password string) {
	t.Helper()
	f, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	f.Remove(server, component.CSIDriver)
	if user != "" {
		err = f.Set(server, component.CSIDriver, credfile.Account{User: user, Password: secret.New(password)})
	}
	if err == nil {
		err = f.Save()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func oneComponent(t *testing.T, o vcsim.Options) *house {
	t.Helper()
	h := open(t, start(t, o), t.TempDir(), parse(t, demoSpec))
	if o.VCenters < 2 {
		h = one(t, o)
	}
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {}}
	h.mustApply(t)
	return h
}

// The other generations of an account stay as long as the one in use is not beyond doubt: it exists, is not disabled, and its
// password is here.
func TestLastAccountStays(t *testing.T) {
	t.Parallel()
	const server, next = "vcenter1.example.com", "ocp-cluster1-csi-driver-2"
	for name, c := range map[string]struct {
		spoil func(*testing.T, *house)
		why   string
	}{
		"it does not exist": {func(t *testing.T, h *house) {
			if err := h.lab.VCenters[0].Directory().Delete(next); err != nil {
				t.Fatal(err)
			}
		}, "is the account to keep, but does not exist"},
		"it is disabled": {func(t *testing.T, h *house) {
			if err := h.lab.VCenters[0].Directory().SetDisabled(next, true); err != nil {
				t.Fatal(err)
			}
		}, "is the account to keep, but is disabled"},
		"another generation stands in the file": {func(t *testing.T, h *house) {
			h.edit(t, server, "ocp-cluster1-csi-driver-7@vsphere.local", "Some-Password-1!")
		}, "is the account to keep, but does not exist"},
		"the file is lost": {func(t *testing.T, h *house) {
			if err := os.Remove(h.path); err != nil {
				t.Fatal(err)
			}
		}, "its password is not in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := oneComponent(t, vcsim.Options{})
			h.mustTurn(t, "replace")
			c.spoil(t, h)
			h.refused(t, "finish", c.why)
		})
	}
}

// An earlier copy of the credentials file on another machine makes no third account, and removes nothing unasked.
func TestEarlierCopyOfTheFile(t *testing.T) {
	t.Parallel()
	h := oneComponent(t, vcsim.Options{})
	earlier, err := os.ReadFile(h.path)
	if err != nil {
		t.Fatal(err)
	}
	h.mustTurn(t, "replace")
	elsewhere := open(t, h.lab, t.TempDir(), h.spec)
	if err := os.MkdirAll(elsewhere.path[:strings.LastIndex(elsewhere.path, "/")], 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(elsewhere.path, earlier, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, turn := range []string{"replace", "revert", "finish"} {
		before := h.snapshot()
		_, err := elsewhere.turn(t, turn)
		if err == nil || !strings.Contains(err.Error(), "is older than ocp-cluster1-csi-driver-2@vsphere.local, which replaced ocp-cluster1-csi-driver@vsphere.local") {
			t.Errorf("%s: %v", turn, err)
		}
		if h.snapshot() != before {
			t.Errorf("%s changed something", turn)
		}
	}
	h.atRest(t, "on the first machine")
}

// A password that a rotation in place has set, and that only the journal has, is not written over.
func TestReplaceAfterUnfinishedInPlace(t *testing.T) {
	t.Parallel()
	h := oneComponent(t, vcsim.Options{})
	job := h.job(t)
	p := job.PlanRotation(t.Context(), false, sso.Limits{})
	if err := appendTo(h.path, "# a note\n"); err != nil {
		t.Fatal(err)
	}
	if err := job.Rotate(t.Context(), p); err == nil {
		t.Fatal("the rotation in place came to its end")
	}
	job.Close(t.Context())
	h.refused(t, "replace", "its rotation in place is unfinished")
	h.allOpen(t, "after the refusal")
	h.mustRotate(t)
	h.mustTurn(t, "replace")
	h.atRest(t, "after both")
}

// Sections of one SSO domain that name different generations decide nothing, and linked vCenters have a section each whatever
// the lookup service calls them.
func TestSectionsOfADomain(t *testing.T) {
	t.Parallel()
	h := oneComponent(t, vcsim.Options{VCenters: 2, Linked: true})
	const second = "vcenter2.example.com"
	first := password(t, h.path, second, component.CSIDriver)
	h.mustTurn(t, "replace")
	for _, v := range h.lab.VCenters {
		if got := user(t, h.path, v.Server(), component.CSIDriver); got != "ocp-cluster1-csi-driver-2@vsphere.local" {
			t.Errorf("[%s] has %s", v.Server(), got)
		}
	}
	h.edit(t, second, "ocp-cluster1-csi-driver@vsphere.local", first)
	for _, step := range []string{"finish", "revert", "withdraw", "replace"} {
		h.refused(t, step, "different accounts for it in the sections of its SSO domain")
	}
}

// What a run leaves in the journal that ends between its last two steps stands in nobody's way, and goes with the next run.
func TestLeftoverOfTheJournal(t *testing.T) {
	t.Parallel()
	h := oneComponent(t, vcsim.Options{})
	const server = "vcenter1.example.com"
	h.mustTurn(t, "replace")
	f, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	j, err := f.Journal()
	if err != nil {
		t.Fatal(err)
	}
	now, _ := f.Get(server, component.CSIDriver)
	if err := j.Set(server, component.CSIDriver, now); err != nil {
		t.Fatal(err)
	}
	if err := j.Save(); err != nil {
		t.Fatal(err)
	}
	h.atRest(t, "with a leftover")
	h.mustTurn(t, "finish")
	h.resting(t)
	h.atRest(t, "at the end")
}

// An account that was announced and never made can be taken back, and destroy forgets it.
func TestAnnouncedAndNeverMade(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"withdraw", "destroy"} {
		h := oneComponent(t, vcsim.Options{})
		v := h.lab.VCenters[0]
		v.SetFault(func(_ int, method string) vcsim.Fault {
			if method == "CreateLocalPersonUser" {
				return vcsim.Fault{Kind: vcsim.Blocked}
			}
			return vcsim.Fault{}
		})
		if _, err := h.turn(t, "replace"); err == nil {
			t.Fatal("it was made")
		}
		v.SetFault(nil)
		if got := user(t, h.journal(), v.Server(), component.CSIDriver); got == "" {
			t.Fatal("nothing was announced")
		}
		if end == "destroy" {
			if p, err := h.destroy(t); err != nil {
				t.Fatalf("%v\n%s", err, text(p))
			}
		} else {
			h.mustTurn(t, "withdraw", "csi-driver")
			h.atRest(t, "taken back")
		}
		if got := user(t, h.journal(), v.Server(), component.CSIDriver); got != "" {
			t.Errorf("%s: the journal still has %s", end, got)
		}
	}
}

// users disable takes all generations out of use.
func TestDisableInTheMiddleOfARotation(t *testing.T) {
	t.Parallel()
	h := oneComponent(t, vcsim.Options{})
	h.mustTurn(t, "replace")
	job := h.job(t)
	defer job.Close(t.Context())
	p := job.PlanDisabled(t.Context(), true)
	job.SetDisabled(t.Context(), p)
	if err := failures(p); err != nil {
		t.Fatal(err)
	}
	for _, name := range h.accounts(h.lab.VCenters[0]) {
		if u, _ := h.lab.VCenters[0].Directory().User(name); !u.Disabled {
			t.Errorf("%s is not disabled", name)
		}
	}
	h.spec.Components["csi-driver"] = spec.Component{Disabled: true}
	h.refused(t, "revert", "is disabled (components.csi-driver.disabled)")
	if p := h.plan(t); !p.Empty() || p.Err() != nil || p.Summary != (plan.Summary{}) {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
	h.mustTurn(t, "finish")
	if p := h.plan(t); p.Differs() || p.Err() != nil {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
}
