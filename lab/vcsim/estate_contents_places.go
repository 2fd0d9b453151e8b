package vcsim

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/mo"
)

// datastoreAt makes a datastore that all hosts of the datacenter mount. The simulator puts it where it likes, and takes one of
// the same name for the same, so it gets its name and its folder afterwards. A name with brackets, which end the name of a
// datastore in the path of a file, waits until the machines are there.
func (f *filling) datastoreAt(s *site, p string, parent moref) error {
	if len(s.hosts) == 0 {
		return fmt.Errorf("the datacenter has no host to mount it")
	}
	name := path.Base(p)
	temporary := fmt.Sprintf("datastore of contents %d", len(f.at))
	if err := s.datastore(temporary, nil); err != nil {
		return err
	}
	last := len(s.view.Datastores) - 1
	ref, ok := f.find(s.view.Datastores[last])
	if !ok {
		return fmt.Errorf("it is not where it should be")
	}
	f.at[p], s.view.Datastores[last] = ref, p
	if err := f.into(s, ref, parent); err != nil {
		return err
	}
	if strings.ContainsAny(name, "[]") {
		f.late = append(f.late, func() error { return f.rename(ref, name) })
		return nil
	}
	return f.rename(ref, name)
}

// defaultNetwork is what a new datacenter of the simulator has, and what all virtual machines have their card on.
func (f *filling) defaultNetwork(s *site) (moref, bool) {
	folder, err := kept[*simulator.Folder](f.builder, s.folders.NetworkFolder)
	if err != nil {
		return moref{}, false
	}
	for _, ref := range folder.ChildEntity {
		if f.name(ref) == machineNetwork && ref.Type == "Network" {
			return ref, true
		}
	}
	return moref{}, false
}

func (f *filling) networkAt(s *site, o Object, parent moref) error {
	name := path.Base(o.Path)
	if ref, ok := f.defaultNetwork(s); ok && name == machineNetwork && parent == s.folders.NetworkFolder.Reference() && o.Type == "Network" {
		f.at[o.Path] = ref
		s.view.Networks = append(s.view.Networks, Network{Path: o.Path})
		return nil
	}
	if err := s.network(name, o.Type == "OpaqueNetwork"); err != nil {
		return err
	}
	ref, err := f.newest(s)
	if err != nil {
		return err
	}
	last := len(s.view.Networks) - 1
	if _, beside := f.at[o.Path]; beside {
		s.view.Networks = s.view.Networks[:last]
	} else {
		f.at[o.Path], s.view.Networks[last].Path = ref, o.Path
	}
	return f.into(s, ref, parent)
}

// newest is the last object in the network folder of a datacenter.
func (f *filling) newest(s *site) (moref, error) {
	folder, err := kept[*simulator.Folder](f.builder, s.folders.NetworkFolder)
	if err != nil {
		return moref{}, err
	}
	if len(folder.ChildEntity) == 0 {
		return moref{}, fmt.Errorf("it is not where it should be")
	}
	return folder.ChildEntity[len(folder.ChildEntity)-1], nil
}

// switchAt makes a distributed switch with its port groups, each where it belongs.
func (f *filling) switchAt(s *site, p string, parent moref, groups []Object) error {
	var names []string
	for _, g := range groups {
		names = append(names, path.Base(g.Path))
	}
	before := len(s.view.Networks)
	if err := s.dvs(object.NewFolder(f.client, parent), path.Base(p), names...); err != nil {
		return err
	}
	s.view.Networks = s.view.Networks[:before]
	ref, ok := f.find(p)
	if !ok {
		return fmt.Errorf("it is not where it should be")
	}
	f.at[p] = ref
	sw, err := kept[*simulator.DistributedVirtualSwitch](f.builder, ref)
	if err != nil {
		return err
	}
	for _, g := range groups {
		i := slices.IndexFunc(sw.Portgroup, func(made moref) bool { return f.name(made) == path.Base(g.Path) })
		where, ok := f.at[path.Dir(g.Path)]
		if _, taken := f.at[g.Path]; i < 0 || !ok || taken {
			return fmt.Errorf("%s: the path exists already, or its parent does not exist", g.Path)
		}
		f.at[g.Path] = sw.Portgroup[i]
		s.view.Networks = append(s.view.Networks, Network{Path: g.Path, Switch: p})
		if err := f.into(s, sw.Portgroup[i], where); err != nil {
			return err
		}
	}
	return nil
}

