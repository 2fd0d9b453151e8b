package refusal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

func matrix(t testing.TB, name string) *privileges.Matrix {
	t.Helper()
	m, err := privileges.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// text is a refusal in short.
func text(r *Refusal) string {
	return fmt.Sprint(r.Component, "|", strings.Join(r.Privileges, ","), "|", r.Object, "|", r.Call, "|", r.Named)
}

// What is logged where, and what it comes to. The texts are shaped as those of the named programs.
func TestRead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		log  string
		of   []component.Name
		want []string
	}{
		"machine-api, unnamed": {
			log:  `E1 controller.go:329] "Reconciler error" err="w-0: reconciler failed to Create machine: ServerFaultCode: Permission to perform this operation was denied."`,
			want: []string{"machine-api||||false"},
		},
		"machine-api, the call": {
			log:  `machine-controller: powering on: PowerOnVM_Task: NoPermission`,
			want: []string{"machine-api|VirtualMachine.Interact.PowerOn||PowerOnVM_Task|false"},
		},
		"csi-driver, one call of a duty": { // not what the other calls of the same duty need
			log:  "failed: category.create: 403 Forbidden",
			of:   []component.Name{component.CSIDriver},
			want: []string{"csi-driver|InventoryService.Tagging.CreateCategory||category.create|false"},
		},
		"machine-api, tags": {
			log:  `machine-controller: POST https://vc1/rest/com/vmware/cis/tagging/tag-association/id:urn:x?~action=attach: 403 Forbidden`,
			want: []string{"machine-api|InventoryService.Tagging.AttachTag,InventoryService.Tagging.ObjectAttachable||tag_association.attach|false"},
		},
		"machine-api, its session": {
			log:  `E1 session.go:68] machineAPIvSphereProvider: unable to check if vim session is active: ServerFaultCode: Permission to perform this operation was denied.`,
			want: []string{"machine-api|Sessions.ValidateSession||SessionIsActive|false"},
		},
		"machine-api, its session, as of 4.22": {
			log:  `machine-controller: Error performing SOAP session check request to vSphere: ServerFaultCode: Permission to perform this operation was denied.`,
			want: []string{"machine-api|Sessions.ValidateSession||SessionIsActive|false"},
		},
		"a session of an earlier CAPV": { // it has no duty that makes this call, which needs the same of anybody
			log:  `capv-controller-manager session "msg"="unable to check if vim session is active" "error"="ServerFaultCode: Permission to perform this operation was denied."`,
			want: []string{"cluster-api|Sessions.ValidateSession||SessionIsActive|false"},
		},
		"tags, by path": {
			log: "level=error msg=unable to create tag: POST https://vc1/rest/com/vmware/cis/tagging/tag: 403 Forbidden\n" +
				"level=error msg=POST https://vc1/rest/com/vmware/cis/tagging/category: 403 Forbidden\n" +
				"level=error msg=DELETE https://vc1/rest/com/vmware/cis/tagging/tag/id:urn:x: 403 Forbidden\n" +
				"level=error msg=DELETE https://vc1/api/cis/tagging/category/urn:x: 403 Forbidden\n" +
				"csi-vsphere PATCH https://vc1/rest/com/vmware/cis/tagging/category/id:urn:x: 403 Forbidden\n" +
				"csi-vsphere POST https://vc1/rest/com/vmware/cis/tagging/tag-association/id:urn:x?~action=detach: 403 Forbidden\n" +
				"level=error msg=POST https://vc1/rest/com/vmware/cis/tagging/tag-association/id:urn:x?~action=list-attached-objects: 403 Forbidden",
			want: []string{
				"installer|InventoryService.Tagging.CreateTag||tag.create|false",
				"installer|InventoryService.Tagging.CreateCategory||category.create|false",
				"installer|InventoryService.Tagging.DeleteTag||tag.delete|false",
				"installer|InventoryService.Tagging.DeleteCategory||category.delete|false",
				"csi-driver|InventoryService.Tagging.EditCategory||category.update|false",
				"csi-driver|InventoryService.Tagging.AttachTag,InventoryService.Tagging.ObjectAttachable||tag_association.detach|false",
				"installer|||tag_association.list_attached_objects|false",
			},
		},
		"CSI driver, by its file": {
			log:  `{"level":"error","caller":"common/authmanager.go:310","msg":"failed to get privileges on datastore. err: ServerFaultCode: NoPermission"}`,
			want: []string{"csi-driver||||false"},
		},
		"the object by its id": {
			log:  `machine-controller: ServerFaultCode: NoPermission: Permission to perform this operation was denied. Required privilege VirtualMachine.Config.DiskExtend on managed object with id 'vm-1021'`,
			want: []string{"machine-api|VirtualMachine.Config.DiskExtend|vm-1021||true"},
		},
		"openshift-install": {
			log: `level=error msg=failed to fetch Metadata: platform.vsphere.vcenters: Internal error: privileges missing for vSphere vCenter Root: Cns.Searchable, StorageProfile.View`,
			want: []string{
				"installer|Cns.Searchable|vSphere vCenter Root||true",
				"installer|StorageProfile.View|vSphere vCenter Root||true",
			},
		},
		"openshift-install, several groups": {
			log: `level=error msg=platform.vsphere.vcenters: Internal error: privileges missing for vSphere vCenter: Cns.Searchable, privileges missing for vSphere Port Group: Network.Assign`,
			want: []string{
				"installer|Cns.Searchable|vSphere vCenter||true",
				"installer|Network.Assign|vSphere Port Group||true",
			},
		},
		"problem-detector": {
			log:  `vsphere-problem-detector CheckDefaultDatastore failed: missing privileges for datastore "ds1": Datastore.FileManagement`,
			want: []string{"diagnostics|Datastore.FileManagement|datastore \"ds1\"||true"},
		},
		"CSI driver": {
			log:  `vsphere-csi-controller failed to create volume. Error: CnsCreateVolume: ServerFaultCode: NoPermission`,
			want: []string{"csi-driver|Datastore.FileManagement,StorageProfile.View,Host.Config.Storage||CnsCreateVolume|false"},
		},
		"a fault on the wire": {
			log: "<faultcode>ServerFaultCode</faultcode><faultstring>Permission to perform this operation was denied.</faultstring>\n" +
				"<detail><NoPermissionFault xsi:type=\"NoPermission\">\n<object type=\"Folder\">group-v3</object>\n<privilegeId>Folder.Create</privilegeId>\n",
			want: []string{"|Folder.Create|Folder:group-v3||true"},
		},
		"several missing": {
			log: "<missingPrivileges>\n<entity type=\"Datastore\">datastore-11</entity>\n<privilegeIds>Datastore.AllocateSpace</privilegeIds>\n" +
				"<privilegeIds>Datastore.Browse</privilegeIds>\n</missingPrivileges>",
			want: []string{"|Datastore.AllocateSpace|Datastore:datastore-11||true", "|Datastore.Browse|Datastore:datastore-11||true"},
		},
		"govmomi": {
			log:  `govc: NoPermission: {Object:Folder:group-v3 PrivilegeId:Folder.Create}`,
			want: []string{"|Folder.Create|Folder:group-v3||true"},
		},
		"the words of the client": {
			log:  `Permission to perform this operation was denied. You do not hold privilege "Virtual machine > Change Configuration > Change CPU count" on virtual machine "x"`,
			want: []string{"|VirtualMachine.Config.CPUCount|||true"},
		},
		"who is said": {
			log: `NoPermission: Datastore.Browse`, of: []component.Name{component.Diagnostics},
			want: []string{"diagnostics|Datastore.Browse|||true"},
		},
		"a login without permission": {
			log: `NoPermission: Folder:group-d1 System.View`, want: []string{"|System.View|Folder:group-d1||true"},
		},
		"an object of before is not this one's": {
			log: "moved VirtualMachine:vm-42\nmachine-controller: NoPermission", want: []string{"machine-api||||false"},
		},
		"a folder with a hyphen": {
			log: `level=fatal msg=[platform.vsphere.failureDomains.topology.resourcePool: Internal error: privileges missing for vSphere vCenter Resource Pool: VApp.Import, platform.vsphere.failureDomains.topology.folder: Internal error: privileges missing for Pre-existing Virtual Machine Folder: Resource.AssignVMToPool, VApp.Import]`,
			want: []string{
				"installer|VApp.Import|vSphere vCenter Resource Pool||true",
				"installer|Resource.AssignVMToPool|Pre-existing Virtual Machine Folder||true",
				"installer|VApp.Import|Pre-existing Virtual Machine Folder||true",
			},
		},
		"vpxd": {
			log: "2018-09-20 verbose vpxd[19781] Invoke error: vim.VirtualMachine.reconfigure Throw: vim.fault.NoPermission\n--> Result:\n--> (vim.fault.NoPermission) {\n" +
				"-->    object = 'vim.VirtualMachine:062c91bf-b47a-4d96-a87d-d10505e90978:vm-93',\n-->    privilegeId = \"VirtualMachine.Config.Settings\"\n-->    msg = \"Permission to perform this operation was denied.\"\n--> }\nall is well\n",
			want: []string{"|VirtualMachine.Config.Settings|VirtualMachine:vm-93||true"},
		},
		"pyVmomi, several objects": {
			log: "(vim.fault.NoPermission) {\n   msg = 'Permission to perform this operation was denied.',\n   object = 'vim.Folder:group-v3',\n   privilegeId = 'VirtualMachine.Inventory.Create',\n" +
				"   missingPrivileges = (vim.fault.NoPermission.EntityPrivileges) [\n      (vim.fault.NoPermission.EntityPrivileges) {\n         entity = 'vim.Folder:group-v3',\n         privilegeIds = (str) [\n            'VirtualMachine.Inventory.Create'\n         ]\n      },\n" +
				"      (vim.fault.NoPermission.EntityPrivileges) {\n         entity = 'vim.Datastore:datastore-11',\n         privilegeIds = (str) [\n            'Datastore.AllocateSpace'\n         ]\n      }\n   ]\n}\nnext: Folder:group-v9 NoPermission Datastore.Browse",
			want: []string{"|VirtualMachine.Inventory.Create|Folder:group-v3||true", "|Datastore.AllocateSpace|Datastore:datastore-11||true", "|Datastore.Browse|Folder:group-v9||true"},
		},
		"PowerCLI, wrapped by its console": {
			log:  "New-VM : 11/27/2026 10:00:00 AM\tNew-VM\t\tPermission to perform this operation was denied. Required\nprivilege 'VirtualMachine.Inventory.Create' on managed object with id\n'Folder-group-v3'.\nAt line:1 char:1\n+ New-VM -Name x\n    + CategoryInfo          : NotSpecified: (:) [New-VM], NoPermission\n",
			want: []string{"|VirtualMachine.Inventory.Create|group-v3||true"},
		},
		"Terraform, wrapped in its box": {
			log:  "│ Error: powering on: PowerOnVM_Task: ServerFaultCode: Permission to perform this\n│ operation was denied.\n│ \n│   with vsphere_virtual_machine.vm,\n╵\n",
			want: []string{"|VirtualMachine.Interact.PowerOn||PowerOnVM_Task|false"},
		},
		"a storage policy, by its action": {
			log:  `ERROR Error: disk.0: ServerFaultCode: NoPermission: RESOURCE (vm-996:2000), ACTION (queryAssociatedProfile): RESOURCE (vm-996), ACTION (PolicyIDByVirtualDisk)`,
			want: []string{"installer|StorageProfile.View||PbmQueryAssociatedProfile|false"},
		},
		"a template, in words": {
			log:  `ERROR Error: failed to mark vm as template: ServerFaultCode: Permission to perform this operation was denied.`,
			want: []string{"installer|VirtualMachine.Provisioning.MarkAsTemplate||MarkAsTemplate|false"},
		},
		"volumes, in words": {
			log:  `{"caller":"volume/manager.go:606","msg":"CNS QueryAllVolume failed with err: ServerFaultCode: NoPermission"}`,
			want: []string{"csi-driver|Cns.Searchable||CnsQueryAllVolume|false"},
		},
		"tags, in words": {
			log: "level=error msg=unable to create tag category: 403 Forbidden\nlevel=error msg=unable to create a tag: 403 Forbidden\nlevel=error msg=unable to attach tag: 403 Forbidden",
			want: []string{
				"installer|InventoryService.Tagging.CreateCategory||category.create|false",
				"installer|InventoryService.Tagging.CreateTag||tag.create|false",
				"installer|InventoryService.Tagging.AttachTag,InventoryService.Tagging.ObjectAttachable||tag_association.attach|false",
			},
		},
		"a fault without an end": {
			log:  "(vim.fault.NoPermission) {\n" + strings.Repeat("x\n", 200) + "machine-controller: NoPermission: Datastore.Browse",
			want: []string{"||||false", "machine-api|Datastore.Browse|||true"},
		},
		"no refusal": {log: "Folder.Create is granted to VirtualMachine:vm-42\nall is well", want: nil},
	} {
		found, _ := Read([]byte(tt.log), Options{Matrix: matrix(t, "default"), Components: tt.of})
		var got []string
		for _, r := range found {
			got = append(got, text(r))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%q, want\n%q", name, got, tt.want)
		}
	}
}

