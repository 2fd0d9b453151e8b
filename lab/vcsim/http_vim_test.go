package vcsim

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// A fault says what a vCenter says: clients show its text and nothing else.
func TestFaultsHaveTexts(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	w := newWire(t, v)
	role := element("_this", "AuthorizationManager", "AuthorizationManager") + text("name", "x")
	want := func(what, answer, text string) {
		t.Helper()
		if got := between(t, answer, "<faultstring>", "</faultstring>"); got != text {
			t.Errorf("%s: %q, want %q", what, got, text)
		}
	}
	want("no session", w.call("AddAuthorizationRole", role), "The session is not authenticated.")
	w.login(w.reader(folderOfReader))
	want("no privilege", w.call("AddAuthorizationRole", role), "Permission to perform this operation was denied.")
	want("a read of a hidden object", w.fetch(v.authz.root, "name"), "Permission to perform this operation was denied.")
	hidden, _ := v.find("/DC1")
	want("a search in a hidden object", w.call("FindChild", element("_this", "SearchIndex", "SearchIndex")+element("entity", hidden.Type, hidden.Value)+text("name", "vm")),
		"The object &#39;vim.Datacenter:"+hidden.Value+"&#39; has already been deleted or has not been completely created")
	w.login(v.AdminUser(), v.AdminPassword())
	want("a session that does not exist", w.call("TerminateSession", element("_this", "SessionManager", "SessionManager")+text("sessionId", "none")),
		"The object or item referred to could not be found.")
}

// Of a fault without a text of its own nobody is told a type of Go.
func TestWordsOfRareFaults(t *testing.T) {
	for fault, want := range map[any]string{
		&types.TooManySnapshotLevels{}: "Too many snapshot levels.", nil: "A general system error occurred.",
		&types.InvalidPowerState{ExistingState: types.VirtualMachinePowerStatePoweredOn}: "The attempted operation cannot be performed in the current state (Powered on).",
	} {
		if got := faultText(fault); got != want {
			t.Errorf("%T: %q, want %q", fault, got, want)
		}
	}
}

// A failed task says why in words, wherever its error is read.
func TestErrorsOfTasksHaveTexts(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	ref, _ := v.find(v.Estate().Datacenters[0].VMs[0])
	task, err := object.NewVirtualMachine(c, ref).PowerOff(t.Context())
	if err == nil {
		err = task.Wait(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "cannot be performed in the current state (Powered off)") {
		t.Errorf("powering off what is off: %v", err)
	}
	w := newWire(t, v)
	w.login(v.AdminUser(), v.AdminPassword())
	for _, prop := range []string{"info", "info.error"} {
		got := w.fetch(task.Reference(), prop)
		if strings.Contains(got, "*types.") || !strings.Contains(got, "current state (Powered off)") {
			t.Errorf("%s: %s", prop, got)
		}
	}
}

// The versions of the API are announced without a gap, so that a client finds the newest that both know.
func TestServiceVersions(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	res, err := newWire(t, v).http.Get("https://" + v.Server() + "/sdk/vimServiceVersions.xml")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range regexp.MustCompile(`<version>([^<]+)</version>`).FindAllStringSubmatch(string(body), -1) {
		got = append(got, m[1])
	}
	if len(got) < 20 || got[0] != "8.0.3.0" || slices.Contains(got, "9.0.0.0") {
		t.Fatalf("versions: %v", got)
	}
	for _, want := range []string{"8.0.2.0", "7.0.3.2", "7.0.0.0", "6.7.3", "6.7.1", "6.7", "6.5", "6.0", "5.5"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not announced", want)
		}
	}
	if !slices.IsSortedFunc(got, func(a, b string) int {
		if parseVersion(b).before(parseVersion(a)) {
			return -1
		}
		return 1
	}) {
		t.Errorf("not from the newest on: %v", got)
	}
}

