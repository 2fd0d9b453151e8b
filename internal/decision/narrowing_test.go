package decision

import (
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// What takes a specification's privileges from an account that stays is marked, whatever caused it. What somebody else gave is not.
func TestNarrowingIsMarked(t *testing.T) {
	t.Parallel()
	const suspend = "VirtualMachine.Interact.Suspend"
	more := []privileges.Added{
		{Component: component.Diagnostics, Scope: privileges.ScopeFolder, Propagate: true, Privileges: []string{suspend}, Conditions: []privileges.Condition{"hardware-upgrade"}},
		{Component: component.Diagnostics, Scope: privileges.ScopeFolder, Propagate: true, Privileges: []string{"VirtualMachine.Interact.PowerOff"}},
		{Component: component.Diagnostics, Scope: privileges.ScopeDatastore, Privileges: []string{"Datastore.Move"}},
	}
	for name, c := range map[string]struct {
		change func(*snapshot.Request)
		hand   func(now *snapshot.Snapshot)
		takes  string // on which object; "" = nobody
	}{
		"nothing changed":           {},
		"fewer conditions":          {change: func(q *snapshot.Request) { q.Spec.Privileges.Conditions = nil }, takes: "/DC/vm/f"},
		"an older file":             {change: func(q *snapshot.Request) { q.Spec.Privileges.Added = nil }, takes: "/DC/datastore/ds"},
		"an older file, with prune": {change: func(q *snapshot.Request) { q.Spec.Privileges.Added, q.Prune = nil, true }, takes: "/DC/datastore/ds"},
		"nothing is taken":          {change: func(q *snapshot.Request) { q.Spec.Privileges.Added, q.Additive = nil, true }},
		"a release is done with": {change: func(q *snapshot.Request) {
			q.Formerly, q.Spec.Privileges.Added = q.Spec.Privileges.Added, nil
		}},
		"less reach": {change: func(q *snapshot.Request) {
			q.Spec.Privileges.Added[0].Propagate, q.Spec.Privileges.Added[1].Propagate = false, false
		}, takes: "/DC/vm/f"},
		"a role that somebody widened": {hand: func(now *snapshot.Snapshot) {
			all := now.Roles.All()
			i := slices.IndexFunc(all, func(r roles.Role) bool { return slices.Contains(r.Privileges, suspend) })
			all[i].Privileges = append(slices.Clone(all[i].Privileges), "VirtualMachine.Interact.Reset")
			now.Roles = roles.Of("vc1", all, now.Roles.Catalogue())
		}},
		"a permission that somebody widened": {hand: func(now *snapshot.Snapshot) {
			held := slices.Clone(now.Perms.All)
			i := slices.IndexFunc(held, func(p perms.Permission) bool { return p.Entity.Value == "/DC/vm/f" })
			held[i].RoleID = 99
			now.Roles = roles.Of("vc1", append(now.Roles.All(), roles.Role{ID: 99, Name: "theirs", Privileges: []string{suspend, "VirtualMachine.Interact.Reset"}}), now.Roles.Catalogue())
			now.Perms = perms.Of("vc1", held, now.KeyOf)
		}},
	} {
		q, found := values(t)
		matrix, err := privileges.Load("default")
		if err != nil {
			t.Fatal(err)
		}
		q.Spec.Privileges.Conditions, q.Spec.Privileges.Added = []string{"hardware-upgrade"}, slices.Clone(more)
		asked := func(change func(*snapshot.Request)) *snapshot.Request {
			r, s := *q, *q.Spec
			r.Spec, s.Privileges.Added = &s, slices.Clone(s.Privileges.Added)
			if r.Matrix = matrix; change != nil {
				change(&r)
			}
			return snapshot.NewRequest(r)
		}
		first := asked(nil)
		found[0].Request = first
		made := removing(first, found[:1]).Decide((*Decision).Change)
		if err := q.Credentials.Set("vc1", component.Diagnostics, credfile.Account{User: found[0].Principal(component.Diagnostics), Password: secret.New("Xy7!aaaaaaaaaa")}); err != nil {
			t.Fatal(err)
		}
		next := asked(c.change)
		now := settled(t, next, made.Plans[0], 10)
		if now.Request = next; c.hand != nil {
			c.hand(now)
			now.Facts = next.Classify(now.Roles)
		}
		p := removing(next, []*snapshot.Snapshot{now}).Decide((*Decision).Change).Show()
		var takes []string
		for _, x := range p.Changes() {
			if x.TakenBy != "" {
				takes = append(takes, x.Object)
			}
		}
		if p.Err() != nil || len(takes) == 0 && c.takes != "" || len(takes) > 0 && !slices.Contains(takes, c.takes) {
			t.Errorf("%s: takes from %q, not %q (%v): %q", name, takes, c.takes, p.Err(), signed(p.VCenters[0].Changes))
		}
		if p.Empty() && (c.hand != nil || c.takes != "") {
			t.Errorf("%s: nothing changes", name)
		}
	}
}
