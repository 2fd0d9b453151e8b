package vcsim

import (
	"context"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// entityName is the name of an entity as it is stored, "" for anything else. Networks and switches have a name
// field of their own.
func entityName(reg *simulator.Registry, ref types.ManagedObjectReference) string {
	name, _, _ := entityOf(reg, ref)
	return name
}

func entityOf(reg *simulator.Registry, ref types.ManagedObjectReference) (name string, parent *types.ManagedObjectReference, ok bool) {
	e, ok := reg.Get(ref).(mo.Entity)
	if !ok {
		return "", nil, false
	}
	reg.WithLock(&simulator.Context{Context: context.Background(), Map: reg}, e, func() {
		name, parent = e.Entity().Name, e.Entity().Parent
		switch x := e.(type) {
		case *simulator.VirtualMachine:
			if parent == nil {
				parent = x.ParentVApp
			}
		case *mo.Network:
			name = x.Name
		case *mo.OpaqueNetwork:
			name = x.Name
		case *simulator.DistributedVirtualPortgroup:
			name = x.Name
		case *simulator.DistributedVirtualSwitch:
			name = x.Name
		case *simulator.Datastore:
			name = x.Name
		}
	})
	return name, parent, true
}

// distinctPath is inventoryPath and, of an opaque network that has the path of another network, its type.
func distinctPath(reg *simulator.Registry, ref types.ManagedObjectReference) string {
	p := inventoryPath(reg, ref)
	if ref.Type != "OpaqueNetwork" {
		return p
	}
	for _, e := range append(reg.All("Network"), reg.All("DistributedVirtualPortgroup")...) {
		if inventoryPath(reg, e.Reference()) == p {
			return p + " (OpaqueNetwork)"
		}
	}
	return p
}

// inventoryPath is /DC/vm/folder/name, "/" for the root folder and "" for what is not in the inventory.
func inventoryPath(reg *simulator.Registry, ref types.ManagedObjectReference) string {
	var names []string
	for at := &ref; at != nil; {
		name, parent, ok := entityOf(reg, *at)
		if !ok {
			return ""
		}
		if parent != nil {
			names = append([]string{name}, names...)
		}
		at = parent
	}
	return "/" + strings.Join(names, "/")
}
