package vcsim

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// tagger is govmomi's client of the REST API, logged in.
func tagger(t *testing.T, v *VCenter, user, password string) *tags.Manager {
	t.Helper()
	c := rest.NewClient(plain(t, v))
	if err := c.Login(t.Context(), url.UserPassword(user, password)); err != nil {
		t.Fatal(err)
	}
	return tags.NewManager(c)
}

// account makes one that has privileges on an object and below.
func account(t *testing.T, v *VCenter, name string, on types.ManagedObjectReference, privileges ...string) {
	t.Helper()
	if _, known := v.dir.User(name + "@vsphere.local"); !known {
		if err := v.dir.AddUser(name, rigPassword, directory.Details{}); err != nil {
			t.Fatal(err)
		}
	}
	role, err := v.authz.addRole(name+"-on-"+on.Value, privileges)
	if err != nil {
		t.Fatal(err)
	}
	p, err := v.dir.Lookup(name+"@vsphere.local", false)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.authz.setPermission(on, p, role, true); err != nil {
		t.Fatal(err)
	}
}

// A session of the older form, which every release of govmomi uses: header and cookie, and the end that comes with its account.
func TestRESTSessionOfGovmomi(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	account(t, v, "mapi", v.authz.root, "System.View")
	c := rest.NewClient(plain(t, v))
	if err := c.Login(t.Context(), url.UserPassword("mapi@vsphere.local", "wrong")); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("a wrong password: %v", err)
	}
	if err := c.Login(t.Context(), url.UserPassword("mapi@vsphere.local", rigPassword)); err != nil {
		t.Fatal(err)
	}
	session, err := c.Session(t.Context())
	if err != nil || session == nil || session.User != "mapi@vsphere.local" {
		t.Fatalf("%+v, %v", session, err)
	}
	token := c.SessionID()
	for form, with := range map[string]func(*http.Request){
		"header": func(r *http.Request) { r.Header.Set("vmware-api-session-id", token) },
		"cookie": func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "vmware-api-session-id", Value: token}) },
	} {
		for _, path := range []string{"/api/session", "/rest/com/vmware/cis/session?~action=get"} {
			method := http.MethodGet
			if strings.HasPrefix(path, "/rest") {
				method = http.MethodPost
			}
			if code, body := ask(t, v, method, path, with); code != http.StatusOK || !strings.Contains(string(body), "mapi@vsphere.local") {
				t.Errorf("%s, %s: %d %s", form, path, code, body)
			}
		}
	}
	if n := v.RESTSessions("mapi@vsphere.local"); n != 1 {
		t.Errorf("%d sessions", n)
	}
	if err := v.dir.SetDisabled("mapi@vsphere.local", true); err != nil {
		t.Fatal(err)
	}
	if session, err := c.Session(t.Context()); session != nil || err != nil { // 401 is no session for govmomi
		t.Errorf("of a disabled account: %+v, %v", session, err)
	}
}

// What exists and is not simulated is 501, what does not exist 404, each in the form of its path.
func TestRESTErrorForms(t *testing.T) {
	v := start(t, Options{Releases: []string{"7.0.3"}}).VCenters[0]
	c := rest.NewClient(plain(t, v))
	if err := c.Login(t.Context(), url.UserPassword(v.AdminUser(), v.AdminPassword())); err != nil {
		t.Fatal(err)
	}
	with := func(r *http.Request) { r.Header.Set("vmware-api-session-id", c.SessionID()) }
	for _, tt := range []struct {
		path string
		with func(*http.Request)
		code int
		body string
	}{
		{"/rest/com/vmware/content/library", with, http.StatusNotImplemented, `"type":"com.vmware.vapi.std.errors.unimplemented"`},
		{"/api/content/library", with, http.StatusNotImplemented, `"error_type":"UNIMPLEMENTED"`},
		{"/api/content/library", nil, http.StatusUnauthorized, `"error_type":"UNAUTHENTICATED"`},
		{"/rest/com/vmware/cis/tagging/category", nil, http.StatusUnauthorized, `"type":"com.vmware.vapi.std.errors.unauthenticated"`},
		{"/api/vcenter/authorization/privilege-checks", with, http.StatusNotFound, `"error_type":"NOT_FOUND"`}, // since 8.0
		{"/api/none/such", with, http.StatusNotFound, `"error_type":"NOT_FOUND"`},
		{"/rest/none/such", with, http.StatusNotFound, `"type":"com.vmware.vapi.std.errors.not_found"`},
		{"/rest/com/vmware/cis/tagging/category/id:openshift-x", with, http.StatusNotFound, `"value":{"messages":[{"args":[],"default_message":`},
	} {
		if code, body := ask(t, v, http.MethodGet, tt.path, tt.with); code != tt.code || !strings.Contains(string(body), tt.body) {
			t.Errorf("%s: %d %s", tt.path, code, body)
		}
	}
}