// A privilege is found in the rows of who was refused, and in nobody else's; a matrix without such a row has none.
func TestReadFindsRows(t *testing.T) {
	t.Parallel()
	const log = "machine-controller: NoPermission: VirtualMachine.Config.DiskExtend\nmachine-controller: NoPermission: VirtualMachine.Config.DiskExtend\n"
	found, _ := Read([]byte(log), Options{Matrix: matrix(t, "default")})
	if len(found) != 1 || !slices.Equal(found[0].Lines, []int{1, 2}) || len(found[0].Rows) == 0 || len(found[0].Duties) != 1 || found[0].Duties[0].Name != "clone template" {
		t.Fatalf("%+v", found)
	}
	other, _ := Read([]byte("machine-controller: ReconfigVM_Task: NoPermission: VirtualMachine.Config.DiskExtend"), Options{Matrix: matrix(t, "default")})
	if len(other) != 1 || len(other[0].Duties) != 1 || other[0].Duties[0].Name != "clone template" {
		t.Errorf("with another call: %+v", other)
	}
	for _, row := range found[0].Rows {
		if row.Component != component.MachineAPI || row.Privilege != "VirtualMachine.Config.DiskExtend" {
			t.Errorf("%+v", row)
		}
	}
	if found, _ := Read([]byte(log), Options{Matrix: matrix(t, "capv")}); len(found) != 1 || len(found[0].Rows) != 0 {
		t.Errorf("of capv: %+v", found)
	}
}

