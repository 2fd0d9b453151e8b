package automation

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/types"
)

// listing is how the API lists objects of one kind.
type listing struct {
	name    string   // of the resource: its path, and the field of its id
	id      string   // as the API calls it
	types   []string // of its objects
	most    int      // that one list may have
	filters []string // beside ids and names
	single  bool     // one object has a path of its own
}

// listings are all that the inventory has.
var listings = []listing{
	{
		name: "datacenter", id: "datacenter", types: []string{"Datacenter"}, most: 1000,
		filters: []string{"folders"}, single: true,
	},
	{
		name: "folder", id: "folder", types: []string{"Folder"}, most: 1000,
		filters: []string{"type", "parent_folders", "datacenters"},
	},
	{
		name: "cluster", id: "cluster", types: []string{"ClusterComputeResource"}, most: 1000,
		filters: []string{"folders", "datacenters"}, single: true,
	},
	{
		name: "host", id: "host", types: []string{"HostSystem"}, most: 2500,
		filters: []string{"folders", "datacenters", "standalone", "clusters", "connection_states"},
	},
	{
		name: "datastore", id: "datastore", types: []string{"Datastore"}, most: 2500,
		filters: []string{"types", "folders", "datacenters"}, single: true,
	},
	{
		name: "network", id: "network", most: 1000,
		types:   []string{"Network", "DistributedVirtualPortgroup", "OpaqueNetwork"},
		filters: []string{"types", "folders", "datacenters"},
	},
	{
		name: "resource-pool", id: "resource_pool", types: []string{"ResourcePool"}, most: 1000,
		filters: []string{"parent_resource_pools", "datacenters", "hosts", "clusters"}, single: true,
	},
	{
		name: "vm", id: "VM", types: []string{"VirtualMachine"}, most: 4000,
		filters: []string{
			"folders", "datacenters", "hosts", "clusters", "resource_pools", "power_states",
		},
	},
}

// values are those that a filter can have, where it does not name objects.
var values = map[string]map[string][]string{
	"folder": {"type": {"DATACENTER", "DATASTORE", "HOST", "NETWORK", "VIRTUAL_MACHINE"}},
	"host": {
		"standalone":        {"true", "false"},
		"connection_states": {"CONNECTED", "DISCONNECTED", "NOT_RESPONDING"},
	},
	"datastore": {"types": {"VMFS", "NFS", "NFS41", "CIFS", "VSAN", "VFFS", "VVOL"}},
	"network":   {"types": {"STANDARD_PORTGROUP", "DISTRIBUTED_PORTGROUP", "OPAQUE_NETWORK"}},
	"vm":        {"power_states": {"POWERED_OFF", "POWERED_ON", "SUSPENDED"}},
}

// Listed is an object of the inventory as the API lists it.
type Listed struct {
	Ref     types.ManagedObjectReference
	Name    string
	Summary map[string]any      // what a list says beside id and name
	Details map[string]any      // what is said of the object alone
	Match   map[string][]string // by filter: the values that find the object
}

const inventoryPath = "/vcenter/"

// inventoryOperations are the lists, and single objects, in both forms of the API.
var inventoryOperations = func() (all []operation) {
	for _, form := range []string{bare, wrapped} {
		for i := range listings {
			l := &listings[i]
			all = append(all, operation{
				method: http.MethodGet, path: form + inventoryPath + l.name,
				id:    "com.vmware.vcenter." + l.id + ".list",
				serve: func(s *Service, c *call) (any, *failure) { return s.list(c, l) },
			})
			if l.single {
				all = append(all, operation{
					method: http.MethodGet, path: form + inventoryPath + l.name + "/{}",
					id:    "com.vmware.vcenter." + l.id + ".get",
					serve: func(s *Service, c *call) (any, *failure) { return s.get(c, l) },
				})
			}
		}
	}
	return all
}()

// field is that of an object's id.
func (l *listing) field() string { return strings.ReplaceAll(l.name, "-", "_") }

// list gives the objects that match a filter and that the caller may read.
func (s *Service) list(c *call, l *listing) (any, *failure) {
	filter, f := l.filter(c)
	if f != nil {
		return nil, s.fail(c, f.kind, f.text)
	}
	var found []Listed
	var needs []Need
	for _, o := range s.Inventory.Objects(l.types...) {
		if o.matches(l, filter) {
			found, needs = append(found, o), append(needs, Need{o.Ref, read})
		}
	}
	hidden := map[types.ManagedObjectReference]bool{}
	for _, n := range s.Inventory.Missing(c.who.principal, c.id, needs...) {
		hidden[n.On] = true
	}
	out := []map[string]any{}
	for _, o := range found {
		if hidden[o.Ref] {
			continue
		}
		one := map[string]any{l.field(): o.Ref.Value, "name": o.Name}
		maps.Copy(one, o.Summary)
		out = append(out, one)
	}
	if len(out) > l.most {
		return nil, failed(unableToAllocate, "Too many objects match: narrow the filter.")
	}
	return out, nil
}

// get says more of one object.
func (s *Service) get(c *call, l *listing) (any, *failure) {
	all := s.Inventory.Objects(l.types...)
	i := slices.IndexFunc(all, func(o Listed) bool { return o.Ref.Value == c.args[0] })
	if i < 0 {
		return nil, s.fail(c, notFound, "There is no "+l.name+" "+c.args[0]+".")
	}
	if f := s.need(c, Need{all[i].Ref, read}); f != nil {
		return nil, f
	}
	out := map[string]any{"name": all[i].Name}
	maps.Copy(out, all[i].Details)
	return out, nil
}

// filter reads the filter of a list: names=a&names=b below /api, filter.names.1=a below /rest.
func (l *listing) filter(c *call) (map[string][]string, *failure) {
	given := map[string][]string{}
	for key, texts := range c.r.URL.Query() {
		name, ok := key, true
		if !isBare(c.r.URL) {
			if name, ok = strings.CutPrefix(key, "filter."); ok {
				name = strings.TrimRight(name, ".0123456789")
			}
		}
		if !ok || name != "names" && name != l.field()+"s" && !slices.Contains(l.filters, name) {
			return nil, failed(invalidArgument, "A list of this resource has no filter "+key+".")
		}
		for _, text := range texts {
			if can := values[l.name][name]; can != nil && !slices.Contains(can, text) {
				return nil, failed(invalidArgument,
					name+" is one of "+strings.Join(can, ", ")+", not "+text+".")
			}
		}
		given[name] = append(given[name], texts...)
	}
	return given, nil
}

// matches reports whether an object has one of the values of each filter.
func (o *Listed) matches(l *listing, filter map[string][]string) bool {
	for name, wanted := range filter {
		has := o.Match[name]
		switch name {
		case "names":
			has = []string{o.Name}
		case l.field() + "s":
			has = []string{o.Ref.Value}
		}
		if !slices.ContainsFunc(has, func(v string) bool { return slices.Contains(wanted, v) }) {
			return false
		}
	}
	return true
}
