package vcsim

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/automation"
)

// Objects are those of some types, as the REST API lists them. Templates are not in its list of
// machines.
func (i restInventory) Objects(kinds ...string) (all []automation.Listed) {
	ctx := i.background()
	for _, kind := range kinds {
		for _, e := range i.reg.All(kind) {
			if l, ok := listed(ctx, e); ok {
				contain(ctx, &l)
				all = append(all, l)
			}
		}
	}
	slices.SortFunc(all, func(a, b automation.Listed) int { // vm-9 before vm-10
		return cmp.Or(len(a.Ref.Value)-len(b.Ref.Value), strings.Compare(a.Ref.Value, b.Ref.Value))
	})
	return all
}

// containers are the filters by what an object is in, by the types of that.
var containers = map[string]string{
	"Datacenter": "datacenters", "ClusterComputeResource": "clusters", "HostSystem": "hosts",
	"ResourcePool": "resource_pools",
	"VirtualApp":   "resource_pools", "Folder": "folders", "StoragePod": "folders",
}

// contain says what an object is in. Of folders and pools the nearest count; of others, all above.
func contain(ctx *simulator.Context, l *automation.Listed) {
	note := func(filter string, ref moref) {
		nearest := filter == "folders" || filter == "resource_pools"
		if !nearest || l.Match[filter] == nil {
			l.Match[filter] = append(l.Match[filter], ref.Value)
		}
	}
	tree := inventory{ctx}
	above := []moref{l.Ref}
	for range depthLimit {
		var next []moref
		for _, at := range above {
			n, _ := tree.place(at)
			next = append(next, n.parents...)
		}
		for _, ref := range next {
			if filter := containers[ref.Type]; filter != "" {
				note(filter, ref)
			}
			for _, host := range hostsAlone(ctx, ref) {
				note("hosts", host)
			}
		}
		above = next
	}
	l.Match["parent_folders"] = l.Match["folders"]
	l.Match["parent_resource_pools"] = l.Match["resource_pools"]
	if l.Ref.Type == "HostSystem" {
		l.Match["standalone"] = []string{strconv.FormatBool(l.Match["clusters"] == nil)}
	}
}

// hostsAlone are those of a compute resource that is no cluster.
func hostsAlone(ctx *simulator.Context, ref moref) []moref {
	one, ok := managed(ctx.Map.Get(ref)).(*mo.ComputeResource)
	if !ok {
		return nil
	}
	defer ctx.Map.AcquireLock(ctx, ref)()
	return slices.Clone(one.Host)
}

// listed says what an object is. ok is false for what the API does not list.
func listed(ctx *simulator.Context, e mo.Entity) (l automation.Listed, ok bool) {
	l = automation.Listed{Ref: e.Reference(), Match: map[string][]string{}}
	defer ctx.Map.AcquireLock(ctx, l.Ref)()
	l.Name = e.Entity().Name
	summary := func(more map[string]any) { l.Summary = more }
	switch o := managed(e).(type) {
	case *mo.Datacenter:
		l.Details = map[string]any{
			"datastore_folder": o.DatastoreFolder.Value, "host_folder": o.HostFolder.Value,
			"network_folder": o.NetworkFolder.Value, "vm_folder": o.VmFolder.Value,
		}
	case *mo.Folder:
		kind := folderKind(o.ChildType)
		l.Match["type"] = []string{kind}
		summary(map[string]any{"type": kind})
	case *mo.ClusterComputeResource:
		config, _ := o.ConfigurationEx.(*types.ClusterConfigInfoEx)
		if config == nil {
			config = &types.ClusterConfigInfoEx{}
		}
		summary(map[string]any{
			"ha_enabled": isTrue(config.DasConfig.Enabled), "drs_enabled": isTrue(config.DrsConfig.Enabled),
		})
		if o.ResourcePool != nil {
			l.Details = map[string]any{"resource_pool": o.ResourcePool.Value}
		}
	case *mo.HostSystem:
		state := upper(string(o.Runtime.ConnectionState))
		l.Match["connection_states"] = []string{state}
		summary(map[string]any{"connection_state": state})
		if o.Runtime.ConnectionState == types.HostSystemConnectionStateConnected {
			l.Summary["power_state"] = upper(string(o.Runtime.PowerState))
		}
	case *mo.Datastore:
		l.Name = cmp.Or(l.Name, o.Summary.Name)
		kind := strings.ToUpper(o.Summary.Type)
		l.Match["types"] = []string{kind}
		summary(map[string]any{
			"type": kind, "free_space": o.Summary.FreeSpace, "capacity": o.Summary.Capacity,
		})
		l.Details = map[string]any{
			"type": kind, "free_space": o.Summary.FreeSpace, "accessible": o.Summary.Accessible,
			"multiple_host_access":        isTrue(o.Summary.MultipleHostAccess),
			"thin_provisioning_supported": o.Capability.PerFileThinProvisioningSupported,
		}
	default:
		return listedMore(l, o)
	}
	return l, true
}

// listedMore is listed for the rest.
func listedMore(l automation.Listed, object any) (automation.Listed, bool) {
	network := func(kind string) {
		l.Match["types"] = []string{kind}
		l.Summary = map[string]any{"type": kind}
	}
	switch o := object.(type) {
	case *mo.Network:
		l.Name = cmp.Or(l.Name, o.Name)
		network("STANDARD_PORTGROUP")
	case *mo.DistributedVirtualPortgroup:
		l.Name = cmp.Or(l.Name, o.Name)
		network("DISTRIBUTED_PORTGROUP")
	case *mo.OpaqueNetwork:
		l.Name = cmp.Or(l.Name, o.Name)
		network("OPAQUE_NETWORK")
	case *mo.ResourcePool:
		pools := []string{}
		for _, ref := range o.ResourcePool {
			pools = append(pools, ref.Value)
		}
		l.Details = map[string]any{"resource_pools": pools}
	case *mo.VirtualMachine:
		state := upper(string(o.Runtime.PowerState))
		l.Match["power_states"] = []string{state}
		l.Summary = map[string]any{
			"power_state": state, "cpu_count": o.Summary.Config.NumCpu,
			"memory_size_MiB": o.Summary.Config.MemorySizeMB,
		}
		if host := o.Runtime.Host; host != nil {
			l.Match["hosts"] = []string{host.Value}
		}
		return l, !o.Summary.Config.Template
	default:
		return l, false
	}
	return l, true
}

// folderKind says what a folder is for.
func folderKind(holds []string) string {
	for _, one := range []struct{ holds, kind string }{
		{"VirtualMachine", "VIRTUAL_MACHINE"},
		{"ComputeResource", "HOST"},
		{"Datastore", "DATASTORE"},
		{"Network", "NETWORK"},
	} {
		if slices.Contains(holds, one.holds) {
			return one.kind
		}
	}
	return "DATACENTER"
}

// upper writes a value of SOAP as REST does: poweredOn is POWERED_ON.
func upper(value string) string {
	var b strings.Builder
	for _, r := range value {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToUpper(string(r)))
	}
	return b.String()
}