// The life of categories and tags, and what each step needs.
func TestTagging(t *testing.T) {
	lab := start(t, Options{})
	v, ctx := lab.VCenters[0], t.Context()
	admin := tagger(t, v, v.AdminUser(), v.AdminPassword())
	client, err := v.Login(ctx, v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	finder := finding.NewFinder(client)
	dc, err := finder.DefaultDatacenter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	finder.SetDatacenter(dc)
	stores, err := finder.DatastoreList(ctx, "*")
	if err != nil {
		t.Fatal(err)
	}
	store := stores[0].Reference()

	category, err := admin.CreateCategory(ctx, &tags.Category{Name: "openshift-c1", Cardinality: "SINGLE", AssociableTypes: []string{"urn:vim25:Datastore"}})
	if err != nil || !strings.HasPrefix(category, "urn:vmomi:InventoryServiceCategory:") {
		t.Fatalf("%q, %v", category, err)
	}
	if _, err := admin.CreateCategory(ctx, &tags.Category{Name: "openshift-c1", Cardinality: "SINGLE"}); err == nil || !strings.Contains(err.Error(), "already_exists") {
		t.Errorf("again: %v", err)
	}
	// what it is for can grow, not shrink; the operator of the CSI driver sends the same on every sync
	if err := admin.UpdateCategory(ctx, &tags.Category{ID: category, Name: "openshift-c1", AssociableTypes: []string{"urn:vim25:Datastore", "urn:vim25:StoragePod"}}); err != nil {
		t.Errorf("a type more: %v", err)
	}
	if err := admin.UpdateCategory(ctx, &tags.Category{ID: category, Name: "openshift-c1", AssociableTypes: []string{"StoragePod"}}); err == nil || !strings.Contains(err.Error(), "invalid_argument") {
		t.Errorf("a type less: %v", err)
	}
	found, err := admin.GetCategory(ctx, "openshift-c1") // by its name
	if err != nil || found.ID != category || len(found.AssociableTypes) != 2 {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := admin.GetCategory(ctx, "openshift-c2"); err == nil || !strings.HasSuffix(err.Error(), "404 Not Found") { // which machine-api looks for
		t.Errorf("none such: %v", err)
	}
	one, err := admin.CreateTag(ctx, &tags.Tag{Name: "one", CategoryID: category})
	if err != nil {
		t.Fatal(err)
	}
	two, err := admin.CreateTag(ctx, &tags.Tag{Name: "two", CategoryID: category, Description: "second"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := admin.CreateTag(ctx, &tags.Tag{Name: "two", CategoryID: category}); err == nil || !strings.Contains(err.Error(), "already_exists") {
		t.Errorf("again: %v", err)
	}
	if _, err := admin.CreateTag(ctx, &tags.Tag{Name: "three", CategoryID: "urn:none"}); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("in no category: %v", err)
	}
	for range 2 { // twice is no error
		if err := admin.AttachTag(ctx, one, store); err != nil {
			t.Fatal(err)
		}
	}
	if err := admin.AttachTag(ctx, two, store); err == nil || !strings.Contains(err.Error(), "400") {
		t.Errorf("a second one of a category for one: %v", err)
	}
	if err := admin.AttachTag(ctx, one, dc.Reference()); err == nil || !strings.Contains(err.Error(), "400") {
		t.Errorf("on a type that it is not for: %v", err)
	}
	if err := admin.AttachTag(ctx, one, types.ManagedObjectReference{Type: "Datastore", Value: "none"}); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("on nothing: %v", err)
	}
	if list, err := admin.GetTagsForCategory(ctx, category); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	if on, err := admin.GetAttachedTagsOnObjects(ctx, []mo.Reference{store, dc.Reference(), store}); err != nil || len(on) != 1 || len(on[0].Tags) != 1 {
		t.Errorf("%+v, %v", on, err)
	}
	if on, err := admin.ListAttachedObjects(ctx, one); err != nil || len(on) != 1 || on[0].Reference() != store {
		t.Errorf("%v, %v", on, err)
	}

	if on, err := admin.GetAttachedObjectsOnTags(ctx, []string{one, two}); err != nil || len(on) != 2 || len(on[0].ObjectIDs) != 1 || on[0].ObjectIDs[0].Reference() != store || len(on[1].ObjectIDs) != 0 {
		t.Errorf("%+v, %v", on, err)
	}

	// each needs its privilege
	account(t, v, "nothing", v.authz.root, "System.View")
	nobody := tagger(t, v, "nothing@vsphere.local", rigPassword)
	account(t, v, "outside", dc.Reference(), "InventoryService.Tagging.ObjectAttachable")
	outside := tagger(t, v, "outside@vsphere.local", rigPassword)
	account(t, v, "attaching", v.authz.root, "InventoryService.Tagging.AttachTag")
	attaching := tagger(t, v, "attaching@vsphere.local", rigPassword)
	for what, err := range map[string]error{
		"create a category":           second(nobody.CreateCategory(ctx, &tags.Category{Name: "x", Cardinality: "SINGLE"})),
		"update a category":           nobody.UpdateCategory(ctx, found),
		"delete a category":           nobody.DeleteCategory(ctx, found),
		"create a tag":                second(nobody.CreateTag(ctx, &tags.Tag{Name: "x", CategoryID: category})),
		"update a tag":                nobody.UpdateTag(ctx, &tags.Tag{ID: one, Name: "x", CategoryID: category}),
		"delete a tag":                nobody.DeleteTag(ctx, &tags.Tag{ID: one}),
		"attach":                      nobody.AttachTag(ctx, one, store),
		"detach":                      nobody.DetachTag(ctx, one, store),
		"attach without AttachTag":    outside.AttachTag(ctx, one, store),
		"attach to what it may not":   attaching.AttachTag(ctx, one, store),
		"read tags of an object":      second(tagger(t, v, "outside@vsphere.local", rigPassword).ListAttachedTags(ctx, v.authz.root)),
		"list objects outside of all": second(outside.ListAttachedObjects(ctx, one)),
		"the same of several tags":    second(outside.ListAttachedObjectsOnTags(ctx, []string{one})),
	} {
		if err == nil || !strings.Contains(err.Error(), "403") {
			t.Errorf("%s: %v", what, err)
		}
	}
	account(t, v, "attaching", store, "InventoryService.Tagging.ObjectAttachable")
	if err := attaching.DetachTag(ctx, one, store); err != nil {
		t.Errorf("detach with both: %v", err)
	}
	if err := attaching.AttachTag(ctx, two, store); err != nil {
		t.Errorf("attach with both: %v", err)
	}

	// a category takes its tags along, and these leave the objects
	if err := admin.DeleteCategory(ctx, found); err != nil {
		t.Fatal(err)
	}
	if list, err := admin.ListTags(ctx); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if on, err := admin.ListAttachedTags(ctx, store); err != nil || len(on) != 0 {
		t.Errorf("%v, %v", on, err)
	}
}

// Requests that no client sends are refused, and nothing of them stays.
func TestTaggingRefusesNonsense(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := rest.NewClient(plain(t, v))
	if err := c.Login(t.Context(), url.UserPassword(v.AdminUser(), v.AdminPassword())); err != nil {
		t.Fatal(err)
	}
	const tagging = "/com/vmware/cis/tagging/"
	for _, tt := range []struct{ method, path, body string }{
		{http.MethodPost, "category", ""},
		{http.MethodPost, "category", "{"},
		{http.MethodPost, "category", "[]"},
		{http.MethodPost, "category", "{}"},
		{http.MethodPost, "category", `{"create_spec":{"name":"","cardinality":"SINGLE"}}`},
		{http.MethodPost, "category", `{"create_spec":{"name":"x","cardinality":"SOME"}}`},
		{http.MethodPost, "category", `{"create_spec":{"name":"x","cardinality":"SINGLE","associable_types":"all"}}`},
		{http.MethodPost, "category", strings.Repeat("x", 1<<21)},
		{http.MethodPatch, "category/id:x", "{}"},
		{http.MethodPost, "tag", `{"create_spec":{"category_id":"x"}}`},
		{http.MethodPatch, "tag/id:x", "null"},
		{http.MethodPost, "tag-association/id:x?~action=attach", "{}"},
		{http.MethodPost, "tag-association/id:x?~action=explode", "{}"},
		{http.MethodPost, "tag-association?~action=list-attached-tags", `{"object_id":{"type":"Datastore"}}`},
		{http.MethodPost, "tag-association?~action=list-attached-tags-on-objects", `{"object_ids":{}}`},
		{http.MethodDelete, "tag", ""},
	} {
		code, body := ask(t, v, tt.method, "/rest"+tagging+tt.path, func(r *http.Request) {
			r.Header.Set("vmware-api-session-id", c.SessionID())
			r.Body, r.ContentLength = http.NoBody, 0
			if tt.body != "" {
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader(tt.body)), int64(len(tt.body))
			}
		})
		if !slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusNotImplemented}, code) || !strings.Contains(string(body), "com.vmware.vapi.std.errors.") {
			t.Errorf("%s %s %.60s: %d %s", tt.method, tt.path, tt.body, code, body)
		}
	}
	if list, err := tags.NewManager(c).ListCategories(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	code, body := ask(t, v, http.MethodPost, "/rest"+tagging+"tag-association?~action=list-attached-tags", func(r *http.Request) {
		r.Header.Set("vmware-api-session-id", c.SessionID())
		r.Body = io.NopCloser(strings.NewReader(`{"object_id":{"type":"Folder","id":"group-d1"}}`))
	})
	if code != http.StatusOK || strings.TrimSpace(string(body)) != `{"value":[]}` {
		t.Errorf("no tags: %d %s", code, body)
	}
}

