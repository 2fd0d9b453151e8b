package vcsim

import (
	"reflect"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// machine is what the privileges of a call depend on in the virtual machine as it is.
type machine struct {
	ref       moref
	template  bool
	encrypted bool
	running   bool
	pool      *moref
	datastore []moref
	home      string                                       // path of its .vmx; "" where it has none yet
	space     *moref                                       // datastore of what a clone gets
	disks     map[int32]int64                              // capacity in KB by device key
	wiring    map[int32]types.BaseVirtualDeviceBackingInfo // of the network cards by device key
	devices   map[int32]types.BaseVirtualDevice            // copies by device key
}

func (x *access) machine(ref moref) (machine, bool) {
	vm, ok := managed(x.ctx.Map.Get(ref)).(*mo.VirtualMachine)
	if !ok {
		return machine{}, false
	}
	defer x.ctx.Map.AcquireLock(x.ctx, ref)()
	m := machine{
		ref: ref, pool: copied(vm.ResourcePool), datastore: append([]moref{}, vm.Datastore...),
		running: vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn,
		disks:   map[int32]int64{}, wiring: map[int32]types.BaseVirtualDeviceBackingInfo{},
		devices: map[int32]types.BaseVirtualDevice{},
	}
	if vm.Config != nil {
		m.template, m.encrypted, m.home = vm.Config.Template, vm.Config.KeyId != nil, vm.Config.Files.VmPathName
		for _, d := range vm.Config.Hardware.Device {
			m.devices[d.GetVirtualDevice().Key] = copyOf(d)
			switch d := d.(type) {
			case *types.VirtualDisk:
				m.disks[d.Key] = d.CapacityInKB
			case types.BaseVirtualEthernetCard:
				m.wiring[d.GetVirtualEthernetCard().Key] = d.GetVirtualEthernetCard().Backing
			}
		}
	}
	return m, true
}

func cloneNeeds(x *access, call *simulator.Method) ([]need, bool) {
	req, isClone := call.Body.(*types.CloneVM_Task)
	source, ok := x.machine(call.This)
	if !isClone || !ok {
		return nil, false
	}
	folder := req.Folder
	if req.Spec.Location.Folder != nil {
		folder = *req.Spec.Location.Folder
	}
	provisioning := "VirtualMachine.Provisioning.Clone"
	switch {
	case source.template && req.Spec.Template:
		provisioning = "VirtualMachine.Provisioning.CloneTemplate"
	case source.template:
		provisioning = "VirtualMachine.Provisioning.DeployTemplate"
	case req.Spec.Template:
		provisioning = "VirtualMachine.Provisioning.CreateTemplateFromVM"
	}
	needs := []need{{call.This, provisioning}, {folder, "VirtualMachine.Inventory.CreateFromExisting"}}
	if req.Spec.Customization != nil {
		needs = append(needs, need{call.This, "VirtualMachine.Provisioning.Customize"})
	}
	pool := req.Spec.Location.Pool
	if pool == nil {
		pool = source.pool
	}
	if pool != nil && !req.Spec.Template {
		needs = append(needs, need{*pool, "Resource.AssignVMToPool"})
	}
	if source.encrypted {
		needs = append(needs, need{call.This, "Cryptographer.Clone"})
	}
	if source.encrypted || encrypts(req.Spec.Config) {
		needs = append(needs, x.hostNeeds(req.Spec.Location.Host, pool)...)
	}
	stores := relocationTargets(req.Spec.Location)
	if len(stores) == 0 {
		stores = source.datastore
	}
	for _, ds := range stores {
		needs = append(needs, need{ds, "Datastore.AllocateSpace"})
	}
	source.encrypted = false                                    // what a disk of an encrypted clone needs besides is not known
	source.home, source.space = "", req.Spec.Location.Datastore // without one, the needs above have the source's datastores
	needs = append(needs, x.deviceNeeds(source, folder, req.Spec.Location.DeviceChange, false)...)
	if req.Spec.Config != nil {
		// The clone does not exist yet: what is changed about it is checked where it will be.
		config := *req.Spec.Config
		config.Files = nil // the clone's own, not a change
		needs, config.Crypto = append(needs, cryptoNeeds(folder, config.Crypto, true)...), nil
		needs = append(needs, x.configNeeds(source, folder, &config)...)
	}
	if req.Spec.PowerOn {
		needs = append(needs, need{folder, "VirtualMachine.Interact.PowerOn"})
	}
	return needs, true
}

// relocationTargets are the datastores that a relocation names.
func relocationTargets(l types.VirtualMachineRelocateSpec) []moref {
	var out []moref
	if l.Datastore != nil {
		out = append(out, *l.Datastore)
	}
	for _, d := range l.Disk {
		out = append(out, d.Datastore)
	}
	return out
}

func createNeeds(x *access, call *simulator.Method) ([]need, bool) {
	req, ok := call.Body.(*types.CreateVM_Task)
	if !ok {
		return nil, false
	}
	needs := []need{{call.This, "VirtualMachine.Inventory.Create"}, {req.Pool, "Resource.AssignVMToPool"}}
	if encrypts(&req.Config) {
		needs = append(needs, x.hostNeeds(req.Host, &req.Pool)...)
	}
	return append(needs, x.newMachineNeeds(call.This, &req.Config)...), true
}

func createChildNeeds(x *access, call *simulator.Method) ([]need, bool) {
	req, ok := call.Body.(*types.CreateChildVM_Task)
	if !ok {
		return nil, false
	}
	needs := []need{{call.This, "VirtualMachine.Inventory.Create"}}
	return append(needs, x.newMachineNeeds(call.This, &req.Config)...), true
}

// newMachineNeeds are the privileges that the reference marks "also required when creating a virtual machine".
func (x *access) newMachineNeeds(on moref, config *types.VirtualMachineConfigSpec) []need {
	m := machine{ref: on}
	var needs []need
	if config.Files != nil {
		m.home = config.Files.VmPathName
		needs = append(needs, x.allocation(on, m.home)...)
	}
	for _, field := range []struct {
		name string
		set  bool
	}{
		{"AdvancedConfig", len(config.ExtraConfig) > 0},
		{"SwapPlacement", config.SwapPlacement != ""},
		{"ChangeTracking", config.ChangeTrackingEnabled != nil},
	} {
		if field.set {
			needs = append(needs, need{on, "VirtualMachine.Config." + field.name})
		}
	}
	needs = append(needs, cryptoNeeds(on, config.Crypto, true)...)
	return append(needs, x.deviceNeeds(m, on, config.DeviceChange, true)...)
}

func reconfigureNeeds(x *access, call *simulator.Method) ([]need, bool) {
	req, isReconfigure := call.Body.(*types.ReconfigVM_Task)
	m, ok := x.machine(call.This)
	if !isReconfigure || !ok {
		return nil, false
	}
	needs := x.configNeeds(m, call.This, &req.Spec)
	if len(needs) == 0 {
		needs = []need{{call.This, "VirtualMachine.Config.Settings"}} // an empty change is a change of settings
	}
	return needs, true
}

// configPrivileges are the "reconfigure privileges" of VirtualMachineConfigSpec's fields. The reference still gives
// Config.Rename for the annotation; vSphere Security lists "Set annotation" as a privilege of its own.
var configPrivileges = map[string]string{
	"Name": "Rename", "Annotation": "Annotation", "NumCPUs": "CPUCount", "NumCoresPerSocket": "CPUCount", "CpuHotAddEnabled": "CPUCount",
	"CpuHotRemoveEnabled": "CPUCount", "MemoryMB": "Memory", "MemoryHotAddEnabled": "Memory", "CpuAllocation": "Resource",
	"MemoryAllocation": "Resource", "LatencySensitivity": "Resource", "CpuAffinity": "Resource", "MemoryAffinity": "Resource",
	"NetworkShaper": "Resource", "MemoryReservationLockedToMax": "Resource", "ExtraConfig": "AdvancedConfig",
	"SwapPlacement": "SwapPlacement", "ChangeTrackingEnabled": "ChangeTracking", "MaxMksConnections": "MksControl",
	"GuestAutoLockEnabled": "MksControl", "ManagedBy": "ManagedBy", "Version": "UpgradeVirtualHardware",
	"ScheduledHardwareUpgradeInfo": "UpgradeVirtualHardware", "ChangeVersion": "", "DeviceChange": "", "DynamicData": "", "Crypto": "",
	"VmProfile": "", "VAppConfig": "", "VAppConfigRemoved": "",
}

// configNeeds are the privileges for every field that a reconfiguration sets; the rest is Config.Settings.
func (x *access) configNeeds(m machine, on moref, config *types.VirtualMachineConfigSpec) []need {
	var needs []need
	seen := map[string]bool{}
	v := reflect.ValueOf(config).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			continue
		}
		name, special := configPrivileges[v.Type().Field(i).Name]
		if !special {
			name = "Settings"
		}
		if name != "" && !seen[name] {
			seen[name] = true
			needs = append(needs, need{on, "VirtualMachine.Config." + name})
		}
	}
	needs = append(needs, cryptoNeeds(on, config.Crypto, false)...)
	if config.VAppConfig != nil {
		needs = append(needs, need{on, "VApp.InstanceConfig"})
	}
	if config.VAppConfigRemoved != nil { // "Reconfigure privilege: VApp.ApplicationConfig", VirtualMachineConfigSpec.vAppConfigRemoved
		needs = append(needs, need{on, "VApp.ApplicationConfig"})
	}
	return append(needs, x.deviceNeeds(m, on, config.DeviceChange, false)...)
}

func relocateNeeds(x *access, call *simulator.Method) ([]need, bool) {
	req, isRelocate := call.Body.(*types.RelocateVM_Task)
	m, ok := x.machine(call.This)
	if !isRelocate || !ok {
		return nil, false
	}
	needs := []need{{call.This, m.migration()}}
	if req.Spec.Service != nil { // the placement is another vCenter's
		return needs, true
	}
	if req.Spec.Folder != nil {
		needs = append(needs, need{call.This, "VirtualMachine.Inventory.Move"})
	}
	needs = append(needs, placementNeeds(req.Spec)...)
	return append(needs, x.networkNeeds(call.This, req.Spec.DeviceChange)...), true
}

func migrateNeeds(x *access, call *simulator.Method) ([]need, bool) {
	req, isMigrate := call.Body.(*types.MigrateVM_Task)
	m, ok := x.machine(call.This)
	if !isMigrate || !ok {
		return nil, false
	}
	needs := []need{{call.This, m.migration()}}
	if req.Pool != nil {
		needs = append(needs, need{*req.Pool, "Resource.AssignVMToPool"})
	}
	return needs, true
}

func (m machine) migration() string {
	if m.running {
		return "Resource.HotMigrate"
	}
	return "Resource.ColdMigrate"
}
