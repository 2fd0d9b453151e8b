package vcsim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// site is a datacenter under construction.
type site struct {
	*builder
	dc      *object.Datacenter
	folders *object.DatacenterFolders
	hosts   []*object.HostSystem
	files   map[string]int // names of VM directories in use
	view    Datacenter
}

func (b *builder) datacenter(in *object.Folder, name string) (*site, error) {
	dc, err := in.CreateDatacenter(b.ctx, name)
	if err != nil {
		return nil, fmt.Errorf("datacenter %q: %w", name, err)
	}
	folders, err := dc.Folders(b.ctx)
	if err != nil {
		return nil, fmt.Errorf("datacenter %q: %w", name, err)
	}
	return &site{builder: b, dc: dc, folders: folders, files: map[string]int{}, view: Datacenter{Path: b.path(dc)}}, nil
}

func (s *site) cluster(in *object.Folder, name string, hosts []string) (*object.ClusterComputeResource, error) {
	c, err := in.CreateCluster(s.ctx, name, types.ClusterConfigSpecEx{})
	if err != nil {
		return nil, fmt.Errorf("cluster %q: %w", name, err)
	}
	view := Cluster{Path: s.path(c)}
	for _, name := range hosts {
		ref, err := s.made(c.AddHost(s.ctx, types.HostConnectSpec{HostName: name}, true, nil, nil))
		if err != nil {
			return nil, fmt.Errorf("cluster %q: %w", name, err)
		}
		h := object.NewHostSystem(s.client, ref)
		s.hosts = append(s.hosts, h)
		view.Hosts = append(view.Hosts, s.path(h))
	}
	s.view.Clusters = append(s.view.Clusters, view)
	return c, nil
}

// standalone adds a host without a cluster and returns its root pool.
func (s *site) standalone(in *object.Folder, name string) (*object.ResourcePool, error) {
	ref, err := s.made(in.AddStandaloneHost(s.ctx, types.HostConnectSpec{HostName: name}, true, nil, nil))
	if err != nil {
		return nil, fmt.Errorf("standalone host %q: %w", name, err)
	}
	var h *object.HostSystem
	switch ref.Type {
	case "HostSystem":
		h = object.NewHostSystem(s.client, ref)
	default:
		hosts, err := object.NewComputeResource(s.client, ref).Hosts(s.ctx)
		if err != nil {
			return nil, fmt.Errorf("standalone host %q: %w", name, err)
		}
		h = hosts[0]
	}
	s.hosts = append(s.hosts, h)
	if e, ok := s.reg.Get(h.Reference()).(mo.Entity); ok {
		s.view.Hosts = append(s.view.Hosts, s.path(*e.Entity().Parent))
	}
	return h.ResourcePool(s.ctx)
}

// pool adds one below a pool; cluster is the index of its cluster in the view.
func (s *site) pool(cluster int, in *object.ResourcePool, name string) (*object.ResourcePool, error) {
	p, err := in.Create(s.ctx, name, types.DefaultResourceConfigSpec())
	if err != nil {
		return nil, fmt.Errorf("resource pool %q: %w", name, err)
	}
	c := &s.view.Clusters[cluster]
	c.Pools = append(c.Pools, s.path(p))
	return p, nil
}

func (s *site) folder(in *object.Folder, name string) (*object.Folder, error) {
	f, err := in.CreateFolder(s.ctx, name)
	if err != nil {
		return nil, fmt.Errorf("folder %q: %w", name, err)
	}
	s.view.Folders = append(s.view.Folders, s.path(f))
	return f, nil
}

// datastore adds one on all hosts so far, then moves it into a folder or datastore cluster if there is one.
func (s *site) datastore(name string, into *object.Folder) error {
	dir, err := s.directory()
	if err != nil {
		return fmt.Errorf("datastore %q: %w", name, err)
	}
	var ds *object.Datastore
	for _, h := range s.hosts {
		system, err := h.ConfigManager().DatastoreSystem(s.ctx)
		if err != nil {
			return fmt.Errorf("datastore %q: %w", name, err)
		}
		mounted, err := system.CreateLocalDatastore(s.ctx, name, dir)
		if err != nil {
			return fmt.Errorf("datastore %q: %w", name, err)
		}
		if ds == nil {
			ds = mounted // later hosts get an answer without a reference
		}
	}
	made, err := kept[*simulator.Datastore](s.builder, ds)
	if err != nil {
		return fmt.Errorf("datastore %q: %w", name, err)
	}
	s.locked(made, func() { s.ids.format(made) })
	if into != nil {
		if err := s.move(ds.Reference(), into.Reference()); err != nil {
			return fmt.Errorf("datastore %q: %w", name, err)
		}
	}
	s.view.Datastores = append(s.view.Datastores, s.path(ds))
	return nil
}