// into moves an object of a datacenter into a folder or datastore cluster, where it is not there already.
func (f *filling) into(s *site, ref, parent moref) error {
	e, err := kept[mo.Entity](f.builder, ref)
	if err != nil || *e.Entity().Parent == parent {
		return err
	}
	return s.move(ref, parent)
}

// machineAt makes a virtual machine or template on the first datastore of its datacenter.
func (f *filling) machineAt(s *site, o Object, parent moref) error {
	pool, err := f.poolOf(s, o, parent)
	if err != nil {
		return err
	}
	if len(s.view.Datastores) == 0 {
		return fmt.Errorf("the datacenter has no datastore for it")
	}
	datastore, err := kept[*simulator.Datastore](f.builder, f.at[s.view.Datastores[0]])
	if err != nil {
		return err
	}
	in := s.folders.VmFolder
	if parent.Type == "Folder" {
		in = object.NewFolder(f.client, parent)
	}
	temporary := fmt.Sprintf("machine-%d", len(f.at))
	vm, err := s.vm(in, object.NewResourcePool(f.client, pool), temporary, datastore.Name)
	if err != nil {
		return err
	}
	f.at[o.Path] = vm.Reference()
	if err := f.rename(vm, path.Base(o.Path)); err != nil {
		return err
	}
	if parent.Type == "VirtualApp" {
		if err := f.adopt(vm.Reference(), s, parent); err != nil {
			return err
		}
	}
	s.view.VMs[len(s.view.VMs)-1] = o.Path
	if o.Encrypted {
		sim, err := kept[*simulator.VirtualMachine](f.builder, vm)
		if err != nil {
			return err
		}
		f.locked(sim, func() { sim.Config.KeyId = keyWith(o.Path) })
	}
	switch {
	case o.Template:
		return s.template(vm)
	case o.HostName != "" || o.Addresses != nil:
		s.ids.guests.put(vm.Reference(), guest{o.HostName, o.Addresses})
		_, err := s.finish(vm.PowerOn(s.ctx))
		return err
	}
	return nil
}

// adopt takes a machine out of its folder: in a vApp it has no other parent.
func (f *filling) adopt(ref moref, s *site, app moref) error {
	vm, err := kept[*simulator.VirtualMachine](f.builder, ref)
	if err != nil {
		return err
	}
	folder, err := kept[*simulator.Folder](f.builder, s.folders.VmFolder)
	if err != nil {
		return err
	}
	f.locked(folder, func() { simulator.RemoveReference(&folder.ChildEntity, ref) })
	f.locked(vm, func() { vm.Parent, vm.ParentVApp = nil, &app })
	return nil
}

// poolOf is the pool that a machine is made in. The simulator falls over a compute resource without hosts.
func (f *filling) poolOf(s *site, o Object, parent moref) (moref, error) {
	candidates := []string{o.Pool}
	switch {
	case parent.Type == "VirtualApp":
		candidates = []string{path.Dir(o.Path)}
	case o.Pool == "":
		candidates = nil
		for _, c := range s.view.Clusters {
			candidates = append(candidates, c.Path+"/Resources")
		}
		for _, h := range s.view.Hosts {
			candidates = append(candidates, h+"/Resources")
		}
	}
	for _, p := range candidates {
		ref, ok := f.at[p]
		bare := slices.ContainsFunc(s.view.Clusters, func(c Cluster) bool { return len(c.Hosts) == 0 && strings.HasPrefix(p, c.Path+"/") })
		if ok && !bare && (ref.Type == "ResourcePool" || ref.Type == "VirtualApp") {
			return ref, nil
		}
	}
	return moref{}, fmt.Errorf("there is no resource pool with a host for it")
}
