package provision_test

import (
	"strings"

	"github.com/vmware/govmomi/cns"
	cnstypes "github.com/vmware/govmomi/cns/types"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/pbm"
	pbmtypes "github.com/vmware/govmomi/pbm/types"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// encrypted is a policy that every vCenter has, and every datastore satisfies.
const encrypted = "4d5f673c-536f-11e6-beb8-9e71128cae77"

// storageOperations are what the components do over PBM and CNS. Sources: kubernetes-sigs/vsphere-csi-driver, pkg/common/cns-lib and
// pkg/csi/service/common/authmanager.go; openshift/vmware-vsphere-csi-driver-operator, pkg/operator/storageclasscontroller/vmware.go;
// openshift/vsphere-problem-detector, pkg/check/datastore.go; openshift/installer, pkg/destroy/vsphere/client.go.
func storageOperations() []operation {
	return []operation{
		{"choose datastores", func(s *stage, c *vim25.Client) error {
			return s.holds(c, s.ref(s.datastore), "Datastore.FileManagement", "System.Read")
		}},
		{"make volumes of the vSAN file service", func(s *stage, c *vim25.Client) error {
			return s.holds(c, s.ref("/DC1/host/C1"), "Host.Config.Storage")
		}},
		{"create volume", func(s *stage, c *vim25.Client) error {
			v := s.cns(c)
			id, err := s.newVolume(v)
			if err != nil {
				return err
			}
			task, err := v.ExtendVolume(s.ctx, []cnstypes.CnsVolumeExtendSpec{{VolumeId: id, CapacityInMb: 2}})
			if err := s.came(task, err); err != nil {
				return err
			}
			task, err = v.DeleteVolume(s.ctx, []cnstypes.CnsVolumeId{id}, true)
			return s.came(task, err)
		}},
		{"create volume with a policy", func(s *stage, c *vim25.Client) error {
			_, err := s.newVolume(s.cns(c), encrypted)
			return err
		}},
		{"query volumes", func(s *stage, c *vim25.Client) error {
			v := s.cns(c)
			id, err := s.newVolume(s.cns(s.admin))
			s.need(err)
			if _, err := v.QueryVolume(s.ctx, &cnstypes.CnsQueryFilter{VolumeIds: []cnstypes.CnsVolumeId{id}}); err != nil {
				return err
			}
			if _, err := v.QueryAllVolume(s.ctx, cnstypes.CnsQueryFilter{}, cnstypes.CnsQuerySelection{}); err != nil {
				return err
			}
			task, err := v.QueryVolumeAsync(s.ctx, cnstypes.CnsQueryFilter{}, &cnstypes.CnsQuerySelection{})
			return s.came(task, err)
		}},
		{"change metadata of volume", func(s *stage, c *vim25.Client) error {
			id, err := s.newVolume(s.cns(s.admin))
			s.need(err)
			task, err := s.cns(c).UpdateVolumeMetadata(s.ctx, []cnstypes.CnsVolumeMetadataUpdateSpec{{VolumeId: id, Metadata: ofCluster()}})
			return s.came(task, err)
		}},
		{"attach volume", func(s *stage, c *vim25.Client) error {
			_, err := s.attachVolume(s.cns(c))
			return err
		}},
		{"detach volume", func(s *stage, c *vim25.Client) error {
			on, err := s.attachVolume(s.cns(s.admin))
			s.need(err)
			task, err := s.cns(c).DetachVolume(s.ctx, on)
			return s.came(task, err)
		}},
		{"snapshot volume", func(s *stage, c *vim25.Client) error {
			v := s.cns(c)
			id, err := s.newVolume(s.cns(s.admin))
			s.need(err)
			task, err := v.CreateSnapshots(s.ctx, []cnstypes.CnsSnapshotCreateSpec{{VolumeId: id, Description: "s"}})
			if err := s.came(task, err); err != nil {
				return err
			}
			task, err = v.QuerySnapshots(s.ctx, cnstypes.CnsSnapshotQueryFilter{SnapshotQuerySpecs: []cnstypes.CnsSnapshotQuerySpec{{VolumeId: id}}})
			if err != nil {
				return err
			}
			info, err := task.WaitForResult(s.ctx)
			if err != nil {
				return err
			}
			found, ok := info.Result.(cnstypes.CnsSnapshotQueryResult)
			if !ok || len(found.Entries) != 1 {
				return lost("the snapshot")
			}
			task, err = v.DeleteSnapshots(s.ctx, []cnstypes.CnsSnapshotDeleteSpec{{VolumeId: id, SnapshotId: found.Entries[0].Snapshot.SnapshotId}})
			return s.came(task, err)
		}},
		{"delete volumes", func(s *stage, c *vim25.Client) error {
			v := s.cns(c)
			id, err := s.newVolume(s.cns(s.admin))
			s.need(err)
			if _, err := v.QueryAllVolume(s.ctx, cnstypes.CnsQueryFilter{ContainerClusterIds: []string{"cluster1"}}, cnstypes.CnsQuerySelection{}); err != nil {
				return err
			}
			if _, err := v.QueryVolume(s.ctx, &cnstypes.CnsQueryFilter{VolumeIds: []cnstypes.CnsVolumeId{id}}); err != nil {
				return err
			}
			task, err := v.DeleteVolume(s.ctx, []cnstypes.CnsVolumeId{id}, true)
			return s.came(task, err)
		}},

		{"query storage policies", func(s *stage, c *vim25.Client) error {
			p, _, err := s.profiles(c)
			if err != nil {
				return err
			}
			ds := s.ref(s.datastore)
			_, err = p.CheckRequirements(s.ctx, []pbmtypes.PbmPlacementHub{{HubType: ds.Type, HubId: ds.Value}}, nil, []pbmtypes.BasePbmPlacementRequirement{
				&pbmtypes.PbmPlacementCapabilityProfileRequirement{ProfileId: pbmtypes.PbmProfileId{UniqueId: encrypted}},
			})
			return err
		}},
		{"create storage policy", func(s *stage, c *vim25.Client) error {
			p, _, err := s.profiles(c)
			if err != nil {
				return err
			}
			id, err := s.newPolicy(p)
			if err != nil {
				return err
			}
			_, err = p.DeleteProfile(s.ctx, []pbmtypes.PbmProfileId{*id}) // of a failure domain that is removed
			return err
		}},
		{"delete storage policy", func(s *stage, c *vim25.Client) error {
			all, _, err := s.profiles(s.admin)
			s.need(err)
			id, err := s.newPolicy(all)
			s.need(err)
			s.later(func() { _, _ = all.DeleteProfile(s.ctx, []pbmtypes.PbmProfileId{*id}) })
			p, _, err := s.profiles(c)
			if err != nil {
				return err
			}
			_, err = p.DeleteProfile(s.ctx, []pbmtypes.PbmProfileId{*id})
			return err
		}},
		{"log in, cloud controller", func(s *stage, c *vim25.Client) error {
			_, err := s.v.Login(s.ctx, "", "")
			if !soap.IsSoapFault(err) || !strings.Contains(soap.ToSoapFault(err).String, "Cannot complete login") {
				s.Fatalf("without a name: %v", err)
			}
			return read(s, c, *c.ServiceContent.SessionManager, "currentSession")
		}},
	}
}

// holds asks whether an account has privileges on an object, as the CSI driver does before it chooses one: nobody refuses it anything.
func (s *stage) holds(c *vim25.Client, ref types.ManagedObjectReference, ids ...string) error {
	user := strings.SplitN(s.users[c].Username(), "@", 2)
	all, err := object.NewAuthorizationManager(c).HasUserPrivilegeOnEntities(s.ctx, []types.ManagedObjectReference{ref}, strings.ToUpper(user[1])+`\`+user[0], ids)
	if err != nil {
		return err
	}
	for _, one := range all[0].PrivAvailability {
		if !one.IsGranted {
			return refusal{&types.NoPermission{Object: &ref, PrivilegeId: one.PrivId}}
		}
	}
	return nil
}

func (s *stage) cns(c *vim25.Client) *cns.Client {
	s.Helper()
	v, err := cns.NewClient(s.ctx, c)
	s.need(err)
	return v
}

// came waits for a task of CNS, and gives the fault of its first result.
func (s *stage) came(task *object.Task, err error) error {
	if err != nil {
		return err
	}
	info, err := cns.GetTaskInfo(s.ctx, task)
	if err != nil {
		return err
	}
	all, err := cns.GetTaskResultArray(s.ctx, info)
	if err != nil || len(all) == 0 {
		return err
	}
	if f := all[0].GetCnsVolumeOperationResult().Fault; f != nil {
		return refusal{f.Fault}
	}
	return nil
}

func ofCluster() cnstypes.CnsVolumeMetadata {
	return cnstypes.CnsVolumeMetadata{ContainerCluster: cnstypes.CnsContainerCluster{ClusterType: "KUBERNETES", ClusterId: "cluster1", VSphereUser: "csi", ClusterFlavor: "VANILLA"}}
}

// newVolume makes one on the cluster's datastore, which the administrator deletes.
func (s *stage) newVolume(v *cns.Client, policies ...string) (cnstypes.CnsVolumeId, error) {
	spec := cnstypes.CnsVolumeCreateSpec{
		Name: s.name("pvc"), VolumeType: "BLOCK", Datastores: []types.ManagedObjectReference{s.ref(s.datastore)}, Metadata: ofCluster(),
		BackingObjectDetails: &cnstypes.CnsBlockBackingDetails{CnsBackingObjectDetails: cnstypes.CnsBackingObjectDetails{CapacityInMb: 1}},
	}
	for _, id := range policies {
		spec.Profile = append(spec.Profile, &types.VirtualMachineDefinedProfileSpec{ProfileId: id})
	}
	task, err := v.CreateVolume(s.ctx, []cnstypes.CnsVolumeCreateSpec{spec})
	if err := s.came(task, err); err != nil {
		return cnstypes.CnsVolumeId{}, err
	}
	found, err := s.cns(s.admin).QueryVolume(s.ctx, &cnstypes.CnsQueryFilter{Names: []string{spec.Name}})
	s.need(err)
	id := found.Volumes[0].VolumeId
	s.later(func() { _, _ = s.cns(s.admin).DeleteVolume(s.ctx, []cnstypes.CnsVolumeId{id}, true) })
	return id, nil
}

// attachVolume has a new volume attached to a machine.
func (s *stage) attachVolume(v *cns.Client) ([]cnstypes.CnsVolumeAttachDetachSpec, error) {
	s.Helper()
	id, err := s.newVolume(s.cns(s.admin))
	s.need(err)
	on := []cnstypes.CnsVolumeAttachDetachSpec{{VolumeId: id, Vm: s.machine().Reference()}}
	s.later(func() {
		if task, err := s.cns(s.admin).DetachVolume(s.ctx, on); err == nil {
			_ = task.Wait(s.ctx)
		}
	})
	task, err := v.AttachVolume(s.ctx, on)
	return on, s.came(task, err)
}

// profiles reads the storage policies.
func (s *stage) profiles(c *vim25.Client) (*pbm.Client, []pbmtypes.BasePbmProfile, error) {
	p, err := pbm.NewClient(s.ctx, c)
	s.need(err)
	ids, err := p.QueryProfile(s.ctx, pbmtypes.PbmProfileResourceType{ResourceType: string(pbmtypes.PbmProfileResourceTypeEnumSTORAGE)}, string(pbmtypes.PbmProfileCategoryEnumREQUIREMENT))
	if err != nil {
		return nil, nil, err
	}
	all, err := p.RetrieveContent(s.ctx, ids)
	return p, all, err
}

// newPolicy makes the policy of the CSI operator.
func (s *stage) newPolicy(p *pbm.Client) (*pbmtypes.PbmProfileId, error) {
	spec, err := pbm.CreateCapabilityProfileSpec(pbm.CapabilityProfileCreateSpec{
		Name: s.name("openshift-storage-policy"), SubProfileName: "Tag based placement", Category: string(pbmtypes.PbmProfileCategoryEnumREQUIREMENT),
		CapabilityList: []pbm.Capability{{
			ID: "openshift-cluster1", Namespace: "http://www.vmware.com/storage/tag",
			PropertyList: []pbm.Property{{ID: "com.vmware.storage.tag.openshift-cluster1.property", Value: "cluster1", DataType: "set"}},
		}},
	})
	s.need(err)
	return p.CreateProfile(s.ctx, *spec)
}
