package provision_test

import (
	"path"

	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	tagging "github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"
)

// moveOperations are the steps of the vcf-migration-operator on the vCenters of a move, in its order. Sources:
// openshift/vcf-migration-operator@8aeef145, internal/controller (preflight.go, ensureDestinationInitialized), internal/vsphere (folder.go,
// tags.go); @824dc0207ff4, image.go; @b802be0547d0, probe.go; @017b82b5a889, docs/dev/node-migration-api.md.
func moveOperations() []operation {
	return []operation{
		{"preflight of a move", func(s *stage, c *vim25.Client) error {
			for _, asked := range []struct {
				path string
				ids  []string
			}{
				{"/", []string{"InventoryService.Tagging.AttachTag", "InventoryService.Tagging.CreateCategory", "InventoryService.Tagging.CreateTag"}},
				{"/DC1/vm", []string{"Folder.Create"}},
				{"/DC1", []string{"InventoryService.Tagging.ObjectAttachable"}},
				{"/DC1/host/C1", []string{"InventoryService.Tagging.ObjectAttachable"}},
			} {
				at := c.ServiceContent.RootFolder
				if asked.path != "/" {
					at = s.ref(asked.path)
				}
				if err := s.holds(c, at, asked.ids...); err != nil {
					return err
				}
			}
			return nil
		}},
		{"create folder of a move", func(s *stage, c *vim25.Client) error {
			name := s.name("cluster1-bcdf")
			f, err := object.NewFolder(c, s.ref("/DC1/vm")).CreateFolder(s.ctx, name)
			if err != nil {
				return err
			}
			s.later(func() { s.need(s.done(object.NewFolder(s.admin, f.Reference()).Destroy(s.ctx))) })
			_, err = find.NewFinder(c).Folder(s.ctx, path.Join("/DC1/vm", name))
			return err
		}},
		{"tag folder of a move", func(s *stage, c *vim25.Client) error {
			f, err := object.NewFolder(s.admin, s.ref("/DC1/vm")).CreateFolder(s.ctx, s.name("cluster1-bcdf"))
			s.need(err)
			s.later(func() { s.need(s.done(f.Destroy(s.ctx))) })
			if _, err := s.rest(c).ListAttachedTags(s.ctx, f.Reference()); err != nil {
				return err
			}
			return s.tagNewly(c, "cluster1-bcdf", f.Reference())
		}},
		{"tag region and zone", func(s *stage, c *vim25.Client) error {
			return s.tagNewly(c, "zone-b", s.ref("/DC1"), s.ref("/DC1/host/C1"))
		}},
		{"check pool for an image", func(s *stage, c *vim25.Client) error {
			return s.holds(c, s.ref("/DC1/host/C1/Resources"), "VApp.Import", "VirtualMachine.Config.AddNewDisk", "VirtualMachine.Inventory.CreateFromExisting")
		}},
		{"import image of a move", func(s *stage, c *vim25.Client) error {
			if err := importMachine(s, c); err != nil {
				return err
			}
			m := s.throwaway() // what an import makes is not the caller's in another way
			secure := types.VirtualMachineConfigSpec{BootOptions: &types.VirtualMachineBootOptions{EfiSecureBootEnabled: new(false)}}
			if err := s.done(as(c, m).Reconfigure(s.ctx, secure)); err != nil {
				return err
			}
			if err := as(c, m).MarkAsTemplate(s.ctx); err != nil {
				return err
			}
			if err := s.tag(c, m.Reference()); err != nil {
				return err
			}
			return s.done(as(c, m).Destroy(s.ctx)) // when the image's address changes
		}},
		{"probe network of a move", probe},
		{"read networks of machines", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			if _, err := find.NewFinder(c).VirtualMachine(s.ctx, m.InventoryPath); err != nil {
				return err
			}
			return read(s, c, m.Reference(), "guest", "name")
		}},
		{"send machine of a move", func(s *stage, c *vim25.Client) error {
			m := s.machine()
			_ = s.done(m.PowerOn(s.ctx))
			if err := s.relocate(c, s.admin, m); err != nil { // hot
				return err
			}
			if err := s.done(as(c, m).PowerOff(s.ctx)); err != nil {
				return err
			}
			return s.relocate(c, s.admin, m) // cold
		}},
		{"receive machine of a move", func(s *stage, c *vim25.Client) error {
			m := s.throwaway()
			if err := s.relocate(s.admin, c, m); err != nil {
				return err
			}
			return s.done(as(c, m).PowerOn(s.ctx))
		}},
	}
}