// move puts a datastore into a folder or datastore cluster of its datacenter. (MoveIntoFolder_Task of the
// simulator doubles the contents of a datastore cluster.)
func (s *site) move(ds, into types.ManagedObjectReference) error {
	moved, err := kept[mo.Entity](s.builder, ds)
	if err != nil {
		return err
	}
	e := moved.Entity()
	if from, ok := s.reg.Get(*e.Parent).(*simulator.Folder); ok {
		s.locked(from, func() { simulator.RemoveReference(&from.ChildEntity, ds) })
	}
	switch to := s.reg.Get(into).(type) {
	case *simulator.Folder:
		s.locked(to, func() { to.ChildEntity = append(to.ChildEntity, ds) })
	case *simulator.StoragePod:
		s.locked(to, func() { to.ChildEntity = append(to.ChildEntity, ds) })
	}
	s.locked(ds, func() { e.Parent = &into })
	return nil
}

// dvs adds a distributed switch with its port groups and connects all hosts so far.
func (s *site) dvs(in *object.Folder, name string, groups ...string) error {
	spec := types.DVSCreateSpec{ConfigSpec: &types.VMwareDVSConfigSpec{DVSConfigSpec: types.DVSConfigSpec{Name: name}}}
	completeSwitch(spec.ConfigSpec)
	ref, err := s.made(in.CreateDVS(s.ctx, spec))
	if err != nil {
		return fmt.Errorf("distributed switch %q: %w", name, err)
	}
	dvs := object.NewDistributedVirtualSwitch(s.client, ref)
	for _, group := range groups {
		spec := types.DVPortgroupConfigSpec{Name: group, NumPorts: 8, Type: string(types.DistributedVirtualPortgroupPortgroupTypeEarlyBinding)}
		if _, err := s.finish(dvs.AddPortgroup(s.ctx, []types.DVPortgroupConfigSpec{spec})); err != nil {
			return fmt.Errorf("distributed switch %q: %w", name, err)
		}
	}
	config := &types.DVSConfigSpec{}
	for _, h := range s.hosts {
		config.Host = append(config.Host, types.DistributedVirtualSwitchHostMemberConfigSpec{
			Operation: string(types.ConfigSpecOperationAdd), Host: h.Reference(),
		})
	}
	if _, err := s.finish(dvs.Reconfigure(s.ctx, config)); err != nil {
		return fmt.Errorf("distributed switch %q: %w", name, err)
	}
	if err := s.markUplinks(dvs, groups); err != nil {
		return fmt.Errorf("distributed switch %q: %w", name, err)
	}
	path := s.path(dvs)
	for _, group := range groups {
		s.view.Networks = append(s.view.Networks, Network{Path: path[:len(path)-len(s.name(dvs))] + group, Switch: path})
	}
	return nil
}

// markUplinks marks the port group that a switch has of its own, which is that of its uplinks: a vCenter says so in
// config.uplink and with a tag, govmomi's simulator by the name only.
func (s *site) markUplinks(dvs *object.DistributedVirtualSwitch, added []string) error {
	sw, err := kept[*simulator.DistributedVirtualSwitch](s.builder, dvs.Reference())
	if err != nil {
		return err
	}
	for _, ref := range sw.Portgroup {
		group, err := kept[*simulator.DistributedVirtualPortgroup](s.builder, ref)
		if err != nil {
			return err
		}
		if slices.Contains(added, group.Name) {
			continue
		}
		s.locked(group, func() {
			group.Config.Uplink = new(true)
			group.Tag = []types.Tag{{Key: "SYSTEM/DVS.UPLINKPG"}}
		})
	}
	return nil
}

