package privileges

// Scope is a kind of vCenter object that a grant is for. Some objects carry no permission of their own: a cluster's root
// resource pool takes that of the cluster, a switch that of its datacenter or network folder. A grant still names the scope that
// it is meant for; whoever binds it to an object chooses the parent.
type Scope string

// The scopes. ScopeVCenter is the root folder, which also decides about what is no inventory object (tags, sessions, storage
// policies, CNS volumes). ScopeFolder is a folder of virtual machines, ScopeSwitch a distributed switch.
const (
	ScopeVCenter      Scope = "vcenter"
	ScopeDatacenter   Scope = "datacenter"
	ScopeCluster      Scope = "cluster"
	ScopeResourcePool Scope = "resource-pool"
	ScopeFolder       Scope = "folder"
	ScopeDatastore    Scope = "datastore"
	ScopeNetwork      Scope = "network"
	ScopeSwitch       Scope = "switch"
)

// Scopes returns all scopes in the order in which they are shown, from the root downwards.
func Scopes() []Scope {
	return []Scope{
		ScopeVCenter, ScopeDatacenter, ScopeCluster, ScopeResourcePool,
		ScopeFolder, ScopeDatastore, ScopeNetwork, ScopeSwitch,
	}
}
