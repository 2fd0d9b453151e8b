package vcsim

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// ask sends a request to the REST API and gives the status and the body.
func ask(t *testing.T, v *VCenter, method, path string, with func(*http.Request)) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "https://"+v.Server()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if with != nil {
		with(req)
	}
	client := &http.Client{Transport: &http.Transport{DialTLSContext: v.lab.DialTLSContext}}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, body
}

// retrieve reads a property and gives what was not told.
func retrieve(t *testing.T, c *vim25.Client, ref moref, name string) []types.MissingProperty {
	t.Helper()
	res, err := property.DefaultCollector(c).RetrieveProperties(t.Context(), types.RetrieveProperties{SpecSet: []types.PropertyFilterSpec{{
		ObjectSet: []types.ObjectSpec{{Obj: ref}}, PropSet: []types.PropertySpec{{Type: ref.Type, PathSet: []string{name}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var missing []types.MissingProperty
	for _, o := range res.Returnval {
		missing = append(missing, o.MissingSet...)
	}
	return missing
}

// Each release in one lab: what it says of itself, what it knows of privileges, and how it refuses.
func TestR47Releases(t *testing.T) {
	lab := start(t, Options{VCenters: len(Releases()), Releases: Releases()})
	type facts struct {
		About   [3]string // version, API, full name
		Missing bool      // missingPrivileges, in the fault of a call and in that of a property
		Lacks   []string  // of the recorded catalogue
		Adds    []string
	}
	got := map[string]facts{}
	var recorded []string
	for line := range strings.Lines(privilegeData) {
		if !strings.HasPrefix(line, "#") {
			recorded = append(recorded, strings.TrimSpace(line))
		}
	}
	for _, v := range lab.VCenters {
		c := admin(t, v)
		a := c.ServiceContent.About
		f := facts{About: [3]string{a.Version, a.ApiVersion, a.FullName}}
		var m mo.AuthorizationManager
		if err := property.DefaultCollector(c).RetrieveOne(t.Context(), *c.ServiceContent.AuthorizationManager, []string{"privilegeList"}, &m); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, p := range m.PrivilegeList {
			ids = append(ids, p.PrivId)
		}
		for _, id := range recorded {
			if !slices.Contains(ids, id) {
				f.Lacks = append(f.Lacks, id)
			}
		}
		for _, id := range ids {
			if !slices.Contains(recorded, id) {
				f.Adds = append(f.Adds, id)
			}
		}

		var bodies bytes.Buffer
		v.SetAnswer(func(a *Answer) { bodies.Write(a.Body) })
		p := directory.Principal{Domain: "vsphere.local", Name: "viewer"}
		viewer := must(v.authz.addRole("viewer", nil))
		if err := v.Directory().AddUser("viewer", goodPassword, directory.Details{}); err != nil {
			t.Fatal(err)
		}
		if err := v.authz.setPermission(v.authz.root, p, viewer, true); err != nil {
			t.Fatal(err)
		}
		own, err := v.Login(t.Context(), "viewer@vsphere.local", goodPassword)
		if err != nil {
			t.Fatal(err)
		}
		var denied *types.NoPermission
		if _, err := object.NewAuthorizationManager(own).AddRole(t.Context(), "x", nil); !isFault(err, &denied) ||
			denied.PrivilegeId != "Authorization.ModifyRoles" || denied.Object == nil {
			t.Errorf("%s: %v, %+v", v.Release(), err, denied)
		}
		f.Missing = len(denied.MissingPrivileges) > 0
		before := bodies.Len()
		unread := retrieve(t, own, *c.ServiceContent.SessionManager, "sessionList")
		if len(unread) != 1 || !strings.Contains(bodies.String()[before:], "Sessions.TerminateSession") {
			t.Errorf("%s: the property: %+v", v.Release(), unread)
		}
		if strings.Contains(bodies.String()[before:], "missingPrivileges") != f.Missing {
			t.Errorf("%s: the fault of a property and that of a call differ", v.Release())
		}
		if f.Missing != strings.Contains(bodies.String(), "missingPrivileges") {
			t.Errorf("%s: the answers say otherwise", v.Release())
		}
		got[v.Release()] = f
	}
	want := map[string]facts{
		"7.0.3": {
			About: [3]string{"7.0.3", "7.0.3.0", "VMware vCenter Server 7.0.3 build-18700403"},
			Lacks: []string{
				"ContentLibrary.AddCertToTrustStore", "ContentLibrary.DeleteCertFromTrustStore",
				"vSphereDataProtection.Protection", "vSphereDataProtection.Recovery",
			},
			Adds: []string{"DVPortgroup.Ipfix"},
		},
		"8.0.1": {About: [3]string{"8.0.1", "8.0.1.0", "VMware vCenter Server 8.0.1 build-21560480"}, Missing: true},
		"8.0.3": {About: [3]string{"8.0.3", "8.0.3.0", "VMware vCenter Server 8.0.3 build-24022515"}, Missing: true},
		"9.0":   {About: [3]string{"9.0.0", "9.0.0.0", "VMware vCenter Server 9.0.0 build-24755230"}, Missing: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A path that exists wants a login; one that does not is not there for anybody.
func TestR47RESTPaths(t *testing.T) {
	lab := start(t, Options{VCenters: len(Releases()), Releases: Releases()})
	const authorization = "/api/vcenter/authorization/"
	got := map[string][]string{}
	for _, v := range lab.VCenters {
		for _, path := range []string{"privilege-checks", "privilege-checks/latest", "permissions", "roles", "privileges", "none-such"} {
			switch code, body := ask(t, v, http.MethodGet, authorization+path, nil); code {
			case http.StatusUnauthorized:
				got[v.Release()] = append(got[v.Release()], path)
			case http.StatusNotFound:
			default:
				t.Errorf("%s: %s: %d %s", v.Release(), path, code, body)
			}
		}
	}
	want := map[string][]string{
		"8.0.1": {"privilege-checks", "privilege-checks/latest"},
		"8.0.3": {"privilege-checks", "privilege-checks/latest"},
		"9.0":   {"privilege-checks", "privilege-checks/latest", "permissions", "roles", "privileges"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRESTSession(t *testing.T) {
	v := start(t, Options{Releases: []string{"9.0"}}).VCenters[0]
	as := func(user, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(user, password) }
	}
	for _, with := range []func(*http.Request){nil, as(v.AdminUser(), "wrong"), as("nobody@vsphere.local", "x")} {
		if code, body := ask(t, v, http.MethodPost, "/api/session", with); code != http.StatusUnauthorized {
			t.Errorf("%d %s", code, body)
		}
	}
	code, body := ask(t, v, http.MethodPost, "/api/session", as(v.AdminUser(), v.AdminPassword()))
	var token string
	if err := json.Unmarshal(body, &token); err != nil || code != http.StatusCreated || token == "" {
		t.Fatalf("%d %s, %v", code, body, err)
	}
	with := func(r *http.Request) { r.Header.Set("vmware-api-session-id", token) }
	if code, body := ask(t, v, http.MethodGet, "/api/session", with); code != http.StatusOK || !strings.Contains(string(body), `"user":"Administrator@vsphere.local"`) {
		t.Errorf("%d %s", code, body)
	}
	if code, body := ask(t, v, http.MethodGet, "/api/vcenter/authorization/roles", with); code != http.StatusNotImplemented || !strings.Contains(string(body), "not what it answers") {
		t.Errorf("what is not known: %d %s", code, body)
	}
	if code, body := ask(t, v, http.MethodDelete, "/api/session", with); code != http.StatusNoContent {
		t.Errorf("%d %s", code, body)
	}
	if code, body := ask(t, v, http.MethodGet, "/api/session", with); code != http.StatusUnauthorized {
		t.Errorf("after the end: %d %s", code, body)
	}
}

func TestReleasesOfALab(t *testing.T) {
	for _, c := range []struct {
		releases []string
		vcenters int
		want     string
	}{
		{nil, 2, "8.0.3 8.0.3"},
		{[]string{"9.0"}, 3, "9.0 9.0 9.0"},
		{[]string{"8.0.3", "7.0.3"}, 2, "8.0.3 7.0.3"},
		{[]string{"8.0.3", "7.0.3"}, 3, "2 releases for 3 vCenters"},
		{[]string{"8.0.3", "7.0.3"}, 1, "2 releases for 1 vCenters"},
		{[]string{"6.7"}, 1, `release "6.7" is not known: it is one of 7.0.3, 8.0.1, 8.0.3, 9.0`},
	} {
		var got []string
		for i := range c.vcenters {
			r, err := (&Options{Releases: c.releases}).releaseOf(i, c.vcenters)
			if err != nil {
				got = []string{err.Error()}
				break
			}
			got = append(got, r.name)
		}
		if text := strings.Join(got, " "); !strings.HasPrefix(text, c.want) {
			t.Errorf("%v: %s, want %s", c.releases, text, c.want)
		}
	}
	if lab, err := Start(Options{Releases: []string{"6.7"}}); err == nil {
		lab.Close()
		t.Error("a release that nobody knows is simulated")
	}
}
