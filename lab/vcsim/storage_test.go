package vcsim

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/vmware/govmomi/cns"
	cnstypes "github.com/vmware/govmomi/cns/types"
	"github.com/vmware/govmomi/pbm"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vslm"
)

// post sends a body to one of the services beside vim25, with a session, and gives the answer.
func post(t *testing.T, c *vim25.Client, path, body string) (int, string) {
	t.Helper()
	cookie := c.SessionCookie().Value
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+c.URL().Host+path, strings.NewReader(
		`<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Header><vcSessionCookie>`+
			cookie+`</vcSessionCookie></Header><Body>`+body+`</Body></Envelope>`))
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(&http.Cookie{Name: soap.SessionCookieName, Value: cookie})
	res, err := (&http.Client{Transport: c.DefaultTransport()}).Do(req)
	if err != nil {
		t.Errorf("%s: %v", body, err)
		return 0, ""
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	return res.StatusCode, string(answer)
}

// What is no request of the services gets an answer, and they go on.
func TestStorageHostileInput(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	vm, store := machineOf(t, v), datastoresOf(t, v)[0]
	id := newVolume(t, volumesOf(t, c), volumeSpec("pvc-1", 10, store))
	const profiles, solver = `<_this type="PbmProfileProfileManager">ProfileManager</_this>`, `<_this type="PbmPlacementSolver">placementSolver</_this>`
	const disks = `<_this type="VslmVStorageObjectManager">VStorageObjectManager</_this>`
	name := entityName(v.authz.reg, store)
	const manager = `<_this type="CnsVolumeManager">cns-volume-manager</_this>`
	spec := func(in string) string {
		return `<CnsCreateVolume xmlns="urn:vsan">` + manager + `<createSpecs><name>x</name><volumeType>BLOCK</volumeType><datastores type="Datastore">` + store.Value + `</datastores>` + in + `</createSpecs></CnsCreateVolume>`
	}
	attach := func(in string) string {
		return `<CnsAttachVolume xmlns="urn:vsan">` + manager + `<attachSpecs><volumeId><id>` + id.Id + `</id></volumeId>` + in + `</attachSpecs></CnsAttachVolume>`
	}
	machine := `<vm type="VirtualMachine">` + vm.Value + `</vm>`
	for _, tt := range []struct{ path, body string }{
		{pbm.Path, ``},
		{pbm.Path, `<PbmQueryProfile xmlns="urn:pbm"/>`},
		{pbm.Path, `<PbmQueryProfile xmlns="urn:pbm"><_this type="Folder">group-d1</_this></PbmQueryProfile>`},
		{pbm.Path, `<PbmRetrieveContent xmlns="urn:pbm">` + profiles + `</PbmRetrieveContent>`},
		{pbm.Path, `<PbmCreate xmlns="urn:pbm">` + profiles + `</PbmCreate>`},
		{pbm.Path, `<PbmCreate xmlns="urn:pbm">` + profiles + `<createSpec><name>x</name><resourceType><resourceType>STORAGE</resourceType></resourceType></createSpec></PbmCreate>`},
		{pbm.Path, `<PbmCreate xmlns="urn:pbm">` + profiles + `<createSpec><name>x</name><resourceType><resourceType>STORAGE</resourceType></resourceType><constraints xsi:type="Folder"/></createSpec></PbmCreate>`},
		{pbm.Path, `<PbmCreate xmlns="urn:pbm">` + profiles + `<createSpec><name>y</name><resourceType><resourceType>STORAGE</resourceType></resourceType><constraints xsi:type="PbmCapabilitySubProfileConstraints"><subProfiles><name>n</name><capability><id><namespace>http://www.vmware.com/storage/tag</namespace><id>c</id></id><constraint><propertyInstance><id>com.vmware.storage.tag.c.property</id></propertyInstance></constraint></capability></subProfiles></constraints></createSpec></PbmCreate>`},
		{pbm.Path, `<PbmRetrieveContent xmlns="urn:pbm">` + profiles + `<profileIds><uniqueId>` + strings.Repeat("x", 1<<16) + `</uniqueId></profileIds></PbmRetrieveContent>`},
		{pbm.Path, `<PbmDelete xmlns="urn:pbm">` + profiles + `</PbmDelete>`},
		{pbm.Path, `<PbmUpdate xmlns="urn:pbm">` + profiles + `</PbmUpdate>`},
		{pbm.Path, `<PbmQueryAssociatedProfile xmlns="urn:pbm">` + profiles + `</PbmQueryAssociatedProfile>`},
		{pbm.Path, `<PbmCheckRequirements xmlns="urn:pbm">` + solver + `<placementSubjectRequirement/></PbmCheckRequirements>`},
		{pbm.Path, `<PbmCheckRequirements xmlns="urn:pbm">` + solver + `<placementSubjectRequirement xsi:type="PbmPlacementCapabilityConstraintsRequirement"/></PbmCheckRequirements>`},
		{pbm.Path, `<PbmCheckRequirements xmlns="urn:pbm">` + solver + `<hubsToSearch><hubType>VirtualMachine</hubType><hubId>` + vm.Value + `</hubId></hubsToSearch></PbmCheckRequirements>`},
		{cns.Path, `<CnsQueryVolume xmlns="urn:vsan">` + manager + `</CnsQueryVolume>`},
		{cns.Path, `<CnsQueryVolume xmlns="urn:vsan">` + manager + `<filter><cursor><offset>-9223372036854775808</offset><limit>-1</limit></cursor></filter></CnsQueryVolume>`},
		{cns.Path, `<CnsQueryVolume xmlns="urn:vsan">` + manager + `<filter><cursor><offset>9223372036854775807</offset><limit>9223372036854775807</limit></cursor></filter></CnsQueryVolume>`},
		{cns.Path, `<CnsCreateVolume xmlns="urn:vsan">` + manager + `</CnsCreateVolume>`},
		{cns.Path, spec(``)},
		{cns.Path, spec(`<backingObjectDetails xsi:type="CnsBlockBackingDetails"><capacityInMb>-1</capacityInMb></backingObjectDetails>`)},
		{cns.Path, spec(`<backingObjectDetails xsi:type="CnsBlockBackingDetails"><capacityInMb>9223372036854775807</capacityInMb></backingObjectDetails>`)},
		{cns.Path, spec(`<backingObjectDetails xsi:type="CnsVsanFileShareBackingDetails"><capacityInMb>1</capacityInMb></backingObjectDetails>`)},
		{cns.Path, spec(`<backingObjectDetails xsi:type="CnsBlockBackingDetails"><backingDiskId>../../x</backingDiskId></backingObjectDetails>`)},
		{cns.Path, spec(`<datastores type="Datastore">none</datastores>`)},
		{cns.Path, spec(`<datastores type="VirtualMachine">` + vm.Value + `</datastores>`)},
		{cns.Path, spec(`<metadata><entityMetadata/></metadata><profile/>`)},
		{cns.Path, attach(``)},
		{cns.Path, attach(`<vm type="Datastore">` + store.Value + `</vm>`)},
		{cns.Path, attach(machine + `<controllerKey>9</controllerKey>`)},
		{cns.Path, attach(machine + `<controllerKey>-1</controllerKey><unitNumber>-5</unitNumber>`)},
		{cns.Path, attach(machine + `<unitNumber>0</unitNumber>`)},
		{cns.Path, `<CnsDeleteVolume xmlns="urn:vsan">` + manager + `</CnsDeleteVolume>`},
		{cns.Path, `<CnsDetachVolume xmlns="urn:vsan">` + manager + `<detachSpecs/></CnsDetachVolume>`},
		{cns.Path, `<CnsUpdateVolumeMetadata xmlns="urn:vsan">` + manager + `<updateSpecs><volumeId><id>` + id.Id + `</id></volumeId><metadata><entityMetadata/></metadata></updateSpecs></CnsUpdateVolumeMetadata>`},
		{cns.Path, `<CnsCreateSnapshots xmlns="urn:vsan">` + manager + `<snapshotSpecs/></CnsCreateSnapshots>`},
		{cns.Path, `<CnsDeleteSnapshots xmlns="urn:vsan">` + manager + `<snapshotDeleteSpecs><volumeId><id>` + id.Id + `</id></volumeId></snapshotDeleteSpecs></CnsDeleteSnapshots>`},
		{cns.Path, `<CnsQuerySnapshots xmlns="urn:vsan">` + manager + `<snapshotQueryFilter><cursor><offset>9223372036854775807</offset><limit>9223372036854775807</limit></cursor></snapshotQueryFilter></CnsQuerySnapshots>`},
		{cns.Path, `<CnsReconfigVolumePolicy xmlns="urn:vsan">` + manager + `<volumePolicyReconfigSpecs/></CnsReconfigVolumePolicy>`},
		{cns.Path, spec(`<backingObjectDetails xsi:type="CnsBlockBackingDetails"><backingDiskUrlPath>%zz</backingDiskUrlPath></backingObjectDetails>`)},
		{cns.Path, spec(`<backingObjectDetails xsi:type="CnsBlockBackingDetails"><backingDiskUrlPath>https://x/folder/../x?dcPath=DC1&amp;dsName=ds</backingDiskUrlPath></backingObjectDetails>`)},
		{vslm.Path, `<VslmRegisterDisk xmlns="urn:vslm">` + disks + `</VslmRegisterDisk>`},
		{vslm.Path, `<VslmRegisterDisk xmlns="urn:vslm">` + disks + `<path>https://x/folder/none?dcPath=DC1&amp;dsName=` + name + `</path></VslmRegisterDisk>`},
		{vslm.Path, `<VslmRetrieveVStorageObject xmlns="urn:vslm">` + disks + `</VslmRetrieveVStorageObject>`},
		{vslm.Path, `<VslmListVStorageObjectForSpec xmlns="urn:vslm">` + disks + `</VslmListVStorageObjectForSpec>`},
		{vslm.Path, `<VslmListVStorageObjectForSpec xmlns="urn:vslm">` + disks + `<query><queryField>capacity</queryField><queryValue>x</queryValue></query><maxResult>2147483647</maxResult></VslmListVStorageObjectForSpec>`},
		{vslm.Path, `<VslmListVStorageObjectForSpec xmlns="urn:vslm">` + disks + `<query><queryField>name</queryField></query><maxResult>1</maxResult></VslmListVStorageObjectForSpec>`},
		{vslm.Path, `<VslmCreateDisk_Task xmlns="urn:vslm">` + disks + `<spec/></VslmCreateDisk_Task>`},
		{vslm.Path, `<VslmCreateDisk_Task xmlns="urn:vslm">` + disks + `<spec><name>x</name><capacityInMB>1</capacityInMB><backingSpec xsi:type="VslmCreateSpecDiskFileBackingSpec"><datastore type="Datastore">none</datastore></backingSpec></spec></VslmCreateDisk_Task>`},
		{vslm.Path, `<VslmDeleteVStorageObject_Task xmlns="urn:vslm">` + disks + `<id><id>none</id></id></VslmDeleteVStorageObject_Task>`},
		{vslm.Path, `<VslmSetVStorageObjectControlFlags xmlns="urn:vslm">` + disks + `<id><id>` + id.Id + `</id></id><controlFlags>none</controlFlags></VslmSetVStorageObjectControlFlags>`},
		{vslm.Path, `<VslmQueryInfo xmlns="urn:vslm"><_this type="VslmTask">none</_this></VslmQueryInfo>`},
		{vslm.Path, `<VslmQueryTaskResult xmlns="urn:vslm"><_this type="VslmTask">VStorageObjectManager</_this></VslmQueryTaskResult>`},
		{cns.Path, `<CnsExtendVolume xmlns="urn:vsan">` + manager + `<extendSpecs><volumeId><id>` + id.Id + `</id></volumeId><capacityInMb>9223372036854775807</capacityInMb></extendSpecs></CnsExtendVolume>`},
	} {
		if code, answer := post(t, c, tt.path, tt.body); code != http.StatusOK && (code != http.StatusInternalServerError || !strings.Contains(answer, "<faultstring>")) {
			t.Errorf("%s: %d %s", tt.body, code, answer)
		}
	}
	if _, err := policiesOf(t, c).ProfileMap(t.Context()); err != nil {
		t.Error(err)
	}
	newVolume(t, volumesOf(t, c), volumeSpec("pvc-2", 10, store)) // waits for the tasks before it, too
	res, err := volumesOf(t, c).QueryVolume(t.Context(), &cnstypes.CnsQueryFilter{})
	if err != nil || len(res.Volumes) < 2 {
		t.Errorf("%+v, %v", res, err)
	}
}

// Of what is not simulated, the services say so.
func TestStorageMethodsThatAreNotSimulated(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	for path, body := range map[string]string{
		pbm.Path:  `<PbmFetchComplianceResult xmlns="urn:pbm"><_this type="PbmComplianceManager">complianceManager</_this></PbmFetchComplianceResult>`,
		vslm.Path: `<VslmInflateDisk_Task xmlns="urn:vslm"><_this type="VslmVStorageObjectManager">VStorageObjectManager</_this></VslmInflateDisk_Task>`,
		cns.Path:  `<CnsRelocateVolume xmlns="urn:vsan"><_this type="CnsVolumeManager">cns-volume-manager</_this></CnsRelocateVolume>`,
	} {
		if code, answer := post(t, c, path, body); code != http.StatusInternalServerError || !strings.Contains(answer, "MethodNotFound") {
			t.Errorf("%s: %d %s", path, code, answer)
		}
	}
	for path, want := range map[string]string{"/sdk/vsanServiceVersions.xml": "urn:vsan", "/sdk/vimServiceVersions.xml": "urn:vim25"} {
		if code, body := ask(t, v, http.MethodGet, path, nil); code != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}
