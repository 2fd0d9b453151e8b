package vcsim

import (
	"github.com/vmware/govmomi/cns"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

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
