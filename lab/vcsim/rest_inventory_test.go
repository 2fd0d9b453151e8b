package vcsim

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/vapi/rest"
)

// listedContents has one object of each kind that the REST API lists, and more.
func listedContents() Contents {
	return Contents{Objects: []Object{
		{Path: "/DC", Type: "Datacenter"},
		{Path: "/other", Type: "Folder"},
		{Path: "/other/DC2", Type: "Datacenter"},
		{Path: "/DC/host/a", Type: "ClusterComputeResource", Hosts: []string{"esx1.example.com"}},
		{Path: "/DC/host/alone.example.com", Type: "ComputeResource"},
		{Path: "/DC/host/a/Resources/p", Type: "ResourcePool"},
		{Path: "/DC/datastore/ds", Type: "Datastore"},
		{Path: "/DC/network/net", Type: "Network"},
		{Path: "/DC/network/sw", Type: "DistributedVirtualSwitch"},
		{Path: "/DC/network/group", Type: "DistributedVirtualPortgroup", Switch: "/DC/network/sw"},
		{Path: "/DC/vm/f", Type: "Folder"},
		{Path: "/DC/vm/f/g", Type: "Folder"},
		{Path: "/DC/vm/f/m", Type: "VirtualMachine", Pool: "/DC/host/a/Resources/p"},
		{Path: "/DC/vm/f/g/n", Type: "VirtualMachine", Pool: "/DC/host/alone.example.com/Resources"},
		{Path: "/DC/vm/f/t", Type: "VirtualMachine", Template: true, Pool: "/DC/host/a/Resources/p"},
	}}
}

// restAs gives the header of a session of the REST API.
func restAs(t *testing.T, v *VCenter, user, password string) func(*http.Request) {
	t.Helper()
	c := rest.NewClient(plain(t, v))
	if err := c.Login(t.Context(), url.UserPassword(user, password)); err != nil {
		t.Fatal(err)
	}
	return func(r *http.Request) { r.Header.Set("vmware-api-session-id", c.SessionID()) }
}

