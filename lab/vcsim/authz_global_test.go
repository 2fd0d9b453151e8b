package vcsim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	permissionsPath = "/api/vcenter/authorization/permissions"
	permissionsList = permissionsPath + "?action=list"
)

// nine is a vCenter 9.0 with users u1 to u3 in group g, which may do nothing yet.
func nine(t *testing.T) *VCenter {
	t.Helper()
	v := start(t, Options{Releases: []string{"9.0"}}).VCenters[0]
	enrolled(t, v)
	return v
}

func enrolled(t *testing.T, v *VCenter) {
	t.Helper()
	c := &Contents{Groups: []Group{{Name: "g@vsphere.local", Users: []string{"u1@vsphere.local", "u2@vsphere.local", "u3@vsphere.local"}}}}
	for i := range 3 {
		c.Users = append(c.Users, Account{Name: fmt.Sprintf("u%d@vsphere.local", i+1), Password: rigPassword})
	}
	if err := enrol(v.dir, c); err != nil {
		t.Fatal(err)
	}
}

func globally(t *testing.T, v *VCenter, principal string, group bool, role string, propagate bool) {
	t.Helper()
	if err := v.GrantGlobally(Permission{Principal: principal, Group: group, Role: role, Propagate: propagate}); err != nil {
		t.Fatal(err)
	}
}

// holds reports whether a user has a privilege on an object.
func holds(t *testing.T, v *VCenter, user, path, privilege string) bool {
	t.Helper()
	all, err := v.EffectivePrivileges(user+"@vsphere.local", path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Contains(all, privilege)
}

// api sends a request of a user's session.
func api(t *testing.T, v *VCenter, user, password string) func(method, path, body string) (int, string) {
	t.Helper()
	c := rest.NewClient(plain(t, v))
	if err := c.Login(t.Context(), url.UserPassword(user, password)); err != nil {
		t.Fatal(err)
	}
	return func(method, path, body string) (int, string) {
		code, answer := ask(t, v, method, path, func(r *http.Request) {
			r.Header.Set("vmware-api-session-id", c.SessionID())
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		})
		return code, string(answer)
	}
}

type page struct {
	Items []struct {
		Permission string
		Info       struct {
			Object    struct{ Type, ID string }
			Principal struct{ Type, Name, Domain string }
			Role      string
			Propagate bool `json:"propagating"`
		}
	}
	Marker string
}

func read(t *testing.T, code int, body string) (p page) {
	t.Helper()
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return p
}

func (p page) says() (all []string) {
	for _, i := range p.Items {
		all = append(all, fmt.Sprintf("%s %s %s\\%s %s %t", i.Info.Object.Type, i.Info.Principal.Type, i.Info.Principal.Domain, i.Info.Principal.Name, i.Info.Role, i.Info.Propagate))
	}
	slices.Sort(all)
	return all
}

// Below 9.0 global permissions work, and nothing tells them.
func TestR46BelowNine(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	enrolled(t, v)
	globally(t, v, "u1@vsphere.local", false, "Admin", true)
	if !holds(t, v, "u1", "/", "Folder.Create") {
		t.Error("it does nothing")
	}
	as := api(t, v, v.AdminUser(), v.AdminPassword())
	for method, path := range map[string]string{http.MethodPost: permissionsList, http.MethodGet: permissionsPath + "/x"} {
		if code, body := as(method, path, "{}"); code != http.StatusNotFound {
			t.Errorf("%s %s: %d %s", method, path, code, body)
		}
	}
}

// The older service tells them from 8.0.3 on, each with its principal and role, to those who may read them.
func TestR46Older(t *testing.T) {
	const path = "/rest/com/vmware/cis/authz/permission"
	lab := start(t, Options{VCenters: len(Releases()), Releases: Releases()})
	var with []string
	for _, v := range lab.VCenters {
		enrolled(t, v)
		globally(t, v, "u2@vsphere.local", false, "ReadOnly", false)
		as := api(t, v, v.AdminUser(), v.AdminPassword())
		code, body := as(http.MethodPost, path+"?~action=list-detail", "")
		if code == http.StatusNotFound {
			continue
		}
		with = append(with, v.Release())
		for _, want := range []string{
			`{"id":"username=VSPHERE.LOCAL\\u2;doc=urn:acl:global:permissions","resource_id":{"type":"PermissionFolder","id":"global-permission"},` +
				`"principal":{"type":"USER","user_name":"VSPHERE.LOCAL\\u2"},"role_id":["-2"],"propagate":false}`,
			`"principal":{"type":"GROUP","group_name":"VSPHERE.LOCAL\\Administrators"},"role_id":["-1"],"propagate":true}`,
		} {
			if code != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s: %d %s, want %s", v.Release(), code, body, want)
			}
		}
		_, ids := as(http.MethodGet, path, "")
		_, one := as(http.MethodGet, path+"/id:username=VSPHERE.LOCAL%5Cu2;doc=urn:acl:global:permissions", "")
		if !strings.Contains(ids, `"username=VSPHERE.LOCAL\\u2;doc=urn:acl:global:permissions"`) || !strings.Contains(one, `"role_id":["-2"]`) {
			t.Errorf("%s: %s, %s", v.Release(), ids, one)
		}
		if code, body := api(t, v, "u1@vsphere.local", rigPassword)(http.MethodPost, path+"?~action=list-detail", ""); code != http.StatusOK || strings.TrimSpace(body) != `{"value":[]}` {
			t.Errorf("%s: a reader: %d %s", v.Release(), code, body)
		}
	}
	if diff := cmp.Diff([]string{"8.0.3", "9.0"}, with); diff != "" {
		t.Error(diff)
	}
}

