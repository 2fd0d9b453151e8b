package provision_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// R32: an account that the vCenter does not know yet is asked for again.
func TestR32NewAccountsAreSeenLate(t *testing.T) {
	t.Parallel()
	h, clock := slow(t, one, vcsim.Options{UserDelay: 40 * time.Second})
	h.mustApply(t)
	if waited := time.Duration(clock.passed.Load()); waited < 40*time.Second {
		t.Errorf("apply ended after %s", waited)
	}
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v)
	}
}

// R33: the SSO domain is asked for, never assumed.
func TestR33Domain(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{Domain: "sso.example.com"})
	h.mustApply(t)
	if !strings.Contains(h.snapshot(), `SSO.EXAMPLE.COM\ocp-cluster1-installer description`) {
		t.Errorf("no account in the domain:\n%s", h.snapshot())
	}
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v)
	}
}

// R36: a wrong password is tried once per verify, so that nobody is locked out by it.
func TestR36OneAttempt(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	dir := h.lab.VCenters[0].Directory()
	if err := dir.SetPassword("ocp-cluster1-csi-driver@vsphere.local", "Other-Secret-1x"); err != nil {
		t.Fatal(err)
	}
	for range dir.LockoutPolicy().MaxFailed - 1 {
		v := h.verify(t)
		if v.Meets(asAsked) || v.Summary.Failed != 1 {
			t.Fatalf("%+v", v.Summary)
		}
	}
	if u, _ := dir.User("ocp-cluster1-csi-driver@vsphere.local"); u.Locked {
		t.Error("the account is locked: more than one attempt per verify")
	}
}

// R40: vCenters of one SSO domain share the accounts and their passwords; apart ones of the same domain name do not.
func TestR40Linked(t *testing.T) {
	t.Parallel()
	for _, linked := range []bool{true, false} {
		s := parse(t, demoSpec)
		h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: linked}), t.TempDir(), s)
		report, err := h.apply(t)
		if err != nil {
			t.Fatalf("linked %v: %v\n%s", linked, err, text(report))
		}
		users := strings.Count(text(report), "+ user ")
		if want := map[bool]int{true: 5, false: 10}[linked]; users != want {
			t.Errorf("linked %v: %d accounts created, want %d", linked, users, want)
		}
		first, second := h.stored(t, "vcenter1.example.com"), h.stored(t, "vcenter2.example.com")
		if first.Password.Equal(second.Password) != linked {
			t.Errorf("linked %v: the passwords are the same: %v", linked, !linked)
		}
		if v := h.verify(t); !v.Meets(byDefault) {
			t.Errorf("linked %v: %+v", linked, v)
		}
		if p := h.plan(t); !p.Empty() {
			t.Errorf("linked %v:\n%s", linked, text(p))
		}
	}
}

// R40: while a vCenter of the same SSO domain cannot be read, the accounts stay, and so do their passwords.
func TestR40DestroyWithAnUnreadVCenter(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	before := h.snapshot()
	h.mustApply(t)
	second := h.lab.VCenters[1]
	second.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Refused} })
	report, err := h.destroy(t)
	if err == nil {
		t.Fatal("a vCenter that cannot be read is no failure")
	}
	if note := toldOf(t, report, "user ocp-cluster1-installer@vsphere.local"); !strings.Contains(note.Text, "vcenter2.example.com, which may be in the same SSO domain, could not be read") {
		t.Error(note)
	}
	h.stored(t, "vcenter1.example.com")
	h.stored(t, "vcenter2.example.com")
	second.SetFault(nil)
	if report, err := h.destroy(t); err != nil {
		t.Fatalf("%v\n%s", err, text(report))
	}
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(h.snapshot(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// R40: sections of one SSO domain that disagree on a password are not made to agree by guessing.
func TestR40TwoPasswords(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	file, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	other := credfile.Account{User: "ocp-cluster1-machine-api@vsphere.local", Password: secret.New("Typed-by-hand-1")}
	if err := errors.Join(file.Set("vcenter2.example.com", "machine-api", other), file.Save()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.apply(t); err == nil || !strings.Contains(err.Error(), "two different passwords for ocp-cluster1-machine-api@vsphere.local") {
		t.Errorf("error is %v", err)
	}
	if !h.stored(t, "vcenter2.example.com").Password.Equal(other.Password) {
		t.Error("one of them is lost")
	}
}

// R36: a refused password is tried once in all, not once per vCenter, where it could lock the account.
func TestR36OneAttemptForAllVCenters(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	dir := h.lab.VCenters[0].Directory()
	policy := dir.LockoutPolicy()
	policy.MaxFailed = 2
	dir.SetLockoutPolicy(policy)
	if err := dir.SetPassword("ocp-cluster1-csi-driver@vsphere.local", "Other-Secret-1x"); err != nil {
		t.Fatal(err)
	}
	if v := h.verify(t); v.Summary.Failed != 2 {
		t.Errorf("%+v", v.Summary)
	}
	if u, _ := dir.User("ocp-cluster1-csi-driver@vsphere.local"); u.Locked {
		t.Error("the account is locked: each vCenter was tried")
	}
}

// R8: a changed role takes effect a little later; verify reads a difference again before it believes it.
func TestR8RolesTakeEffectLater(t *testing.T) {
	t.Parallel()
	h, _ := slow(t, one, vcsim.Options{RoleDelay: 300 * time.Millisecond})
	h.mustApply(t)
	ctx, c := context.Background(), h.admin(t)
	role := h.liveRole(t, 0, "openshift-installer-datastore")
	if err := authz(c).UpdateRole(ctx, role.RoleId, role.Name, []string{"Datastore.Browse"}); err != nil {
		t.Fatal(err)
	}
	h.mustApply(t)
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v.Summary)
	}
}

// R40: roles that linked vCenters replicate may be there by the time they are made.
func TestR40ReplicatedRoles(t *testing.T) {
	t.Parallel()
	lab := start(t, vcsim.Options{VCenters: 2, Linked: true, RoleReplication: time.Nanosecond})
	h := open(t, lab, t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v.Summary)
	}
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
}