// probe clones the template with its card on the network, running, and takes the clone away.
func probe(s *stage, c *vim25.Client) error {
	const from = "/DC1/vm/templates/rhcos"
	template, err := find.NewFinder(c).VirtualMachine(s.ctx, from)
	if err != nil {
		return err
	}
	name := s.name("netcheck")
	s.later(s.discard(path.Join(s.folder, name)))
	spec := s.cloneSpec(s.datastore, s.network)
	spec.PowerOn = true
	card := spec.Config.DeviceChange[0].GetVirtualDeviceConfigSpec().Device
	devices, err := object.NewVirtualMachine(s.admin, s.ref(from)).Device(s.ctx)
	s.need(err)
	var changes []types.BaseVirtualDeviceConfigSpec
	for _, d := range devices.SelectByType((*types.VirtualEthernetCard)(nil)) {
		d.GetVirtualDevice().Backing = card.GetVirtualDevice().Backing
		changes = append(changes, &types.VirtualDeviceConfigSpec{Operation: "edit", Device: d})
	}
	if len(changes) != 1 {
		s.Fatalf("the template has %d network cards", len(changes))
	}
	spec.Config = &types.VirtualMachineConfigSpec{Name: name, ExtraConfig: spec.Config.ExtraConfig, DeviceChange: changes}
	if err := s.done(template.Clone(s.ctx, object.NewFolder(c, s.ref(s.folder)), name, spec)); err != nil {
		return err
	}
	m := object.NewVirtualMachine(c, s.ref(path.Join(s.folder, name)))
	if err := read(s, c, m.Reference(), "guest", "runtime.powerState"); err != nil {
		return err
	}
	if err := s.done(m.PowerOff(s.ctx)); err != nil {
		return err
	}
	return s.done(m.Destroy(s.ctx))
}

// tagNewly makes a category and a tag that are not there yet, and attaches the tag.
func (s *stage) tagNewly(c *vim25.Client, name string, to ...types.ManagedObjectReference) error {
	s.Helper()
	id, err := s.category(c)
	if err != nil {
		return err
	}
	tag, err := s.rest(c).CreateTag(s.ctx, &tagging.Tag{Name: name, CategoryID: id})
	if err != nil {
		return err
	}
	for _, ref := range to {
		if err := s.rest(c).AttachTag(s.ctx, tag, ref); err != nil {
			return err
		}
	}
	return nil
}

// relocate moves a machine by the account of one client, with the account of another for the place where it goes: on one vCenter, which
// judges both as two would.
func (s *stage) relocate(from, to *vim25.Client, m *object.VirtualMachine) error {
	s.Helper()
	user := s.users[to]
	password, _ := user.Password()
	spec := s.cloneSpec(s.datastore, s.network)
	folder := s.ref(s.folder)
	at := spec.Location
	at.Folder, at.DeviceChange = &folder, spec.Config.DeviceChange
	at.Service = &types.ServiceLocator{
		InstanceUuid: s.admin.ServiceContent.About.InstanceUuid, Url: s.admin.URL().String(),
		Credential: &types.ServiceLocatorNamePassword{Username: user.Username(), Password: password},
	}
	return s.done(as(from, m).Relocate(s.ctx, at, ""))
}
