package vcsim

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/automation"
)

var update = flag.Bool("update", false, "write the page of what is not served")

// TestNotServedPage holds the page to what objects of a vCenter have methods for. With -update it writes it.
func TestNotServedPage(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	page := "../../" + NotServedPage
	want := notServedMarkdown(v)
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s (go test ./lab/vcsim -run TestNotServedPage -update):\n%s", page, diff)
	}
}

func notServedMarkdown(v *VCenter) string {
	var b strings.Builder
	b.WriteString("<!-- Written by go test ./lab/vcsim -run TestNotServedPage -update. -->\n\n# What the laboratory does not serve\n\n" +
		"A test that calls one of these has left the simulation, and the answer says so.\n\n" +
		"## REST\n\nThese operations are served, each with the privileges that it needs; every other path that a vCenter has is 501 after the\n" +
		"login, in the form of the API, and `/api` itself, which is JSON-RPC, is 501 to all. A path that no vCenter has is 404. <!-- TestRESTErrorForms, TestNotServed -->\n\n")
	for _, line := range automation.Served() {
		fmt.Fprintf(&b, "- `%s`\n", line)
	}
	b.WriteString("\n## Other services\n\nThey answer 501, and calls of SOAP the fault `NotImplemented`. <!-- TestNotServed -->\n\n| path | what |\n|---|---|\n")
	for _, s := range unservedServices {
		fmt.Fprintf(&b, "| `%s` | %s |\n", s.path, s.what)
	}
	b.WriteString("\n## Storage policies, container volumes, first class disks and the SSO administration\n\nThese methods are served; the others are `MethodNotFound`, with a text that says that they are not simulated. <!-- TestStorageMethodsThatAreNotSimulated, TestSSOMethodsThatAreNotSimulated -->\n\n")
	for _, e := range []struct {
		name string
		*soapEndpoint
	}{{"`/pbm`", newPolicyEndpoint(v, nil)}, {"`/vsanHealth`", newVolumeEndpoint(v, nil)}, {"`/vslm`", newDiskEndpoint(v, nil)}, {"`/sso-adminserver`", newSSOEndpoint(v.sso)}} {
		var names []string
		for _, m := range slices.Sorted(maps.Keys(e.methods)) {
			_, name, _ := strings.Cut(m, ".")
			names = append(names, name)
		}
		slices.Sort(names)
		fmt.Fprintf(&b, "- %s: %s\n", e.name, strings.Join(slices.Compact(names), ", "))
	}
	b.WriteString("\nThe CSI driver makes a volume of a disk that is there by CnsCreateVolume with the id of the disk, or from 7.0.1 on with the URL of\n" +
		"its file; of VSLM it calls, before 8.0.3, VslmSetVStorageObjectControlFlags, and before 7.0.1 VslmRegisterDisk and\n" +
		"VslmRetrieveVStorageObject. govc registers, makes, lists and deletes disks. What the driver asks VSLM of changed blocks and snapshots\n" +
		"is not simulated. <!-- fact: kubernetes-sigs/vsphere-csi-driver@bf809025, pkg/common/cns-lib/volume/manager.go, pkg/apis/migration --> <!-- TestStaticVolumes, TestDisks -->\n")
	b.WriteString("\n## SOAP API\n\nOf the methods in the API reference of 8.0.2 these are not simulated: `NotImplemented`, which a vCenter does not return. An object that\n" +
		"has no line has all its methods; types without an object here have none at all. <!-- TestNotServedPage, TestNotServed -->\n\n| type | methods |\n|---|---|\n")
	missing := missingMethods(v)
	for _, kind := range slices.Sorted(maps.Keys(missing)) {
		fmt.Fprintf(&b, "| %s | %s |\n", kind, strings.Join(missing[kind], ", "))
	}
	return b.String()
}

