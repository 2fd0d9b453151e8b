package snapshot

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// topology is a vCenter's failure domains as inventory objects, folders to be made, and errors.
type topology struct {
	read    *Snapshot
	domains []access.Domain
	made    map[string]*inventory.Object
	folders []NewFolder
	told    []*finding.Finding
	errs    []error
}

func (s *Snapshot) topology() *topology {
	t := &topology{read: s, made: map[string]*inventory.Object{}}
	for _, fd := range s.VCenter.FailureDomains {
		before := len(t.errs)
		if d := t.domain(fd); len(t.errs) == before {
			t.domains = append(t.domains, d)
		}
	}
	t.errs = causes(t.errs)
	return t
}

// causes drops errors below a missing object, or repeated by several failure domains.
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
	clusters    = []string{"ClusterComputeResource"} // a host without one is no cluster to openshift-install
	pools       = []string{"ResourcePool"}           // govmomi's finder, as openshift-install calls it, takes no vApp
	folders     = []string{"Folder"}
	datastores  = []string{"Datastore"}
	networks    = inventory.NetworkTypes()
	machines    = []string{"VirtualMachine"}
)

// at returns the object at a path. Its error names the nearest object, or the one of another type.
func (t *topology) at(p, field string, types []string) *inventory.Object {
	o := t.read.Inventory.At(p)
	if o == nil {
		t.fail(t.read.missing(p, types[0]))
		return nil
	}
	if !slices.Contains(types, o.Ref.Type) {
		t.fail(fmt.Errorf("%s: %w", t.read.VCenter.Server, &OtherTypeError{o, p, field, types[0]}))
		return nil
	}
	return o
}

