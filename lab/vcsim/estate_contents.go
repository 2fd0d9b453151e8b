package vcsim

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// filling is an inventory that is built from contents.
type filling struct {
	*builder
	at    map[string]moref // what is at a path
	sites map[string]*site // by path of the datacenter
	late  []func() error   // what has to wait until the machines are there
}

// steps is the order in which objects can be made: hosts before what they mount, pools and datastores before machines. Within
// a step the upper ones come first.
var steps = map[string]int{
	"Folder": 0, "Datacenter": 0, "ClusterComputeResource": 1, "ComputeResource": 1, "ResourcePool": 2, "VirtualApp": 2,
	"StoragePod": 3, "Datastore": 4, "Network": 4, "DistributedVirtualSwitch": 5, "OpaqueNetwork": 6, "VirtualMachine": 7,
}

// filled builds the inventory of contents.
func (b *builder) filled(c *Contents) (Estate, error) {
	f := &filling{builder: b, at: map[string]moref{"/": b.root.Reference()}, sites: map[string]*site{}}
	groups := map[string][]Object{} // by switch
	var order []Object
	for _, o := range c.Objects {
		if o.Type == "DistributedVirtualPortgroup" { // made with its switch
			groups[o.Switch] = append(groups[o.Switch], o)
			continue
		}
		if _, known := steps[o.Type]; !known {
			return Estate{}, fmt.Errorf("%s: unknown type %q", o.Path, o.Type)
		}
		order = append(order, o)
	}
	slices.SortStableFunc(order, func(a, b Object) int {
		return cmp.Or(steps[a.Type]-steps[b.Type], strings.Count(a.Path, "/")-strings.Count(b.Path, "/"))
	})
	for _, o := range order {
		if err := f.add(o, groups[o.Path]); err != nil {
			return Estate{}, fmt.Errorf("%s %s: %w", o.Type, o.Path, err)
		}
		delete(groups, o.Path)
	}
	for sw, orphans := range groups {
		return Estate{}, fmt.Errorf("%s: there is no switch at %q", orphans[0].Path, sw)
	}
	for _, do := range f.late {
		if err := do(); err != nil {
			return Estate{}, err
		}
	}
	var e Estate
	for _, o := range order {
		if s := f.sites[o.Path]; s != nil {
			e.Datacenters = append(e.Datacenters, s.view)
		}
	}
	return e, nil
}

// add makes one object whose parent is there.
func (f *filling) add(o Object, groups []Object) error {
	parent, ok := f.at[path.Dir(o.Path)]
	at, taken := f.at[o.Path]
	switch {
	case taken && o.Type == "OpaqueNetwork" && (at.Type == "Network" || at.Type == "DistributedVirtualPortgroup"):
	case taken || o.Path == "/":
		return errors.New("the path exists already")
	case !ok:
		return fmt.Errorf("its parent %s does not exist", path.Dir(o.Path))
	}
	s, below := f.site(o.Path)
	if s == nil && o.Type != "Folder" && o.Type != "Datacenter" {
		return fmt.Errorf("it is not below a datacenter")
	}
	name := path.Base(o.Path)
	switch o.Type {
	case "Datacenter":
		return f.datacenterAt(o.Path, parent)
	case "Folder":
		return f.folderAt(s, below, o.Path, parent)
	case "ClusterComputeResource":
		return f.clusterAt(s, o, parent)
	case "ComputeResource":
		return f.standaloneAt(s, o.Path, parent)
	case "ResourcePool", "VirtualApp":
		return f.poolAt(s, o, parent)
	case "StoragePod":
		pod, err := object.NewFolder(f.client, parent).CreateStoragePod(f.ctx, name)
		if err != nil {
			return err
		}
		f.at[o.Path] = pod.Reference()
		return nil
	case "Datastore":
		return f.datastoreAt(s, o.Path, parent)
	case "Network", "OpaqueNetwork":
		return f.networkAt(s, o, parent)
	case "DistributedVirtualSwitch":
		return f.switchAt(s, o.Path, parent, groups)
	}
	return f.machineAt(s, o, parent)
}

