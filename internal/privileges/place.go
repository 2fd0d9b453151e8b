package privileges

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

//go:embed data/methods.tsv
var methods string

// Placement is where a privilege is granted that a matrix does not place, and how that is known.
type Placement struct {
	Scope      Scope
	Propagate  bool
	Conditions []Condition // of the topology; none = always
	Basis      string      // for people
}

// HasAt reports whether a component has a privilege in each place, on any object. where holds the
// conditions of each place.
func (m *Matrix) HasAt(c component.Name, id string, where []map[Condition]bool) bool {
	return Implicit(id) || !slices.ContainsFunc(where, func(holds map[Condition]bool) bool {
		return !slices.ContainsFunc(m.Rows, func(r Row) bool {
			return r.Component == c && r.Privilege == id && !r.Unknown && r.Holds(holds)
		})
	})
}

// Topologies are the conditions that hold in each kind of failure domain.
func Topologies() []map[Condition]bool {
	var all []map[Condition]bool
	for _, folder := range []Condition{FolderExisting, FolderCreated} {
		for _, pool := range []Condition{PoolExisting, PoolRoot} {
			all = append(all, map[Condition]bool{folder: true, pool: true},
				map[Condition]bool{folder: true, pool: true, HostGroup: true})
		}
	}
	return all
}

// placing are the embedded matrices in the order in which Place asks them. They are read-only.
var placing = sync.OnceValues(func() ([]*Matrix, error) {
	var all []*Matrix
	for _, name := range []string{"default", "documented", "component-scoped", "enhancement", "installer"} {
		m, err := loadEmbedded(name)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
})

// Place finds where a privilege is granted to a component that m does not place for it. It asks in
// this order: m under conditions not chosen, other embedded matrices for the component, any of them
// for another component, the objects of the methods that need it. It returns nil if none tells, and
// candidates if the methods name several scopes.
func Place(m *Matrix, c component.Name, id string) (placed []Placement, candidates []Scope, err error) {
	others, err := placing()
	if err != nil {
		return nil, nil, err
	}
	all := []*Matrix{m}
	for _, other := range others {
		if other.Name != m.Name {
			all = append(all, other)
		}
	}
	for _, same := range []bool{true, false} {
		for _, m := range all {
			if placed := m.places(c, id, same); placed != nil {
				return placed, nil, nil
			}
		}
	}
	candidates = scopesOfMethods(id)
	if len(candidates) != 1 {
		return nil, candidates, nil
	}
	return []Placement{At(candidates[0], "vSphere API methods that need it are called on such an object")}, nil, nil
}

// places are where a matrix has a privilege for the component, or else for the first one that has
// it. They keep their conditions if some hold in every topology.
func (m *Matrix) places(c component.Name, id string, same bool) []Placement {
	var all []Placement
	var of component.Name
	for _, r := range m.Rows {
		if r.Privilege != id || r.Unknown || same && r.Component != c || of != "" && r.Component != of {
			continue
		}
		of = r.Component
		p := Placement{Scope: r.Scope, Propagate: r.Propagate, Basis: fmt.Sprintf("matrix %s grants it there for %s", m.Name, r.Component)}
		for _, cond := range r.Conditions {
			if cond.Topology() {
				p.Conditions = append(p.Conditions, cond)
			}
		}
		i := slices.IndexFunc(all, func(have Placement) bool { return have.Scope == p.Scope })
		switch {
		case i < 0:
			all = append(all, p)
		case len(p.Conditions) == 0 || len(all[i].Conditions) == 0:
			all[i].Propagate, all[i].Conditions = all[i].Propagate || p.Propagate, nil
		default:
			all[i].Propagate, all[i].Conditions = all[i].Propagate || p.Propagate,
				unite(all[i].Conditions, p.Conditions)
		}
	}
	covered := !slices.ContainsFunc(Topologies(), func(holds map[Condition]bool) bool {
		return !slices.ContainsFunc(all,
			func(p Placement) bool { return len(p.Conditions) == 0 || anyHolds(p.Conditions, holds) })
	})
	for i := range all {
		if !covered {
			all[i].Conditions = nil
		}
	}
	return all
}

// At is a placement with the usual propagation: on virtual machines, hosts and pools it propagates,
// elsewhere it does not.
func At(s Scope, basis string) Placement {
	return Placement{Scope: s, Propagate: s == ScopeCluster || s == ScopeResourcePool || s == ScopeFolder, Basis: basis}
}

// scopesOfMethods are the scopes of the objects whose methods need a privilege (data/methods.tsv),
// in the usual order. It skips types that stand for several scopes.
func scopesOfMethods(id string) []Scope {
	have := map[Scope]bool{}
	for line := range strings.Lines(methods) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(fields) != 3 || !slices.Contains(strings.Split(fields[2], ","), id) {
			continue
		}
		if s := ScopeOfType(fields[0]); s != "" {
			have[s] = true
		}
	}
	return slices.DeleteFunc(Scopes(), func(s Scope) bool { return !have[s] })
}

// ScopeOfType is the scope of a managed object type; "" if it may be any. vCenter checks managers
// without an inventory object on the root folder.
func ScopeOfType(name string) Scope {
	switch name {
	case "Folder", "ManagedEntity", "ExtensibleManagedObject", "View", "ContainerView",
		"InventoryView", "ListView", "ManagedObjectView",
		"Task", "ScheduledTask", "Alarm", "Profile":
		return ""
	case "Datacenter", "FileManager", "VirtualDiskManager", "IpPoolManager": // managers take a datacenter
		return ScopeDatacenter
	case "ResourcePool", "VirtualApp":
		return ScopeResourcePool
	case "Datastore", "StoragePod", "HostDatastoreBrowser", "DatastoreNamespaceManager",
		"VcenterVStorageObjectManager", "VStorageObjectManagerBase", "HostVStorageObjectManager":
		return ScopeDatastore
	case "Network", "OpaqueNetwork", "DistributedVirtualPortgroup":
		return ScopeNetwork
	case "DistributedVirtualSwitch", "VmwareDistributedVirtualSwitch":
		return ScopeSwitch
	case "ClusterComputeResource", "ComputeResource", "ClusterEVCManager", "EnvironmentBrowser",
		"IscsiManager", "VsanUpgradeSystem":
		return ScopeCluster
	case "HostProfile", "HostProfileManager", "HostSpecificationManager":
		return ScopeVCenter
	}
	switch {
	case strings.HasPrefix(name, "VirtualMachine"), strings.HasPrefix(name, "Guest"):
		return ScopeFolder
	case strings.HasPrefix(name, "Host"):
		return ScopeCluster
	}
	return ScopeVCenter
}
