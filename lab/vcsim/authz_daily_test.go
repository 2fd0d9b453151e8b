package vcsim

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/vmware/govmomi/simulator"
)

// A vCenter looks every 24 hours whether the principals of its permissions are still there, and drops those of others.
func TestDailyCheckOfPermissions(t *testing.T) {
	c := &clock{t: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	r := newRig(t, func(_ *simulator.Model, o *authzOptions) { o.Now = c.now })
	for _, name := range []string{"stays", "goes"} {
		r.user(name)
		if err := r.dir.AddGroup(name+"-group", ""); err != nil {
			t.Fatal(err)
		}
		r.grant("/DC0", name, true, "Folder.Create")
		r.grantRole("/DC0", name+"-group", true, true, -2)
	}
	has := func(want ...string) {
		t.Helper()
		var got []string
		for _, p := range r.permissions("/DC0", false) {
			got = append(got, p.Principal)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("after %v: %v, want %v", c.t.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), got, want)
		}
	}
	const goes, goesGroup, stays, staysGroup = `VSPHERE.LOCAL\goes`, `VSPHERE.LOCAL\goes-group`, `VSPHERE.LOCAL\stays`, `VSPHERE.LOCAL\stays-group`
	c.advance(23 * time.Hour)
	has(goes, goesGroup, stays, staysGroup)
	if err := errors.Join(r.dir.RemoveUser("goes"), r.dir.RemoveGroup("goes-group")); err != nil {
		t.Fatal(err)
	}
	c.advance(time.Hour - time.Second)
	has(goes, goesGroup, stays, staysGroup) // left over, until the check
	c.advance(time.Second)
	has(stays, staysGroup)

	// The next check is a day after the first, however many questions come between; one that comes late makes it up.
	if err := r.dir.RemoveUser("stays"); err != nil {
		t.Fatal(err)
	}
	c.advance(24*time.Hour - time.Second)
	has(stays, staysGroup)
	c.advance(100 * time.Hour)
	has(staysGroup)
}

// Principals of a directory that is out of reach are not taken for gone.
func TestDailyCheckSparesTheUnreachable(t *testing.T) {
	c := &clock{t: time.Now()}
	v := start(t, Options{Now: c.now}).VCenters[0]
	d := v.Directory()
	p, err := d.Lookup("bob@"+foreignDomain, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(v.authz.setPermission(v.authz.root, p, -2, true), d.SetReachable(foreignDomain, false), d.RemoveUser("bob@"+foreignDomain)); err != nil {
		t.Fatal(err)
	}
	there := func() bool { _, ok := v.authz.current().get(v.authz.root, p.Key()); return ok }
	c.advance(25 * time.Hour)
	if !there() {
		t.Error("the permission of a principal that cannot be looked up is gone")
	}
	if err := d.SetReachable(foreignDomain, true); err != nil {
		t.Fatal(err)
	}
	c.advance(24 * time.Hour)
	if there() {
		t.Error("the permission of a principal that is gone is there")
	}
}