// site finds the datacenter of a path, and the rest of the path: "vm/folder". Nil above datacenters.
func (f *filling) site(p string) (*site, string) {
	for dir := path.Dir(p); dir != "/" && dir != "."; dir = path.Dir(dir) {
		if s := f.sites[dir]; s != nil {
			return s, strings.TrimPrefix(p, dir+"/")
		}
	}
	return nil, ""
}

func (f *filling) datacenterAt(p string, parent moref) error {
	s, err := f.datacenter(object.NewFolder(f.client, parent), path.Base(p))
	if err != nil {
		return err
	}
	f.at[p], f.sites[p] = s.dc.Reference(), s
	s.view.Path = p
	for name, folder := range map[string]*object.Folder{
		"vm": s.folders.VmFolder, "host": s.folders.HostFolder, "datastore": s.folders.DatastoreFolder, "network": s.folders.NetworkFolder,
	} {
		f.at[p+"/"+name] = folder.Reference()
	}
	f.late = append(f.late, func() error { return f.dropDefaultNetwork(s) })
	return f.rename(s.dc, path.Base(p))
}

func (f *filling) folderAt(s *site, below, p string, parent moref) error {
	made, err := object.NewFolder(f.client, parent).CreateFolder(f.ctx, path.Base(p))
	if err != nil {
		return err
	}
	f.at[p] = made.Reference()
	if strings.HasPrefix(below, "vm/") {
		s.view.Folders = append(s.view.Folders, p)
	}
	return f.rename(made, path.Base(p)) // CreateFolder escapes what is escaped already
}

func (f *filling) clusterAt(s *site, o Object, parent moref) error {
	c, err := s.cluster(object.NewFolder(f.client, parent), path.Base(o.Path), o.Hosts)
	if err != nil {
		return err
	}
	view := &s.view.Clusters[len(s.view.Clusters)-1]
	for i, name := range o.Hosts {
		host, ok := f.find(view.Hosts[i])
		if !ok {
			return fmt.Errorf("host %q is not where it should be", name)
		}
		f.at[o.Path+"/"+name] = host
	}
	root, err := c.ResourcePool(f.ctx)
	if err != nil {
		return err
	}
	f.at[o.Path], f.at[o.Path+"/Resources"] = c.Reference(), root.Reference()
	return nil
}

func (f *filling) standaloneAt(s *site, p string, parent moref) error {
	root, err := s.standalone(object.NewFolder(f.client, parent), path.Base(p))
	if err != nil {
		return err
	}
	pool, err := kept[mo.Entity](f.builder, root)
	if err != nil {
		return err
	}
	f.at[p], f.at[p+"/Resources"] = *pool.Entity().Parent, root.Reference()
	f.at[p+"/"+path.Base(p)] = s.hosts[len(s.hosts)-1].Reference()
	return nil
}

// poolAt adds a resource pool or a vApp. Those of clusters are in the view.
func (f *filling) poolAt(s *site, o Object, parent moref) error {
	in, name := object.NewResourcePool(f.client, parent), path.Base(o.Path)
	if o.Type == "VirtualApp" {
		app, err := in.CreateVApp(f.ctx, name, types.DefaultResourceConfigSpec(), types.VAppConfigSpec{}, s.folders.VmFolder)
		if err != nil {
			return err
		}
		f.at[o.Path] = app.Reference()
		return nil
	}
	made, err := in.Create(f.ctx, name, types.DefaultResourceConfigSpec())
	if err != nil {
		return err
	}
	f.at[o.Path] = made.Reference()
	for i := range s.view.Clusters {
		if c := &s.view.Clusters[i]; strings.HasPrefix(o.Path, c.Path+"/") {
			c.Pools = append(c.Pools, o.Path)
		}
	}
	return nil
}

// find is the object at a path of the inventory as it is built.
func (b *builder) find(p string) (moref, bool) {
	for _, e := range b.reg.All("") {
		if b.name(e) == path.Base(p) && b.path(e) == p {
			return e.Reference(), true
		}
	}
	return moref{}, false
}
