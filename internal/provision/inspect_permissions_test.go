package provision_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func TestPermissionsAgainstTheSpecification(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	ctx, c := context.Background(), h.admin(t)
	office := &office{house: h, c: c, refs: map[string]types.ManagedObjectReference{}}
	const csi = "ocp-cluster1-csi-driver@vsphere.local"
	office.permit(t, "/DC1/vm/legacy", csi, "ReadOnly", true)
	office.permit(t, "/DC1/host/C1", csi, "NoAccess", true)
	if err := authz(c).RemoveEntityPermission(ctx, office.ref(t, "/DC1/datastore/ds1"), csi, false); err != nil {
		t.Fatal(err)
	}
	list := func(q inspect.PermissionQuery) []inspect.Permission {
		l := reads(t, h, plan.Permission, func(j *provision.Job) *inspect.PermissionList { return j.Permissions(ctx, q) })
		if err := l.Results().Err(); err != nil {
			t.Fatal(err)
		}
		return l.VCenters[0].Permissions
	}
	find := func(list []inspect.Permission, object, name string) inspect.Permission {
		t.Helper()
		for _, p := range list {
			if p.Object == object && strings.Contains(p.Principal, name) {
				return p
			}
		}
		t.Fatalf("no permission of %s on %s", name, object)
		return inspect.Permission{}
	}
	ours := list(inspect.PermissionQuery{})
	for object, state := range map[string]string{
		"/": inspect.PermissionWanted, "/DC1/vm/legacy": inspect.PermissionUnwanted,
		"/DC1/host/C1": inspect.PermissionDiffers, "/DC1/datastore/ds1": inspect.PermissionMissing,
	} {
		if p := find(ours, object, "ocp-cluster1-csi-driver"); p.State != state || p.Component != "csi-driver" {
			t.Errorf("%s: %+v, want %s", object, p, state)
		}
	}
	for _, p := range ours {
		if p.State == inspect.PermissionForeign {
			t.Errorf("not ours: %+v", p)
		}
	}
	all := list(inspect.PermissionQuery{All: true})
	if p := find(all, "/", `\Administrator`); p.State != inspect.PermissionForeign || p.Role != "Admin" {
		t.Errorf("%+v", p)
	}
	of := list(inspect.PermissionQuery{Principals: []string{`vsphere.local\OCP-CLUSTER1-CSI-DRIVER`}, Objects: []string{"/DC1/vm/legacy"}})
	if len(of) != 1 || of[0].State != inspect.PermissionUnwanted {
		t.Errorf("%+v", of)
	}
	// what reaches an object from above: what propagates, and from its other half everything
	office.permit(t, "/DC1", "bob@corp.example.com", "ReadOnly", false)
	office.permit(t, "/DC1", "alice@corp.example.com", "ReadOnly", true)
	has := func(object, name string) bool {
		return slices.ContainsFunc(list(inspect.PermissionQuery{Objects: []string{object}, Inherited: true}), func(p inspect.Permission) bool {
			return p.Object == "/DC1" && strings.HasSuffix(p.Principal, name) && p.Reaches == object
		})
	}
	for _, test := range []struct {
		object, name string
		want         bool
	}{
		{"/DC1/vm", `\bob`, true},
		{"/DC1/vm/legacy", `\bob`, false},
		{"/DC1/datastore", `\bob`, true}, // R25: all four folders are one with the datacenter
		{"/DC1/vm/legacy", `\alice`, true},
		{"/DC1/vm/legacy/mail", `\alice`, true},
	} {
		if got := has(test.object, test.name); got != test.want {
			t.Errorf("the permission of %s on /DC1 reaches %s: %v", test.name, test.object, got)
		}
	}
}

// A group that a component was given is listed as the component's, and explained without the vCenter's own answer.
func TestPermissionsOfAGroup(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{Releases: []string{"8.0.1"}})
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: `CORP\vm-ops`, Group: new(true)}, "diagnostics": {}}
	if err := h.lab.VCenters[0].Directory().AddGroup("vm-ops@corp.example.com", ""); err != nil {
		t.Fatal(err)
	}
	h.mustApply(t)
	l := reads(t, h, plan.Permission, func(j *provision.Job) *inspect.PermissionList {
		return j.Permissions(context.Background(), inspect.PermissionQuery{})
	})
	n := 0
	for _, p := range l.VCenters[0].Permissions {
		if p.State != inspect.PermissionWanted {
			t.Errorf("%+v", p)
		}
		if p.Group && p.Component == "csi-driver" {
			n++
		}
	}
	if n == 0 {
		t.Errorf("no permission of the group: %+v", l.VCenters[0].Permissions)
	}
	got := h.check(t, inspect.CheckQuery{Component: component.CSIDriver, Objects: []string{"/DC1/datastore/ds1"}})
	if err := got.Results().Err(); err != nil {
		t.Fatal(err)
	}
	c := got.VCenters[0].Objects[0]
	if c.Answer != inspect.AnswerExplained || len(c.Missing)+len(c.Excess) != 0 || !got.VCenters[0].Group {
		t.Errorf("%+v", got.VCenters[0])
	}
	if !strings.Contains(strings.Join(got.VCenters[0].Notes, ";"), "global permissions are not known") {
		t.Errorf("notes: %v", got.VCenters[0].Notes)
	}
}

