package provision_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// capvOperations are what Cluster API's provider does beside what other components do, with the specifications that it sends:
// kubernetes-sigs/cluster-api-provider-vsphere@111a1ba9bc52, pkg/services/govmomi/vcenter/clone.go and service.go.
func capvOperations() []operation {
	return []operation{
		{"clone, Cluster API", func(s *stage, c *vim25.Client) error { return s.cloneCAPV(c, nil) }},
		{"clone with resources, CAPI", func(s *stage, c *vim25.Client) error {
			reserved := int64(256)
			return s.cloneCAPV(c, func(spec *types.VirtualMachineConfigSpec) {
				spec.MemoryAllocation = &types.ResourceAllocationInfo{Reservation: &reserved}
			})
		}},
		{"change metadata", func(s *stage, c *vim25.Client) error {
			return s.done(as(c, s.machine()).Reconfigure(s.ctx, types.VirtualMachineConfigSpec{
				ExtraConfig: []types.BaseOptionValue{&types.OptionValue{Key: "guestinfo.metadata", Value: "e30="}},
			}))
		}},
		{"extend disk", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			devices, err := m.Device(s.ctx)
			s.need(err)
			disks := devices.SelectByType((*types.VirtualDisk)(nil))
			disk, ok := disks[0].(*types.VirtualDisk)
			if !ok {
				s.Fatalf("%T", disks[0])
			}
			disk.CapacityInKB *= 2
			disk.CapacityInBytes = disk.CapacityInKB * 1024
			return s.done(as(c, m).Reconfigure(s.ctx, types.VirtualMachineConfigSpec{
				DeviceChange: []types.BaseVirtualDeviceConfigSpec{&types.VirtualDeviceConfigSpec{Operation: "edit", Device: disk}},
			}))
		}},
		{"set policy of disk", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			devices, err := m.Device(s.ctx)
			s.need(err)
			return s.done(as(c, m).Reconfigure(s.ctx, types.VirtualMachineConfigSpec{
				DeviceChange: []types.BaseVirtualDeviceConfigSpec{&types.VirtualDeviceConfigSpec{
					Operation: "edit", Device: devices.SelectByType((*types.VirtualDisk)(nil))[0],
					Profile: []types.BaseVirtualMachineProfileSpec{&types.VirtualMachineDefinedProfileSpec{ProfileId: "aa6d5a82-1c88-45da-85d3-3d74b91a5bad"}},
				}},
			}))
		}},
		{"upgrade hardware", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			_ = s.done(m.PowerOff(s.ctx))
			return s.done(as(c, m).UpgradeVM(s.ctx, ""))
		}},
	}
}

// cloneCAPV clones as CAPV does: the cards of the template are replaced, and its system disk grows.
func (s *stage) cloneCAPV(c *vim25.Client, more func(*types.VirtualMachineConfigSpec)) error {
	s.Helper()
	template := object.NewVirtualMachine(c, s.ref("/DC1/vm/templates/rhcos"))
	devices, err := object.NewVirtualMachine(s.admin, template.Reference()).Device(s.ctx)
	s.need(err)
	spec := s.cloneSpec(s.datastore, s.network)
	on, cores := true, int32(2)
	config := &types.VirtualMachineConfigSpec{
		InstanceUuid: uuid.NewString(),
		Flags:        &types.VirtualMachineFlagInfo{DiskUuidEnabled: &on},
		ExtraConfig:  []types.BaseOptionValue{&types.OptionValue{Key: "guestinfo.userdata", Value: "e30="}},
		NumCPUs:      2, NumCoresPerSocket: &cores, MemoryMB: 2048, VAppConfigRemoved: &on,
		DeviceChange: s.largerDisks(template),
	}
	for _, card := range devices.SelectByType((*types.VirtualEthernetCard)(nil)) {
		config.DeviceChange = append(config.DeviceChange, &types.VirtualDeviceConfigSpec{Operation: "remove", Device: card})
	}
	config.DeviceChange = append(config.DeviceChange, spec.Config.DeviceChange...)
	if more != nil {
		more(config)
	}
	spec.Config = config
	name := s.name("capv")
	s.later(s.discard(path.Join(s.folder, name)))
	return s.done(template.Clone(s.ctx, object.NewFolder(c, s.ref(s.folder)), name, spec))
}

