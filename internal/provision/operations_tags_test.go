package provision_test

import (
	"strings"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vapi/cluster"
	"github.com/vmware/govmomi/vapi/rest"
	tagging "github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// tagOperations are what the components do over REST, call by call in the order in which they were seen to do it. Sources:
// openshift/machine-api-operator, pkg/controller/vsphere/reconciler.go (reconcileTags, getRegionAndZone); openshift/installer,
// pkg/infrastructure/vsphere/clusterapi/tags.go, pkg/destroy/vsphere/client.go; openshift/vmware-vsphere-csi-driver-operator,
// pkg/operator/storageclasscontroller/vmware.go; openshift/vsphere-problem-detector, pkg/check (CheckZoneTags);
// kubernetes/cloud-provider-vsphere, zones.go; kubernetes-sigs/cluster-api-provider-vsphere, clustermodules/provider.go.
func tagOperations() []operation {
	return []operation{
		{"read tags of machine", func(s *stage, c *vim25.Client) error {
			m, ref := s.machine().Reference(), s.rest(c)
			id := s.clusterTag().CategoryID
			s.later(s.attached(m))
			if _, err := ref.GetCategories(s.ctx); err != nil {
				return err
			}
			if _, err := ref.GetCategory(s.ctx, "openshift-other"); err == nil || !strings.HasSuffix(err.Error(), "404 Not Found") {
				return err
			}
			if _, err := ref.GetTagsForCategory(s.ctx, id); err != nil {
				return err
			}
			_, err := ref.GetAttachedTags(s.ctx, m)
			return err
		}},
		{"tag machine", func(s *stage, c *vim25.Client) error { return s.tag(c, s.machine().Reference()) }},
		{"tag boot image", func(s *stage, c *vim25.Client) error {
			m := s.throwaway()
			s.need(m.MarkAsTemplate(s.ctx))
			return s.tag(c, m.Reference())
		}},
		{"tag datastore", func(s *stage, c *vim25.Client) error {
			ds := s.ref(s.datastore)
			if err := s.tag(c, ds); err != nil {
				return err
			}
			return s.rest(c).DetachTag(s.ctx, s.clusterTag().ID, ds) // of a failure domain that is removed
		}},
		{"read region and zone", func(s *stage, c *vim25.Client) error {
			all, err := s.above(c, s.ref(s.v.Estate().Datacenters[0].Clusters[0].Hosts[0]))
			if err != nil {
				return err
			}
			m := s.rest(c)
			for _, ref := range all {
				found, err := m.GetAttachedTags(s.ctx, ref)
				if err != nil {
					return err
				}
				for _, g := range found {
					if _, err := m.GetCategory(s.ctx, g.CategoryID); err != nil {
						return err
					}
				}
			}
			return nil
		}},
		{"check zone tags", func(s *stage, c *vim25.Client) error {
			m := s.rest(c)
			if _, err := m.GetCategories(s.ctx); err != nil {
				return err
			}
			all, err := s.above(c, s.ref("/DC1/host/C1"))
			if err != nil {
				return err
			}
			var refs []mo.Reference
			for _, ref := range all {
				refs = append(refs, ref)
			}
			found, err := m.GetAttachedTagsOnObjects(s.ctx, refs)
			if err == nil && len(found) < 2 {
				err = lost("the tags of region and zone")
			}
			return err
		}},
		{"create category and tag", func(s *stage, c *vim25.Client) error {
			id, err := s.category(c)
			if err != nil {
				return err
			}
			m := s.rest(c)
			again := tagging.Category{ID: id, AssociableTypes: append(associable(), "urn:vim25:StoragePod")}
			if err := m.UpdateCategory(s.ctx, &again); err != nil { // on every sync, with all types
				return err
			}
			tag, err := m.CreateTag(s.ctx, &tagging.Tag{Name: "cluster1", CategoryID: id})
			if err != nil {
				return err
			}
			return m.UpdateTag(s.ctx, &tagging.Tag{ID: tag, Name: "cluster1", Description: "of OpenShift"})
		}},
		{"create cluster tag", func(s *stage, c *vim25.Client) error {
			id, err := s.category(c)
			if err != nil {
				return err
			}
			if _, err := s.rest(c).GetTagsForCategory(s.ctx, id); err != nil {
				return err
			}
			_, err = s.rest(c).CreateTag(s.ctx, &tagging.Tag{Name: "cluster1", CategoryID: id})
			return err
		}},
		{"find by cluster tag", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			s.need(s.rest(s.admin).AttachTag(s.ctx, s.clusterTag().ID, m.Reference()))
			s.later(s.attached(m.Reference()))
			found, err := s.rest(c).GetAttachedObjectsOnTags(s.ctx, []string{s.clusterTag().ID})
			switch {
			case err != nil:
				return err
			case len(found[0].ObjectIDs) == 0:
				return lost(m.InventoryPath)
			}
			return read(s, c, m.Reference(), "name", "summary.runtime.powerState")
		}},
		{"delete cluster tag", func(s *stage, c *vim25.Client) error {
			id, err := s.category(s.admin)
			s.need(err)
			tag, err := s.rest(s.admin).CreateTag(s.ctx, &tagging.Tag{Name: "cluster1", CategoryID: id})
			s.need(err)
			m := s.rest(c)
			found, err := m.GetTag(s.ctx, tag)
			if err != nil {
				return err
			}
			if err := m.DeleteTag(s.ctx, found); err != nil {
				return err
			}
			of, err := m.GetCategory(s.ctx, id)
			if err != nil {
				return err
			}
			return m.DeleteCategory(s.ctx, of)
		}},
		{"separate by cluster modules", func(s *stage, c *vim25.Client) error {
			m := cluster.NewManager(s.rest(c).Client)
			id, err := m.CreateModule(s.ctx, s.ref("/DC1/host/C1"))
			if err != nil {
				return err
			}
			s.later(func() { _ = cluster.NewManager(s.rest(s.admin).Client).DeleteModule(s.ctx, id) })
			if _, err := m.AddModuleMembers(s.ctx, id, s.machine().Reference()); err != nil {
				return err
			}
			return m.DeleteModule(s.ctx, id)
		}},
		{"place by host group", func(s *stage, c *vim25.Client) error {
			group := func(operation types.ArrayUpdateOperation, vms ...types.ManagedObjectReference) *types.ClusterConfigSpecEx {
				info := &types.ClusterVmGroup{ClusterGroupInfo: types.ClusterGroupInfo{Name: "cluster1-nodes"}, Vm: vms}
				return &types.ClusterConfigSpecEx{GroupSpec: []types.ClusterGroupSpec{{
					ArrayUpdateSpec: types.ArrayUpdateSpec{Operation: operation, RemoveKey: "cluster1-nodes"}, Info: info,
				}}}
			}
			of := object.NewClusterComputeResource(s.admin, s.ref("/DC1/host/C1"))
			s.need(s.done(of.Reconfigure(s.ctx, group(types.ArrayUpdateOperationAdd), true)))
			s.later(func() { s.need(s.done(of.Reconfigure(s.ctx, group(types.ArrayUpdateOperationRemove), true))) })
			as := object.NewClusterComputeResource(c, of.Reference())
			return s.done(as.Reconfigure(s.ctx, group(types.ArrayUpdateOperationEdit, s.machine().Reference()), true))
		}},
	}
}

