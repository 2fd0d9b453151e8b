package vcsim

import (
	"slices"
	"testing"
	"time"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// clock is a settable time.
type clock struct{ t time.Time }

func (c *clock) now() time.Time          { return c.t }
func (c *clock) advance(d time.Duration) { c.t = c.t.Add(d) }

func TestR8UpdateTakesEffectLater(t *testing.T) {
	c := &clock{t: time.Now()}
	r := newRig(t, func(_ *simulator.Model, o *authzOptions) { o.Now, o.RoleDelay = c.now, 100*time.Millisecond })
	user := r.user("u")
	id := r.role("Folder.Create")
	r.grantRole("/DC0", "u", false, true, id)
	update := func(privileges ...string) {
		t.Helper()
		if err := r.manager(r.admin).UpdateRole(ctx, id, "role", privileges); err != nil {
			t.Fatal(err)
		}
		for _, p := range privileges {
			if got := must(r.manager(r.admin).RoleList(ctx)).ById(id); got.Name != "role" || !slices.Contains(got.Privilege, p) {
				t.Errorf("the role list still shows %v", got)
			}
		}
	}
	rights := func(create, remove bool) {
		t.Helper()
		r.wantHolds("/DC0/vm", user, "Folder.Create", create)
		r.wantHolds("/DC0/vm", user, "Folder.Delete", remove)
	}
	rights(true, false)
	update("Folder.Delete")
	rights(true, false)
	c.advance(99 * time.Millisecond)
	update("Folder.Delete", "Folder.Rename") // the list that counts is still the first
	c.advance(99 * time.Millisecond)
	rights(true, false)
	c.advance(time.Millisecond)
	rights(false, true)
}

func TestR40LinkedVCentersReplicateRoles(t *testing.T) {
	c := &clock{t: time.Now()}
	const delay = 30 * time.Second
	l := start(t, Options{VCenters: 2, Linked: true, RoleReplication: delay, Now: c.now})
	one, two := object.NewAuthorizationManager(admin(t, l.VCenters[0])), object.NewAuthorizationManager(admin(t, l.VCenters[1]))
	list := func(m *object.AuthorizationManager) object.AuthorizationRoleList { return must(m.RoleList(ctx)) }
	foreign := list(one).ByName("openshift-legacy")
	if other := list(two).ByName("openshift-legacy"); foreign == nil || other == nil || foreign.RoleId != other.RoleId {
		t.Errorf("the roles before the test are %+v and %+v", foreign, other)
	}

	id := must(one.AddRole(ctx, "new", []string{"Folder.Create"}))
	c.advance(delay - 1)
	if list(two).ById(id) != nil {
		t.Error("the role is there at once")
	}
	c.advance(1)
	if got := list(two).ById(id); got == nil || got.Name != "new" || !slices.Contains(got.Privilege, "Folder.Create") {
		t.Fatalf("the role came as %+v", got)
	}
	_, err := two.AddRole(ctx, "new", nil)
	wantFault[types.AlreadyExists](t, err)

	if err := two.UpdateRole(ctx, id, "renamed", []string{"Folder.Delete"}); err != nil {
		t.Fatal(err)
	}
	c.advance(delay)
	if got := list(one).ById(id); got.Name != "renamed" || !slices.Contains(got.Privilege, "Folder.Delete") {
		t.Errorf("the update came as %+v", got)
	}

	if err := one.RemoveRole(ctx, id, true); err != nil {
		t.Fatal(err)
	}
	if list(two).ById(id) == nil {
		t.Error("the role is gone at once")
	}
	c.advance(delay)
	if list(two).ById(id) != nil {
		t.Error("the removed role is still there")
	}
	if a, b := must(one.AddRole(ctx, "a", nil)), must(two.AddRole(ctx, "b", nil)); a == b {
		t.Errorf("two roles have the id %d", a)
	}
}

func TestR40RolesAreApartUnlessReplicated(t *testing.T) {
	c := &clock{t: time.Now()}
	l := start(t, Options{VCenters: 2, Linked: true, Now: c.now})
	one, two := object.NewAuthorizationManager(admin(t, l.VCenters[0])), object.NewAuthorizationManager(admin(t, l.VCenters[1]))
	must(one.AddRole(ctx, "new", nil))
	c.advance(time.Hour)
	if must(two.RoleList(ctx)).ByName("new") != nil {
		t.Error("the role was replicated")
	}
	must(two.AddRole(ctx, "new", nil))
}

func TestR40AccountsAreReplicated(t *testing.T) {
	c := &clock{t: time.Now()}
	const delay = 30 * time.Second
	l := start(t, Options{VCenters: 3, Linked: true, AccountReplication: delay, Now: c.now})
	one, two, three := l.VCenters[0].Directory(), l.VCenters[1].Directory(), l.VCenters[2].Directory()
	const first, second = "F1rst-Passw0rd!", "S3cond-Passw0rd!"
	if err := two.CreatePerson("new", first, directory.Details{Description: "first"}); err != nil {
		t.Fatal(err)
	}
	opens := func(when string, d *directory.Directory, password string, want bool) {
		t.Helper()
		if _, err := d.CheckPassword("new", password); (err == nil) != want {
			t.Errorf("%s: %v, want it to open: %t", when, err, want)
		}
	}
	opens("where it was made", two, first, true)
	for _, other := range []*directory.Directory{one, three} {
		opens("before it is replicated", other, first, false)
		if _, known := other.User("new"); known {
			t.Error("a new account is known before it is replicated")
		}
		if _, err := other.Lookup("new", false); err == nil {
			t.Error("a new account can be named before it is replicated")
		}
	}
	if err := one.CreatePerson("new", first, directory.Details{}); err == nil {
		t.Error("a name that is taken elsewhere was given twice")
	}
	c.advance(delay)
	opens("afterwards", one, first, true)
	if err := one.ResetPassword("new", second, true); err != nil {
		t.Fatal(err)
	}
	if err := one.SetDetails("new", directory.Details{Description: "second"}); err != nil {
		t.Fatal(err)
	}
	opens("where it was set", one, second, true)
	opens("where it was set", one, first, false)
	for _, other := range []*directory.Directory{two, three} {
		opens("before it is replicated", other, first, true)
		opens("before it is replicated", other, second, false)
		if u, _ := other.User("new"); u.Description != "first" {
			t.Errorf("before it is replicated: description %q", u.Description)
		}
	}
	c.advance(delay - 1)
	opens("just before", three, second, false)
	c.advance(1)
	for _, other := range []*directory.Directory{two, three} {
		opens("afterwards", other, first, false)
		opens("afterwards", other, second, true)
		if u, _ := other.User("new"); u.Description != "second" {
			t.Errorf("afterwards: description %q", u.Description)
		}
	}
	for range one.LockoutPolicy().MaxFailed {
		_, _ = two.Authenticate("new", first)
	}
	if u, _ := three.User("new"); !u.Locked {
		t.Error("failed logins at one vCenter do not lock at the other")
	}
}