// The accounts of Cluster API and of machine-config-operator hold the minimum: without any one of the privileges that they
// always have, one of their duties is refused, and the refusal names that privilege.
func TestOptInComponentsHoldTheMinimum(t *testing.T) {
	t.Parallel()
	s := newStage(t, "default", "folder")
	s.holdsMinimum(component.MachineConfig, map[string]string{
		"Datastore.AllocateSpace":                    "import boot image",
		"InventoryService.Tagging.AttachTag":         "tag boot image",
		"InventoryService.Tagging.ObjectAttachable":  "tag boot image",
		"Network.Assign":                             "import boot image",
		"VApp.Import":                                "import boot image",
		"VirtualMachine.Config.Rename":               "make boot image a template",
		"VirtualMachine.Config.Settings":             "make boot image a template",
		"VirtualMachine.Inventory.Delete":            "destroy boot image",
		"VirtualMachine.Provisioning.MarkAsTemplate": "make boot image a template",
	})
	s.holdsMinimum(component.ClusterAPI, map[string]string{
		"Datastore.AllocateSpace":                     "clone, Cluster API",
		"Network.Assign":                              "clone, Cluster API",
		"Resource.AssignVMToPool":                     "clone, Cluster API",
		"VApp.ApplicationConfig":                      "clone, Cluster API",
		"VirtualMachine.Provisioning.DeployTemplate":  "clone, Cluster API",
		"VirtualMachine.Inventory.CreateFromExisting": "clone, Cluster API",
		"VirtualMachine.Config.AdvancedConfig":        "change metadata",
		"VirtualMachine.Config.AddRemoveDevice":       "clone, Cluster API",
		"VirtualMachine.Config.CPUCount":              "clone, Cluster API",
		"VirtualMachine.Config.DiskExtend":            "extend disk",
		"VirtualMachine.Config.EditDevice":            "set policy of disk",
		"VirtualMachine.Config.Memory":                "clone, Cluster API",
		"VirtualMachine.Config.Settings":              "clone, Cluster API",
		"VirtualMachine.Interact.PowerOff":            "power off",
		"VirtualMachine.Interact.PowerOn":             "power on",
		"VirtualMachine.Inventory.Delete":             "destroy machine",
	})
}

// holdsMinimum takes each privilege of a component once; needed has the operation that asks for it.
func (s *stage) holdsMinimum(c component.Name, needed map[string]string) {
	s.Helper()
	do := func(name string) string {
		op, _ := s.named(name)
		return s.perform(op, s.clients[c])
	}
	list, err := authz(s.admin).RoleList(s.ctx)
	s.need(err)
	tried := map[string]bool{}
	for _, role := range list {
		if !strings.HasPrefix(role.Name, "openshift-"+string(c)+"-") {
			continue
		}
		for _, id := range privileges.Strip(role.Privilege) {
			if strings.Contains(role.Name, "-folder-") && slices.Contains(privileges.Cloning(), id) {
				continue // for templates in the folder; here they are elsewhere, where another role has it
			}
			tried[id] = true
			less := slices.DeleteFunc(slices.Clone(role.Privilege), func(held string) bool { return held == id })
			s.need(authz(s.admin).UpdateRole(s.ctx, role.RoleId, role.Name, less))
			switch op := needed[id]; {
			case op == "":
				s.Errorf("%s: no call of %s is known that asks for it", id, c)
			default:
				if answer := do(op); answer != id {
					s.Errorf("%s without %s: %s: %s", c, id, op, answer)
				}
			}
			s.need(authz(s.admin).UpdateRole(s.ctx, role.RoleId, role.Name, role.Privilege))
		}
	}
	for id := range needed {
		if !tried[id] {
			s.Errorf("no role of %s holds %s", c, id)
		}
	}
}
