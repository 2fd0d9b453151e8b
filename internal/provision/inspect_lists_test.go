package provision_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

// reads gives a report of a job that is narrowed to one kind of thing, and holds that nothing was changed for it.
func reads[T any](t *testing.T, h *house, only plan.Kind, f func(*provision.Job) T) T {
	t.Helper()
	o := h.o
	h.o.Only = only
	defer func() { h.o = o }()
	before := h.snapshot()
	job := h.job(t)
	defer job.Close(context.Background())
	report := f(job)
	if diff := cmp.Diff(before, h.snapshot()); diff != "" {
		t.Errorf("reading changed something:\n%s", diff)
	}
	return report
}

func roleNamed(t *testing.T, v provision.RolesVCenter, name string) provision.ListedRole {
	t.Helper()
	i := slices.IndexFunc(v.Roles, func(r provision.ListedRole) bool { return r.Name == name })
	if i < 0 {
		t.Fatalf("%s lists no role %s", v.Server, name)
	}
	return v.Roles[i]
}

// setRole changes a role, or makes it.
func (h *house) setRole(t *testing.T, server int, name string, ids ...string) {
	t.Helper()
	v := h.lab.VCenters[server]
	ctx := context.Background()
	c, err := v.Login(ctx, v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	list, err := authz(c).RoleList(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if r := list.ByName(name); r != nil {
		err = authz(c).UpdateRole(ctx, r.RoleId, name, ids)
	} else {
		_, err = authz(c).AddRole(ctx, name, ids)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const dsRole = "openshift-csi-driver-datastore"

func TestRolesAgainstTheMatrix(t *testing.T) {
	h := demo(t)
	h.mustApply(t)
	h.setRole(t, 0, dsRole, "Datastore.Browse", "Datastore.Delete", "Datastore.FileManagement")
	h.setRole(t, 0, "openshift-diagnostics-host-group", browse)       // no name of ours: a role is for a scope
	h.setRole(t, 0, "openshift-csi-driver-network", "Network.Assign") // a name of ours that nobody wants
	h.setRole(t, 0, "openshift-csi-driver-team7", browse)
	l := reads(t, h, plan.Role, func(j *provision.Job) *provision.RoleList { return j.Roles(context.Background(), true) })
	if err := l.Results().Err(); err != nil {
		t.Fatal(err)
	}
	one := l.VCenters[0]
	got := roleNamed(t, one, dsRole)
	if got.State != provision.RoleDiffers || !slices.Equal(got.Excess, []string{"Datastore.Delete"}) || !slices.Contains(got.Missing, "Datastore.AllocateSpace") {
		t.Errorf("drifted role: %+v", got)
	}
	if got.Unused || !slices.Equal(got.Holders, []string{`VSPHERE.LOCAL\ocp-cluster1-csi-driver`}) {
		t.Errorf("holders: %+v", got)
	}
	for name, state := range map[string]string{
		"openshift-machine-api-folder": provision.RoleSame, "openshift-csi-driver-network": provision.RoleUnwanted,
		"openshift-diagnostics-host-group": provision.RoleForeign, "openshift-csi-driver-team7": provision.RoleForeign,
		"openshift-legacy": provision.RoleForeign, "Admin": provision.RoleSystem, "NoAccess": provision.RoleSystem,
	} {
		if got := roleNamed(t, one, name); got.State != state {
			t.Errorf("%s is %s, want %s", name, got.State, state)
		}
	}
	if !roleNamed(t, one, "openshift-csi-driver-network").Unused {
		t.Error("a role that nobody holds is not called unused")
	}
	few := reads(t, h, plan.Role, func(j *provision.Job) *provision.RoleList { return j.Roles(context.Background(), false) })
	for _, r := range few.VCenters[0].Roles {
		if r.State == provision.RoleForeign || r.State == provision.RoleSystem {
			t.Errorf("%s is listed, a %s one", r.Name, r.State)
		}
	}
}

// What a plan keeps for others is no excess here: both go by the same comparison.
func TestRolesKeepsForOthers(t *testing.T) {
	h := one(t, vcsim.Options{})
	h.spec.Privileges.Conditions = []string{"storage-policy"} // what another cluster chose
	h.mustApply(t)
	h.spec.Privileges.Conditions = nil
	ctx, c := context.Background(), h.admin(t)
	list, err := authz(c).RoleList(ctx)
	if err != nil {
		t.Fatal(err)
	}
	l := reads(t, h, plan.Role, func(j *provision.Job) *provision.RoleList { return j.Roles(ctx, false) })
	var drifted []string
	for _, r := range l.VCenters[0].Roles {
		if len(r.Excess) > 0 {
			drifted = append(drifted, r.Name)
		}
	}
	if len(drifted) == 0 {
		t.Fatal("the condition changes no role")
	}
	for _, name := range drifted {
		err := authz(c).SetEntityPermissions(ctx, c.ServiceContent.RootFolder, []types.Permission{{Principal: "backup-svc@vsphere.local", RoleId: list.ByName(name).RoleId}})
		if err != nil {
			t.Fatal(err)
		}
		l := reads(t, h, plan.Role, func(j *provision.Job) *provision.RoleList { return j.Roles(ctx, false) })
		if got := roleNamed(t, l.VCenters[0], name); got.State != provision.RoleSame || len(got.Kept) == 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestRolesDiffBetweenVCenters(t *testing.T) {
	h := bare(t, vcsim.Options{VCenters: 2})
	create := func() {
		h.o.Only = plan.Role
		h.mustApply(t)
		h.o.Only = ""
	}
	diff := func(all bool) *provision.RolesDiff {
		return reads(t, h, plan.Role, func(j *provision.Job) *provision.RolesDiff { return j.DiffRoles(context.Background(), all) })
	}
	if d := diff(false); d.Same() || d.Summary.Different != d.Summary.Compared {
		t.Errorf("without roles: %+v", d.Summary)
	}
	create()
	if d := diff(false); !d.Same() || d.Summary.Compared == 0 {
		t.Errorf("after create: %+v", d)
	}
	h.setRole(t, 1, dsRole, "Datastore.Browse", "Datastore.Delete")
	d := diff(false)
	if d.Summary.Different != 1 || d.Roles[0].Name != dsRole {
		t.Fatalf("%+v", d)
	}
	first, second := d.Roles[0].VCenters[0], d.Roles[0].VCenters[1]
	if first.State != provision.RoleSame || !slices.Equal(first.Lacks, []string{"Datastore.Delete"}) || !first.Apart {
		t.Errorf("first: %+v", first)
	}
	if second.State != provision.RoleDiffers || !slices.Contains(second.Lacks, "Datastore.AllocateSpace") || !slices.Equal(second.Excess, []string{"Datastore.Delete"}) {
		t.Errorf("second: %+v", second)
	}
	create()
	// others' roles count only when they are asked for
	h.setRole(t, 0, "of others", browse)
	if d := diff(false); !d.Same() {
		t.Errorf("%+v", d.Roles)
	}
	if d := diff(true); d.Summary.Different != 1 || d.Roles[0].VCenters[1].State != provision.RoleNowhere {
		t.Errorf("%+v", d.Roles)
	}
}

// What only one vCenter's failure domains ask for is no difference between vCenters.
func TestRolesDiffKnowsWhatEachWants(t *testing.T) {
	h := demo(t) // a template and no pool here, a pool and no folder there
	h.mustApply(t)
	d := reads(t, h, plan.Role, func(j *provision.Job) *provision.RolesDiff { return j.DiffRoles(context.Background(), false) })
	if !d.Same() {
		t.Errorf("%+v", d.Roles)
	}
}

func userNamed(t *testing.T, d provision.UserDomain, component string) provision.ListedUser {
	t.Helper()
	i := slices.IndexFunc(d.Users, func(u provision.ListedUser) bool { return u.Component == component })
	if i < 0 {
		t.Fatalf("no account of %s in %+v", component, d.Users)
	}
	return d.Users[i]
}

func TestUsersOfLinkedVCenters(t *testing.T) {
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	list := func(everybody bool) *provision.UserList {
		return reads(t, h, plan.User, func(j *provision.Job) *provision.UserList { return j.Users(context.Background(), everybody) })
	}
	l := list(false)
	if len(l.Domains) != 1 || len(l.Domains[0].VCenters) != 2 || len(l.Domains[0].Users) != 5 {
		t.Fatalf("%+v", l.Domains)
	}
	if u := userNamed(t, l.Domains[0], "csi-driver"); !slices.Equal(u.States, []string{provision.UserMissing}) || u.DaysLeftAtMost != nil {
		t.Errorf("before: %+v", u)
	}
	h.mustApply(t)
	dir := h.lab.VCenters[0].Directory()
	policy := dir.PasswordPolicy()
	policy.LifetimeDays = 30
	err := errors.Join(
		dir.SetDisabled("ocp-cluster1-diagnostics", true), dir.SetLocked("ocp-cluster1-diagnostics", true),
		dir.SetDetails("ocp-cluster1-installer", vcsim.Details{Description: "mine"}),
		dir.AddUser("ocp-old-csi-driver", "F0reign!pass", vcsim.Details{Description: sso.Mark("old", "csi-driver")}),
		dir.AddUser("ocp-cluster1-left", "F0reign!pass", vcsim.Details{Description: sso.Mark("cluster1", "left")}),
		dir.AddUser("ocp-fake", "F0reign!pass", vcsim.Details{Description: "not " + sso.Mark("old", "fake")}),
		dir.SetPasswordPolicy(policy),
	)
	if err != nil {
		t.Fatal(err)
	}
	l = list(false)
	d := l.Domains[0]
	if d.Password.LifetimeDays != 30 || d.Lockout.MaxFailedAttempts != 5 || d.Lockout.WithinSeconds != 180 || d.Lockout.UnlockSeconds != 300 {
		t.Errorf("policies: %+v %+v", d.Password, d.Lockout)
	}
	for component, states := range map[string][]string{
		"csi-driver": {provision.UserOK}, "diagnostics": {provision.UserDisabled, provision.UserLocked},
		"installer": {provision.UserNotOurs}, "left": {provision.UserOK},
	} {
		if got := userNamed(t, d, component); !slices.Equal(got.States, states) {
			t.Errorf("%s: %v, want %v", component, got.States, states)
		}
	}
	u := userNamed(t, d, "csi-driver")
	if u.PasswordAgeDays != nil || u.DaysLeft != nil || u.DaysLeftAtMost == nil || *u.DaysLeftAtMost != 30 {
		t.Errorf("what nobody can know is said: %+v", u)
	}
	if len(u.StoredFor) != 2 || len(u.NotStoredFor) != 0 || len(userNamed(t, d, "left").StoredFor) != 0 {
		t.Errorf("stored for %v, not for %v", u.StoredFor, u.NotStoredFor)
	}
	if len(d.Users) != 6 {
		t.Errorf("%d accounts, want 6: %+v", len(d.Users), d.Users)
	}
	if all := list(true).Domains[0].Users; len(all) != 7 || all[len(all)-1].Cluster != "old" {
		t.Errorf("with other clusters: %+v", all)
	}
}

func TestUsersAdopted(t *testing.T) {
	h := one(t, vcsim.Options{})
	h.spec.Components = map[string]spec.Component{
		"csi-driver": {Principal: `CORP\bob`}, "diagnostics": {Principal: "nobody@corp.example.com"},
		"installer": {Principal: "Infra Team@corp.example.com"},
	}
	l := reads(t, h, plan.User, func(j *provision.Job) *provision.UserList { return j.Users(context.Background(), false) })
	if err := l.Results().Err(); err != nil {
		t.Fatal(err)
	}
	for component, state := range map[string]string{
		"csi-driver": provision.UserOK, "diagnostics": provision.UserMissing, "installer": provision.UserGroup,
	} {
		u := userNamed(t, l.Domains[0], component)
		if !u.Adopted || !slices.Equal(u.States, []string{state}) || u.DaysLeftAtMost != nil {
			t.Errorf("%s: %+v, want %s", component, u, state)
		}
	}
}

func TestPermissionsAgainstTheSpecification(t *testing.T) {
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
	list := func(q provision.PermissionQuery) []provision.ListedPermission {
		l := reads(t, h, plan.Permission, func(j *provision.Job) *provision.PermissionList { return j.Permissions(ctx, q) })
		if err := l.Results().Err(); err != nil {
			t.Fatal(err)
		}
		return l.VCenters[0].Permissions
	}
	find := func(list []provision.ListedPermission, object, name string) provision.ListedPermission {
		t.Helper()
		for _, p := range list {
			if p.Object == object && strings.Contains(p.Principal, name) {
				return p
			}
		}
		t.Fatalf("no permission of %s on %s", name, object)
		return provision.ListedPermission{}
	}
	ours := list(provision.PermissionQuery{})
	for object, state := range map[string]string{
		"/": provision.PermissionWanted, "/DC1/vm/legacy": provision.PermissionUnwanted,
		"/DC1/host/C1": provision.PermissionDiffers, "/DC1/datastore/ds1": provision.PermissionMissing,
	} {
		if p := find(ours, object, "ocp-cluster1-csi-driver"); p.State != state || p.Component != "csi-driver" {
			t.Errorf("%s: %+v, want %s", object, p, state)
		}
	}
	for _, p := range ours {
		if p.State == provision.PermissionForeign {
			t.Errorf("not ours: %+v", p)
		}
	}
	all := list(provision.PermissionQuery{All: true})
	if p := find(all, "/", `\Administrator`); p.State != provision.PermissionForeign || p.Role != "Admin" {
		t.Errorf("%+v", p)
	}
	of := list(provision.PermissionQuery{Principals: []string{`vsphere.local\OCP-CLUSTER1-CSI-DRIVER`}, Objects: []string{"/DC1/vm/legacy"}})
	if len(of) != 1 || of[0].State != provision.PermissionUnwanted {
		t.Errorf("%+v", of)
	}
	// what reaches an object from above: what propagates, and from its other half everything
	office.permit(t, "/DC1", "bob@corp.example.com", "ReadOnly", false)
	office.permit(t, "/DC1", "alice@corp.example.com", "ReadOnly", true)
	has := func(object, name string) bool {
		return slices.ContainsFunc(list(provision.PermissionQuery{Objects: []string{object}, Inherited: true}), func(p provision.ListedPermission) bool {
			return p.Object == "/DC1" && strings.HasSuffix(p.Principal, name) && p.Reaches == object
		})
	}
	for _, test := range []struct {
		object, name string
		want         bool
	}{
		{"/DC1/vm", `\bob`, true}, {"/DC1/vm/legacy", `\bob`, false}, {"/DC1/datastore", `\bob`, false},
		{"/DC1/vm/legacy", `\alice`, true}, {"/DC1/vm/legacy/mail", `\alice`, true},
	} {
		if got := has(test.object, test.name); got != test.want {
			t.Errorf("the permission of %s on /DC1 reaches %s: %v", test.name, test.object, got)
		}
	}
}

// Somebody who may read the inventory and nothing else gets lists and explanations; what they cannot know is said.
func TestReadersWithoutSSO(t *testing.T) {
	o := newOffice(t)
	dir := o.lab.VCenters[0].Directory()
	if err := dir.AddUser("reader", "F0reign!pass", vcsim.Details{}); err != nil {
		t.Fatal(err)
	}
	o.permit(t, "/", "reader", "ReadOnly", true)
	o.permit(t, "/DC1", "%outer", powerOn, true)
	o.as("reader@vsphere.local", "F0reign!pass")
	got := o.check(t, provision.CheckQuery{Principal: "x@vsphere.local", Objects: []string{"/DC1"}})
	if err := got.Results().Err(); err != nil {
		t.Fatal(err)
	}
	c := got.VCenters[0].Objects[0]
	if c.Answer != provision.AnswerDisagreed || !slices.Equal(held(c), []string{powerOn}) || got.VCenters[0].Groups != nil {
		t.Errorf("without groups: %+v", got.VCenters[0])
	}
	if notes := strings.Join(got.VCenters[0].Notes, "\n"); !strings.Contains(notes, "may not administer SSO") || !strings.Contains(notes, "groups of x@vsphere.local are not known") {
		t.Errorf("notes: %s", notes)
	}
	if got.Summary.Disagreements != 1 {
		t.Errorf("%+v", got.Summary)
	}
	l := reads(t, o.house, plan.Permission, func(j *provision.Job) *provision.PermissionList {
		return j.Permissions(context.Background(), provision.PermissionQuery{All: true})
	})
	if err := l.Results().Err(); err != nil || len(l.VCenters[0].Permissions) == 0 {
		t.Errorf("%v, %d permissions", err, len(l.VCenters[0].Permissions))
	}
	r := reads(t, o.house, plan.Role, func(j *provision.Job) *provision.RoleList { return j.Roles(context.Background(), true) })
	if err := r.Results().Err(); err != nil || len(r.VCenters[0].Roles) == 0 {
		t.Errorf("%v, %d roles", err, len(r.VCenters[0].Roles))
	}
}

func TestCheckAgainstAMatrix(t *testing.T) {
	o := newOffice(t)
	const ds = "/DC1/datastore/ds1"
	ask := func(object string, scope privileges.Scope) provision.CheckedObject {
		t.Helper()
		got := o.check(t, provision.CheckQuery{Principal: "x@vsphere.local", Objects: []string{object}, Component: privileges.CSIDriver, Scope: scope})
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
	got := o.check(t, provision.CheckQuery{Principal: "x@vsphere.local", Objects: []string{"/DC1/datastore"}, Component: privileges.CSIDriver})
	if err := got.Results().Err(); err == nil || !strings.Contains(err.Error(), "no scope of a matrix belongs to /DC1/datastore") {
		t.Errorf("error is %v", err)
	}
}

// A specification knows better than the type of an object.
func TestCheckAgainstASpecification(t *testing.T) {
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	q := provision.CheckQuery{Component: privileges.MachineAPI, Objects: []string{"/DC1/vm/openshift/cluster1/bastion", "/DC1/vm/legacy", "/DC1/datastore/ds1"}}
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
	h.o.Admin = func(context.Context, string) (string, secret.Secret, error) { return user, secret.New(password), nil }
}
