package vcsim

import (
	"github.com/vmware/govmomi/cns"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vslm"
	vslmtypes "github.com/vmware/govmomi/vslm/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/volumes"
)

// volumeCaller is who calls CNS.
type volumeCaller struct{ *access }

func (c volumeCaller) Name() string { return c.name }

func (c volumeCaller) Require(needs ...volumes.Need) types.BaseMethodFault {
	all := make([]need, 0, len(needs))
	for _, n := range needs {
		if n.On == (moref{}) {
			n.On = c.root
		}
		all = append(all, need{n.On, n.Privilege})
	}
	return c.require(all...)
}

func (c volumeCaller) Datastores() []moref { return c.datastoresInSight() }

func (c volumeCaller) Datastore(datacenter, name string) (moref, bool) {
	return datastoreIn(c.ctx.Map, datacenter, name)
}

func (c volumeCaller) Datacenter(of moref) moref {
	for range depthLimit {
		if n, ok := c.tree.place(of); of.Type != "Datacenter" && ok && len(n.parents) > 0 {
			of = n.parents[0]
			continue
		}
		break
	}
	return of
}

func (c volumeCaller) Context() *simulator.Context { return c.ctx }

// newVolumeEndpoint serves CNS. Sessions are those of vim25, by their cookie.
func newVolumeEndpoint(v *VCenter, j journal) *soapEndpoint {
	s := &besideVim{VCenter: v, name: cns.Namespace, journal: j, session: func(c *soapCall) string {
		cookie, err := c.request.Cookie(soap.SessionCookieName)
		if err != nil {
			return ""
		}
		return cookie.Value
	}}
	as, all := func(x *access) volumes.Caller { return volumeCaller{x} }, v.volumes
	const manager = "CnsVolumeManager."
	return &soapEndpoint{namespace: cns.Namespace, methods: map[string]soapMethod{
		manager + "CnsCreateVolume":         methodOf(s, as, all.Create),
		manager + "CnsDeleteVolume":         methodOf(s, as, all.Delete),
		manager + "CnsExtendVolume":         methodOf(s, as, all.Extend),
		manager + "CnsAttachVolume":         methodOf(s, as, all.Attach),
		manager + "CnsDetachVolume":         methodOf(s, as, all.Detach),
		manager + "CnsQueryVolume":          methodOf(s, as, all.Query),
		manager + "CnsQueryAllVolume":       methodOf(s, as, all.QueryAll),
		manager + "CnsQueryAsync":           methodOf(s, as, all.QueryAsync),
		manager + "CnsQueryVolumeInfo":      methodOf(s, as, all.QueryInfo),
		manager + "CnsUpdateVolumeMetadata": methodOf(s, as, all.UpdateMetadata),
		manager + "CnsReconfigVolumePolicy": methodOf(s, as, all.ReconfigurePolicy),
		manager + "CnsCreateSnapshots":      methodOf(s, as, all.CreateSnapshots),
		manager + "CnsDeleteSnapshots":      methodOf(s, as, all.DeleteSnapshots),
		manager + "CnsQuerySnapshots":       methodOf(s, as, all.QuerySnapshots),
	}}
}

// newDiskEndpoint serves VSLM. Sessions are those of vim25, whose cookie is in the header of each
// request, as for PBM.
func newDiskEndpoint(v *VCenter, j journal) *soapEndpoint {
	s := &besideVim{VCenter: v, name: vslm.Namespace, journal: j, session: v.headerSession}
	as, all := func(x *access) volumes.Caller { return volumeCaller{x} }, v.volumes
	const manager, task = "VslmVStorageObjectManager.", "VslmTask."
	return &soapEndpoint{namespace: vslm.Namespace, methods: map[string]soapMethod{
		"VslmServiceInstance.RetrieveContent": method(func(
			*soapCall, *vslmtypes.RetrieveContent,
		) (*vslmtypes.RetrieveContentResponse, error) {
			return &vslmtypes.RetrieveContentResponse{Returnval: volumes.DiskContent(v.node.instance)}, nil
		}),
		manager + "VslmRegisterDisk":                    methodOf(s, as, all.RegisterDisk),
		manager + "VslmRetrieveVStorageObject":          methodOf(s, as, all.RetrieveDisk),
		manager + "VslmListVStorageObjectForSpec":       methodOf(s, as, all.ListDisks),
		manager + "VslmCreateDisk_Task":                 methodOf(s, as, all.CreateDisk),
		manager + "VslmDeleteVStorageObject_Task":       methodOf(s, as, all.DeleteDisk),
		manager + "VslmSetVStorageObjectControlFlags":   methodOf(s, as, all.SetFlags),
		manager + "VslmClearVStorageObjectControlFlags": methodOf(s, as, all.ClearFlags),
		task + "VslmQueryInfo":                          methodOf(s, as, all.TaskInfo),
		task + "VslmQueryTaskResult":                    methodOf(s, as, all.TaskResult),
	}}
}