// network adds a standard or an opaque network that all hosts so far have, and their clusters. (HostNetworkSystem.AddPortGroup
// would write into a host template that all vCenters share.)
func (s *site) network(name string, opaque bool) error {
	folder, err := kept[*simulator.Folder](s.builder, s.folders.NetworkFolder)
	if err != nil {
		return fmt.Errorf("network %q: %w", name, err)
	}
	n := &mo.Network{}
	var e mo.Entity = n
	if opaque {
		o := &mo.OpaqueNetwork{}
		n, e = &o.Network, o
	}
	n.Name, e.Entity().Name = name, name
	s.reg.PutEntity(folder, e)
	summary := types.NetworkSummary{Name: name, Accessible: true, Network: &n.Self}
	n.Summary = &summary
	if opaque {
		n.Summary = &types.OpaqueNetworkSummary{NetworkSummary: summary, OpaqueNetworkId: name, OpaqueNetworkType: "nsx.LogicalSwitch"}
	}
	s.locked(folder, func() { folder.ChildEntity = append(folder.ChildEntity, n.Self) })
	have := []moref{s.dc.Reference()}
	for _, ref := range s.hosts {
		h, err := kept[*simulator.HostSystem](s.builder, ref)
		if err != nil {
			return fmt.Errorf("network %q: %w", name, err)
		}
		n.Host = append(n.Host, h.Self)
		have = append(have, h.Self)
		if !slices.Contains(have, *h.Parent) {
			have = append(have, *h.Parent)
		}
	}
	for _, ref := range have {
		on, err := kept[mo.Entity](s.builder, ref)
		if err != nil {
			return fmt.Errorf("network %q: %w", name, err)
		}
		list := networksOf(on)
		s.locked(on, func() { *list = append(slices.Clip(*list), n.Self) }) // hosts share an array with their cluster
	}
	s.view.Networks = append(s.view.Networks, Network{Path: s.path(e)})
	return nil
}

// machineNetwork is where all virtual machines have their card.
const machineNetwork = "VM Network"

// vm adds a virtual machine with a disk and a network card. It gets its name last: CreateVM_Task of the simulator
// fails for a name that has to be escaped when there are devices.
func (s *site) vm(in *object.Folder, pool *object.ResourcePool, name, datastore string) (*object.VirtualMachine, error) {
	var devices object.VirtualDeviceList
	scsi, err := devices.CreateSCSIController("pvscsi")
	if err != nil {
		return nil, err
	}
	file := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`%/\`, r) {
			return '-'
		}
		return r
	}, name)
	if s.files[file]++; s.files[file] > 1 {
		file = fmt.Sprintf("%s_%d", file, s.files[file])
	}
	controller, err := as[types.BaseVirtualController](scsi)
	if err != nil {
		return nil, err
	}
	disk := devices.CreateDisk(controller, types.ManagedObjectReference{}, "["+datastore+"] "+file+"/disk1.vmdk")
	disk.CapacityInKB = 16 << 20
	nic, err := devices.CreateEthernetCard("vmxnet3", &types.VirtualEthernetCardNetworkBackingInfo{
		VirtualDeviceDeviceBackingInfo: types.VirtualDeviceDeviceBackingInfo{DeviceName: machineNetwork},
	})
	if err != nil {
		return nil, err
	}
	config := types.VirtualMachineConfigSpec{
		Name: file, GuestId: string(types.VirtualMachineGuestOsIdentifierRhel9_64Guest), NumCPUs: 2, MemoryMB: 4096,
		Files:       &types.VirtualMachineFileInfo{VmPathName: "[" + datastore + "]"},
		ExtraConfig: []types.BaseOptionValue{&types.OptionValue{Key: diskUUID, Value: "TRUE"}},
	}
	if config.DeviceChange, err = append(devices, scsi, disk, nic).ConfigSpec(types.VirtualDeviceConfigSpecOperationAdd); err != nil {
		return nil, err
	}
	ref, err := s.made(in.CreateVM(s.ctx, config, pool, nil))
	if err != nil {
		return nil, fmt.Errorf("virtual machine %q on %q: %w", name, datastore, err)
	}
	vm := object.NewVirtualMachine(s.client, ref)
	if name != file {
		sim, err := kept[*simulator.VirtualMachine](s.builder, vm)
		if err != nil {
			return nil, err
		}
		s.locked(sim, func() { sim.Name, sim.Config.Name, sim.Summary.Config.Name = stored(name), stored(name), stored(name) })
	}
	s.view.VMs = append(s.view.VMs, s.path(vm))
	return vm, nil
}

// template makes one of the newest virtual machine.
func (s *site) template(vm *object.VirtualMachine) error {
	if err := vm.MarkAsTemplate(s.ctx); err != nil {
		return err
	}
	s.view.VMs = s.view.VMs[:len(s.view.VMs)-1]
	s.view.Templates = append(s.view.Templates, s.path(vm))
	return nil
}

func (b *builder) name(obj mo.Reference) string { return entityName(b.reg, obj.Reference()) }
