package vcsim

import (
	"context"
	"slices"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

var noContext = context.Background()

// inventory is the hierarchy of a running simulator. It locks one object at a time and only while it
// copies the references, so that it can neither race nor wait in a circle with requests that change them.
type inventory struct {
	ctx *simulator.Context
}

func (i inventory) place(ref moref) (n place, ok bool) {
	entity, ok := i.ctx.Map.Get(ref).(mo.Entity)
	if !ok {
		return place{}, false
	}
	unlock := i.ctx.Map.AcquireLock(i.ctx, ref)
	parent := copied(entity.Entity().Parent)
	var pool, vapp *moref
	if vm, isVM := managed(entity).(*mo.VirtualMachine); isVM {
		pool, vapp = copied(vm.ResourcePool), copied(vm.ParentVApp)
	}
	unlock()

	switch {
	case vapp != nil: // R24: the vApp's chain applies
		return place{parents: []moref{*vapp}}, true
	case pool != nil && pool.Type == "VirtualApp": // the simulator keeps a folder as the parent, a vCenter does not
		return place{parents: []moref{*pool}}, true
	case parent != nil:
		n.parents = append(n.parents, *parent)
	}
	if pool != nil { // a template has none and keeps the folder's path only
		n.parents = append(n.parents, *pool)
	}
	n.complex = parent != nil && i.oneWith(ref, *parent)
	return n, true
}

// oneWith says whether child and parent make up one complex entity (R25): a datacenter and its four folders, a cluster and
// its root pool, a standalone compute resource, its root pool and its host. Source: SetEntityPermissions, API reference 8.0.2.
func (i inventory) oneWith(child, parent moref) bool {
	switch parent.Type {
	case "Datacenter":
		dc, ok := managed(i.ctx.Map.Get(parent)).(*mo.Datacenter)
		if !ok {
			return false
		}
		defer i.ctx.Map.AcquireLock(i.ctx, parent)()
		return slices.Contains([]moref{dc.VmFolder, dc.HostFolder, dc.DatastoreFolder, dc.NetworkFolder}, child)
	case "ClusterComputeResource":
		return child.Type == "ResourcePool"
	case "ComputeResource":
		return child.Type == "ResourcePool" || child.Type == "HostSystem"
	}
	return false
}

func copied(ref *moref) *moref {
	if ref == nil {
		return nil
	}
	c := *ref
	return &c
}

// subject resolves a principal's groups as the directory has them now.
func (a *authorization) subject(p directory.Principal) subject {
	s := subject{user: p.Key(), groups: map[string]bool{}}
	for _, g := range a.dir.GroupsOf(p) {
		s.groups[g.Key()] = true
	}
	return s
}

// access answers questions about one subject during one request.
type access struct {
	*evaluator
	a    *authorization
	ctx  *simulator.Context
	who  directory.Principal
	name string // of who, as a vCenter stores it

	service string // that was called; "" = vim25
	checked int    // privileges that were recorded
}

func (a *authorization) evaluate(ctx *simulator.Context, p directory.Principal) *access {
	st := a.current()
	e := newEvaluator(st, a.subject(p), inventory{ctx}, a.root)
	e.roles = st.inForce(a.now())
	return &access{evaluator: e, a: a, ctx: ctx, who: p, name: p.String()}
}

// rights on any object: what is no entity is judged by the entity that owns it, else by the root folder (R27).
func (x *access) rights(ref moref) rights { return x.on(x.subjectOf(ref)) }

func (x *access) holds(ref moref, privilege string) bool { return x.rights(ref).has(privilege) }

// subjectOf is the entity on which privileges for an object are checked.
func (x *access) subjectOf(ref moref) moref {
	if ref == globalObject || isEntity(x.ctx.Map.Get(ref)) {
		return ref
	}
	if owner, ok := x.a.owners.of(x.ctx, ref); ok {
		return owner
	}
	return x.root
}

// visible says whether the object exists for the subject: entities need System.View, sessions' own
// objects and the service's managers are there for everybody who is logged in.
func (x *access) visible(ref moref) bool {
	if isEntity(x.ctx.Map.Get(ref)) {
		return x.on(ref).has("System.View")
	}
	if owner, ok := x.a.owners.of(x.ctx, ref); ok {
		return x.on(owner).has("System.View")
	}
	if ref.Type == "Task" {
		if entity := x.taskEntity(ref); entity != nil && isEntity(x.ctx.Map.Get(*entity)) {
			return x.on(*entity).has("System.View")
		}
	}
	return true
}

// ownerIndex maps the subordinate objects of entities (a host's managers, datastore browsers, snapshots) to their owners.
type ownerIndex struct {
	mu    sync.Mutex
	known map[moref]moref
	hosts int // that the index was made from
}

// of finds the owner of an object that is no entity itself.
func (o *ownerIndex) of(ctx *simulator.Context, ref moref) (moref, bool) {
	switch ref.Type {
	case "VirtualMachineSnapshot":
		if s, ok := managed(ctx.Map.Get(ref)).(*mo.VirtualMachineSnapshot); ok {
			return s.Vm, true
		}
		return moref{}, false
	case "HostDatastoreBrowser":
		// A browser belongs to its datastores: the privilege is checked on the one that is searched.
		return moref{}, false
	}
	if !hostObject[ref.Type] {
		return moref{}, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if owner, ok := o.known[ref]; ok {
		return owner, true
	}
	hosts := ctx.Map.All("HostSystem")
	if o.known == nil || len(hosts) != o.hosts {
		o.known, o.hosts = map[moref]moref{}, len(hosts)
		for _, e := range hosts {
			if host, ok := managed(e).(*mo.HostSystem); ok {
				for _, r := range mo.References(host.ConfigManager) {
					o.known[r] = host.Self
				}
			}
		}
	}
	owner, ok := o.known[ref]
	return owner, ok
}

// hostObject are the types of a host's configuration managers.
var hostObject = map[string]bool{
	"HostAccessManager": true, "HostActiveDirectoryAuthentication": true, "HostAssignableHardwareManager": true,
	"HostAutoStartManager": true, "HostBootDeviceSystem": true, "HostCacheConfigurationManager": true,
	"HostCertificateManager": true, "HostCpuSchedulerSystem": true, "HostDatastoreSystem": true, "HostDateTimeSystem": true,
	"HostDiagnosticSystem": true, "HostEsxAgentHostManager": true, "HostFirewallSystem": true, "HostFirmwareSystem": true,
	"HostGraphicsManager": true, "HostHealthStatusSystem": true, "HostImageConfigManager": true, "HostKernelModuleSystem": true,
	"HostLocalAccountManager": true, "HostMemorySystem": true, "HostNetworkSystem": true, "HostNvdimmSystem": true,
	"HostPatchManager": true, "HostPciPassthruSystem": true, "HostPowerSystem": true, "HostServiceSystem": true,
	"HostSnmpSystem": true, "HostStorageSystem": true, "HostVFlashManager": true, "HostVMotionSystem": true,
	"HostVirtualNicManager": true, "HostVsanInternalSystem": true, "HostVsanSystem": true, "IscsiManager": true,
	"MessageBusProxy": true,
}

func isEntity(obj mo.Reference) bool {
	_, ok := obj.(mo.Entity)
	return ok
}

// permissionSweeper forgets the permissions of objects that leave the inventory.
type permissionSweeper struct{ a *authorization }

func (s *permissionSweeper) Reference() moref {
	return moref{Type: "AuthorizationManager", Value: "permission-sweeper"}
}
func (*permissionSweeper) PutObject(*simulator.Context, mo.Reference) {}
func (*permissionSweeper) UpdateObject(*simulator.Context, mo.Reference, []types.PropertyChange) {
}

func (s *permissionSweeper) RemoveObject(_ *simulator.Context, ref moref) {
	if len(s.a.state.Load().grants[ref]) > 0 {
		_ = s.a.change(func(st *authzState) types.BaseMethodFault {
			delete(st.grants, ref)
			return nil
		})
	}
}
