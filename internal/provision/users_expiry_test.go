package provision_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// labClock is the clock of a lab.
type labClock struct {
	begin  time.Time
	passed atomic.Int64
}

func newLabClock() *labClock { return &labClock{begin: time.Now()} }

func (c *labClock) now() time.Time { return c.begin.Add(time.Duration(c.passed.Load())) }

func (c *labClock) pass(d time.Duration) { c.passed.Add(int64(d)) }

// pause has time pass at once.
func (c *labClock) pause(ctx context.Context, d time.Duration) error {
	c.pass(d)
	return ctx.Err()
}

// slow is a lab that takes its time by a clock that only pauses move.
func slow(t *testing.T, open func(*testing.T, vcsim.Options) *house, o vcsim.Options) (*house, *labClock) {
	t.Helper()
	clock := newLabClock()
	o.Now = clock.now
	h := open(t, o)
	h.o.Pause = clock.pause
	return h, clock
}

// later is a lab whose clock goes on by so many days when told to.
func later(t *testing.T) (*house, func(days int)) {
	t.Helper()
	clock := newLabClock()
	h := one(t, vcsim.Options{Now: clock.now})
	return h, func(days int) {
		t.Helper()
		clock.pass(time.Duration(days) * 24 * time.Hour)
		h.o.Request.Now = clock.now()
		v := h.lab.VCenters[0] // the administrator's own password expires, too
		if err := v.Directory().SetPassword(v.AdminUser(), v.AdminPassword()); err != nil {
			t.Fatal(err)
		}
	}
}

func dueWithin(t *testing.T, h *house, within time.Duration) map[string]string {
	t.Helper()
	l := reads(t, h, plan.User, func(j *provision.Job) *inspect.UserList {
		return j.Users(context.Background(), provision.UserQuery{Due: &sso.Limits{ExpiringWithin: &within}})
	})
	if err := l.Results().Err(); err != nil {
		t.Fatal(err)
	}
	due := map[string]string{}
	for _, u := range l.Domains[0].Users {
		due[u.Component] = u.Due
	}
	return due
}

// Accounts of ours and adopted ones of the SSO domain are due; a disabled one, and one of another directory, are not.
func TestUsersExpiringWithin(t *testing.T) {
	t.Parallel()
	h, pass := later(t)
	dir := h.lab.VCenters[0].Directory()
	if err := errors.Join(
		dir.AddUser("svc-diag", "F0reign!pass", directory.Details{}),
		dir.AddUser("svc-csi@corp.example.com", "F0reign!pass", directory.Details{}),
	); err != nil {
		t.Fatal(err)
	}
	h.spec.Components = map[component.Name]spec.Component{
		"machine-api": {}, "csi-driver": {Principal: "svc-csi@corp.example.com"}, "cloud-controller": {}, "diagnostics": {Principal: "svc-diag@vsphere.local"}, "installer": {},
	}
	h.mustApply(t)
	const day = 24 * time.Hour
	if due := dueWithin(t, h, 14*day); len(due) != 0 {
		t.Fatalf("on the first day: %v", due)
	}
	pass(80)
	if err := dir.SetDisabled("ocp-cluster1-installer", true); err != nil {
		t.Fatal(err)
	}
	if err := dir.SetPassword("ocp-cluster1-machine-api", "Somebody3lse!did"); err != nil { // which our record does not know
		t.Fatal(err)
	}
	want := map[string]string{"cloud-controller": "expires in 10 days", "diagnostics": "expires in 10 days"}
	if due := dueWithin(t, h, 14*day); !maps.Equal(due, want) {
		t.Errorf("after 80 days: %v, want %v", due, want)
	}
	if due := dueWithin(t, h, 9*day); len(due) != 0 {
		t.Errorf("after 80 days, within nine: %v", due)
	}
	pass(11)
	want = map[string]string{"cloud-controller": "has expired", "diagnostics": "has expired"}
	if due := dueWithin(t, h, 0); !maps.Equal(due, want) {
		t.Errorf("after 91 days: %v, want %v", due, want)
	}
	l := reads(t, h, plan.User, func(j *provision.Job) *inspect.UserList {
		return j.Users(context.Background(), provision.UserQuery{})
	})
	for component, states := range map[string][]string{
		"cloud-controller": {sso.StateExpired}, "installer": {sso.StateDisabled, sso.StateExpired},
		"machine-api": {sso.StateOK}, "csi-driver": {sso.StateOK}, "diagnostics": {sso.StateExpired},
	} {
		if u := userNamed(t, l.Domains[0], component); !slices.Equal(u.States, states) {
			t.Errorf("%s: %v, want %v", component, u.States, states)
		}
	}
}