func second[T any](_ T, err error) error { return err }

// What the REST API looks for is recorded with the names of its operations.
func TestRESTIsRecorded(t *testing.T) {
	var got []string
	lab := start(t, Options{Record: func(r Record) {
		if r.Service == "rest" {
			got = append(got, fmt.Sprint(r.Method, " ", r.Principal, " ", r.Object, " ", r.Privilege, " ", r.Verdict))
		}
	}})
	v := lab.VCenters[0]
	m := tagger(t, v, v.AdminUser(), v.AdminPassword())
	if _, err := m.CreateCategory(t.Context(), &tags.Category{Name: "c", Cardinality: "SINGLE"}); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(got, "com.vmware.cis.tagging.category.create VSPHERE.LOCAL\\Administrator / InventoryService.Tagging.CreateCategory held") {
		t.Errorf("%q", got)
	}
}

// What SOAP and REST looked for is told to who may collect it, and by releases that have it.
func TestPrivilegeChecks(t *testing.T) {
	lab := start(t, Options{VCenters: 2, Releases: []string{"8.0.3", "7.0.3"}})
	v, ctx := lab.VCenters[0], t.Context()
	account(t, v, "mapi", v.authz.root, "InventoryService.Tagging.CreateCategory")
	client, err := v.Login(ctx, "mapi@vsphere.local", rigPassword)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tagger(t, v, "mapi@vsphere.local", rigPassword).CreateCategory(ctx, &tags.Category{Name: "c", Cardinality: "SINGLE"}); err != nil {
		t.Fatal(err)
	}
	if _, err := methods.CreateFolder(ctx, client, &types.CreateFolder{This: v.authz.root, Name: "x"}); err == nil {
		t.Fatal("made a folder")
	}
	with := func(v *VCenter, user, password, body string) func(*http.Request) {
		c := rest.NewClient(plain(t, v))
		if err := c.Login(ctx, url.UserPassword(user, password)); err != nil {
			t.Fatal(err)
		}
		return func(r *http.Request) {
			r.Header.Set("vmware-api-session-id", c.SessionID())
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		}
	}
	const path = "/api/vcenter/authorization/privilege-checks"
	code, body := ask(t, v, http.MethodPost, path+"?action=list", with(v, v.AdminUser(), v.AdminPassword(), `{"filter":{"principals":[{"name":"mapi","domain":"vsphere.local"}]}}`))
	for _, want := range []string{
		`{"object":{"type":"Folder","id":"group-d1"},"principal":{"name":"mapi","domain":"VSPHERE.LOCAL"},"privilege":"InventoryService.Tagging.CreateCategory"}`,
		`"privilege":"Folder.Create"`, `"truncated":false`,
	} {
		if code != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %s", want, code, body)
		}
	}
	if strings.Contains(string(body), "Administrator") {
		t.Errorf("others: %s", body)
	}
	code, body = ask(t, v, http.MethodGet, path+"/latest", with(v, v.AdminUser(), v.AdminPassword(), ""))
	marker := strings.Trim(string(body), "\"\n")
	if code != http.StatusOK || marker == "" {
		t.Fatalf("%d %s", code, body)
	}
	code, body = ask(t, v, http.MethodPost, path+"?action=list&marker="+marker+"&size=1", with(v, v.AdminUser(), v.AdminPassword(), ""))
	if code != http.StatusOK || !strings.HasPrefix(string(body), `{"items":[],`) {
		t.Errorf("behind the newest: %d %s", code, body)
	}
	for _, query := range []string{"&marker=x", "&marker=99999", "&size=0", "&end_marker=-1"} {
		if code, body := ask(t, v, http.MethodPost, path+"?action=list"+query, with(v, v.AdminUser(), v.AdminPassword(), "")); code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", query, code, body)
		}
	}
	if code, body := ask(t, v, http.MethodPost, path+"?action=list", with(v, "mapi@vsphere.local", rigPassword, "")); code != http.StatusForbidden {
		t.Errorf("without the privilege: %d %s", code, body)
	}
	old := lab.VCenters[1]
	if code, body := ask(t, old, http.MethodPost, path+"?action=list", with(old, old.AdminUser(), old.AdminPassword(), "")); code != http.StatusNotFound {
		t.Errorf("on 7.0.3: %d %s", code, body)
	}
}