// A global permission that propagates reaches everything; one that does not counts for the global object alone.
func TestR46Effect(t *testing.T) {
	v := nine(t)
	globally(t, v, "u1@vsphere.local", false, "Admin", true)
	globally(t, v, "u2@vsphere.local", false, "Admin", false)
	globally(t, v, "g@vsphere.local", true, "ReadOnly", true) // an own permission beats that of a group
	for _, path := range []string{"/", v.Estate().Datacenters[0].Path, v.Estate().Datacenters[0].Datastores[0]} {
		if !holds(t, v, "u1", path, "Datastore.Browse") || holds(t, v, "u2", path, "Datastore.Browse") || holds(t, v, "u3", path, "Datastore.Browse") || !holds(t, v, "u3", path, "System.Read") {
			t.Errorf("%s: not what they hold", path)
		}
	}
	for _, user := range []string{"u1", "u2", "u3"} {
		if _, err := v.Login(ctx, user+"@vsphere.local", rigPassword); err != nil {
			t.Errorf("%s: %v", user, err)
		}
	}
}

// A nearer permission counts instead of a global one, be it of a group and be it less.
func TestR46Nearer(t *testing.T) {
	v := nine(t)
	globally(t, v, "u1@vsphere.local", false, "Admin", true)
	group := v.authz.principal("g@vsphere.local", true)
	if err := v.authz.setPermission(v.authz.root, group, -2, false); err != nil {
		t.Fatal(err)
	}
	if holds(t, v, "u1", "/", "Folder.Create") || !holds(t, v, "u1", "/", "System.Read") {
		t.Error("the one of the root folder does not count there")
	}
	if !holds(t, v, "u1", v.Estate().Datacenters[0].Path, "Datastore.Browse") {
		t.Error("one that does not propagate hides the global one below")
	}
}

// Tags are not below the root folder: a global permission counts for them where the root folder has less.
func TestR46Tags(t *testing.T) {
	v := nine(t)
	globally(t, v, "u1@vsphere.local", false, "Admin", true)
	globally(t, v, "u2@vsphere.local", false, "Admin", false)
	for _, user := range []string{"u1@vsphere.local", "u2@vsphere.local"} {
		if err := v.authz.setPermission(v.authz.root, v.authz.principal(user, false), -2, true); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tagger(t, v, "u1@vsphere.local", rigPassword).CreateCategory(ctx, &tags.Category{Name: "one", Cardinality: "SINGLE"}); err != nil {
		t.Error(err)
	}
	if _, err := tagger(t, v, "u2@vsphere.local", rigPassword).CreateCategory(ctx, &tags.Category{Name: "two", Cardinality: "SINGLE"}); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("by one that does not propagate: %v", err)
	}
}

