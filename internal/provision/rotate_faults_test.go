package provision_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// A file that cannot be written stops a rotation before any password is changed.
func TestRotateWritesFirst(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Log("as root a directory cannot be made read-only: a directory in the way of the journal stands for it")
	}
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	dir := filepath.Dir(h.path)
	blocked := func(name string, block, undo func() error) {
		before := h.lab.VCenters[0].Requests()["ResetLocalPersonUserPassword"]
		job := h.job(t)
		defer job.Close(t.Context())
		p := job.PlanRotation(t.Context(), false, sso.Limits{})
		if err := block(); err != nil {
			t.Fatal(err)
		}
		err := job.Rotate(t.Context(), p)
		if undoErr := undo(); undoErr != nil {
			t.Fatal(undoErr)
		}
		if err == nil || !strings.Contains(err.Error(), "rotation journal ") {
			t.Errorf("%s: %v", name, err)
		}
		if n := h.lab.VCenters[0].Requests()["ResetLocalPersonUserPassword"] - before; n != 0 {
			t.Errorf("%s: %d passwords were changed", name, n)
		}
		h.resting(t)
		h.opens(t, name)
	}
	blocked("a directory in the way", func() error { return os.Mkdir(h.journal(), 0o700) }, func() error { return os.Remove(h.journal()) })
	if os.Getuid() != 0 {
		blocked("a directory that is read-only", func() error { return os.Chmod(dir, 0o500) }, func() error { return os.Chmod(dir, 0o700) })
	}
	h.mustRotate(t)
}

// A credentials file that somebody changes while passwords are being set loses nothing: the journal has the new ones, and
// the next run takes them over.
func TestRotateWhileTheFileIsEdited(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	job := h.job(t)
	defer job.Close(t.Context())
	p := job.PlanRotation(t.Context(), false, sso.Limits{})
	if err := appendTo(h.path, "# a note\n"); err != nil {
		t.Fatal(err)
	}
	if err := job.Rotate(t.Context(), p); err == nil || !strings.Contains(err.Error(), "changed by somebody else") {
		t.Fatalf("%v", err)
	}
	h.opens(t, "after the edit")
	next := h.plan(t)
	if len(general(next)) != 1 || general(next)[0].Code != finding.UnfinishedRotation || !next.Differs() || !strings.HasPrefix(text(next), "! the rotation of 5 accounts is unfinished") {
		t.Errorf("%+v\n%s", general(next), text(next))
	}
	if v := h.verify(t); v.Meets(asAsked) || len(v.Findings) != 1 || v.Findings[0].Code != finding.UnfinishedRotation {
		t.Errorf("%+v", v.Findings)
	}
	h.mustRotate(t)
	h.opens(t, "after the second run")
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v.Summary)
	}
	if text, err := os.ReadFile(h.path); err != nil || !strings.Contains(string(text), "# a note") {
		t.Errorf("the edit is lost: %v", err)
	}
}

func appendTo(path, text string) error {
	had, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(had, text...), 0o600)
}

// Two rotations at once: one of them works, the other one says so and does nothing.
func TestTwoRotations(t *testing.T) {
	t.Parallel()
	d := newDesk(t, start(t, vcsim.Options{}), strings.Split(demoSpec, "- server: vcenter2")[0])
	d.must(t, d.words("apply")...)
	unlock, err := credfile.Lock(d.path, "")
	if err != nil {
		t.Fatal(err)
	}
	before := d.lab.VCenters[0].Requests()["ResetLocalPersonUserPassword"]
	code, stdout, stderr := d.run(d.words("rotate", "--in-place")...)
	unlock()
	if code != command.ExitFailed || !strings.Contains(stderr, "another run is in progress") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if n := d.lab.VCenters[0].Requests()["ResetLocalPersonUserPassword"] - before; n != 0 {
		t.Errorf("%d resets", n)
	}
	d.must(t, d.words("rotate", "--in-place")...)
	d.locked(t)
}

// destroy in the middle of a rotation leaves no journal with passwords of accounts that are gone.
func TestDestroyForgetsRotations(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	job := h.job(t)
	defer job.Close(t.Context())
	p := job.PlanRotation(t.Context(), false, sso.Limits{})
	if err := appendTo(h.path, "# a note\n"); err != nil {
		t.Fatal(err)
	}
	if err := job.Rotate(t.Context(), p); err == nil {
		t.Fatal("the rotation came to its end")
	}
	if report, err := h.destroy(t); err != nil {
		t.Fatalf("%v\n%s", err, text(report))
	}
	h.resting(t)
}