// Somebody who may read the inventory and nothing else gets lists and explanations; what they cannot know is said.
func TestReadersWithoutSSO(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	dir := o.lab.VCenters[0].Directory()
	if err := dir.AddUser("reader", "F0reign!pass", directory.Details{}); err != nil {
		t.Fatal(err)
	}
	o.permit(t, "/", "reader", "ReadOnly", true)
	o.permit(t, "/DC1", "%outer", powerOn, true)
	o.as("reader@vsphere.local", "F0reign!pass")
	got := o.check(t, inspect.CheckQuery{Principal: "x@vsphere.local", Objects: []string{"/DC1"}})
	if err := got.Results().Err(); err != nil {
		t.Fatal(err)
	}
	c := got.VCenters[0].Objects[0]
	if c.Answer != inspect.AnswerDisagreed || !slices.Equal(held(c), []string{powerOn}) || got.VCenters[0].Groups != nil {
		t.Errorf("without groups: %+v", got.VCenters[0])
	}
	if notes := strings.Join(got.VCenters[0].Notes, "\n"); !strings.Contains(notes, "may not administer SSO") || !strings.Contains(notes, "groups of x@vsphere.local are not known") {
		t.Errorf("notes: %s", notes)
	}
	if got.Summary.Disagreements != 1 {
		t.Errorf("%+v", got.Summary)
	}
	l := reads(t, o.house, plan.Permission, func(j *provision.Job) *inspect.PermissionList {
		return j.Permissions(context.Background(), inspect.PermissionQuery{All: true})
	})
	if err := l.Results().Err(); err != nil || len(l.VCenters[0].Permissions) == 0 {
		t.Errorf("%v, %d permissions", err, len(l.VCenters[0].Permissions))
	}
	r := reads(t, o.house, plan.Role, func(j *provision.Job) *inspect.RoleList { return j.Roles(context.Background(), true) })
	if err := r.Results().Err(); err != nil || len(r.VCenters[0].Roles) == 0 {
		t.Errorf("%v, %d roles", err, len(r.VCenters[0].Roles))
	}
}

func TestCheckAgainstAMatrix(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const ds = "/DC1/datastore/ds1"
	ask := func(object string, scope privileges.Scope) inspect.CheckedObject {
		t.Helper()
		got := o.check(t, inspect.CheckQuery{Principal: "x@vsphere.local", Objects: []string{object}, Component: component.CSIDriver, Scope: scope})
		if err := got.Results().Err(); err != nil {
			t.Fatal(err)
		}
		return got.VCenters[0].Objects[0]
	}
	o.permit(t, ds, "x", browse, false)
	c := ask(ds, "")
	if c.Scope != "datastore" || !slices.Contains(c.Missing, "Datastore.AllocateSpace") || slices.Contains(c.Missing, browse) || len(c.Excess) != 0 {
		t.Errorf("%+v", c)
	}
	o.permit(t, ds, "x", powerOn, false)
	if c := ask(ds, ""); !slices.Equal(c.Excess, []string{powerOn}) || !slices.Contains(c.Missing, browse) {
		t.Errorf("%+v", c)
	}
	if c := ask("/DC1/datastore", privileges.ScopeDatastore); !slices.Contains(c.Missing, browse) {
		t.Errorf("%+v", c)
	}
	if c := ask("/DC1/host/C1/esx1.dc1.example.com", ""); c.Scope != "cluster" || !slices.Contains(c.Missing, "Host.Config.Storage") { // what is granted on its cluster reaches it
		t.Errorf("%+v", c)
	}
	got := o.check(t, inspect.CheckQuery{Principal: "x@vsphere.local", Objects: []string{"/DC1/datastore"}, Component: component.CSIDriver})
	if err := got.Results().Err(); err == nil || !strings.Contains(err.Error(), "the matrix has no scope for /DC1/datastore") {
		t.Errorf("error is %v", err)
	}
}

