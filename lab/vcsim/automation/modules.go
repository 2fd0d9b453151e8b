package automation

import (
	"net/http"
	"slices"
	"sync"

	"github.com/google/uuid"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	modulesPath = "/vcenter/cluster/modules"
	membersPath = modulesPath + "/vm/{}/members"
	modulesID   = "com.vmware.vcenter.cluster.modules."
	membersID   = modulesID + "vm.members."

	// editCluster is what changing the modules of a cluster needs there.
	editCluster = "Host.Inventory.EditCluster"
)

// modulesOperations are those of cluster modules, by which the provider of Cluster API keeps machines on different hosts: below /rest as the
// reference for 7.0 has them and govmomi asks, and below /api, where no reference lists them.
var modulesOperations = []operation{
	{method: http.MethodGet, path: wrapped + modulesPath, id: modulesID + "list", serve: (*Service).listModules},
	{method: http.MethodPost, path: wrapped + modulesPath, id: modulesID + "create", serve: (*Service).createModule},
	{method: http.MethodDelete, path: wrapped + modulesPath + "/{}", id: modulesID + "delete", serve: (*Service).deleteModule},
	{method: http.MethodGet, path: wrapped + membersPath, id: membersID + "get", serve: (*Service).listMembers},
	{method: http.MethodPost, path: wrapped + membersPath, action: "add", id: membersID + "add", serve: (*Service).addMembers},
	{method: http.MethodPost, path: wrapped + membersPath, action: "remove", id: membersID + "remove", serve: (*Service).removeMembers},
	{method: http.MethodGet, path: bare + modulesPath, id: modulesID + "list", serve: (*Service).listModules},
	{method: http.MethodPost, path: bare + modulesPath, id: modulesID + "create", status: http.StatusCreated, serve: (*Service).createModule},
	{
		method: http.MethodDelete, path: bare + modulesPath + "/{}", id: modulesID + "delete",
		status: http.StatusNoContent, serve: (*Service).deleteModule,
	},
	{method: http.MethodGet, path: bare + membersPath, id: membersID + "get", serve: (*Service).listMembers},
	{method: http.MethodPost, path: bare + membersPath, action: "add", id: membersID + "add", serve: (*Service).addMembers},
	{method: http.MethodPost, path: bare + membersPath, action: "remove", id: membersID + "remove", serve: (*Service).removeMembers},
}

// module is some virtual machines of one cluster.
type module struct {
	Cluster string `json:"cluster"`
	ID      string `json:"module"`

	members []string
}

func (m *module) ref() types.ManagedObjectReference {
	return types.ManagedObjectReference{Type: "ClusterComputeResource", Value: m.Cluster}
}

// modules are all of a vCenter, in the order in which they were made.
type modules struct {
	mu   sync.Mutex
	list []*module
}

// listModules leaves out those of clusters that the caller may not read.
func (s *Service) listModules(c *call) (any, *failure) {
	s.modules.mu.Lock()
	defer s.modules.mu.Unlock()
	found := []*module{}
	for _, m := range s.modules.list {
		if s.Inventory.Exists(m.ref()) && s.need(c, Need{m.ref(), read}) == nil {
			found = append(found, m)
		}
	}
	return map[string]any{"summaries": found}, nil
}

func (s *Service) createModule(c *call) (any, *failure) {
	type spec struct {
		Cluster string `json:"cluster"`
	}
	var in struct {
		spec
		Spec spec `json:"spec"`
	}
	if f := decode(c, &in); f != nil {
		return nil, f
	}
	made := &module{Cluster: in.Spec.Cluster, ID: uuid.NewString()}
	if isBare(c.r.URL) {
		made.Cluster = in.Cluster
	}
	if !s.Inventory.Exists(made.ref()) {
		return nil, failed(invalidArgument, "There is no such cluster.")
	}
	if f := s.need(c, Need{made.ref(), editCluster}); f != nil {
		return nil, f
	}
	s.modules.mu.Lock()
	defer s.modules.mu.Unlock()
	s.modules.list = append(s.modules.list, made)
	return made.ID, nil
}

// module begins a call on one: it looks for a privilege on its cluster, and locks them. End with s.modules.mu.Unlock where it gives one.
func (s *Service) module(c *call, privilege string) (*module, *failure) {
	s.modules.mu.Lock()
	i := slices.IndexFunc(s.modules.list, func(m *module) bool { return m.ID == c.args[0] && s.Inventory.Exists(m.ref()) })
	f := failed(notFound, "There is no module "+c.args[0]+".")
	if i >= 0 {
		f = s.need(c, Need{s.modules.list[i].ref(), privilege})
	}
	if f != nil {
		s.modules.mu.Unlock()
		return nil, f
	}
	return s.modules.list[i], nil
}

func (s *Service) deleteModule(c *call) (any, *failure) {
	m, f := s.module(c, editCluster)
	if f != nil {
		return nil, f
	}
	defer s.modules.mu.Unlock()
	s.modules.list = slices.DeleteFunc(s.modules.list, func(other *module) bool { return other == m })
	return nil, nil //nolint:nilnil // neither a result nor an error
}

// machines are the members that a call names, and those of a module.
type machines struct {
	VMs []string `json:"vms"`
}

func (s *Service) listMembers(c *call) (any, *failure) {
	m, f := s.module(c, read)
	if f != nil {
		return nil, f
	}
	defer s.modules.mu.Unlock()
	m.members = slices.DeleteFunc(m.members, func(id string) bool { return !s.Inventory.Exists(machine(id)) })
	return machines{append([]string{}, m.members...)}, nil
}

func machine(id string) types.ManagedObjectReference {
	return types.ManagedObjectReference{Type: "VirtualMachine", Value: id}
}

// addMembers adds machines up to the first that is there already or not in the module's cluster.
func (s *Service) addMembers(c *call) (any, *failure) {
	return s.changeMembers(c, func(m *module, id string) bool {
		if on, ok := s.Inventory.ClusterOf(machine(id)); !ok || on != m.ref() || slices.Contains(m.members, id) {
			return false
		}
		m.members = append(m.members, id)
		return true
	})
}

// removeMembers removes machines up to the first that is not there.
func (s *Service) removeMembers(c *call) (any, *failure) {
	return s.changeMembers(c, func(m *module, id string) bool {
		i := slices.Index(m.members, id)
		if i >= 0 {
			m.members = slices.Delete(m.members, i, i+1)
		}
		return i >= 0
	})
}

// changeMembers answers whether all could be changed; below both forms of the API that is no error.
func (s *Service) changeMembers(c *call, change func(*module, string) bool) (any, *failure) {
	var in machines
	if f := decode(c, &in); f != nil {
		return nil, f
	}
	if in.VMs == nil {
		return nil, failed(invalidArgument, "vms is missing.")
	}
	m, f := s.module(c, editCluster)
	if f != nil {
		return nil, f
	}
	defer s.modules.mu.Unlock()
	all := !slices.ContainsFunc(in.VMs, func(id string) bool { return !change(m, id) })
	return map[string]bool{"success": all}, nil
}