// The lists of SOAP show one that propagates on the root folder, where it cannot be removed.
func TestR46LooksLocal(t *testing.T) {
	v := nine(t)
	globally(t, v, "u1@vsphere.local", false, "Admin", true)
	globally(t, v, "u2@vsphere.local", false, "Admin", false)
	m := object.NewAuthorizationManager(admin(t, v))
	dc, _ := v.find(v.Estate().Datacenters[0].Path)
	all, err := m.RetrieveAllPermissions(ctx)
	if err != nil {
		t.Fatal(err)
	}
	inherited, err := m.RetrieveEntityPermissions(ctx, dc, true)
	if err != nil {
		t.Fatal(err)
	}
	for what, list := range map[string][]types.Permission{"all": all, "inherited": inherited} {
		n := 0
		for _, p := range list {
			if v.model.Map().Get(*p.Entity) == nil || p.Principal == `VSPHERE.LOCAL\u2` {
				t.Errorf("%s: %+v", what, p)
			}
			if p.Principal == `VSPHERE.LOCAL\u1` && *p.Entity == v.authz.root && p.RoleId == adminRole && p.Propagate {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: it is listed %d times: %+v", what, n, list)
		}
	}
	wantFault[types.NotFound](t, m.RemoveEntityPermission(ctx, v.authz.root, `VSPHERE.LOCAL\u1`, false))
	if !holds(t, v, "u1", "/", "Folder.Create") {
		t.Error("it is gone")
	}
}

// Linked vCenters have the same global permissions, those with a role that they have.
func TestR40SharedGlobalPermissions(t *testing.T) {
	lab := start(t, Options{VCenters: 2, Linked: true})
	enrolled(t, lab.VCenters[0])
	if _, err := lab.VCenters[1].authz.addRole("only here", nil); err != nil {
		t.Fatal(err)
	}
	globally(t, lab.VCenters[1], "u1@vsphere.local", false, "Admin", true)
	globally(t, lab.VCenters[1], "u2@vsphere.local", false, "only here", true)
	got := []bool{}
	for _, v := range lab.VCenters {
		got = append(got, holds(t, v, "u1", "/", "Folder.Create"), holds(t, v, "u2", "/", "System.View"))
	}
	if !slices.Equal(got, []bool{true, false, true, true}) {
		t.Error(got)
	}
	alone := start(t, Options{VCenters: 2})
	enrolled(t, alone.VCenters[0])
	enrolled(t, alone.VCenters[1])
	globally(t, alone.VCenters[1], "u1@vsphere.local", false, "Admin", true)
	if holds(t, alone.VCenters[0], "u1", "/", "System.View") {
		t.Error("shared by vCenters that are not linked")
	}
}

// Contents have global permissions at the path global, and linked vCenters have them too.
func TestContentsWithGlobalPermissions(t *testing.T) {
	c := fullContents()
	c.Permissions = append(c.Permissions, Permission{Path: GlobalPath, Principal: `CORP\eve`, Role: "Plug-in", Propagate: true})
	v := start(t, Options{Estate: EstateOptions{Contents: []Contents{c}}}).VCenters[0]
	linked := start(t, Options{VCenters: 2, Linked: true, Estate: EstateOptions{Contents: []Contents{c, fullContents()}}}).VCenters[1]
	for _, v := range []*VCenter{v, linked} {
		if want := `global permission account CORP.EXAMPLE.COM\eve role "Plug-in" propagate true`; !strings.Contains(v.Snapshot(), want) {
			t.Errorf("%s: no %s", v.Server(), want)
		}
	}
}

// The list over REST tells global permissions from those of the inventory, and filters.
func TestR46List(t *testing.T) {
	v := nine(t)
	globally(t, v, "g@vsphere.local", true, "ReadOnly", true)
	globally(t, v, "u1@vsphere.local", false, "NoAccess", false)
	as := api(t, v, v.AdminUser(), v.AdminPassword())
	list := func(filter string) []string {
		code, body := as(http.MethodPost, permissionsList, `{"filter":`+filter+`}`)
		return read(t, code, body).says()
	}
	global := []string{
		`GlobalAcl GROUP VSPHERE.LOCAL\Administrators -1 true`, `GlobalAcl GROUP VSPHERE.LOCAL\g -2 true`,
		`GlobalAcl USER VSPHERE.LOCAL\Administrator -1 true`, `GlobalAcl USER VSPHERE.LOCAL\u1 -5 false`,
	}
	const acl = `"objects":[{"type":"GlobalAcl","id":"GlobalAcl"}]`
	for filter, want := range map[string][]string{
		`{` + acl + `}`:                        global,
		`{` + acl + `,"is_propagating":false}`: global[3:],
		`{` + acl + `,"roles":["-2","-5"]}`:    {global[1], global[3]},
		`{"principals":[{"type":"USER","name":"U1","domain":"vsphere.local"}]}`:  global[3:],
		`{"principals":[{"type":"GROUP","name":"u1","domain":"vsphere.local"}]}`: nil,
		`{"principals":[{"type":"USER","name":"u1"}]}`:                           nil, // localos
		`{"objects":[]}`: nil,
		`{"objects":[{"type":"ManagedEntity","id":"group-d1"}],"principals":[{"type":"USER","name":"Administrator","domain":"VSPHERE.LOCAL"}]}`: {`ManagedEntity USER VSPHERE.LOCAL\Administrator -1 true`},
	} {
		if diff := cmp.Diff(want, list(filter)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", filter, diff)
		}
	}
	if all := list("null"); len(all) <= len(global) || !slices.Contains(all, global[0]) {
		t.Errorf("all: %q", all)
	}
}

// Pages follow each other with nothing twice and nothing lost, and keep their filter.
func TestR46Pages(t *testing.T) {
	v := nine(t)
	for i := range 450 {
		name := fmt.Sprintf("many%d@vsphere.local", i)
		if err := exist(v.dir, name, false); err != nil {
			t.Fatal(err)
		}
		globally(t, v, name, false, "ReadOnly", true)
	}
	as := api(t, v, v.AdminUser(), v.AdminPassword())
	seen, request, last := map[string]bool{}, `{"filter":{"roles":["-2"]},"iterate":{"page_size":1000}}`, ""
	var sizes []int
	for {
		code, body := as(http.MethodPost, permissionsList, request)
		p := read(t, code, body)
		for _, i := range p.Items {
			if i.Info.Role != "-2" || seen[i.Permission] || i.Permission <= last {
				t.Errorf("%+v after %s", i, last)
			}
			seen[i.Permission], last = true, i.Permission
		}
		sizes = append(sizes, len(p.Items))
		if p.Marker == "" {
			break
		}
		request = fmt.Sprintf(`{"iterate":{"marker":%q}}`, p.Marker)
	}
	others := strings.Count(v.Snapshot(), `role "ReadOnly" propagate`) - 450
	if !slices.Equal(sizes, []int{200, 200, 50 + others}) {
		t.Error(sizes)
	}
}

// Global permissions are for those who have one that lets them read; one permission needs System.Read on its object.
func TestR46WhoSees(t *testing.T) {
	v := nine(t)
	globally(t, v, "u1@vsphere.local", false, "ReadOnly", false)
	if err := v.authz.setPermission(v.authz.root, v.authz.principal("u2@vsphere.local", false), adminRole, true); err != nil {
		t.Fatal(err)
	}
	globals := func(user string) (ids []string, others int) {
		code, body := api(t, v, user+"@vsphere.local", rigPassword)(http.MethodPost, permissionsList, "")
		for _, i := range read(t, code, body).Items {
			if i.Info.Object.Type == "GlobalAcl" {
				ids = append(ids, i.Permission)
			} else {
				others++
			}
		}
		return ids, others
	}
	ids, others := globals("u1")
	if len(ids) != 3 || others != 0 {
		t.Errorf("u1 sees %d and %d", len(ids), others)
	}
	if ids, others := globals("u2"); len(ids) != 0 || others == 0 {
		t.Errorf("u2 sees %d and %d", len(ids), others)
	}
	if ids, others := globals("u3"); len(ids)+others != 0 {
		t.Errorf("u3 sees %d and %d", len(ids), others)
	}
	for user, want := range map[string]int{"u1": http.StatusOK, "u2": http.StatusForbidden} {
		if code, body := api(t, v, user+"@vsphere.local", rigPassword)(http.MethodGet, permissionsPath+"/"+ids[0], ""); code != want {
			t.Errorf("%s: %d %s", user, code, body)
		}
	}
	if code, body := ask(t, v, http.MethodPost, permissionsList, nil); code != http.StatusUnauthorized {
		t.Errorf("nobody: %d %s", code, body)
	}
}

// Requests that no client sends are refused in the form of the API, and what is not simulated is 501.
func TestR46RefusesNonsense(t *testing.T) {
	v := nine(t)
	before := v.Snapshot()
	as := api(t, v, v.AdminUser(), v.AdminPassword())
	for _, tt := range []struct {
		method, path, body string
		code               int
	}{
		{http.MethodGet, permissionsPath, "", http.StatusNotFound},
		{http.MethodGet, permissionsPath + "/none", "", http.StatusNotFound},
		{http.MethodGet, permissionsPath + "/a/b", "", http.StatusNotFound},
		{http.MethodPost, permissionsPath, `{}`, http.StatusNotImplemented},
		{http.MethodPatch, permissionsPath + "/x", `{}`, http.StatusNotImplemented},
		{http.MethodDelete, permissionsPath + "/x", "", http.StatusNotImplemented},
		{http.MethodGet, "/api/vcenter/authorization/roles", "", http.StatusNotImplemented},
		{http.MethodPost, permissionsList, `{`, http.StatusBadRequest},
		{http.MethodPost, permissionsList, `[]`, http.StatusBadRequest},
		{http.MethodPost, permissionsList, `{"filter":[]}`, http.StatusBadRequest},
		{http.MethodPost, permissionsList, `{"filter":{"objects":"GlobalAcl"}}`, http.StatusBadRequest},
		{http.MethodPost, permissionsList, `{"filter":{"principals":[{"type":"ROBOT","name":"x"}]}}`, http.StatusBadRequest},
		{http.MethodPost, permissionsList, `{"iterate":{"page_size":0}}`, http.StatusBadRequest},
		{http.MethodPost, permissionsList, `{"iterate":{"page_size":-1}}`, http.StatusBadRequest},
		{http.MethodPost, permissionsList, `{"iterate":{"page_size":1e99}}`, http.StatusBadRequest},
		{http.MethodPost, permissionsList, `{"iterate":{"marker":"x"}}`, http.StatusBadRequest},
		{http.MethodPost, permissionsList, `{"iterate":{"marker":"00000000000000000000000000000000.zz"}}`, http.StatusBadRequest},
		{http.MethodPost, permissionsList, `{"iterate":{"marker":"00000000000000000000000000000000.00"}}`, http.StatusBadRequest},
		{http.MethodPost, permissionsList, `{"filter":{},"iterate":{"marker":"00000000000000000000000000000000.7b7d"}}`, http.StatusBadRequest},
		{http.MethodPost, permissionsList, `{"x":"` + strings.Repeat("x", 1<<21) + `"}`, http.StatusBadRequest},
	} {
		if code, body := as(tt.method, tt.path, tt.body); code != tt.code || !strings.Contains(body, `"error_type":"`) {
			t.Errorf("%s %s %.80s: %d %s", tt.method, tt.path, tt.body, code, body)
		}
	}
	if after := v.Snapshot(); after != before {
		t.Errorf("something stayed:\n%s", cmp.Diff(before, after))
	}
}
