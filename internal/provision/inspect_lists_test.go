package provision_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// reads gives a report of a job that is narrowed to one kind of thing, and holds that nothing was changed for it.
func reads[T any](t *testing.T, h *house, only plan.Kind, f func(*provision.Job) T) T {
	t.Helper()
	o := h.o
	h.o.Request.Only = only
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

func roleNamed(t *testing.T, v inspect.RolesVCenter, name string) inspect.Role {
	t.Helper()
	i := slices.IndexFunc(v.Roles, func(r inspect.Role) bool { return r.Name == name })
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

// dsRole is csi-driver's role on a datastore by the default matrix.
var dsRole = matrixRole("openshift-csi-driver-datastore")

func TestRolesAgainstTheMatrix(t *testing.T) {
	t.Parallel()
	h := demo(t)
	h.mustApply(t)
	h.setRole(t, 0, dsRole, "Datastore.Browse", "Datastore.Delete", "Datastore.FileManagement")
	h.setRole(t, 0, "openshift-diagnostics-host-group", browse)       // no name of ours: a role is for a scope
	h.setRole(t, 0, "openshift-csi-driver-network", "Network.Assign") // without a digest: by hand, perhaps
	const unwanted = "openshift-csi-driver-network-abcdef"            // a name of ours that nobody wants
	h.setRole(t, 0, unwanted, "Network.Assign")
	h.setRole(t, 0, "openshift-csi-driver-team7", browse)
	l := reads(t, h, plan.Role, func(j *provision.Job) *inspect.RoleList { return j.Roles(context.Background(), true) })
	if err := l.Results().Err(); err != nil {
		t.Fatal(err)
	}
	one := l.VCenters[0]
	got := roleNamed(t, one, dsRole)
	if got.State != inspect.RoleDiffers || !slices.Equal(got.Excess, []string{"Datastore.Delete"}) || !slices.Contains(got.Missing, "Datastore.AllocateSpace") {
		t.Errorf("drifted role: %+v", got)
	}
	if got.Unused || !slices.Equal(got.Holders, []string{`VSPHERE.LOCAL\ocp-cluster1-csi-driver`}) {
		t.Errorf("holders: %+v", got)
	}
	for name, state := range map[string]string{
		h.liveRole(t, 0, "openshift-machine-api-folder").Name: inspect.RoleSame, unwanted: inspect.RoleUnwanted,
		"openshift-csi-driver-network":     inspect.RoleForeign,
		"openshift-diagnostics-host-group": inspect.RoleForeign, "openshift-csi-driver-team7": inspect.RoleForeign,
		"openshift-legacy": inspect.RoleForeign, "Admin": inspect.RoleSystem, "NoAccess": inspect.RoleSystem,
	} {
		if got := roleNamed(t, one, name); got.State != state {
			t.Errorf("%s is %s, want %s", name, got.State, state)
		}
	}
	if !roleNamed(t, one, unwanted).Unused {
		t.Error("a role that nobody holds is not called unused")
	}
	few := reads(t, h, plan.Role, func(j *provision.Job) *inspect.RoleList { return j.Roles(context.Background(), false) })
	for _, r := range few.VCenters[0].Roles {
		if r.State == inspect.RoleForeign || r.State == inspect.RoleSystem {
			t.Errorf("%s is listed, a %s one", r.Name, r.State)
		}
	}
}

func TestRolesDiffBetweenVCenters(t *testing.T) {
	t.Parallel()
	h := bare(t, vcsim.Options{VCenters: 2})
	create := func() {
		h.o.Request.Only = plan.Role
		h.mustApply(t)
		h.o.Request.Only = ""
	}
	diff := func(all bool) *inspect.RolesDiff {
		return reads(t, h, plan.Role, func(j *provision.Job) *inspect.RolesDiff { return j.DiffRoles(context.Background(), all) })
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
	if first.State != inspect.RoleSame || !slices.Equal(first.Lacks, []string{"Datastore.Delete"}) || !first.Apart {
		t.Errorf("first: %+v", first)
	}
	if second.State != inspect.RoleDiffers || !slices.Contains(second.Lacks, "Datastore.AllocateSpace") || !slices.Equal(second.Excess, []string{"Datastore.Delete"}) {
		t.Errorf("second: %+v", second)
	}
	create()
	// others' roles count only when they are asked for
	h.setRole(t, 0, "of others", browse)
	if d := diff(false); !d.Same() {
		t.Errorf("%+v", d.Roles)
	}
	if d := diff(true); d.Summary.Different != 1 || d.Roles[0].VCenters[1].State != inspect.RoleNowhere {
		t.Errorf("%+v", d.Roles)
	}
}

// What only one vCenter's failure domains ask for is no difference between vCenters.
func TestRolesDiffKnowsWhatEachWants(t *testing.T) {
	t.Parallel()
	h := demo(t) // a template and no pool here, a pool and no folder there
	h.mustApply(t)
	d := reads(t, h, plan.Role, func(j *provision.Job) *inspect.RolesDiff { return j.DiffRoles(context.Background(), false) })
	if !d.Same() {
		t.Errorf("%+v", d.Roles)
	}
}

func userNamed(t *testing.T, d inspect.UserDomain, component string) inspect.User {
	t.Helper()
	i := slices.IndexFunc(d.Users, func(u inspect.User) bool { return u.Component == component })
	if i < 0 {
		t.Fatalf("no account of %s in %+v", component, d.Users)
	}
	return d.Users[i]
}

func TestUsersOfLinkedVCenters(t *testing.T) {
	t.Parallel()
	now := time.Now()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true, Now: func() time.Time { return now }}), t.TempDir(), parse(t, demoSpec))
	list := func(everybody bool) *inspect.UserList {
		return reads(t, h, plan.User, func(j *provision.Job) *inspect.UserList {
			return j.Users(context.Background(), provision.UserQuery{Everybody: everybody})
		})
	}
	l := list(false)
	if len(l.Domains) != 1 || len(l.Domains[0].VCenters) != 2 || len(l.Domains[0].Users) != 5 {
		t.Fatalf("%+v", l.Domains)
	}
	if u := userNamed(t, l.Domains[0], "csi-driver"); !slices.Equal(u.States, []string{sso.StateMissing}) || u.DaysLeftAtMost != nil {
		t.Errorf("before: %+v", u)
	}
	h.mustApply(t)
	dir := h.lab.VCenters[0].Directory()
	policy := dir.PasswordPolicy()
	policy.LifetimeDays = 30
	err := errors.Join(
		dir.SetDisabled("ocp-cluster1-diagnostics", true), dir.SetLocked("ocp-cluster1-diagnostics", true),
		dir.SetDetails("ocp-cluster1-installer", directory.Details{Description: "mine"}),
		dir.AddUser("ocp-old-csi-driver", "F0reign!pass", directory.Details{Description: sso.Mark("old", "csi-driver")}),
		dir.AddUser("ocp-cluster1-left", "F0reign!pass", directory.Details{Description: sso.Mark("cluster1", "left")}),
		dir.AddUser("ocp-fake", "F0reign!pass", directory.Details{Description: "not " + sso.Mark("old", "fake")}),
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
		"csi-driver": {sso.StateOK}, "diagnostics": {sso.StateDisabled, sso.StateLocked},
		"installer": {sso.StateForeign}, "left": {sso.StateOK},
	} {
		if got := userNamed(t, d, component); !slices.Equal(got.States, states) {
			t.Errorf("%s: %v, want %v", component, got.States, states)
		}
	}
	u := userNamed(t, d, "left") // not made by this tool's apply: nobody knows when its password was set
	if u.PasswordSet != nil || u.PasswordAgeDays != nil || *u.DaysLeft != 30 || u.Source != sso.SourceSSO || *u.DaysLeftAtMost != 30 {
		t.Errorf("what SSO alone knows: %+v", u)
	}
	u = userNamed(t, d, "csi-driver")
	day, err := time.Parse(time.DateOnly, *u.PasswordSet)
	if err != nil || now.Sub(day) > 25*time.Hour {
		t.Errorf("the password was set on %s, today is %s", *u.PasswordSet, now)
	}
	if *u.DaysLeft != 30 || u.Source != sso.SourceSSO {
		t.Errorf("on its day: %d days left, says %s", *u.DaysLeft, u.Source)
	}
	h.o.Request.Now = day.Add(10*24*time.Hour + time.Hour)
	untold := func(_ int, method string) vcsim.Fault {
		if method == "GetDaysRemainingUntilPasswordExpiration" {
			return vcsim.Fault{Kind: vcsim.Worded, Text: "not supported"}
		}
		return vcsim.Fault{}
	}
	for _, v := range h.lab.VCenters {
		v.SetFault(untold)
	}
	l = list(false)
	if later := userNamed(t, l.Domains[0], "csi-driver"); *later.PasswordAgeDays != 10 || *later.DaysLeft != 20 || later.Source != sso.SourceRecord {
		t.Errorf("ten days later: %+v", later)
	}
	if u := userNamed(t, l.Domains[0], "left"); u.DaysLeft != nil || u.Source != "" || *u.DaysLeftAtMost != 30 {
		t.Errorf("what nobody can know is said: %+v", u)
	}
	for _, v := range h.lab.VCenters {
		v.SetFault(nil)
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
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.spec.Components = map[component.Name]spec.Component{
		"csi-driver": {Principal: `CORP\bob`}, "diagnostics": {Principal: "nobody@corp.example.com"},
		"installer": {Principal: "Infra Team@corp.example.com"}, "machine-api": {Principal: "bob@corp.example.com", Group: new(true)},
	}
	l := reads(t, h, plan.User, func(j *provision.Job) *inspect.UserList {
		return j.Users(context.Background(), provision.UserQuery{})
	})
	if err := l.Results().Err(); err != nil {
		t.Fatal(err)
	}
	for component, state := range map[string]string{
		"csi-driver": sso.StateOK, "diagnostics": sso.StateMissing, "installer": sso.StateGroup,
		"machine-api": sso.StateMissing, // a user does not pass for a group
	} {
		u := userNamed(t, l.Domains[0], component)
		if !u.Adopted || !slices.Equal(u.States, []string{state}) || u.DaysLeftAtMost != nil {
			t.Errorf("%s: %+v, want %s", component, u, state)
		}
	}
}