func (t *topology) domain(fd spec.FailureDomain) access.Domain {
	d := access.Domain{
		Name:       fd.Name,
		Holds:      t.read.conditions(fd),
		Datacenter: t.at(fd.DatacenterPath(), "datacenter", datacenters),
		Cluster:    t.at(fd.ComputeCluster, "computeCluster", clusters),
		Datastore:  t.at(fd.Datastore, "datastore", datastores),
		Encrypted:  t.read.EncryptedIn(fd),
	}
	if fd.ResourcePool != "" {
		d.Pool = t.at(fd.ResourcePool, "resourcePool", pools)
	} else if d.Cluster != nil {
		d.Pool = t.at(poolPath(fd), "computeCluster", pools)
	}
	for _, n := range fd.Networks {
		if o := t.network(fd, d.Cluster, n); o != nil {
			d.Networks = append(d.Networks, o)
		}
	}
	if s := t.read.Request.Spec; len(fd.Networks) == 0 && (s.Has(component.MachineAPI) || s.Has(component.Installer)) {
		t.told = append(t.told, plan.Change{Kind: plan.FailureDomain, Name: fd.Name, Object: fd.DatacenterPath()}.Tell(
			finding.NoNetwork, "no network is named, so no account has a permission on one, and no machine can be made: only a user-provisioned installation does without"))
	}
	if p := t.read.FolderPath(fd); p != "" {
		d.Folder = t.folder(p)
		cluster, name := t.read.Request.Spec.Cluster, path.Base(p)
		d.MoveFolder = path.Dir(p) == OwnVMFolder(fd) &&
			!strings.EqualFold(name, cluster) && spec.MadeOf(name, "", cluster)
		t.assignable(d.Folder)
		t.unnamed(fd, p)
	} else if d.Datacenter != nil {
		d.Folder = t.at(OwnVMFolder(fd), "datacenter", folders)
		t.told = append(t.told, plan.Change{Kind: plan.FailureDomain, Name: fd.Name, Object: fd.DatacenterPath()}.Tell(
			finding.WholeDatacenter, "no folder is set, so the folder permissions are set on the datacenter and propagate to every VM in it; "+
				"before an installation, name one here and in the install-config, folder: "+ownFolder(fd, t.read.Request.Spec.Cluster)+", and let --create-folders create it"))
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

// network is what OpenShift takes for a network: the first that the compute cluster lists of its
// name, which stands for all below the datacenter, or for those in one of its folders.
// Source: openshift/installer, pkg/asset/installconfig/vsphere (GetNetworkMo).
func (t *topology) network(fd spec.FailureDomain, cluster *inventory.Object, n string) *inventory.Object {
	var own []*inventory.Object
	if cluster != nil {
		own = slices.DeleteFunc(slices.Clone(cluster.Networks), func(o *inventory.Object) bool {
			in := path.Dir(o.Path())
			return o.Name != path.Base(n) || in != path.Dir(n) && path.Dir(n) != path.Join(fd.DatacenterPath(), "network")
		})
	}
	if len(own) == 0 {
		return t.at(n, "networks", networks)
	}
	all, why := own, "hosts of the compute cluster have it"
	if len(own) > 1 {
		why = "the compute cluster lists it first, and OpenShift takes the first of a name"
	}
	if at := t.read.Inventory.At(n); at != nil && at.Ref.Network() && !slices.Contains(own, at) {
		all = append(all, at)
	}
	if len(all) > 1 {
		var paths []string
		for _, o := range all {
			paths = append(paths, o.Path())
		}
		slices.Sort(paths)
		t.told = append(t.told, plan.Change{Kind: plan.FailureDomain, Name: fd.Name, Object: own[0].Path()}.Tell(finding.PlanNote,
			fmt.Sprintf("of %s, this network is meant: %s", strings.Join(paths, ", "), why)))
	}
	return own[0]
}

// assignable refuses objects that take no permission, and names the one to use.
func (t *topology) assignable(o *inventory.Object) {
	if o == nil {
		return
	}
	if above, why := o.Unassignable(); above != nil {
		t.fail(hint.Errorf("use "+above.Path()+", or an object below "+o.Path(),
			"%s: permissions cannot be set on %s: %s", t.read.VCenter.Server, o.Path(), why))
	}
}

// OwnVMFolder is the datacenter's own folder for virtual machines.
func OwnVMFolder(fd spec.FailureDomain) string { return path.Join(fd.DatacenterPath(), "vm") }

// Paths are the inventory paths of a vCenter's failure domains, each once, the root first.
func (q *Request) Paths(v spec.VCenter) []string {
	all := []string{"/"}
	for _, p := range q.Places(v) {
		all = lists.AppendNew(all, p.Path)
	}
	for _, fd := range v.FailureDomains {
		all = lists.AppendNew(all, q.folderPaths(fd)...)
	}
	return all
}

// Places are the paths of a vCenter's failure domains that must exist, with their types.
func (q *Request) Places(v spec.VCenter) []inventory.Place {
	var all []inventory.Place
	add := func(p string, types []string) {
		if p != "" {
			all = lists.AppendNew(all, inventory.Place{Path: p, Type: types[0]})
		}
	}
	for _, fd := range v.FailureDomains {
		add(fd.DatacenterPath(), datacenters)
		add(fd.ComputeCluster, clusters)
		add(poolPath(fd), pools)
		add(OwnVMFolder(fd), folders)
		add(fd.Datastore, datastores)
		for _, n := range fd.Networks {
			add(n, networks)
		}
		add(fd.Template, machines)
		add(fd.Folder, folders)
		if fd.Folder == "" && q.CreateFolders {
			add(q.ownFolder(fd), folders)
		}
	}
	return all
}

// poolPath is the resource pool of the VMs: the given one, else the cluster's own.
func poolPath(fd spec.FailureDomain) string {
	if fd.ResourcePool != "" {
		return fd.ResourcePool
	}
	return path.Join(fd.ComputeCluster, "Resources")
}

// FolderPath is the VM folder: given, or made by --create-folders; "" if the installer makes it.
func (s *Snapshot) FolderPath(fd spec.FailureDomain) string {
	if fd.Folder != "" {
		return fd.Folder
	}
	if p := s.Request.ownFolder(fd); s.Request.CreateFolders || s.carriesOurs(p) {
		return p
	}
	return ""
}

func (q *Request) ownFolder(fd spec.FailureDomain) string { return ownFolder(fd, q.Spec.Cluster) }

func ownFolder(fd spec.FailureDomain, cluster string) string {
	return path.Join(OwnVMFolder(fd), cluster)
}

// NamesFolder is the hint at the line of an install-config for the folder of --create-folders.
func NamesFolder(fd spec.FailureDomain, cluster string) string {
	return "write it below topology of the install-config: folder: " + ownFolder(fd, cluster)
}

// unnamed tells of a folder that the install-config has to name, where that does not or is unknown.
func (t *topology) unnamed(fd spec.FailureDomain, p string) {
	q := t.read.Request
	if fd.Folder != "" || q.Installed || q.Given == nil && t.made[p] == nil {
		return
	}
	t.told = append(t.told, plan.Change{Kind: plan.FailureDomain, Name: fd.Name, Object: fd.DatacenterPath()}.Tell(
		finding.InstallConfigRefused, "no folder is set, and its permissions are on "+p+
			": openshift-install takes that folder only if the install-config names it", NamesFolder(fd, q.Spec.Cluster)))
}

// carriesOurs reports whether one of our accounts has a permission on an existing object, or an
// adopted one a role of ours: an earlier run chose it, and grants must not move to the datacenter.
func (s *Snapshot) carriesOurs(p string) bool {
	o := s.Inventory.At(p)
	if o == nil {
		return false
	}
	return slices.ContainsFunc(s.Perms.On(o.Ref), func(p perms.Permission) bool {
		return slices.ContainsFunc(s.Owned(), func(name string) bool { return s.UserKey(name) == p.Key }) ||
			s.Facts[p.RoleID].Kind != ForeignRole &&
				slices.ContainsFunc(s.Adoptees(), func(g access.Principal) bool { return s.Holds(g, p) })
	})
}

// folderPaths are the folders to look up: given or ours, and parents if missing ones are made.
func (q *Request) folderPaths(fd spec.FailureDomain) []string {
	p := fd.Folder
	if p == "" {
		p = q.ownFolder(fd)
	}
	all := []string{p}
	if q.CreateFolders {
		for top := OwnVMFolder(fd); p != top && len(p) > len(top); p = path.Dir(p) {
			all = append(all, path.Dir(p))
		}
	}
	return all
}

// MissingError is a missing path of an object of a type, which has not been looked for elsewhere.
type MissingError struct{ Path, Type string }

func (e *MissingError) Error() string { return "there is no " + e.Path }

// missing is the error for a missing path; plan adds what is near.
func (s *Snapshot) missing(p, kind string) error {
	return fmt.Errorf("%s: %w", s.VCenter.Server, &MissingError{p, kind})
}

// OtherTypeError is an object that is not of the type that a field wants.
type OtherTypeError struct {
	Object           *inventory.Object
	Path, Field, Not string
}

func (e *OtherTypeError) Error() string {
	return fmt.Sprintf("%s is a %s, not a %s", e.Path, e.Object.Ref.Type, e.Not)
}

// Hints are what to write instead; plan adds the objects that are meant.
func (e *OtherTypeError) Hints() []string {
	switch e.Object.Ref.Type {
	case "StoragePod":
		return nil
	case "ComputeResource":
		return []string{"openshift-install needs a cluster: move the host into one, or correct " + e.Field}
	}
	return []string{"correct " + e.Field}
}

// NewFolder is a folder to be made. Its object has no reference until then.
type NewFolder struct {
	*plan.Change
	Object *inventory.Object
}

// folder is an existing VM folder, one to be made, or an error.
func (t *topology) folder(p string) *inventory.Object {
	if t.read.Inventory.At(p) != nil {
		return t.at(p, "folder", folders)
	}
	if !t.read.Request.CreateFolders {
		t.fail(hint.Wrap(t.read.missing(p, "Folder"), "--create-folders creates it"))
		return nil
	}
	if o := t.made[p]; o != nil {
		return o
	}
	parent := t.folder(path.Dir(p))
	if parent == nil {
		return nil
	}
	o := &inventory.Object{Ref: inventory.Ref{Type: "Folder"}, Name: path.Base(p), Parent: parent}
	t.made[p] = o
	t.folders = append(t.folders, NewFolder{&plan.Change{
		Verb: plan.Create, Kind: plan.Folder, Name: p,
		Provides: plan.Key(t.read.VCenter.Server, plan.Folder, p),
		Needs:    []string{plan.Key(t.read.VCenter.Server, plan.Folder, parent.Path())},
	}, o})
	return o
}

// FolderChanges are the changes that make the folders.
func (d *Desired) FolderChanges() []*plan.Change {
	var all []*plan.Change
	for _, f := range d.Folders {
		all = append(all, f.Change)
	}
	return all
}