// A client is given no element that is newer than the version that it asks in.
func TestOlderClients(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	w := newWire(t, v)
	w.login(v.AdminUser(), v.AdminPassword())
	vm, _ := v.find(v.Estate().Datacenters[0].VMs[0])
	machine, ok := v.model.Map().Get(vm).(*simulator.VirtualMachine)
	if !ok {
		t.Fatal("no virtual machine")
	}
	machine.Config.SevEnabled = new(true) // came with 7.0.1.0
	for version, want := range map[string]string{
		"": "sev crypto", `"urn:vim25/9.1.0.0"`: "sev crypto", `"urn:vim25/8.0.3.0"`: "sev crypto", "urn:vim25/7.0.1.0": "sev crypto",
		`"urn:vim25/7.0.0.2"`: "crypto", `"urn:vim25/6.7.1"`: "crypto", `"urn:vim25/6.0"`: "",
	} {
		w.action = version
		all := w.fetch(vm, "config") + w.call("RetrieveServiceContent", element("_this", "ServiceInstance", "ServiceInstance"))
		var got []string
		for _, e := range []struct{ name, element string }{{"sev", "<sevEnabled>"}, {"crypto", "<cryptoManager "}} {
			if strings.Contains(all, e.element) {
				got = append(got, e.name)
			}
		}
		if strings.Join(got, " ") != want || !strings.Contains(all, "<guestId>") || !strings.Contains(all, "<sessionManager ") {
			t.Errorf("in %s: %v, want %s", version, got, want)
		}
	}
}

func TestTrimCutsByVersion(t *testing.T) {
	elements := must(newElements())
	cut := func(answer, version string) string {
		return string(trimmed([]byte(answer), parseVersion(version), elements))
	}
	const answer = `<?xml version="1.0"?><E xmlns="x" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Body><FetchResponse><returnval xsi:type="AboutInfo">` +
		`<name>n</name><patchLevel><deep>1</deep></patchLevel><version>v</version></returnval></FetchResponse></Body></E>`
	if got := cut(answer, "7.0.2.0"); got != answer {
		t.Errorf("7.0.2.0 is not given patchLevel: %s", got)
	}
	want := strings.Replace(answer, "<patchLevel><deep>1</deep></patchLevel>", "", 1)
	if got := cut(answer, "7.0.1.1"); got != want {
		t.Errorf("7.0.1.1: %s", got)
	}
	const content = `<Body><RetrieveServiceContentResponse><returnval><setting/><cryptoManager/></returnval></RetrieveServiceContentResponse></Body>`
	if got := cut(content, "6.0"); strings.Contains(got, "crypto") || !strings.Contains(got, "setting") {
		t.Errorf("6.0: %s", got)
	}
	const disk = `<Body><FetchResponse><returnval xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="VirtualDisk"><key>1</key>` +
		`<shares/><virtualDiskFormat>f</virtualDiskFormat><numaNode>1</numaNode></returnval></FetchResponse></Body>`
	if got := cut(disk, "6.5"); strings.Contains(got, "Format") || strings.Contains(got, "numaNode") || !strings.Contains(got, "<shares/>") {
		t.Errorf("6.5: %s", got)
	}
	if got := cut("<Body><no", "6.0"); got != "<Body><no" {
		t.Errorf("what cannot be read: %s", got)
	}
}

// Who has no library reads what the API is, without a login, and may send its calls there, with the bare name of the service instance.
func TestWSDL(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	for path, want := range map[string]string{
		"/sdk/vimService.wsdl": `<soap:address location="https://` + v.Server() + `/sdk"/>`,
		"/sdk/vim.wsdl":        `<operation name="ReconfigVM_Task"><input message=`,
		"/sdk/vim-types.xsd":   `<element name="ReconfigVM_Task" type="vim25:ReconfigVM_TaskRequestType"/>`,
	} {
		if code, body := ask(t, v, http.MethodGet, path, nil); code != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d, %d bytes without %s", path, code, len(body), want)
		}
	}
	const call = `<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><%[1]s xmlns="urn:vim25"><_this>ServiceInstance</_this></%[1]s></Body></Envelope>`
	for method, want := range map[string]string{"RetrieveServiceContent": "<instanceUuid>", "CurrentTime": "NotAuthenticatedFault"} {
		_, body := ask(t, v, http.MethodPost, "/sdk/vimService.wsdl", func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(fmt.Sprintf(call, method)))
		})
		if !strings.Contains(string(body), want) {
			t.Errorf("%s: %s", method, body)
		}
	}
	w := newWire(t, v)
	w.login(v.AdminUser(), v.AdminPassword())
	if body := w.call("CurrentTime", "<_this>ServiceInstance</_this>"); !strings.Contains(body, "<CurrentTimeResponse") {
		t.Errorf("logged in: %s", body)
	}
}
