package provision_test

import (
	"path"

	cnstypes "github.com/vmware/govmomi/cns/types"
	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

// cryptoOperations are what components do with encrypted machines.
func cryptoOperations() []operation {
	return []operation{
		{"clone encrypted template", func(s *stage, c *vim25.Client) error {
			name := s.name("clone")
			s.later(s.discard(path.Join(s.folder, name)))
			spec := s.cloneSpec(s.datastore, s.network)
			spec.Config.Annotation = "" // Cluster API sets none
			return s.done(as(c, s.encryptedTemplate()).Clone(s.ctx, object.NewFolder(c, s.ref(s.folder)), name, spec))
		}},
		{"encrypt machine", func(s *stage, c *vim25.Client) error {
			_, err := methods.GenerateKey(s.ctx, c, &types.GenerateKey{This: *c.ServiceContent.CryptoManager})
			if fault.Is(err, &types.NoPermission{}) { // else there is no key provider
				return err
			}
			return s.cloneCAPV(c, func(config *types.VirtualMachineConfigSpec) { config.Crypto = encryption() })
		}},
		{"attach to an encrypted machine", func(s *stage, c *vim25.Client) error {
			m := s.throwaway()
			s.need(s.done(m.Reconfigure(s.ctx, types.VirtualMachineConfigSpec{Crypto: encryption()})))
			id, err := s.newVolume(s.cns(s.admin))
			s.need(err)
			on := []cnstypes.CnsVolumeAttachDetachSpec{{VolumeId: id, Vm: m.Reference()}}
			s.later(func() {
				if task, err := s.cns(s.admin).DetachVolume(s.ctx, on); err == nil {
					_ = task.Wait(s.ctx)
				}
			})
			task, err := s.cns(c).AttachVolume(s.ctx, on)
			return s.came(task, err)
		}},
	}
}

func encryption() *types.CryptoSpecEncrypt {
	return &types.CryptoSpecEncrypt{CryptoKeyId: types.CryptoKeyId{KeyId: "key", ProviderId: &types.KeyProviderId{Id: "provider"}}}
}

// encryptedTemplate is one beside the template of the cluster, which the administrator destroys.
func (s *stage) encryptedTemplate() *object.VirtualMachine {
	s.Helper()
	const folder = "/DC1/vm/templates"
	name := s.name("encrypted")
	spec := s.cloneSpec(s.datastore, s.network)
	spec.Template, spec.Config.Crypto = true, encryption()
	source := object.NewVirtualMachine(s.admin, s.ref(folder+"/rhcos"))
	s.need(s.done(source.Clone(s.ctx, object.NewFolder(s.admin, s.ref(folder)), name, spec)))
	s.later(s.discard(path.Join(folder, name)))
	return object.NewVirtualMachine(s.admin, s.ref(path.Join(folder, name)))
}