// Lists of the inventory have what matches their filter, in both forms of the API.
func TestRESTInventory(t *testing.T) {
	v := start(t, Options{Estate: EstateOptions{Contents: []Contents{listedContents()}}}).VCenters[0]
	f, with := finding.NewFinder(admin(t, v)), restAs(t, v, v.AdminUser(), v.AdminPassword())
	id := func(path string) string {
		t.Helper()
		return must(f.ManagedObjectList(t.Context(), path))[0].Object.Reference().Value
	}
	for _, tt := range []struct{ path, want string }{
		{"datacenter", "DC DC2"},
		{"datacenter?names=DC2&names=x", "DC2"},
		{"datacenter?folders=" + id("/other"), "DC2"},
		{"datacenter?datacenters=" + id("/DC"), "DC"},
		{"folder?type=VIRTUAL_MACHINE&names=f", "f"},
		{"folder?parent_folders=" + id("/DC/vm/f"), "g"},
		{"folder?type=HOST&datacenters=" + id("/DC"), "host"},
		{"cluster", "a"},
		{"cluster?datacenters=" + id("/other/DC2"), ""},
		{"host", "alone.example.com esx1.example.com"},
		{"host?clusters=" + id("/DC/host/a"), "esx1.example.com"},
		{"host?standalone=true&connection_states=CONNECTED", "alone.example.com"},
		{"datastore?types=VMFS", "ds"},
		{"datastore?types=VSAN", ""},
		{"network?types=DISTRIBUTED_PORTGROUP&names=group", "group"},
		{"network?types=STANDARD_PORTGROUP&names=net", "net"},
		{"resource-pool?clusters=" + id("/DC/host/a"), "Resources p"},
		{"resource-pool?names=p", "p"},
		{"vm", "m n"}, // no template
		{"vm?folders=" + id("/DC/vm/f"), "m"},
		{"vm?clusters=" + id("/DC/host/a"), "m"},
		{"vm?names=m&names=n&hosts=" + id("/DC/host/alone.example.com/alone.example.com"), "n"},
		{"vm?resource_pools=" + id("/DC/host/a/Resources/p"), "m"},
		{"vm?power_states=SUSPENDED", ""},
	} {
		var bare []map[string]any
		code, body := ask(t, v, http.MethodGet, "/api/vcenter/"+tt.path, with)
		if err := json.Unmarshal(body, &bare); code != http.StatusOK || err != nil || namesIn(bare) != tt.want {
			t.Errorf("%s: %d %s, %v", tt.path, code, body, err)
		}
		name, query, _ := strings.Cut(tt.path, "?")
		if query != "" {
			query = "?filter." + strings.ReplaceAll(strings.ReplaceAll(query, "&", "&filter."), "=", ".1=")
		}
		var wrapped struct{ Value []map[string]any }
		code, body = ask(t, v, http.MethodGet, "/rest/vcenter/"+name+query, with)
		if err := json.Unmarshal(body, &wrapped); code != http.StatusOK || err != nil || namesIn(wrapped.Value) != tt.want {
			t.Errorf("/rest/vcenter/%s%s: %d %s, %v", name, query, code, body, err)
		}
	}
	for _, path := range []string{"vm?name=m", "vm?power_states=ON", "host?standalone=1", "datacenter?types=VMFS"} {
		if code, body := ask(t, v, http.MethodGet, "/api/vcenter/"+path, with); code != http.StatusBadRequest || !strings.Contains(string(body), "INVALID_ARGUMENT") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	for path, want := range map[string]string{
		"datacenter/" + id("/DC"):                     `"vm_folder":"` + id("/DC/vm") + `"`,
		"cluster/" + id("/DC/host/a"):                 `"resource_pool":"` + id("/DC/host/a/Resources") + `"`,
		"datastore/" + id("/DC/datastore/ds"):         `"accessible":true`,
		"resource-pool/" + id("/DC/host/a/Resources"): `"resource_pools":["` + id("/DC/host/a/Resources/p") + `"]`,
	} {
		if code, body := ask(t, v, http.MethodGet, "/api/vcenter/"+path, with); code != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	if code, _ := ask(t, v, http.MethodGet, "/api/vcenter/datacenter/none", with); code != http.StatusNotFound {
		t.Errorf("none such: %d", code)
	}
	if code, body := ask(t, v, http.MethodGet, "/api/vcenter/vm/"+id("/DC/vm/f/m"), with); code != http.StatusNotImplemented {
		t.Errorf("what is not simulated: %d %s", code, body)
	}
}

// namesIn are the names of a list, sorted.
func namesIn(list []map[string]any) string {
	var names []string
	for _, one := range list {
		name, _ := one["name"].(string)
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// Lists hold what their caller may read, and one object that he may not is refused.
func TestRESTInventoryOfReaders(t *testing.T) {
	v := start(t, Options{Estate: EstateOptions{Contents: []Contents{listedContents()}}}).VCenters[0]
	folder := must(finding.NewFinder(admin(t, v)).Folder(t.Context(), "/DC/vm/f/g")).Reference()
	account(t, v, "reader", folder, "System.Read")
	with := restAs(t, v, "reader@vsphere.local", rigPassword)
	for kind, want := range map[string]string{"vm": "n", "folder": "g", "datacenter": "", "datastore": "", "host": ""} {
		var list []map[string]any
		code, body := ask(t, v, http.MethodGet, "/api/vcenter/"+kind, with)
		if err := json.Unmarshal(body, &list); code != http.StatusOK || err != nil || namesIn(list) != want {
			t.Errorf("%s: %d %s, %v", kind, code, body, err)
		}
	}
	dc := must(finding.NewFinder(admin(t, v)).Datacenter(t.Context(), "/DC")).Reference().Value
	if code, _ := ask(t, v, http.MethodGet, "/api/vcenter/datacenter/"+dc, with); code != http.StatusForbidden {
		t.Errorf("one that may not be read: %d", code)
	}
	if code, _ := ask(t, v, http.MethodGet, "/api/vcenter/vm", nil); code != http.StatusUnauthorized {
		t.Errorf("without a session: %d", code)
	}
}

// Tagging below /api takes its specs bare and answers by status.
func TestTaggingOfTheAPI(t *testing.T) {
	v := start(t, Options{Estate: EstateOptions{Contents: []Contents{listedContents()}}}).VCenters[0]
	session := restAs(t, v, v.AdminUser(), v.AdminPassword())
	dc := must(finding.NewFinder(admin(t, v)).Datacenter(t.Context(), "/DC")).Reference().Value
	do := func(method, path, body string, want int) string {
		t.Helper()
		code, got := ask(t, v, method, "/api/cis/tagging/"+path, func(r *http.Request) {
			session(r)
			r.Body, r.ContentLength = http.NoBody, 0
			if body != "" {
				r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
			}
		})
		if code != want {
			t.Errorf("%s %s: %d %s, want %d", method, path, code, got, want)
		}
		var id string
		_ = json.Unmarshal(got, &id) // of what was made
		if id == "" {
			return string(got)
		}
		return id
	}
	category := do(http.MethodPost, "category", `{"name":"c","description":"","cardinality":"SINGLE","associable_types":[]}`, http.StatusCreated)
	do(http.MethodPost, "category", `{"create_spec":{"name":"d","cardinality":"SINGLE"}}`, http.StatusBadRequest)
	do(http.MethodPost, "category", `null`, http.StatusBadRequest)
	tag := do(http.MethodPost, "tag", `{"name":"t","description":"","category_id":"`+category+`"}`, http.StatusCreated)
	do(http.MethodPatch, "tag/"+tag, `{"description":"new"}`, http.StatusNoContent)
	if got := do(http.MethodGet, "tag/"+tag, "", http.StatusOK); !strings.Contains(got, `"description":"new"`) {
		t.Error(got)
	}
	object := `{"object_id":{"id":"` + dc + `","type":"Datacenter"}}`
	do(http.MethodPost, "tag-association/"+tag+"?action=attach", object, http.StatusNoContent)
	for path, body := range map[string]string{
		"tag-association?action=list-attached-tags": object, "tag?action=list-tags-for-category": `{"category_id":"` + category + `"}`,
	} {
		if got := do(http.MethodPost, path, body, http.StatusOK); !strings.Contains(got, tag) {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := do(http.MethodPost, "tag-association/"+tag+"?action=list-attached-objects", "", http.StatusOK); !strings.Contains(got, dc) {
		t.Error(got)
	}
	for what, more := range map[string]string{"Category": `"cardinality":"SINGLE"`, "Tag": `"category_id":"` + category + `"`} {
		kind := strings.ToLower(what)
		chosen := "urn:vmomi:InventoryService" + what + ":mine:GLOBAL"
		spec := func(name, id string) string {
			return `{"name":"` + name + `",` + more + `,"` + kind + `_id":"` + id + `"}`
		}
		if got := do(http.MethodPost, kind, spec("chosen", chosen), http.StatusCreated); got != chosen {
			t.Errorf("%s: %s", kind, got)
		}
		do(http.MethodGet, kind+"/"+chosen, "", http.StatusOK)
		for _, refused := range []string{chosen, "invalid", "urn:vmomi:InventoryServiceOther:x:GLOBAL", "urn:vmomi:InventoryService" + what + ":x:"} {
			do(http.MethodPost, kind, spec("other", refused), http.StatusBadRequest)
		}
		do(http.MethodDelete, kind+"/"+chosen, "", http.StatusNoContent)
	}
	do(http.MethodDelete, "tag/"+tag, "", http.StatusNoContent)
	do(http.MethodGet, "tag/"+tag, "", http.StatusNotFound)
	do(http.MethodDelete, "category/"+category, "", http.StatusNoContent)
}
