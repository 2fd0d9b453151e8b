package login_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func start(t *testing.T, o vcsim.Options) *vcsim.Lab {
	t.Helper()
	lab, err := vcsim.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	return lab
}

// One login per account and vCenter, and none with a password that was refused before.
func TestTry(t *testing.T) {
	t.Parallel()
	lab := start(t, vcsim.Options{VCenters: 2, Linked: true})
	const user, right, wrong = "svc@vsphere.local", "Right-Secret-1x", "Wrong-Secret-1x"
	dir := lab.VCenters[0].Directory()
	if err := dir.AddUser(user, right, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	target := func(server, user, password string) login.Target {
		c := vcenter.Config{Server: server, RootCAs: lab.CA, Retries: []time.Duration{time.Millisecond}, Address: "127.0.0.1:1"}
		if v := lab.VCenter(server); v != nil {
			c.Address = v.Addr()
		}
		return login.Target{Server: server, Config: c, User: user, Password: secret.New(password)}
	}
	vc1, vc2 := lab.VCenters[0], lab.VCenters[1]
	vc1.ResetRequests()
	vc2.ResetRequests()
	results := login.Try(context.Background(), []login.Target{
		target(vc1.Server(), vc1.AdminUser(), vc1.AdminPassword()),
		target(vc1.Server(), user, wrong),
		target(vc2.Server(), "SVC@vsphere.local", wrong),
		target(vc1.Server(), user, wrong),
		target("gone.example.com", "other@vsphere.local", right),
		target(vc1.Server(), user, right),
	})
	if r := results[0]; r.Err != nil || r.Outcome != login.OK || r.Server != vc1.Server() || r.User != vc1.AdminUser() || !r.Tried {
		t.Errorf("%+v", r)
	}
	sent := 0
	for _, i := range []int{1, 2} {
		r := results[i]
		if !errors.Is(r.Err, vcenter.ErrLogin) {
			t.Errorf("%+v", r)
		}
		if r.Tried {
			sent++
		}
		if r.Tried == strings.HasPrefix(r.Outcome, "login skipped: ") || !r.Tried && !strings.HasPrefix(r.Outcome, "login skipped: ") {
			t.Errorf("%+v", r)
		}
	}
	if sent != 1 {
		t.Errorf("the refused password was sent %d times", sent)
	}
	if results[3] != results[1] {
		t.Errorf("the same target: %+v, %+v", results[1], results[3])
	}
	if r := results[4]; !errors.Is(r.Err, vcenter.ErrUnreached) || r.Tried || r.Server != "gone.example.com" {
		t.Errorf("%+v", r)
	}
	// svc has no permission on the vCenter.
	if r := results[5]; r.Outcome != "no permission on any object of this vCenter" || !r.Tried {
		t.Errorf("%+v", r)
	}
	if n := vc1.Requests()["Login"] + vc2.Requests()["Login"]; n != 3 {
		t.Errorf("%d logins, want 3", n)
	}
	if n := vc1.Requests()["Logout"]; n != 1 {
		t.Errorf("%d logouts, want 1", n)
	}
	if text := fmt.Sprintf("%+v", results); strings.Contains(text, right) || strings.Contains(text, wrong) {
		t.Error("password in the results")
	}
}

func TestTryCancelled(t *testing.T) {
	t.Parallel()
	lab := start(t, vcsim.Options{})
	v := lab.VCenters[0]
	v.ResetRequests()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	results := login.Try(ctx, []login.Target{{Server: v.Server(), User: v.AdminUser(), Password: secret.New(v.AdminPassword())}})
	if !errors.Is(results[0].Err, context.Canceled) || results[0].Tried || v.Requests()["Login"] > 0 {
		t.Errorf("%+v, %v", results, v.Requests())
	}
}

// A panic while one account is tried leaves the others alone.
func TestPanic(t *testing.T) {
	t.Parallel()
	lab := start(t, vcsim.Options{VCenters: 2})
	var targets []login.Target
	for i, v := range lab.VCenters {
		c := vcenter.Config{Server: v.Server(), RootCAs: lab.CA, Address: v.Addr()}
		if i == 0 {
			c.Trace = func(string, time.Duration, error) { panic("in the middle of a request") }
		}
		targets = append(targets, login.Target{Server: v.Server(), Config: c, User: v.AdminUser(), Password: secret.New(v.AdminPassword())})
	}
	results := login.Try(t.Context(), targets)
	var crashed *crash.Error
	if !errors.As(results[0].Err, &crashed) || results[0].Outcome == login.OK || results[1].Outcome != login.OK {
		t.Errorf("%+v", results)
	}
}

// A placeholder is not sent: a try of it would count towards the lock-out.
func TestPlaceholdersAreNotTried(t *testing.T) {
	t.Parallel()
	for _, r := range login.Try(t.Context(), []login.Target{
		{Server: "vc1", Config: vcenter.Config{Server: "127.0.0.1:1"}, User: "a@b", Password: secret.New("<csi-password>")},
		{Server: "vc1", Config: vcenter.Config{Server: "127.0.0.1:1"}, User: "<user>@b", Password: secret.New("x")},
	}) {
		if r.Tried || !errors.Is(r.Err, credfile.ErrPlaceholder) {
			t.Errorf("tried %t: %s", r.Tried, r.Outcome)
		}
	}
}