// plan goes by the record and verify by SSO; a password that expires makes neither differ, and one in a rotation is not told
// twice.
func TestPasswordsThatExpireAreAdvice(t *testing.T) {
	t.Parallel()
	h, pass := later(t)
	h.mustApply(t)
	if p := h.plan(t); len(general(p)) != 0 {
		t.Fatalf("%s", text(p))
	}
	pass(80)
	dir := h.lab.VCenters[0].Directory()
	a := h.stored(t, h.spec.VCenters[0].Server) // the same password, set anew: SSO knows, our record does not
	if err := errors.Join(dir.SetPassword(a.User, a.Password.Reveal()), dir.SetDisabled("ocp-cluster1-installer", true)); err != nil {
		t.Fatal(err)
	}
	h.retired(true)
	p := h.plan(t)
	if p.Differs() || len(general(p)) != 1 || general(p)[0].Code != finding.ExpiringPassword || len(general(p)[0].Accounts) != 4 ||
		!strings.HasPrefix(text(p), "! the passwords of 4 accounts expire within 14 days, the first expires in 10 days: ") {
		t.Errorf("%s", text(p))
	}
	v := h.verify(t)
	if !v.Meets(byDefault) || len(v.Findings) != 1 || len(v.Findings[0].Accounts) != 3 {
		t.Errorf("%+v\n%s", v.Findings, failing(v))
	}
	pass(11)
	v = h.verify(t)
	if v.Meets(asAsked) || v.Summary.Failed != 3 || !strings.Contains(v.Findings[0].Text, "the first has expired") || !strings.Contains(failing(v), "login password expired") {
		t.Errorf("%+v\n%s", v.Findings, failing(v))
	}
}

// An account of others whose password has expired: the work order asks its owners for a new one, what they send takes the
// place of the old one, and verify proves it.
func TestExpiredAdoptedAccount(t *testing.T) {
	t.Parallel()
	h, pass := later(t)
	dir := h.lab.VCenters[0].Directory()
	if err := dir.AddUser("svc-diag", "F0reign!pass", directory.Details{}); err != nil {
		t.Fatal(err)
	}
	h.spec.Components = map[component.Name]spec.Component{"diagnostics": {Principal: "svc-diag@vsphere.local"}}
	server := h.spec.VCenters[0].Server
	give := func(password string) {
		t.Helper()
		f, err := credfile.Open(h.path)
		if err == nil {
			err = errors.Join(f.Set(server, "diagnostics", credfile.Account{User: "svc-diag@vsphere.local", Password: secret.New(password)}), f.Save())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	h.mustApply(t)
	give("F0reign!pass")
	if v := h.verify(t); !v.Meets(strictly) && v.Summary.Unverified > 0 || len(v.Findings) != 0 {
		t.Errorf("%+v\n%s", v.Findings, failing(v))
	}
	if _, order := h.order(t); strings.Contains(order, "New passwords") {
		t.Errorf("an order for nothing:\n%s", order)
	}
	pass(91)
	v := h.verify(t)
	if v.Meets(asAsked) || len(v.Findings) != 1 || v.Findings[0].Code != finding.ExpiringAdopted ||
		v.Findings[0].Text != "the password of an account of others has expired: svc-diag@vsphere.local on vcenter1.example.com" {
		t.Errorf("%+v\n%s", v.Findings, failing(v))
	}
	p, order := h.order(t)
	for _, want := range []string{
		"### New passwords", "| `svc-diag@vsphere.local` | diagnostics | vcenter1.example.com | its password has expired |",
		"[vcenter1.example.com]\ndiagnostics.user = svc-diag@vsphere.local\ndiagnostics.password = `...`\n", "credentials import --replace FILE",
	} {
		if !strings.Contains(order, want) {
			t.Errorf("the order lacks %q:\n%s", want, order)
		}
	}
	if !p.Empty() || strings.Contains(order, "F0reign") {
		t.Errorf("%s\n%s", text(p), order)
	}
	if err := dir.SetPassword("svc-diag", "N3w!foreign"); err != nil { // its owners answer
		t.Fatal(err)
	}
	give("N3w!foreign")
	if v := h.verify(t); !v.Meets(byDefault) || len(v.Findings) != 0 {
		t.Errorf("%+v\n%s", v.Findings, failing(v))
	}
}