// A specification knows better than the type of an object.
func TestCheckAgainstASpecification(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	q := inspect.CheckQuery{Component: component.MachineAPI, Objects: []string{"/DC1/vm/openshift/cluster1/bastion", "/DC1/vm/legacy", "/DC1/datastore/ds1"}}
	got := h.check(t, q)
	if err := got.Results().Err(); err != nil {
		t.Fatal(err)
	}
	if s := got.Summary; s.Missing+s.Excess+s.Disagreements != 0 || s.Objects != 3 {
		t.Errorf("%+v", got)
	}
	q.Principal = "backup-svc@vsphere.local" // somebody else, against the same
	if got := h.check(t, q); got.Summary.Missing == 0 {
		t.Errorf("%+v", got.Summary)
	}
}

// as has the house log in as somebody else.
func (h *house) as(user, password string) {
	h.o.Admin = loginAs(user, password)
}

// Who works with another one's account is held against what that account needs: nothing is not enough.
func TestCheckOfAComponentWithoutItsOwnAccount(t *testing.T) {
	t.Parallel()
	for profile, component := range map[string]component.Name{
		openshift.ProfilePassthrough: component.CSIDriver, openshift.ProfileComponentScoped: component.Installer,
	} {
		h := one(t, vcsim.Options{})
		populate(t, h.lab)
		if err := h.spec.SetProfile(profile); err != nil {
			t.Fatal(err)
		}
		h.mustApply(t)
		q := inspect.CheckQuery{Component: component, Objects: []string{"/DC1/datastore/ds1"}}
		if c := h.check(t, q); c.Results().Err() != nil || c.Summary.Missing != 0 || c.Summary.Objects != 1 {
			t.Errorf("%s: %v %+v", profile, c.Results().Err(), c.Summary)
		}
		q.Principal = "svc-diag@corp.example.com"
		if c := h.check(t, q); c.Results().Err() != nil || c.Summary.Missing == 0 {
			t.Errorf("%s: %v: who may do nothing misses nothing", profile, c.Results().Err())
		}
		h.spec.VCenters[0].FailureDomains = nil
		if c := h.check(t, q); c.Results().Err() != nil || c.Summary.Missing == 0 {
			t.Errorf("%s, without failure domains: %v: who may do nothing misses nothing", profile, c.Results().Err())
		}
	}
}

// What others gave an adopted account is theirs, and stays where it gives just what is wanted: the list says what a plan says.
func TestPermissionsOfAnAdoptedAccount(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	const svc = "backup-svc@vsphere.local"
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: svc}}
	h.mustApply(t)
	role := h.liveRole(t, 0, "openshift-cluster1-csi-driver-datastore")
	h.setRole(t, 0, "theirs", role.Privilege...)
	office := &office{house: h, c: h.admin(t), refs: map[string]types.ManagedObjectReference{}}
	office.permit(t, "/DC1/datastore/ds1", svc, "theirs", false)
	office.permit(t, "/DC1/vm/legacy", svc, "ReadOnly", true)
	if p := h.plan(t); !p.Empty() {
		t.Fatalf("the plan changes something:\n%s", text(p))
	}
	l := reads(t, h, plan.Permission, func(j *provision.Job) *inspect.PermissionList {
		return j.Permissions(context.Background(), inspect.PermissionQuery{})
	})
	got := map[string]string{}
	for _, p := range l.VCenters[0].Permissions {
		got[p.Object] = p.State
	}
	for object, want := range map[string]string{"/": inspect.PermissionWanted, "/DC1/datastore/ds1": inspect.PermissionWanted, "/DC1/vm/legacy": inspect.PermissionForeign} {
		if got[object] != want {
			t.Errorf("%s: %q, want %q", object, got[object], want)
		}
	}
}

// Where not all that is wanted is known, nothing is called not wanted.
func TestPermissionsOfAWrongSpecification(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	h.spec.VCenters[0].FailureDomains[0].Datastore = "/DC1/datastore/gone"
	l := reads(t, h, plan.Permission, func(j *provision.Job) *inspect.PermissionList {
		return j.Permissions(context.Background(), inspect.PermissionQuery{})
	})
	if notes := strings.Join(l.VCenters[0].Notes, "\n"); !strings.Contains(notes, "the wanted permissions are not known: there is no /DC1/datastore/gone") {
		t.Errorf("notes: %s", notes)
	}
	if len(l.VCenters[0].Permissions) == 0 {
		t.Error("nothing is listed")
	}
	for _, p := range l.VCenters[0].Permissions {
		if p.State != inspect.PermissionOurs {
			t.Errorf("%+v", p)
		}
	}
}
