package vcsim

import (
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// received judges the other half of a relocation that names a service: the account of its
// credential logs in to the vCenter with that id, and needs there what the placement needs.
func (x *access) received(call *simulator.Method) types.BaseMethodFault {
	req, ok := call.Body.(*types.RelocateVM_Task)
	if !ok || req.Spec.Service == nil {
		return nil
	}
	service := req.Spec.Service
	credential, named := service.Credential.(*types.ServiceLocatorNamePassword)
	there := x.a.peer(service.InstanceUuid)
	switch {
	case there == nil:
		return &types.InvalidArgument{InvalidProperty: "spec.service.instanceUuid"}
	case !named:
		return &types.InvalidArgument{InvalidProperty: "spec.service.credential"}
	case req.Spec.Datastore == nil:
		return &types.InvalidArgument{InvalidProperty: "spec.datastore"}
	case req.Spec.Pool == nil:
		return &types.InvalidArgument{InvalidProperty: "spec.pool"}
	}
	who, err := there.dir.Authenticate(credential.Username, credential.Password)
	if err != nil {
		return loginFault(err)
	}
	needs := placementNeeds(req.Spec)
	for _, n := range needs {
		if there.reg.Get(n.on) == nil {
			return &types.ManagedObjectNotFound{Obj: n.on}
		}
	}
	y := there.evaluate(there.background(), who)
	needs = append(needs, y.networkNeeds(*req.Spec.Pool, req.Spec.DeviceChange)...)
	if fault := y.require(needs...); fault != nil {
		return fault
	}
	if there != x.a {
		return &types.NotImplemented{}
	}
	req.Spec.Service = nil
	return nil
}

// placementNeeds are the privileges on the objects of a placement.
func placementNeeds(spec types.VirtualMachineRelocateSpec) []need {
	var needs []need
	if pool := spec.Pool; pool != nil {
		needs = append(needs, need{*pool, "Resource.AssignVMToPool"})
	}
	if folder := spec.Folder; folder != nil {
		needs = append(needs, need{*folder, "VirtualMachine.Inventory.Move"})
	}
	for _, ds := range relocationTargets(spec) {
		needs = append(needs, need{ds, "Datastore.AllocateSpace"})
	}
	return needs
}
