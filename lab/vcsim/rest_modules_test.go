package vcsim

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/vapi/cluster"
	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vim25/types"
)

// moduler is govmomi's client of cluster modules, logged in.
func moduler(t *testing.T, v *VCenter, user, password string) *cluster.Manager {
	t.Helper()
	return cluster.NewManager(tagger(t, v, user, password).Client)
}

// The life of a module and of its members, as the provider of Cluster API goes through it, and what each step needs.
func TestClusterModules(t *testing.T) {
	v, ctx := start(t, Options{}).VCenters[0], t.Context()
	m, finder := moduler(t, v, v.AdminUser(), v.AdminPassword()), finding.NewFinder(admin(t, v))
	dc := must(finder.DefaultDatacenter(ctx))
	finder.SetDatacenter(dc)
	empty := must(must(dc.Folders(ctx)).HostFolder.CreateCluster(ctx, "other", types.ClusterConfigSpecEx{}))
	var in, out, of types.ManagedObjectReference // a template is in no pool
	for _, vm := range must(finder.VirtualMachineList(ctx, "*")) {
		if pool, err := vm.ResourcePool(ctx); err == nil {
			in, of = vm.Reference(), must(pool.Owner(ctx)).Reference()
		} else {
			out = vm.Reference()
		}
	}
	if in.Value == "" || out.Value == "" {
		t.Fatalf("the lab has no machine or no template: %s, %s", in, out)
	}
	other := must(m.CreateModule(ctx, empty))
	if done, err := m.AddModuleMembers(ctx, other, in); done || err != nil {
		t.Errorf("a machine of another cluster: %t, %v", done, err)
	}
	if err := m.DeleteModule(ctx, other); err != nil {
		t.Fatal(err)
	}

	none := types.ManagedObjectReference{Type: "ClusterComputeResource", Value: "domain-c0"}
	if _, err := m.CreateModule(ctx, none); err == nil || !strings.Contains(err.Error(), "400") {
		t.Errorf("in no cluster: %v", err)
	}
	id, err := m.CreateModule(ctx, of)
	if err != nil || id == "" {
		t.Fatalf("%q, %v", id, err)
	}
	if list := must(m.ListModules(ctx)); len(list) != 1 || list[0] != (cluster.ModuleSummary{Cluster: of.Value, Module: id}) {
		t.Errorf("%+v", list)
	}
	for _, step := range []struct {
		what    string
		do      func() (bool, error)
		done    bool
		members int
	}{
		{"add", func() (bool, error) { return m.AddModuleMembers(ctx, id, in) }, true, 1},
		{"again", func() (bool, error) { return m.AddModuleMembers(ctx, id, in) }, false, 1},
		{"of no cluster", func() (bool, error) { return m.AddModuleMembers(ctx, id, out) }, false, 1},
		{"remove who is none", func() (bool, error) { return m.RemoveModuleMembers(ctx, id, out) }, false, 1},
		{"remove", func() (bool, error) { return m.RemoveModuleMembers(ctx, id, in) }, true, 0},
	} {
		done, err := step.do()
		if members, e := m.ListModuleMembers(ctx, id); err != nil || e != nil || done != step.done || len(members) != step.members {
			t.Errorf("%s: %t, %v; %v, %v", step.what, done, err, members, e)
		}
	}

	// who may read the cluster sees the module; changes need Host.Inventory.EditCluster there
	account(t, v, "reader", of, "System.View")
	reader := moduler(t, v, "reader@vsphere.local", rigPassword)
	if list := must(reader.ListModules(ctx)); len(list) != 1 {
		t.Errorf("to a reader: %+v", list)
	}
	account(t, v, "elsewhere", out, "System.View")
	elsewhere := moduler(t, v, "elsewhere@vsphere.local", rigPassword)
	if list := must(elsewhere.ListModules(ctx)); len(list) != 0 {
		t.Errorf("to who does not see the cluster: %+v", list)
	}
	for what, err := range map[string]error{
		"create":        second(reader.CreateModule(ctx, of)),
		"delete":        reader.DeleteModule(ctx, id),
		"add":           second(reader.AddModuleMembers(ctx, id, in)),
		"remove":        second(reader.RemoveModuleMembers(ctx, id, in)),
		"members of it": second(elsewhere.ListModuleMembers(ctx, id)),
	} {
		if err == nil || !strings.Contains(err.Error(), "403") {
			t.Errorf("%s: %v", what, err)
		}
	}
	account(t, v, "capv", of, "Host.Inventory.EditCluster")
	capv := moduler(t, v, "capv@vsphere.local", rigPassword)
	if done, err := capv.AddModuleMembers(ctx, id, in); !done || err != nil {
		t.Errorf("with the privilege: %t, %v", done, err)
	}
	if err := capv.DeleteModule(ctx, id); err != nil {
		t.Error(err)
	}
	if err := capv.DeleteModule(ctx, id); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("again: %v", err)
	}
}

