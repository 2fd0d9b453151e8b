package snapshot

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// topology is the failure domains of one vCenter on the objects of its inventory, the folders that have to be made for them
// first, and what is wrong.
type topology struct {
	*Request
	*Snapshot
	domains []access.Domain
	made    map[string]*inventory.Object
	folders []NewFolder
	told    []*finding.Finding
	errs    []error
}

func (s *Snapshot) topology() *topology {
	t := &topology{Request: s.Request, Snapshot: s, made: map[string]*inventory.Object{}}
	for _, fd := range s.VCenter.FailureDomains {
		before := len(t.errs)
		if d := t.domain(fd); len(t.errs) == before {
			t.domains = append(t.domains, d)
		}
	}
	t.errs = causes(t.errs)
	return t
}

// causes are errors without those that another one explains: what is below an object that is not there, and what several
// failure domains name, is said once.
func causes(errs []error) []error {
	var all []error
	for i, err := range errs {
		m, missing := errors.AsType[*MissingError](err)
		explained := slices.ContainsFunc(errs[:i], func(before error) bool { return before.Error() == err.Error() })
		for _, other := range errs {
			if o, ok := errors.AsType[*MissingError](other); ok && missing && strings.HasPrefix(m.Path, o.Path+"/") {
				explained = true
			}
		}
		if !explained {
			all = append(all, err)
		}
	}
	return all
}

func (t *topology) fail(err error) { t.errs = append(t.errs, err) }

// Types of inventory objects, by what a failure domain calls them.
var (
	datacenters = []string{"Datacenter"}
	clusters    = []string{"ClusterComputeResource", "ComputeResource"}
	pools       = []string{"ResourcePool", "VirtualApp"}
	folders     = []string{"Folder"}
	datastores  = []string{"Datastore"}
	networks    = []string{"Network", "DistributedVirtualPortgroup", "OpaqueNetwork"}
	machines    = []string{"VirtualMachine"}
)

// at is the object at a path, or an error that names the nearest existing one, or what is there instead.
func (t *topology) at(p, field string, types []string) *inventory.Object {
	o := t.Inventory.At(p)
	if o == nil {
		t.fail(t.missing(p))
		return nil
	}
	if !slices.Contains(types, o.Ref.Type) {
		t.fail(hint.Errorf("correct "+field, "%s: %s is a %s, not a %s", t.VCenter.Server, p, o.Ref.Type, types[0]))
		return nil
	}
	return o
}

func (t *topology) domain(fd spec.FailureDomain) access.Domain {
	d := access.Domain{
		Name:       fd.Name,
		Holds:      t.conditions(fd),
		Datacenter: t.at(fd.DatacenterPath(), "datacenter", datacenters),
		Cluster:    t.at(fd.ComputeCluster, "computeCluster", clusters),
		Datastore:  t.at(fd.Datastore, "datastore", datastores),
	}
	if fd.ResourcePool != "" {
		d.Pool = t.at(fd.ResourcePool, "resourcePool", pools)
	} else if d.Cluster != nil {
		d.Pool = t.at(poolPath(fd), "computeCluster", pools)
	}
	for _, n := range fd.Networks {
		if o := t.at(n, "networks", networks); o != nil {
			d.Networks = append(d.Networks, o)
		}
	}
	if p := t.FolderPath(fd); p != "" {
		d.Folder = t.folder(p)
		t.assignable(d.Folder)
	} else if d.Datacenter != nil {
		d.Folder = t.at(OwnVMFolder(fd), "datacenter", folders)
		t.told = append(t.told, plan.Change{Kind: plan.FailureDomain, Name: fd.Name, Object: fd.DatacenterPath()}.Tell(
			finding.WholeDatacenter, "no folder is set, so the folder permissions are set on the datacenter and propagate to every VM in it; "+
				"before an installation, --create-folders creates the folder "+t.Spec.Cluster+" first and sets them there"))
	}
	if fd.Template != "" {
		d.Template = t.at(fd.Template, "template", machines)
	}
	t.assignable(d.Cluster)
	if fd.ResourcePool != "" {
		t.assignable(d.Pool)
	}
	t.assignable(d.Datastore)
	return d
}

// assignable refuses objects that take no permission, and names the one to use.
func (t *topology) assignable(o *inventory.Object) {
	if o == nil {
		return
	}
	if above, why := o.Unassignable(); above != nil {
		t.fail(hint.Errorf("use "+above.Path()+", or an object below "+o.Path(),
			"%s: permissions cannot be set on %s: %s", t.VCenter.Server, o.Path(), why))
	}
}

// OwnVMFolder is the datacenter's own folder for virtual machines.
func OwnVMFolder(fd spec.FailureDomain) string { return path.Join(fd.DatacenterPath(), "vm") }