// missingMethods are those of the reference that no object of their type serves.
func missingMethods(v *VCenter) map[string][]string {
	a := v.authz
	objects := a.reg.AllReference("")
	session := simulator.NewRegistry()
	a.equip(session, "key")
	objects = append(objects, session.AllReference("")...)
	served := map[string][]reflect.Type{}
	add := func(kind string, obj any) {
		for _, k := range append([]string{kind}, baseTypes[kind]...) {
			served[k] = append(served[k], reflect.TypeOf(obj))
		}
		if _, entity := obj.(mo.Entity); entity {
			for _, base := range []string{"ManagedEntity", "ExtensibleManagedObject"} {
				served[base] = append(served[base], reflect.TypeOf(obj))
			}
		}
	}
	for _, obj := range objects {
		add(obj.Reference().Type, obj)
	}
	for kind, obj := range map[string]any{
		"VirtualMachineSnapshot": &simulator.VirtualMachineSnapshot{}, "HttpNfcLease": &exportLease{}, "Task": &simulator.Task{},
		"PropertyFilter": &simulator.PropertyFilter{}, "EventHistoryCollector": &eventCollector{}, "TaskHistoryCollector": &taskCollector{},
		"ContainerView": &simulator.ContainerView{}, "ListView": &simulator.ListView{}, "HostDatastoreBrowser": &simulator.HostDatastoreBrowser{},
		"HistoryCollector": &eventCollector{}, "VirtualApp": &simulator.VirtualApp{}, "StoragePod": &simulator.StoragePod{},
		"OpaqueNetwork": &mo.OpaqueNetwork{},
	} {
		add(kind, obj)
	}
	own := map[string]bool{"VirtualMachine.ExportVm": true, "SessionManager.LoginExtensionByCertificate": true, "SessionManager.LoginBySSPI": true}
	missing := map[string][]string{}
	for row := range a.methods {
		kind, name := row[0], row[1]
		if name[0] < 'A' || name[0] > 'Z' || own[kind+"."+name] { // a property
			continue
		}
		method, task := strings.CutSuffix(name, "_Task")
		if task {
			method += "Task"
		}
		if !slices.ContainsFunc(served[kind], func(t reflect.Type) bool { _, ok := t.MethodByName(method); return ok }) {
			missing[kind] = append(missing[kind], name)
		}
	}
	for kind := range missing {
		slices.Sort(missing[kind])
		if served[kind] == nil {
			missing[kind] = []string{"all"}
		}
	}
	return missing
}

// What is not simulated says so, in the form of its service.
func TestNotServed(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	for path, want := range map[string]int{"/ui/": http.StatusNotImplemented, "/mob/?moid=x": http.StatusNotImplemented, "/api": http.StatusNotImplemented, "/none": http.StatusNotFound} {
		if code, body := ask(t, v, http.MethodGet, path, nil); code != want || want == http.StatusNotImplemented && !strings.Contains(string(body), "simulate") {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	envelope := `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><RetrieveContent xmlns="urn:vslm"><_this type="VslmServiceInstance">ServiceInstance</_this></RetrieveContent></soapenv:Body></soapenv:Envelope>`
	for _, path := range []string{"/eam/sdk", "/sms/sdk"} {
		if code, answer := post(t, c, path, envelope); code != http.StatusInternalServerError || !strings.Contains(answer, "NotImplementedFault") || !strings.Contains(answer, NotServedPage) {
			t.Errorf("%s: %d %s", path, code, answer)
		}
	}
	_, err := methods.QueryUnownedFiles(t.Context(), c, &types.QueryUnownedFiles{This: machineOf(t, v)})
	if !fault.Is(err, &types.NotImplemented{}) || !strings.Contains(err.Error(), "does not simulate VirtualMachine.QueryUnownedFiles") {
		t.Errorf("a method of a vCenter: %v", err)
	}
	_, err = methods.QueryUnownedFiles(t.Context(), c, &types.QueryUnownedFiles{This: v.authz.root})
	if !fault.Is(err, &types.MethodNotFound{}) {
		t.Errorf("a method of another type: %v", err)
	}
}