// rest is the tagging of an account's session over REST, which is looked at first, as machine-api does.
func (s *stage) rest(c *vim25.Client) *tagging.Manager {
	s.Helper()
	if s.tagging[c] == nil {
		r := rest.NewClient(c)
		s.need(r.Login(s.ctx, s.users[c]))
		s.tagging[c] = tagging.NewManager(r)
	}
	if session, err := s.tagging[c].Session(s.ctx); err != nil || session == nil {
		s.Fatalf("the REST session is gone: %v", err)
	}
	return s.tagging[c]
}

// clusterTag is the tag of the cluster, which the administrator has made.
func (s *stage) clusterTag() *tagging.Tag {
	s.Helper()
	if s.tagOf == nil {
		m := s.rest(s.admin)
		id, err := m.CreateCategory(s.ctx, &tagging.Category{Name: "openshift-cluster1", Cardinality: "SINGLE"})
		s.need(err)
		tag := &tagging.Tag{Name: "cluster1", CategoryID: id}
		tag.ID, err = m.CreateTag(s.ctx, tag)
		s.need(err)
		s.tagOf = tag
		s.need(s.v.Tag("/DC1", "openshift-region", "region-a"))
		s.need(s.v.Tag("/DC1/host/C1", "openshift-zone", "zone-a"))
	}
	return s.tagOf
}

// tag attaches the cluster's tag to an object, twice, as on every reconcile.
func (s *stage) tag(c *vim25.Client, ref types.ManagedObjectReference) error {
	s.Helper()
	id := s.clusterTag().ID
	s.later(s.attached(ref))
	if err := s.rest(c).AttachTag(s.ctx, id, ref); err != nil {
		return err
	}
	return s.rest(c).AttachTag(s.ctx, id, ref)
}

// attached takes the cluster's tag from an object again.
func (s *stage) attached(ref types.ManagedObjectReference) func() {
	return func() { _ = s.rest(s.admin).DetachTag(s.ctx, s.clusterTag().ID, ref) }
}

func associable() []string {
	return []string{"urn:vim25:Datastore", "urn:vim25:Datacenter", "urn:vim25:ClusterComputeResource", "urn:vim25:Folder"}
}

// category looks for a category that is not there, and makes it.
func (s *stage) category(c *vim25.Client) (string, error) {
	m, name := s.rest(c), s.name("openshift")
	if _, err := m.GetCategories(s.ctx); err != nil {
		return "", err
	}
	id, err := m.CreateCategory(s.ctx, &tagging.Category{
		Name: name, Cardinality: "MULTIPLE", AssociableTypes: associable(),
	})
	if err == nil {
		s.later(func() { _ = s.rest(s.admin).DeleteCategory(s.ctx, &tagging.Category{ID: id}) })
	}
	return id, err
}

// above is an object with all above it, as somebody is told. Who does not see what is above is not told what it is.
func (s *stage) above(c *vim25.Client, at types.ManagedObjectReference) (all []types.ManagedObjectReference, err error) {
	for all = append(all, at); at != c.ServiceContent.RootFolder; all = append(all, at) {
		var o mo.ManagedEntity
		if err := property.DefaultCollector(c).RetrieveOne(s.ctx, at, []string{"name", "parent"}, &o); err != nil {
			return nil, err
		}
		if o.Parent == nil {
			return nil, lost("what is above " + o.Name)
		}
		at = *o.Parent
	}
	return all, nil
}
