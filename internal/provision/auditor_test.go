package provision_test

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/ssoadmin"
	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/sts"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// audited is a house whose accounts are made, and the account of an auditor that was made like any other, with a matrix.
func audited(t *testing.T, matrix string) (*house, credfile.Account) {
	t.Helper()
	// a release that tells nobody its global permissions
	h := open(t, start(t, vcsim.Options{VCenters: 2, Releases: []string{"8.0.1"}}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	auditors := open(t, h.lab, t.TempDir(), parse(t, strings.Replace(demoSpec, "cluster: cluster1", "cluster: audit\nprivileges: {matrix: "+matrix+"}\ncomponents: {auditor: {}}", 1)))
	auditors.mustApply(t)
	if v := auditors.verify(t); !v.Meets(strictly) || v.Summary.Accounts != 2 || v.Summary.Permissions != 2 || v.Summary.Unable > 0 {
		t.Fatalf("%+v\n%s", v.Summary, failing(v))
	}
	if p := auditors.plan(t); !p.Empty() {
		t.Fatal(text(p))
	}
	file, err := credfile.Open(auditors.path)
	if err != nil {
		t.Fatal(err)
	}
	a, ok := file.Get(h.spec.VCenters[0].Server, component.Auditor)
	if !ok {
		t.Fatal("no account of the auditor")
	}
	b, _ := file.Get(h.spec.VCenters[1].Server, component.Auditor)
	h.o.Request.Looking = true
	h.o.Admin = func(ctx context.Context, s *vcenter.Session) error {
		if s.Server == h.spec.VCenters[0].Server {
			return s.Login(ctx, a.User, a.Password)
		}
		return s.Login(ctx, b.User, b.Password)
	}
	return h, a
}

// asAdministrator is the same house with the administrator's login.
func asAdministrator(h *house) *house {
	admin := *h
	admin.o.Admin = func(ctx context.Context, s *vcenter.Session) error {
		v := h.lab.VCenter(s.Server)
		return s.Login(ctx, v.AdminUser(), secret.New(v.AdminPassword()))
	}
	return &admin
}

// looked is everything that looking gives, by what it is: as JSON, so that nothing is overlooked.
func looked(t *testing.T, h *house) map[string]string {
	t.Helper()
	ctx := context.Background()
	all := map[string]string{}
	say := func(what string, v any) {
		data, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		all[what] = string(data)
	}
	say("plan", reads(t, h, "", func(j *provision.Job) *plan.Plan { return j.Plan(ctx) }))
	say("verify", reads(t, h, "", func(j *provision.Job) *verify.Result { return j.Verify(ctx) }))
	say("roles list", reads(t, h, plan.Role, func(j *provision.Job) *inspect.RoleList { return j.Roles(ctx, true) }))
	say("roles diff", reads(t, h, plan.Role, func(j *provision.Job) *inspect.RolesDiff { return j.DiffRoles(ctx, false) }))
	say("permissions list", reads(t, h, plan.Permission, func(j *provision.Job) *inspect.PermissionList {
		return j.Permissions(ctx, inspect.PermissionQuery{All: true})
	}))
	say("permissions check", reads(t, h, plan.Permission, func(j *provision.Job) *inspect.PermissionCheck {
		return j.Check(ctx, inspect.CheckQuery{Component: component.CSIDriver, Objects: []string{"/DC1/datastore/ds1"}})
	}))
	say("users list", reads(t, h, plan.User, func(j *provision.Job) *inspect.UserList { return j.Users(ctx, provision.UserQuery{}) }))
	say("catalogues", reads(t, h, "", func(j *provision.Job) []provision.Catalogue { return j.Catalogues(ctx) }))
	return all
}

// tamper changes behind the back of everybody what looking has to find.
func tamper(t *testing.T, h *house) {
	t.Helper()
	h.setRole(t, 0, dsRole, "Datastore.Browse", "Datastore.FileManagement")
	v := h.lab.VCenters[0]
	c, err := v.Login(t.Context(), v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	root := c.ServiceContent.RootFolder
	if err := authz(c).RemoveEntityPermission(t.Context(), root, "ocp-cluster1-diagnostics@vsphere.local", false); err != nil {
		t.Fatal(err)
	}
	if err := authz(c).SetEntityPermissions(t.Context(), root, []types.Permission{{Principal: "ocp-cluster1-installer@vsphere.local", RoleId: -2, Propagate: true}}); err != nil {
		t.Fatal(err)
	}
}

// An account of matrix auditor gets the answers that the administrator gets, to all that is asked for when nothing is changed: where SSO
// lets it see the accounts all of them, and else all but what it says that it could not see.
func TestAuditorSeesWhatTheAdministratorSees(t *testing.T) {
	t.Parallel()
	for _, matrix := range []string{"auditor"} {
		h, _ := audited(t, matrix)
		for _, state := range []string{"as it should be", "disturbed"} {
			if state == "disturbed" {
				tamper(t, h)
			}
			want := looked(t, asAdministrator(h))
			got := looked(t, h)
			got["permissions list"] = resolved(t, got["permissions list"], want["permissions list"])
			for _, what := range []string{"roles list", "roles diff", "permissions list", "catalogues"} {
				if d := cmp.Diff(unsaid(want[what]), unsaid(got[what])); d != "" {
					t.Errorf("%s, %s (-administrator +auditor):\n%s", state, what, d)
				}
			}
			var wanted, had plan.Plan
			for text, p := range map[string]*plan.Plan{want["plan"]: &wanted, got["plan"]: &had} {
				if err := json.Unmarshal([]byte(text), p); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(changesIn(t, want["plan"]), changesIn(t, got["plan"])); d != "" {
				t.Errorf("%s, plan (-administrator +auditor):\n%s", state, d)
			}
			if !slices.Equal(had.Incomplete, []string{"vcenter1.example.com", "vcenter2.example.com"}) || len(had.Findings) != len(wanted.Findings)+1 {
				t.Errorf("%s: incomplete %v, findings %d and %d", state, had.Incomplete, len(wanted.Findings), len(had.Findings))
			}
			if n := strings.Count(got["plan"], "may not administer SSO"); n != 1 {
				t.Errorf("%s: said %d times that the accounts were not read", state, n)
			}

			for _, v := range h.lab.VCenters {
				if _, err := v.Directory().SetRole("ocp-audit-auditor", directory.RegularUser); err != nil {
					t.Fatal(err)
				}
			}
			for what, seen := range looked(t, h) {
				if what == "users list" || what == "verify" { // days until expiry are an administrator's to ask
					seen, want[what] = daysless(seen), daysless(want[what])
				}
				if d := cmp.Diff(want[what], seen); d != "" {
					t.Errorf("%s, as RegularUser, %s (-administrator +auditor):\n%s", state, what, d)
				}
			}
			for _, v := range h.lab.VCenters {
				if _, err := v.Directory().SetRole("ocp-audit-auditor", directory.GuestUser); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// unsaid is a report without the notes that accounts were not read.
func unsaid(report string) string {
	var kept []string
	for _, line := range strings.Split(report, "\n") {
		if !strings.Contains(line, "may not administer SSO") {
			kept = append(kept, line)
		}
	}
	s := strings.Join(kept, "\n")
	return strings.ReplaceAll(s, "\"error\": \"\",\n   \"notes\": [\n   ],", "\"error\": \"\",")
}

// resolved is a list of permissions with what another one knows of those of which it says that it does not know it.
func resolved(t *testing.T, list, known string) string {
	t.Helper()
	var l, k inspect.PermissionList
	for text, of := range map[string]*inspect.PermissionList{list: &l, known: &k} {
		if err := json.Unmarshal([]byte(text), of); err != nil {
			t.Fatal(err)
		}
	}
	unknown := 0
	for i, v := range l.VCenters {
		for n, p := range v.Permissions {
			if p.State == inspect.PermissionUnknown {
				v.Permissions[n].State, v.Permissions[n].Component = k.VCenters[i].Permissions[n].State, k.VCenters[i].Permissions[n].Component
				unknown++
			}
		}
	}
	if unknown == 0 {
		t.Error("whose permissions are those of accounts that were not read?")
	}
	return told(t, l)
}

// daysless is a report without the days that are left, and who says so.
func daysless(report string) string {
	var kept []string
	for _, line := range strings.Split(report, "\n") {
		if !strings.Contains(line, `"daysLeft"`) && !strings.Contains(line, `"source"`) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// changesIn is what a plan changes.
func changesIn(t *testing.T, text string) []any {
	t.Helper()
	var p struct{ VCenters []any }
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return p.VCenters
}

// Without the passwords of the accounts a reader computes what they may do, and says no more than that: the same that a login shows.
func TestAuditorComputes(t *testing.T) {
	t.Parallel()
	h, _ := audited(t, "default")
	tamper(t, h)
	proved := asAdministrator(h).verify(t)
	h.path = t.TempDir() + "/none"
	v := h.verify(t)
	if v.Summary.Computed != v.Summary.Unverified || v.Summary.Failed != proved.Summary.Failed || v.Summary.Missing != proved.Summary.Missing || v.Summary.Excess != proved.Summary.Excess {
		t.Errorf("computed %+v\nproved %+v", v.Summary, proved.Summary)
	}
	for i, vc := range v.VCenters {
		for k, a := range vc.Accounts {
			b := proved.VCenters[i].Accounts[k]
			if a.Login != verify.LoginComputed || b.Login != login.OK {
				t.Errorf("%s: %s, %s", a.Principal, a.Login, b.Login)
			}
			if d := cmp.Diff(told(t, b.Objects), told(t, a.Objects)); d != "" {
				t.Errorf("%s on %s (-proved +computed):\n%s", a.Principal, vc.Server, d)
			}
		}
		if d := cmp.Diff(proved.VCenters[i].Preflight, vc.Preflight); d != "" {
			t.Error(d)
		}
	}
}

// told is a value as JSON.
func told(t *testing.T, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// An account of matrix auditor changes nothing: no call that this tool makes to change something is granted to it, it holds no privilege
// beyond those of every role on any object, and a plan of it is the same afterwards.
func TestAuditorChangesNothing(t *testing.T) {
	t.Parallel()
	h, a := audited(t, "auditor")
	before := h.snapshot()
	v := h.lab.VCenters[0]
	c, err := v.Login(t.Context(), a.User, a.Password.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	root, m := c.ServiceContent.RootFolder, authz(c)
	roles, err := m.RoleList(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	role := roles.ByName(dsRole)
	const csi = "ocp-cluster1-csi-driver@vsphere.local"
	refused := func(what string, err error) {
		t.Helper()
		if !fault.Is(err, &types.NoPermission{}) {
			t.Errorf("%s: %v", what, err)
		}
	}
	ctx := t.Context()
	_, err = m.AddRole(ctx, "mine", []string{"Datastore.Browse"})
	refused("add role", err)
	refused("update role", m.UpdateRole(ctx, role.RoleId, role.Name, []string{"Datastore.Browse"}))
	refused("remove role", m.RemoveRole(ctx, role.RoleId, true))
	refused("set permission", m.SetEntityPermissions(ctx, root, []types.Permission{{Principal: a.User, RoleId: -2, Propagate: true}}))
	refused("make administrator", m.SetEntityPermissions(ctx, root, []types.Permission{{Principal: a.User, RoleId: -1, Propagate: true}}))
	refused("remove permission", m.RemoveEntityPermission(ctx, root, csi, false))
	_, err = methods.ResetEntityPermissions(ctx, c, &types.ResetEntityPermissions{This: m.Reference(), Entity: root})
	refused("reset permissions", err)
	_, err = methods.MergePermissions(ctx, c, &types.MergePermissions{This: m.Reference(), SrcRoleId: role.RoleId, DstRoleId: -2})
	refused("merge permissions", err)
	_, err = object.NewFolder(c, root).CreateFolder(ctx, "mine")
	refused("create folder", err)
	_, err = methods.TerminateSession(ctx, c, &types.TerminateSession{This: *c.ServiceContent.SessionManager, SessionId: []string{"x"}})
	refused("terminate session", err)
	holdsNothing(t, c)
	changesNoAccount(t, c, a, csi, refused)
	if d := cmp.Diff(before, h.snapshot()); d != "" {
		t.Errorf("an auditor changed something:\n%s", d)
	}
}

// holdsNothing asks the vCenter what the session's account holds, on every object.
func holdsNothing(t *testing.T, c *vim25.Client) {
	t.Helper()
	all, err := view.NewManager(c).CreateContainerView(t.Context(), c.ServiceContent.RootFolder, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	refs, err := all.Find(t.Context(), nil, nil)
	if err != nil || len(refs) < 20 {
		t.Fatalf("%d objects: %v", len(refs), err)
	}
	res, err := methods.FetchUserPrivilegeOnEntities(t.Context(), c, &types.FetchUserPrivilegeOnEntities{
		This: *c.ServiceContent.AuthorizationManager, UserName: `VSPHERE.LOCAL\ocp-audit-auditor`, Entities: append(refs, c.ServiceContent.RootFolder),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range res.Returnval {
		if !slices.Equal(r.Privileges, []string{"System.Anonymous", "System.Read", "System.View"}) {
			t.Errorf("%s: %v", r.Entity, r.Privileges)
		}
	}
}

// changesNoAccount tries what this tool does about accounts, with the account of an auditor.
func changesNoAccount(t *testing.T, c *vim25.Client, a credfile.Account, csi string, refused func(string, error)) {
	t.Helper()
	ctx := t.Context()
	tokens, err := sts.NewClient(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	token, err := tokens.Issue(ctx, sts.TokenRequest{Userinfo: url.UserPassword(a.User, a.Password.Reveal())})
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssoadmin.NewClient(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Login(s.WithHeader(ctx, soap.Header{Security: token})); err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(csi, "@")
	id := ssotypes.PrincipalId{Name: name, Domain: "vsphere.local"}
	people := s.ServiceContent.PrincipalManagementService
	refused("create account", s.CreatePersonUser(ctx, "mine", ssotypes.AdminPersonDetails{}, "Passw0rd!mine"))
	refused("delete account", s.DeletePrincipal(ctx, name))
	refused("reset password", s.ResetPersonPassword(ctx, name, "Passw0rd!mine"))
	refused("change description", s.UpdatePersonUser(ctx, name, ssotypes.AdminPersonDetails{Description: "mine"}))
	refused("join Administrators", s.AddUsersToGroup(ctx, "Administrators", ssotypes.PrincipalId{Name: "ocp-audit-auditor", Domain: "vsphere.local"}))
	_, err = s.SetRole(ctx, ssotypes.PrincipalId{Name: "ocp-audit-auditor", Domain: "vsphere.local"}, "Administrator")
	refused("set SSO role", err)
	_, err = ssomethods.DisableUserAccount(ctx, s, &ssotypes.DisableUserAccount{This: people, UserId: id})
	refused("disable account", err)
	_, err = ssomethods.EnableUserAccount(ctx, s, &ssotypes.EnableUserAccount{This: people, UserId: id})
	refused("enable account", err)
}
