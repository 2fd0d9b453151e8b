package provision_test

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// lookups are how the components find their objects: with govmomi's finder, as the account itself, from the root folder down.
// Sources: openshift/installer, pkg/asset/installconfig/vsphere (DatastoreList of the path); openshift/machine-api-operator,
// pkg/controller/vsphere, session.go and reconciler.go (datacenter, folder, datastore, pool, template, network with what its
// card is plugged into, and the objects above a machine, whose tags name region and zone); kubernetes-sigs/vsphere-csi-driver,
// pkg/common/cns-lib/vsphere/datacenter.go (all datastores, then the one with the URL; machines by UUID);
// kubernetes/cloud-provider-vsphere, pkg/common (all datacenters, machines by UUID).
func lookups() []operation {
	return []operation{
		{"check session", func(s *stage, c *vim25.Client) error {
			var of mo.SessionManager
			manager := *c.ServiceContent.SessionManager
			if err := property.DefaultCollector(c).RetrieveOne(s.ctx, manager, []string{"currentSession"}, &of); err != nil {
				return err
			}
			_, err := methods.SessionIsActive(s.ctx, c, &types.SessionIsActive{
				This: manager, SessionID: of.CurrentSession.Key, UserName: of.CurrentSession.UserName,
			})
			return err
		}},
		{"list datacenters", func(s *stage, c *vim25.Client) error {
			all, err := find.NewFinder(c).DatacenterList(s.ctx, "*")
			return cmp.Or(err, among(s, all, "/DC1"))
		}},
		lookup("find cluster", func(s *stage, f *find.Finder) error {
			_, err := f.ClusterComputeResource(s.ctx, "/DC1/host/C1")
			return err
		}),
		lookup("find pool", func(s *stage, f *find.Finder) error { _, err := f.ResourcePool(s.ctx, s.pool); return err }),
		lookup("find folder", func(s *stage, f *find.Finder) error { _, err := f.Folder(s.ctx, s.folder); return err }),
		lookup("find datastore", func(s *stage, f *find.Finder) error { _, err := f.Datastore(s.ctx, s.datastore); return err }),
		{"find datastore, installer", func(s *stage, c *vim25.Client) error {
			all, err := find.NewFinder(c).DatastoreList(s.ctx, s.datastore)
			return cmp.Or(err, among(s, all, s.datastore))
		}},
		{"find datastore, driver", datastoreByURL},
		lookup("find network", func(s *stage, f *find.Finder) error { _, err := f.Network(s.ctx, s.network); return err }),
		lookup("plug into network", func(s *stage, f *find.Finder) error {
			n, err := f.Network(s.ctx, s.network)
			if err != nil {
				return err
			}
			_, err = n.EthernetCardBackingInfo(s.ctx)
			return err
		}),
		lookup("find template", func(s *stage, f *find.Finder) error {
			_, err := f.VirtualMachine(s.ctx, "/DC1/vm/templates/rhcos")
			return err
		}),
		{"find machine by uuid", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			var v mo.VirtualMachine
			s.need(property.DefaultCollector(s.admin).RetrieveOne(s.ctx, m.Reference(), []string{"config.uuid"}, &v))
			dc, err := find.NewFinder(c).Datacenter(s.ctx, "/DC1")
			if err != nil {
				return err
			}
			found, err := object.NewSearchIndex(c).FindByUuid(s.ctx, dc, v.Config.Uuid, true, nil)
			if err == nil && (found == nil || found.Reference() != m.Reference()) {
				err = lost(m.InventoryPath)
			}
			return err
		}},
		{"read above machine", func(s *stage, c *vim25.Client) error {
			_, err := s.above(c, s.machine().Reference()) // as mo.Ancestors does, which reads region and zone
			return err
		}},
	}
}

// lookup searches by path from the root folder on, as the accounts' own finders do.
func lookup(name string, f func(*stage, *find.Finder) error) operation {
	return operation{name, func(s *stage, c *vim25.Client) error {
		finder := find.NewFinder(c)
		dc, err := finder.Datacenter(s.ctx, "/DC1")
		if err != nil {
			return err
		}
		return f(s, finder.SetDatacenter(dc))
	}}
}

// datastoreByURL lists what the driver sees of datastores and looks for the one whose URL a storage class names.
func datastoreByURL(s *stage, c *vim25.Client) error {
	var want mo.Datastore
	s.need(property.DefaultCollector(s.admin).RetrieveOne(s.ctx, s.ref(s.datastore), []string{"info"}, &want))
	finder := find.NewFinder(c)
	dc, err := finder.Datacenter(s.ctx, "/DC1")
	if err != nil {
		return err
	}
	all, err := finder.SetDatacenter(dc).DatastoreList(s.ctx, "*")
	if err != nil {
		return err
	}
	var refs []types.ManagedObjectReference
	for _, ds := range all {
		refs = append(refs, ds.Reference())
	}
	var found []mo.Datastore
	if err := property.DefaultCollector(c).Retrieve(s.ctx, refs, []string{"info"}, &found); err != nil {
		return err
	}
	if !slices.ContainsFunc(found, func(ds mo.Datastore) bool {
		return ds.Info != nil && ds.Info.GetDatastoreInfo().Url == want.Info.GetDatastoreInfo().Url
	}) {
		return lost(s.datastore)
	}
	return nil
}

// among is an error when a listing lacks the object at a path.
func among[O object.Reference](s *stage, all []O, p string) error {
	s.Helper()
	want := s.ref(p)
	if !slices.ContainsFunc(all, func(o O) bool { return o.Reference() == want }) {
		return lost(p)
	}
	return nil
}

// lost says that a look-up came back without what was looked for.
type lost string

func (l lost) Error() string { return fmt.Sprintf("%q is not among what was found", string(l)) }

// nothingPropagates makes an estate on which the datacenter hands nothing down and, where deep, on which datastore and network
// stand in folders of their own: the failure domain uses a standard network, so no switch below the datacenter has to be
// reached.
func (s *stage) nothingPropagates(text string, deep bool) string {
	s.Helper()
	s.network = "/DC1/network/VM Network"
	if deep {
		s.network = s.moved(s.network, "plain")
		s.datastore = s.moved(s.datastore, "fast")
	}
	return strings.NewReplacer("[ocp-net]", "["+s.network+"]", "datastore: ds1", "datastore: "+s.datastore).Replace(text)
}

// moved puts an object into a new folder beside it.
func (s *stage) moved(p, folder string) string {
	s.Helper()
	f, err := object.NewFolder(s.admin, s.ref(path.Dir(p))).CreateFolder(s.ctx, folder)
	s.need(err)
	s.need(s.done(f.MoveInto(s.ctx, []types.ManagedObjectReference{s.ref(p)})))
	return path.Join(path.Dir(p), folder, path.Base(p))
}
