package provision_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// checked asks what a principal may do on objects of the first vCenter, without failure domains.
func (h *house) check(t fatalT, q inspect.CheckQuery) *inspect.PermissionCheck {
	t.Helper()
	o := h.o
	h.o.Request.Only = plan.Permission
	defer func() { h.o = o }()
	job := h.job(t)
	defer job.Close(context.Background())
	return job.Check(context.Background(), q)
}

// bare is a house whose specification names vCenters alone.
func bare(t *testing.T, o vcsim.Options) *house {
	t.Helper()
	lab := start(t, o)
	var servers []string
	for _, v := range lab.VCenters {
		servers = append(servers, v.Server())
	}
	s, err := spec.FromServers(servers)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, lab, t.TempDir(), s)
}

// office is a vCenter with accounts, nested groups and a vApp.
type office struct {
	*house
	c    *vim25.Client
	refs map[string]types.ManagedObjectReference
}

const app = "/DC1/host/C1/Resources/app"

func newOffice(t *testing.T) *office {
	h := bare(t, vcsim.Options{})
	o := &office{house: h, c: h.admin(t), refs: map[string]types.ManagedObjectReference{}}
	d := h.lab.VCenters[0].Directory()
	err := errors.Join(
		d.AddUser("x", "F0reign!pass", directory.Details{}),
		d.AddUser("carol@corp.example.com", "F0reign!pass", directory.Details{}),
		d.AddGroup("inner", ""), d.AddGroup("outer", ""), d.AddGroup("other", ""),
		d.AddMember("inner", "x", false), d.AddMember("outer", "inner", true), d.AddMember("other", "x", false),
		d.AddMember("outer", "carol@corp.example.com", false),
	)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	pool, err := methods.CreateVApp(ctx, o.c, &types.CreateVApp{
		This: o.ref(t, "/DC1/host/C1/Resources"), Name: "app", ResSpec: types.DefaultResourceConfigSpec(),
		ConfigSpec: types.VAppConfigSpec{}, VmFolder: new(o.ref(t, "/DC1/vm")),
	})
	if err != nil {
		t.Fatal(err)
	}
	task, err := methods.CreateChildVM_Task(ctx, o.c, &types.CreateChildVM_Task{
		This:   pool.Returnval,
		Config: types.VirtualMachineConfigSpec{Name: "inapp", GuestId: "otherGuest", Files: &types.VirtualMachineFileInfo{VmPathName: "[ds1]"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := object.NewTask(o.c, task.Returnval).WaitForResult(ctx); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *office) ref(t fatalT, path string) types.ManagedObjectReference {
	t.Helper()
	if path == "/" {
		return o.c.ServiceContent.RootFolder
	}
	if ref, ok := o.refs[path]; ok {
		return ref
	}
	ref, err := object.NewSearchIndex(o.c).FindByInventoryPath(context.Background(), path)
	if err != nil || ref == nil {
		t.Fatalf("no object at %s: %v", path, err)
	}
	o.refs[path] = ref.Reference()
	return ref.Reference()
}

// permit sets a permission; role is a name, or one privilege of a role that is made for it. A leading % means a group.
func (o *office) permit(t fatalT, path, principal, role string, propagate bool) {
	t.Helper()
	ctx := context.Background()
	list, err := authz(o.c).RoleList(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r := list.ByName(role)
	if r == nil {
		if _, err := authz(o.c).AddRole(ctx, role, []string{role}); err != nil {
			t.Fatal(err)
		}
		o.permit(t, path, principal, role, propagate)
		return
	}
	name, group := strings.CutPrefix(principal, "%")
	err = authz(o.c).SetEntityPermissions(ctx, o.ref(t, path), []types.Permission{{Principal: name, Group: group, RoleId: r.RoleId, Propagate: propagate}})
	if err != nil {
		t.Fatalf("%s for %s on %s: %v", role, principal, path, err)
	}
}

// revoke takes all permissions of the office's own people back.
func (o *office) revoke(t fatalT) {
	t.Helper()
	ctx := context.Background()
	res, err := methods.RetrieveAllPermissions(ctx, o.c, &types.RetrieveAllPermissions{This: *o.c.ServiceContent.AuthorizationManager})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range res.Returnval {
		if strings.Contains(strings.ToLower(p.Principal), "admin") && *p.Entity == o.c.ServiceContent.RootFolder {
			continue
		}
		if err := authz(o.c).RemoveEntityPermission(ctx, *p.Entity, p.Principal, p.Group); err != nil {
			t.Fatal(err)
		}
	}
}

// lines shows grants shortly: "+ /DC1 x role why".
func lines(c inspect.CheckedObject) string {
	var b strings.Builder
	for _, g := range c.Grants {
		_, name, _ := strings.Cut(g.Principal, `\`)
		fmt.Fprintf(&b, "%s %s %s: %s\n", map[bool]string{true: "+", false: "-"}[g.Counts], g.Object, name, g.Why)
	}
	return b.String()
}

const (
	powerOn  = "VirtualMachine.Interact.PowerOn"
	powerOff = "VirtualMachine.Interact.PowerOff"
	browse   = "Datastore.Browse"
)

// R21 to R26: each rule is explained in words, and the vCenter says the same.
func TestCheckExplainsEachRule(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	type grant struct {
		path, principal, role string
		propagate             bool
	}
	for _, test := range []struct {
		name      string
		grants    []grant
		principal string
		object    string
		holds     []string // without the implicit ones
		want      string
	}{
		{
			"R21 the user beats groups",
			[]grant{{"/DC1", "x", powerOn, true}, {"/DC1", "%inner", powerOff, true}},
			"x@vsphere.local", "/DC1",
			[]string{powerOn},
			"+ /DC1 x: on the object itself\n- /DC1 inner: displaced by the user's own permission on the same object\n",
		},
		{
			"R21 groups unite, nested ones too",
			[]grant{{"/DC1", "%other", powerOn, true}, {"/DC1", "%outer", powerOff, true}},
			`VSPHERE.LOCAL\X`, "/DC1",
			[]string{powerOff, powerOn},
			"+ /DC1 other: on the object itself\n+ /DC1 outer: on the object itself\n",
		},
		{
			"R22 a group nearer displaces the user further up",
			[]grant{{"/DC1", "x", powerOn, true}, {"/DC1/datastore/ds1", "%outer", browse, false}},
			"x@vsphere.local", "/DC1/datastore/ds1",
			[]string{browse},
			"+ /DC1/datastore/ds1 outer: on the object itself\n- /DC1 x: displaced by the nearer permission on /DC1/datastore/ds1\n",
		},
		{
			"R22 no access narrows",
			[]grant{{"/", "x", powerOn, true}, {"/DC1", "x", "NoAccess", true}},
			"x@vsphere.local", "/DC1/vm/legacy",
			nil, "+ /DC1 x: inherited\n- / x: displaced by the nearer permission on /DC1\n",
		},
		{
			"R23 what does not propagate",
			[]grant{{"/DC1", "x", powerOn, false}},
			"x@vsphere.local", "/DC1/vm/legacy",
			nil, "- /DC1 x: does not propagate\n",
		},
		{
			"R25 but it does to the datacenter's own folders",
			[]grant{{"/DC1", "x", powerOn, false}},
			"x@vsphere.local", "/DC1/vm",
			[]string{powerOn},
			"+ /DC1 x: shared with /DC1, which has the same permissions\n",
		},
		{
			"R25 to each of the four",
			[]grant{{"/DC1", "x", powerOn, false}},
			"x@vsphere.local", "/DC1/datastore",
			[]string{powerOn},
			"+ /DC1 x: shared with /DC1, which has the same permissions\n",
		},
		{
			"R25 and no further",
			[]grant{{"/DC1", "x", powerOn, false}},
			"x@vsphere.local", "/DC1/network/ocp-net",
			nil, "- /DC1 x: does not propagate\n",
		},
		{
			"R24 folder and pool",
			[]grant{{"/DC1/vm/legacy", "x", powerOn, true}, {"/DC1/host/C1", "%other", powerOff, true}, {"/", "x", browse, true}},
			"x@vsphere.local", "/DC1/vm/legacy/mail",
			[]string{powerOff, powerOn},
			"+ /DC1/vm/legacy x: inherited, by way of its folder\n- / x: displaced by the nearer permission on /DC1/vm/legacy\n" +
				"+ /DC1/host/C1 other: inherited, by way of its resource pool\n",
		},
		{
			"R24 the same, both ways",
			[]grant{{"/DC1", "x", powerOn, true}},
			"x@vsphere.local", "/DC1/vm/legacy/mail",
			[]string{powerOn},
			"+ /DC1 x: inherited, both ways\n",
		},
		{
			"R24 its own entry overrides both",
			[]grant{{"/DC1/vm/legacy/mail", "x", browse, false}, {"/DC1/host/C1", "x", powerOff, true}},
			"x@vsphere.local", "/DC1/vm/legacy/mail",
			[]string{browse},
			"+ /DC1/vm/legacy/mail x: on the object itself\n- /DC1/host/C1 x: displaced by the nearer permission on /DC1/vm/legacy/mail\n",
		},
		{
			"R24 in a vApp its chain alone",
			[]grant{{"/DC1/vm", "x", powerOn, true}, {app, "x", powerOff, true}},
			"x@vsphere.local", "/DC1/vm/inapp",
			[]string{powerOff},
			"+ " + app + " x: inherited\n",
		},
		{
			"R24 a template has the folder's way only",
			[]grant{{"/DC1/host/C1", "x", powerOff, true}, {"/DC1/vm/templates", "x", powerOn, true}},
			"x@vsphere.local", "/DC1/vm/templates/rhcos",
			[]string{powerOn},
			"+ /DC1/vm/templates x: inherited\n",
		},
		{
			"R28 an account of another source, through a group",
			[]grant{{"/DC1", "%outer", powerOn, true}},
			`CORP\carol`, "/DC1/host/C1",
			[]string{powerOn},
			"+ /DC1 outer: inherited\n",
		},
		{"nothing", nil, "x@vsphere.local", "/DC1", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			o.revoke(t)
			for _, g := range test.grants {
				path := g.path
				if path == "/DC1/vm" { // a datacenter's own folders take none
					path = "/DC1"
				}
				o.permit(t, path, g.principal, g.role, g.propagate)
			}
			got := o.check(t, inspect.CheckQuery{Principal: test.principal, Objects: []string{test.object}})
			if err := got.Results().Err(); err != nil {
				t.Fatal(err)
			}
			c := got.VCenters[0].Objects[0]
			if c.Answer != inspect.AnswerAgreed {
				t.Errorf("the answer is %s: only here %v, only there %v", c.Answer, c.OnlyExplained, c.OnlyServer)
			}
			if text := lines(c); !strings.HasPrefix(text, test.want) || test.want == "" && text != "" {
				t.Errorf("explained as\n%s\nwant\n%s", text, test.want)
			}
			if diff := cmp.Diff(test.holds, held(c)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// R8: the explanation goes by what a role lists, the vCenter by what is in force; that is no disagreement to report.
func TestCheckWaitsForChangedRoles(t *testing.T) {
	t.Parallel()
	h, _ := slow(t, bare, vcsim.Options{RoleDelay: 300 * time.Millisecond})
	o := &office{house: h, c: h.admin(t), refs: map[string]types.ManagedObjectReference{}}
	o.permit(t, "/DC1", "bob@corp.example.com", powerOn, true)
	h.setRole(t, 0, powerOn, powerOn, powerOff)
	got := h.check(t, inspect.CheckQuery{Principal: "bob@corp.example.com", Objects: []string{"/DC1"}})
	if c := got.VCenters[0].Objects[0]; c.Answer != inspect.AnswerAgreed || len(held(c)) != 2 {
		t.Errorf("%+v", got.VCenters[0])
	}
}

// Everybody who can log in is in a group that lists nobody, and a permission of it displaces everything further up.
func TestCheckKnowsEveryone(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.permit(t, "/DC1", "carol@corp.example.com", powerOn, true)
	o.permit(t, "/DC1/vm/legacy/mail", "%Everyone", browse, false)
	got := o.check(t, inspect.CheckQuery{Principal: "carol@corp.example.com", Objects: []string{"/DC1/vm/legacy/mail"}})
	c := got.VCenters[0].Objects[0]
	if c.Answer != inspect.AnswerAgreed || !slices.Equal(held(c), []string{browse}) {
		t.Errorf("%+v", got.VCenters[0])
	}
}

// A user and a group of one name are two; groups are found through groups for a group too.
func TestCheckGroups(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.permit(t, "/DC1", "%outer", powerOn, true)
	got := o.check(t, inspect.CheckQuery{Principal: "inner@vsphere.local", Objects: []string{"/DC1"}})
	v := got.VCenters[0]
	if c := v.Objects[0]; !v.Group || c.Answer != inspect.AnswerExplained || !slices.Equal(held(c), []string{powerOn}) {
		t.Errorf("%+v", v)
	}
	if !slices.Equal(v.Groups, []string{"Everyone@vsphere.local", "outer@vsphere.local"}) { // a vCenter names Everyone above each group
		t.Errorf("groups %v", v.Groups)
	}
	got = o.check(t, inspect.CheckQuery{Principal: "x@vsphere.local", Group: true, Objects: []string{"/DC1"}})
	if err := got.Results().Err(); err == nil || !strings.Contains(err.Error(), "x@vsphere.local is a user, not a group") {
		t.Errorf("a user passes for a group: %v", err)
	}
}

// held are the privileges without the implicit ones.
func held(c inspect.CheckedObject) []string {
	var ids []string
	for _, p := range c.Privileges {
		ids = append(ids, p.ID)
	}
	if ids = privileges.Strip(ids); len(ids) == 0 {
		return nil
	}
	return ids
}

// Whatever the permissions, what we explain is what the vCenter answers, on every kind of object.
func TestCheckExplainsWhatTheServerAnswers(t *testing.T) {
	t.Parallel()
	setChecks(t, lawChecks, longChecks)
	o := newOffice(t)
	places := []string{
		"/", "/DC1", "/DC1/host/C1", "/DC1/host/C1/Resources/openshift", app, "/DC1/vm/openshift", "/DC1/vm/openshift/cluster1",
		"/DC1/vm/legacy", "/DC1/vm/legacy/mail", "/DC1/vm/templates", "/DC1/datastore/ds1", "/DC1/network/ocp-net",
		"/DC1/vm/openshift/cluster1/bastion", "/DC1/vm/templates/rhcos", "/DC1/host/C1/esx1.dc1.example.com",
	}
	objects := append(slices.Clone(places), "/DC1/vm", "/DC1/host", "/DC1/datastore", "/DC1/network", "/DC1/host/C1/Resources",
		"/DC1/vm/inapp", "/DC1/network/dvs0", "/DC1/vm/legacy/billing", "/DC1/network/VM Network")
	roleNames := []string{powerOn, powerOff, browse, "NoAccess", "ReadOnly"}
	who := []string{"x", "carol@corp.example.com", "%inner", "%outer", "%other"} // not those that the administrator is in
	asked := []string{"x@vsphere.local", "carol@corp.example.com"}
	rapid.Check(t, func(rt *rapid.T) {
		o.revoke(rt)
		for range rapid.IntRange(0, 12).Draw(rt, "permissions") {
			role := rapid.SampledFrom(roleNames).Draw(rt, "role")
			o.permit(rt, rapid.SampledFrom(places).Draw(rt, "place"), rapid.SampledFrom(who).Draw(rt, "principal"), role, rapid.Bool().Draw(rt, "propagate"))
		}
		principal := rapid.SampledFrom(asked).Draw(rt, "asked")
		got := o.check(rt, inspect.CheckQuery{Principal: principal, Objects: objects})
		if err := got.Results().Err(); err != nil {
			rt.Fatal(err)
		}
		if n := len(got.VCenters[0].Objects); n != len(objects) {
			rt.Fatalf("%d objects, want %d", n, len(objects))
		}
		for _, c := range got.VCenters[0].Objects {
			truth, err := o.lab.VCenters[0].EffectivePrivileges(principal, c.Path)
			if err != nil {
				rt.Fatal(err)
			}
			slices.Sort(truth)
			if c.Answer != inspect.AnswerAgreed {
				rt.Errorf("%s on %s: %s, only explained %v, only answered %v\n%s", principal, c.Path, c.Answer, c.OnlyExplained, c.OnlyServer, lines(c))
			}
			var ids []string
			for _, p := range c.Privileges {
				ids = append(ids, p.ID)
				if len(p.Through) == 0 {
					rt.Errorf("%s on %s: nothing explains %s", principal, c.Path, p.ID)
				}
			}
			if !slices.Equal(ids, truth) {
				rt.Errorf("%s on %s: %v, want %v", principal, c.Path, ids, truth)
			}
		}
	})
}