// A disabled or locked account gets its password and no proof; that is said, and the file has it.
func TestRotateBarredAccounts(t *testing.T) {
	t.Parallel()
	for name, bar := range map[string]func(*directory.Directory, string) error{
		"disabled": func(d *directory.Directory, user string) error { return d.SetDisabled(user, true) },
		"locked":   func(d *directory.Directory, user string) error { return d.SetLocked(user, true) },
	} {
		h := one(t, vcsim.Options{})
		h.mustApply(t)
		dir, server := h.lab.VCenters[0].Directory(), h.lab.VCenters[0].Server()
		const user = "ocp-cluster1-csi-driver"
		if err := bar(dir, user); err != nil {
			t.Fatal(err)
		}
		p, warnings, err := h.rotate(t, "csi-driver")
		if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "has its new password, but it is not tested: the account is "+name) {
			t.Errorf("%s: %v %v\n%s", name, err, warnings, text(p))
		}
		h.resting(t)
		if err := errors.Join(dir.SetDisabled(user, false), dir.SetLocked(user, false)); err != nil {
			t.Fatal(err)
		}
		if _, err := dir.CheckPassword(user, password(t, h.path, server, component.CSIDriver)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// rotationFaults are what can go wrong with a request.
var rotationFaults = []vcsim.FaultKind{
	vcsim.Unavailable, vcsim.Dropped, vcsim.LostReply, vcsim.ExpiredSession, vcsim.Refused, vcsim.ServedBadGateway, vcsim.ServedUnavailable,
}

// Whatever goes wrong with the requests of a rotation, once or for good, whether the vCenter holds resets against the
// history or not: a password on the disk opens every account, no password is tried more than once in a run, and the next
// run comes to the end. A plain run takes a fifth of the cases, LONG=1 all.
func TestRotateFaults(t *testing.T) {
	notShort(t, "TestWrongAnswers has faults too")
	t.Parallel()
	methods := []string{"ResetLocalPersonUserPassword", "UpdateLocalPersonUserDetails", "RequestSecurityToken", "FindPersonUser"}
	for _, history := range []bool{false, true} {
		h := one(t, vcsim.Options{})
		h.spec.Components = map[component.Name]spec.Component{"machine-api": {}, "csi-driver": {}}
		h.mustApply(t)
		v := h.lab.VCenters[0]
		v.Directory().SetResetHistory(history)
		for _, f := range sample(faultCases(methods...), 5) {
			name := fmt.Sprintf("%s, fault %d, for good %t, history %t", f.method, f.kind, f.forGood, history)
			h.faulty(t, name, f.method, f.kind, f.forGood)
		}
		if v := h.verify(t); !v.Meets(byDefault) {
			t.Errorf("%+v", v.Summary)
		}
	}
}

// faulty rotates one account while a method fails, and once more without.
func (h *house) faulty(t *testing.T, name, method string, kind vcsim.FaultKind, forGood bool) {
	t.Helper()
	v := h.lab.VCenters[0]
	job := h.job(t)
	defer job.Close(context.Background())
	p := job.PlanRotation(context.Background(), false, sso.Limits{}) // undisturbed
	done := false
	var logins atomic.Int64 // a served request may end after its answer was read
	v.SetFault(func(_ int, called string) vcsim.Fault {
		if called == "RequestSecurityToken" {
			logins.Add(1)
		}
		if called != method || done {
			return vcsim.Fault{}
		}
		done = !forGood
		return vcsim.Fault{Kind: kind}
	})
	err := job.Rotate(context.Background(), p)
	v.SetFault(nil)
	err = errors.Join(err, failures(p))
	h.opens(t, name)
	again := int64(0) // logins of the administrator whose session expired
	if kind == vcsim.ExpiredSession {
		again = 2 * 4
	}
	if n := logins.Load(); n > 2+again {
		t.Errorf("%s: %d logins for two passwords", name, n)
	}
	if err == nil {
		h.resting(t)
		return
	}
	if _, _, err := h.rotate(t); err != nil {
		t.Errorf("%s: the second run: %v", name, err)
	}
	h.resting(t)
	h.opens(t, name+", second run")
	for _, c := range h.spec.ComponentNames() {
		name := h.spec.Account(c).Name + "@" + v.Directory().Domain()
		if _, err := v.Directory().CheckPassword(name, password(t, h.path, v.Server(), c)); err != nil {
			t.Errorf("%s: the credentials file: %v", name, err)
		}
	}
}

// The second run uses the journal's password, which may be the account's by now: when it fails too, before or behind the
// reset, the disk still opens everything.
func TestRotateInterruptedTwice(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.spec.Components = map[component.Name]spec.Component{"machine-api": {}, "csi-driver": {}}
	h.mustApply(t)
	v := h.lab.VCenters[0]
	fail := func(reset vcsim.FaultKind) {
		t.Helper()
		begun := false
		v.SetFault(func(_ int, method string) vcsim.Fault {
			switch {
			case method == "ResetLocalPersonUserPassword":
				begun = true
				return vcsim.Fault{Kind: reset}
			case method == "RequestSecurityToken" && begun:
				return vcsim.Fault{Kind: vcsim.Unavailable}
			}
			return vcsim.Fault{}
		})
		p, _, err := h.rotate(t)
		v.SetFault(nil)
		if err == nil {
			t.Fatalf("fault %d went unseen\n%s", reset, text(p))
		}
		h.opens(t, fmt.Sprintf("after fault %d", reset))
	}
	for _, first := range []vcsim.FaultKind{vcsim.None, vcsim.LostReply, vcsim.Dropped} {
		for _, second := range []vcsim.FaultKind{vcsim.None, vcsim.LostReply, vcsim.Dropped} {
			fail(first)
			promised := password(t, h.journal(), v.Server(), component.CSIDriver)
			fail(second)
			if got := password(t, h.journal(), v.Server(), component.CSIDriver); promised == "" || got != promised {
				t.Errorf("faults %d and %d: the journal promises another password than before", first, second)
			}
			h.mustRotate(t)
			if got := password(t, h.path, v.Server(), component.CSIDriver); got != promised {
				t.Errorf("faults %d and %d: the credentials file has another password than the journal had", first, second)
			}
			h.opens(t, "at the end")
		}
	}
}

// A journal whose password was never set, under a policy that has become stricter since, does not stand in the way: it
// opens nothing, one login proves that, and a password of the new policy takes its place.
func TestRotateStricterPolicy(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	v := h.lab.VCenters[0]
	j, err := credfile.Open(h.journal())
	if err != nil {
		t.Fatal(err)
	}
	stale := h.stored(t, v.Server())
	stale.Password = secret.New("Short!pass1")
	if err := errors.Join(j.Set(v.Server(), "machine-api", stale), j.Save()); err != nil {
		t.Fatal(err)
	}
	policy := v.Directory().PasswordPolicy()
	policy.MinLength = 16
	if err := v.Directory().SetPasswordPolicy(policy); err != nil {
		t.Fatal(err)
	}
	v.ResetRequests()
	h.mustRotate(t, "machine-api")
	h.opens(t, "afterwards")
	if got := password(t, h.path, v.Server(), component.MachineAPI); len(got) < 16 {
		t.Errorf("a password of %d characters", len(got))
	}
	if n := v.Requests()["RequestSecurityToken"]; n != 3 { // the administrator, and one for each of the two passwords
		t.Errorf("%d logins", n)
	}
	if u, _ := v.Directory().User("ocp-cluster1-machine-api"); u.Locked {
		t.Error("the account is locked")
	}
}

// A journal of another account is nobody's to finish here.
func TestRotateForeignJournal(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	server := h.lab.VCenters[0].Server()
	j, err := credfile.Open(h.journal())
	if err != nil {
		t.Fatal(err)
	}
	other := credfile.Account{User: "ocp-cluster9-machine-api@vsphere.local", Password: secret.New("Another!pass1")}
	if err := errors.Join(j.Set(server, "machine-api", other), j.Save()); err != nil {
		t.Fatal(err)
	}
	_, _, err = h.rotate(t)
	if err == nil || !strings.Contains(err.Error(), "holds an unfinished rotation of ocp-cluster9-machine-api@vsphere.local") {
		t.Errorf("%v", err)
	}
	if says := fmt.Sprint(term.ErrorLines(err)[0].Hints); !strings.Contains(says, "--credentials-file "+h.path+"-"+h.spec.Cluster) {
		t.Error(says)
	}
	if password(t, h.journal(), server, component.MachineAPI) != "Another!pass1" {
		t.Error("the journal of the other one was changed")
	}
}