func TestReadKnowsOtherMessages(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"ServerFaultCode: Cannot complete login due to an incorrect user name or password.", "NotAuthenticated", "UsernameWithoutDomain", "PasswordWithNewLine",
		`platform.vsphere.vcenters[0].server: Invalid value: "VC1.example.com": must be the domain name or IP address of the vCenter`,
		`data[fd00::1.username]: Invalid value: "fd00::1.username": a valid config key must consist of alphanumeric characters, '-', '_' or '.'`,
		"Unknown secret key a", "InvalidMachineConfiguration", "failed to fetch vsphere-creds Secret during machineset sync", "ManagedObjectNotFound", "PasswordExpired",
	} {
		if _, known := Read([]byte("x\n"+message), Options{Matrix: matrix(t, "default")}); len(known) != 1 || known[0].Lines[0] != 2 || known[0].Means == "" || known[0].Do == "" {
			t.Errorf("%s: %+v", message, known)
		}
	}
}

// Every call of the table is one of a duty, and a line that names it alone is understood.
func TestCallsAreOfDuties(t *testing.T) {
	t.Parallel()
	for _, c := range component.Names() {
		for _, d := range privileges.Duties(c) {
			for _, call := range d.Calls() {
				found, _ := Read([]byte(call+": NoPermission"), Options{Matrix: matrix(t, "default"), Components: []component.Name{c}})
				if len(found) != 1 || found[0].Call != call || !slices.ContainsFunc(found[0].Duties, func(of *privileges.Duty) bool { return of.Name == d.Name }) {
					t.Errorf("%s, %s, %s: %+v", c, d.Name, call, found)
				}
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("NoPermission: Folder.Create on Folder:group-v3"))
	f.Add([]byte("<object type=\"Folder\">group-v3</object>\n<privilegeId>x"))
	f.Add([]byte("privileges missing for vSphere \x1b[31m: a"))
	m := matrix(f, "default")
	f.Fuzz(func(t *testing.T, log []byte) {
		found, _ := Read(log, Options{Matrix: m})
		for _, r := range found {
			if strings.ContainsFunc(r.Object, func(c rune) bool { return c < ' ' || c == 0x7f }) {
				t.Errorf("%q", r.Object)
			}
		}
	})
}
