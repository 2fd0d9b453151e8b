package provision

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// targets are the objects of one failure domain by scope.
type targets struct {
	datacenter, cluster, pool, folder, datastore *perms.Place
	networks, switches                           []*perms.Place
	template                                     *perms.Place // a folder or a template outside the VM folder
}

func (b *binder) failureDomain(fd spec.FailureDomain) {
	t, ok := b.targets(fd)
	if !ok {
		return
	}
	holds := b.job.holds(b.site, fd)
	for _, c := range b.job.o.Spec.ComponentNames() {
		for _, g := range b.job.o.Matrix.Grants(c, holds) {
			b.grant(t, g, holds)
		}
	}
	if t.folder == nil {
		b.note("failure domain " + fd.Name + " names no folder, so what its folder would carry stands on " + t.datacenter.Path +
			" and propagates to every VM of the datacenter; --create-folders makes " +
			b.job.ownFolder(fd) + " first and keeps it there")
	}
}

func (b *binder) targets(fd spec.FailureDomain) (targets, bool) {
	before := len(b.errs)
	t := targets{
		datacenter: b.at(fd.DatacenterPath(), "datacenter", datacenters),
		cluster:    b.at(fd.ComputeCluster, "computeCluster", clusters),
		datastore:  b.at(fd.Datastore, "datastore", datastores),
	}
	if fd.ResourcePool != "" {
		t.pool = b.at(fd.ResourcePool, "resourcePool", pools)
	}
	for _, n := range fd.Networks {
		place := b.at(n, "networks", networks)
		if place == nil {
			continue
		}
		t.networks = append(t.networks, place)
		if dvs := place.Object.Switch; dvs != nil {
			if above, _ := dvs.Unassignable(); above != nil {
				t.switches = append(t.switches, perms.At(above))
			}
		}
	}
	if p := b.job.folderPath(b.site, fd); p != "" {
		t.folder = b.folder(p)
	}
	if fd.Template != "" {
		t.template = b.template(fd, t)
	}
	for _, place := range []*perms.Place{t.cluster, t.pool, t.folder, t.datastore} {
		b.assignable(place)
	}
	return t, len(b.errs) == before
}

// assignable refuses objects that take no permission, and names the one to use.
func (b *binder) assignable(place *perms.Place) {
	if place == nil || place.Object == nil {
		return
	}
	if above, why := place.Object.Unassignable(); above != nil {
		b.fail(hint.Errorf("use "+above.Path()+", or an object below "+place.Path,
			"%s: %s takes no permission: %s", b.site.spec.Server, place.Path, why))
	}
}

// template finds what else has to be granted for cloning: the template's folder, unless the VM folder or the
// datacenter reaches it; the template itself where its folder takes no permission.
func (b *binder) template(fd spec.FailureDomain, t targets) *perms.Place {
	place := b.at(fd.Template, "template", machines)
	if place == nil || t.folder == nil || place.Object.Parent == nil {
		return nil
	}
	parent := place.Object.Parent
	if t.folder.Object != nil && parent.Within(t.folder.Object) {
		return nil
	}
	if above, _ := parent.Unassignable(); above != nil {
		return place
	}
	return perms.At(parent)
}
