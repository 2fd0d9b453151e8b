package vcsim

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

const folderOfReader = "/DC1/vm/openshift/cluster1"

// An account that may read one folder reads nothing else with Fetch either: neither hidden objects nor session keys.
func TestFetchIsNoWayAround(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	adm, w := newWire(t, v), newWire(t, v)
	key := adm.login(v.AdminUser(), v.AdminPassword())
	w.login(w.reader(folderOfReader))
	folder, _ := v.find(folderOfReader)
	if got := w.fetch(folder, "name"); !strings.Contains(got, ">cluster1</returnval>") {
		t.Errorf("the name of the folder: %s", got)
	}
	dc, _ := v.find("/DC1")
	for _, hidden := range []struct {
		ref  types.ManagedObjectReference
		prop string
	}{{dc, "name"}, {v.authz.root, "childEntity"}, {types.ManagedObjectReference{Type: "ManagedEntity", Value: dc.Value}, "name"}} {
		if got := w.fetch(hidden.ref, hidden.prop); !strings.Contains(got, "NoPermissionFault") || !strings.Contains(got, ">System.View<") {
			t.Errorf("%s of %s: %s", hidden.prop, hidden.ref, got)
		}
	}
	sessions := *v.authz.content.SessionManager
	if got := w.fetch(sessions, "sessionList"); !strings.Contains(got, ">Sessions.TerminateSession<") || strings.Contains(got, key) {
		t.Errorf("the session list: %s", got)
	}
	if got := w.fetch(sessions, "currentSession"); !strings.Contains(got, "reader") || strings.Contains(got, key) {
		t.Errorf("the current session: %s", got)
	}
	if got := w.fetch(types.ManagedObjectReference{Type: "VirtualMachine", Value: "vm-4711"}, "name"); !strings.Contains(got, "ManagedObjectNotFoundFault") {
		t.Errorf("an object that is not there: %s", got)
	}
	if got := w.fetch(folder, "nonsense"); !strings.Contains(got, "InvalidPropertyFault") {
		t.Errorf("a property that is not there: %s", got)
	}
}

// A session key is good for questions about the session, not for taking it over.
func TestSessionKeysOpenNothing(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	adm := newWire(t, v)
	key := adm.login(v.AdminUser(), v.AdminPassword())
	if key == adm.cookie {
		t.Fatal("the cookie is the key")
	}
	thief := newWire(t, v)
	thief.cookie = key
	if got := thief.call("AddAuthorizationRole", element("_this", "AuthorizationManager", "AuthorizationManager")+text("name", "stolen")); !strings.Contains(got, "NotAuthenticatedFault") {
		t.Errorf("with the key for a cookie: %s", got)
	}
	this := element("_this", "SessionManager", "SessionManager")
	thief.cookie = ""
	if got := thief.call("CloneSession", this+text("cloneTicket", key)); !strings.Contains(got, "InvalidLoginFault") {
		t.Errorf("with the key for a ticket: %s", got)
	}
	thief.login(thief.reader(folderOfReader))
	if got := thief.call("CloneSession", this+text("cloneTicket", key)); !strings.Contains(got, "InvalidLoginFault") {
		t.Errorf("with the key for a ticket, logged in: %s", got)
	}

	ticket := between(t, adm.call("AcquireCloneTicket", this), "<returnval>", "</returnval>")
	if list := adm.fetch(*v.authz.content.SessionManager, "sessionList"); strings.Contains(list, ticket) || !strings.Contains(list, key) {
		t.Errorf("the session list: %s", list)
	}
	heir := newWire(t, v)
	heir.cookie = ticket
	if got := heir.fetch(v.authz.root, "name"); !strings.Contains(got, "NotAuthenticatedFault") {
		t.Errorf("with the ticket for a cookie: %s", got)
	}
	heir.cookie = ""
	for i, want := range []string{"Administrator", "InvalidLoginFault"} {
		if got := heir.call("CloneSession", this+text("cloneTicket", ticket)); !strings.Contains(got, want) {
			t.Errorf("the ticket, time %d: %s", i+1, got)
		}
		if i == 0 {
			if got := heir.fetch(v.authz.root, "name"); !strings.Contains(got, ">Datacenters<") {
				t.Errorf("in the cloned session: %s", got)
			}
			heir.cookie = ""
		}
	}
}

// The files of a datastore are open to a ticket that was issued, once, not to any word.
func TestServiceTicketsAreChecked(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	adm := newWire(t, v)
	adm.login(v.AdminUser(), v.AdminPassword())
	get := func(ticket string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+v.Server()+"/folder/?dcPath=DC1&dsName="+nameOf(v.Estate().Datacenters[0].Datastores[0]), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.AddCookie(&http.Cookie{Name: ticketCookie, Value: ticket})
		res, err := adm.http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	acquire := func(w *wire) string {
		t.Helper()
		return between(t, w.call("AcquireGenericServiceTicket", element("_this", "SessionManager", "SessionManager")+`<spec xsi:type="SessionManagerHttpServiceRequestSpec"/>`), "<id>", "</id>")
	}
	ticket := acquire(adm)
	if got := []int{get("made up"), get(ticket), get(ticket)}; !slices.Equal(got, []int{http.StatusUnauthorized, http.StatusOK, http.StatusUnauthorized}) {
		t.Errorf("a made-up ticket, a ticket, the same once more: %v", got)
	}
	poor := newWire(t, v)
	poor.login(poor.reader(folderOfReader))
	if got := get(acquire(poor)); got != http.StatusForbidden {
		t.Errorf("the ticket of an account without Datastore.Browse: %d", got)
	}
}

// Without a session there is nothing to read but what the reference gives to everybody, and no list of objects.
func TestReadingWithoutASession(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	w := newWire(t, v)
	if got := w.fetch(vim25.ServiceInstance, "content"); !strings.Contains(got, `:type="ServiceContent"`) {
		t.Errorf("the service's content: %s", got)
	}
	sessions := *v.authz.content.SessionManager
	if got := w.fetch(sessions, "currentSession"); !strings.Contains(got, `<FetchResponse xmlns="urn:vim25"></FetchResponse>`) {
		t.Errorf("the current session: %s", got)
	}
	for _, ref := range []types.ManagedObjectReference{sessions, v.authz.root, {Type: "Folder", Value: "group-d4711"}} {
		if got := w.fetch(ref, "sessionList"); !strings.Contains(got, "NotAuthenticatedFault") {
			t.Errorf("%s: %s", ref, got)
		}
	}
	c, err := v.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s, err := session.NewManager(c).UserSession(t.Context()); s != nil || err != nil {
		t.Errorf("the session of nobody: %v, %v", s, err)
	}
	res, err := methods.RetrievePropertiesEx(t.Context(), c, &types.RetrievePropertiesEx{
		This: c.ServiceContent.PropertyCollector, SpecSet: []types.PropertyFilterSpec{{
			PropSet: []types.PropertySpec{{Type: "Folder", PathSet: []string{"name"}}},
			ObjectSet: []types.ObjectSpec{{Obj: v.authz.root, SelectSet: []types.BaseSelectionSpec{
				&types.TraversalSpec{Type: "Folder", Path: "childEntity"},
			}}},
		}},
	})
	if err != nil || len(res.Returnval.Objects) != 1 || len(res.Returnval.Objects[0].PropSet) != 0 || len(res.Returnval.Objects[0].MissingSet) != 1 {
		t.Errorf("the root folder and what is in it: %+v, %v", res, err)
	}
}