// Both forms of the API have them, and refuse what no client sends.
func TestClusterModulesRefuseNonsense(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := rest.NewClient(plain(t, v))
	if err := c.Login(t.Context(), url.UserPassword(v.AdminUser(), v.AdminPassword())); err != nil {
		t.Fatal(err)
	}
	of := must(finding.NewFinder(admin(t, v)).ClusterComputeResourceList(t.Context(), "/*/host/*"))[0].Reference().Value
	do := func(method, path, body string) (int, string) {
		code, answer := ask(t, v, method, path, func(r *http.Request) {
			r.Header.Set("vmware-api-session-id", c.SessionID())
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		})
		return code, string(answer)
	}
	const modules = "/vcenter/cluster/modules"
	code, id := do(http.MethodPost, "/api"+modules, `{"cluster":"`+of+`"}`)
	id = strings.Trim(id, "\"\n")
	if code != http.StatusCreated || id == "" {
		t.Fatalf("%d %s", code, id)
	}
	for _, tt := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{http.MethodGet, "/api" + modules, "", http.StatusOK, `{"summaries":[{"cluster":"` + of + `","module":"` + id + `"}]}`},
		{http.MethodGet, "/rest" + modules, "", http.StatusOK, `{"value":{"summaries":[{"cluster":"`},
		{http.MethodGet, "/api" + modules + "/vm/" + id + "/members", "", http.StatusOK, `{"vms":[]}`},
		{http.MethodPost, "/rest" + modules + "/vm/" + id + "/members?action=add", `{"vms":["vm-0"]}`, http.StatusOK, `{"value":{"success":false}}`},
		{http.MethodPost, "/rest" + modules + "/vm/" + id + "/members?action=add", `{"vms":["` + of + `"]}`, http.StatusOK, `{"value":{"success":false}}`},
		{http.MethodPost, "/rest" + modules + "/vm/" + id + "/members?action=explode", `{"vms":[]}`, http.StatusNotImplemented, "unimplemented"},
		{http.MethodPost, "/rest" + modules + "/vm/x/members?action=add", `{"vms":[]}`, http.StatusNotFound, "not_found"},
		{http.MethodGet, "/rest" + modules + "/vm/x/members", "", http.StatusNotFound, "not_found"},
		{http.MethodPost, "/rest" + modules + "/vm/" + id + "/members?action=add", `{}`, http.StatusBadRequest, "invalid_argument"},
		{http.MethodPost, "/rest" + modules + "/vm/" + id + "/members?action=remove", `{"vms":"all"}`, http.StatusBadRequest, "invalid_argument"},
		{http.MethodPost, "/rest" + modules, "", http.StatusBadRequest, "invalid_argument"},
		{http.MethodPost, "/rest" + modules, `{"cluster":"` + of + `"}`, http.StatusBadRequest, "invalid_argument"}, // the other form's
		{http.MethodPost, "/api" + modules, `{"spec":{"cluster":"` + of + `"}}`, http.StatusBadRequest, "INVALID_ARGUMENT"},
		{http.MethodPost, "/api" + modules, "null", http.StatusBadRequest, "INVALID_ARGUMENT"},
		{http.MethodPost, "/api" + modules, "[", http.StatusBadRequest, "INVALID_ARGUMENT"},
		{http.MethodDelete, "/api" + modules + "/x", "", http.StatusNotFound, "NOT_FOUND"},
		{http.MethodDelete, "/api" + modules + "/" + id, "", http.StatusNoContent, ""},
	} {
		if code, body := do(tt.method, tt.path, tt.body); code != tt.code || !strings.Contains(body, tt.want) {
			t.Errorf("%s %s %s: %d %s", tt.method, tt.path, tt.body, code, body)
		}
	}
	if code, body := ask(t, v, http.MethodGet, "/rest"+modules, nil); code != http.StatusUnauthorized {
		t.Errorf("without a session: %d %s", code, body)
	}
}
