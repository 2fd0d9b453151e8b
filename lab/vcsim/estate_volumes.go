package vcsim

import (
	"encoding/hex"
	"fmt"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/volumes"
)

// The simulator keeps the files of a datastore in a directory of this machine, and its path in the datastore's URL. Of the datastores of
// an estate, which are VMFS volumes, clients are shown the URL that a vCenter gives; the path stays where it is.

// format makes a datastore a VMFS volume. The caller holds its lock.
func (c completer) format(ds *simulator.Datastore) {
	id := c.id("volume", ds.Self.Value, ds.Name)
	h := hex.EncodeToString(id[:])
	volume := fmt.Sprintf("%s-%s-%s-%s", h[:8], h[8:16], h[16:20], h[20:])
	ds.Summary.Type = string(types.HostFileSystemVolumeFileSystemTypeVMFS)
	ds.Info = &types.VmfsDatastoreInfo{
		DatastoreInfo: *ds.Info.GetDatastoreInfo(),
		Vmfs: &types.HostVmfsVolume{
			HostFileSystemVolume: types.HostFileSystemVolume{Type: ds.Summary.Type, Capacity: ds.Summary.Capacity},
			BlockSizeMb:          1, BlockSize: 1024, MaxBlocks: 63963136, MajorVersion: 6, Version: "6.82", Uuid: volume,
			Extent: []types.HostScsiDiskPartition{{DiskName: "naa.6" + h[:31], Partition: 1}},
		},
	}
	for i := range ds.Host {
		ds.Host[i].MountInfo.Path = "/vmfs/volumes/" + volume
	}
}

// volumeURL is the URL of a datastore that is a volume; ok is false of others, which keep what they have.
func volumeURL(ctx *simulator.Context, ref moref) (url string, ok bool) {
	ds, isDatastore := ctx.Map.Get(ref).(*simulator.Datastore)
	if !isDatastore {
		return "", false
	}
	if _, ok := ds.Info.(*types.VmfsDatastoreInfo); !ok {
		return "", false
	}
	return volumes.DatastoreURL(ds), true
}

// withVolumeURL is the value of a property of a datastore as clients are shown it. It changes nothing in place.
func (x *access) withVolumeURL(ref moref, name string, val types.AnyType) types.AnyType {
	url, ok := volumeURL(x.ctx, ref)
	if !ok {
		return val
	}
	switch v := val.(type) {
	case types.DatastoreSummary:
		v.Url = url
		return v
	case types.VmfsDatastoreInfo:
		return volumeInfo(v, url)
	case *types.VmfsDatastoreInfo:
		return volumeInfo(*v, url)
	case string:
		if name == "summary.url" || name == "info.url" {
			return url
		}
	}
	return val
}

func volumeInfo(info types.VmfsDatastoreInfo, url string) types.VmfsDatastoreInfo {
	volume := *info.Vmfs
	volume.Name = info.Name
	info.Url, info.Vmfs = url, &volume
	return info
}
