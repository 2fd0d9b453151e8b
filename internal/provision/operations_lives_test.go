package provision_test

import (
	"path"
	"testing"

	cnstypes "github.com/vmware/govmomi/cns/types"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// What components do one after the other with what they have made themselves: machine-api creates a machine, updates it, deletes it and
// creates one of the same name again; the CSI driver leads a volume from its creation to its end.
func TestComponentsLive(t *testing.T) {
	t.Parallel()
	s := newStage(t, "default", "pool")
	for range 2 {
		s.liveMachine(component.MachineAPI, "worker-0")
	}
	c, m := s.cns(s.clients[component.CSIDriver]), s.machine().Reference()
	id, err := s.newVolume(c)
	s.need(err)
	on := []cnstypes.CnsVolumeAttachDetachSpec{{VolumeId: id, Vm: m}}
	for what, call := range []func() (*object.Task, error){
		func() (*object.Task, error) { return c.AttachVolume(s.ctx, on) },
		func() (*object.Task, error) {
			return c.ExtendVolume(s.ctx, []cnstypes.CnsVolumeExtendSpec{{VolumeId: id, CapacityInMb: 2}})
		},
		func() (*object.Task, error) { return c.DetachVolume(s.ctx, on) },
		func() (*object.Task, error) { return c.DeleteVolume(s.ctx, []cnstypes.CnsVolumeId{id}, true) },
	} {
		task, err := call()
		if err := s.came(task, err); err != nil {
			t.Errorf("step %d: %v", what, err)
		}
	}
	left, err := c.QueryVolume(s.ctx, &cnstypes.CnsQueryFilter{VolumeIds: []cnstypes.CnsVolumeId{id}})
	if err != nil || len(left.Volumes) != 0 {
		t.Errorf("%+v, %v", left, err)
	}
}

// liveMachine is the life of a machine as machine-api leads it.
func (s *stage) liveMachine(as component.Name, name string) {
	s.Helper()
	c := s.clients[as]
	finder := find.NewFinder(c)
	dc, err := finder.Datacenter(s.ctx, "/DC1")
	s.need(err)
	template, err := finder.SetDatacenter(dc).VirtualMachine(s.ctx, "/DC1/vm/templates/rhcos")
	s.need(err)
	spec := s.cloneSpec(s.datastore, s.network)
	spec.Config.DeviceChange = append(s.largerDisks(template), spec.Config.DeviceChange...)
	task, err := template.Clone(s.ctx, object.NewFolder(c, s.ref(s.folder)), name, spec)
	s.need(err)
	info, err := task.WaitForResult(s.ctx)
	s.need(err)
	if info.DescriptionId != "VirtualMachine.clone" { // by which a clone that failed is forgiven
		s.Errorf("the task is a %q", info.DescriptionId)
	}
	instance := true
	found, err := object.NewSearchIndex(c).FindByUuid(s.ctx, dc, spec.Config.InstanceUuid, true, &instance)
	s.need(err)
	if found == nil {
		s.Fatalf("%s is not found", path.Join(s.folder, name))
	}
	vm := object.NewVirtualMachine(c, found.Reference())
	on, err := dc.PowerOnVM(s.ctx, []types.ManagedObjectReference{vm.Reference()}, &types.OptionValue{Key: "OverrideAutomationLevel", Value: "fullyAutomated"})
	s.need(s.done(on, err))
	s.need(s.rest(c).AttachTag(s.ctx, s.clusterTag().ID, vm.Reference()))
	var seen mo.VirtualMachine
	s.need(property.DefaultCollector(c).RetrieveOne(s.ctx, vm.Reference(), []string{"runtime.host", "config.hardware.device"}, &seen))
	devices := object.VirtualDeviceList(seen.Config.Hardware.Device)
	if cards, disks := len(devices.SelectByType((*types.VirtualEthernetCard)(nil))), len(devices.SelectByType((*types.VirtualDisk)(nil))); cards != s.cards(template)+1 || disks != 1 {
		s.Errorf("%d network cards, %d disks", cards, disks)
	}
	above, err := s.above(c, *seen.Runtime.Host)
	s.need(err)
	var tags []string
	for _, ref := range above {
		of, err := s.rest(c).GetAttachedTags(s.ctx, ref)
		s.need(err)
		for _, one := range of {
			tags = append(tags, one.Name)
		}
	}
	if len(tags) != 2 || tags[0] != "zone-a" || tags[1] != "region-a" {
		s.Errorf("region and zone are %s", tags)
	}
	s.need(s.done(vm.PowerOff(s.ctx)))
	s.need(s.done(vm.Destroy(s.ctx)))
}

// cards are the network cards of a machine.
func (s *stage) cards(m *object.VirtualMachine) int {
	s.Helper()
	devices, err := object.NewVirtualMachine(s.admin, m.Reference()).Device(s.ctx)
	s.need(err)
	return len(devices.SelectByType((*types.VirtualEthernetCard)(nil)))
}
