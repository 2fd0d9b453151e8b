package volumes

import (
	"slices"

	cns "github.com/vmware/govmomi/cns/types"
	"github.com/vmware/govmomi/simulator"
	vim "github.com/vmware/govmomi/vim25/types"
)

// page is how many volumes an answer has at most where nobody says otherwise.
const page = 1000

// Query gives volumes by a filter, in pages: the cursor of an answer is that of the next request.
func (s *Service) Query(c Caller, req *cns.CnsQueryVolume) (*cns.CnsQueryVolumeResponse, vim.BaseMethodFault) {
	if fault := c.Require(Need{Privilege: search}); fault != nil {
		return nil, fault
	}
	if req.Filter == nil {
		return nil, invalid("filter")
	}
	kubernetes, _ := req.Filter.(*cns.CnsKubernetesQueryFilter)
	s.mu.Lock()
	defer s.mu.Unlock()
	return &cns.CnsQueryVolumeResponse{Returnval: s.query(c.Context(), req.Filter.GetCnsQueryFilter(), kubernetes)}, nil
}

// QueryAll is Query with a choice of fields, which only makes answers shorter: they are whole here.
func (s *Service) QueryAll(c Caller, req *cns.CnsQueryAllVolume) (*cns.CnsQueryAllVolumeResponse, vim.BaseMethodFault) {
	if fault := c.Require(Need{Privilege: search}); fault != nil {
		return nil, fault
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &cns.CnsQueryAllVolumeResponse{Returnval: s.query(c.Context(), &req.Filter, nil)}, nil
}

// QueryAsync is QueryAll as a task.
func (s *Service) QueryAsync(c Caller, req *cns.CnsQueryAsync) (*cns.CnsQueryAsyncResponse, vim.BaseMethodFault) {
	if fault := c.Require(Need{Privilege: search}); fault != nil {
		return nil, fault
	}
	return &cns.CnsQueryAsyncResponse{Returnval: each(s, c, "QueryAsync", []cns.CnsQueryFilter{req.Filter},
		func(ctx *simulator.Context, filter *cns.CnsQueryFilter) cns.BaseCnsVolumeOperationResult {
			return &cns.CnsAsyncQueryResult{QueryResult: s.query(ctx, filter, nil)}
		})}, nil
}

// QueryInfo gives the disks of volumes.
func (s *Service) QueryInfo(c Caller, req *cns.CnsQueryVolumeInfo) (*cns.CnsQueryVolumeInfoResponse, vim.BaseMethodFault) {
	if fault := c.Require(Need{Privilege: search}); fault != nil {
		return nil, fault
	}
	return &cns.CnsQueryVolumeInfoResponse{Returnval: each(s, c, "QueryVolumeInfo", req.VolumeIds,
		func(ctx *simulator.Context, id *cns.CnsVolumeId) cns.BaseCnsVolumeOperationResult {
			disk := s.disk(ctx, id.Id)
			if s.find(id.Id) == nil || disk == nil {
				return &cns.CnsQueryVolumeInfoResult{CnsVolumeOperationResult: result(id.Id, &vim.NotFound{})}
			}
			return &cns.CnsQueryVolumeInfoResult{
				CnsVolumeOperationResult: result(id.Id, nil), VolumeInfo: &cns.CnsBlockVolumeInfo{VStorageObject: *disk},
			}
		})}, nil
}

// query gives a page of the volumes that match. The caller holds the lock.
func (s *Service) query(ctx *simulator.Context, f *cns.CnsQueryFilter, k *cns.CnsKubernetesQueryFilter) (out cns.CnsQueryResult) {
	offset, limit := bounds(f.Cursor)
	for _, v := range s.volumes {
		one := s.shown(ctx, v)
		if !matches(f, v, &one) || k != nil && !v.belongs(k) {
			continue
		}
		if n := out.Cursor.TotalRecords; n >= offset && n-offset < limit {
			out.Volumes = append(out.Volumes, one)
		}
		out.Cursor.TotalRecords++
	}
	out.Cursor.Offset, out.Cursor.Limit = min(offset, out.Cursor.TotalRecords)+int64(len(out.Volumes)), limit
	return out
}

// bounds are where the page of a cursor begins and how long it is at most.
func bounds(c *cns.CnsCursor) (offset, limit int64) {
	if c == nil {
		return 0, page
	}
	offset, limit = max(0, c.Offset), page
	if c.Limit > 0 {
		limit = min(limit, c.Limit)
	}
	return offset, limit
}

// What every volume is that is there.
const (
	accessible = "accessible"
	green      = "green"
	compliant  = "compliant"
)

// shown is a volume as an answer has it.
func (s *Service) shown(ctx *simulator.Context, v *volume) cns.CnsVolume {
	out := cns.CnsVolume{
		VolumeId: cns.CnsVolumeId{Id: v.id}, Name: v.name, VolumeType: string(cns.CnsVolumeTypeBlock), StoragePolicyId: v.policy,
		Metadata: v.metadata, DatastoreAccessibilityStatus: accessible, HealthStatus: green,
		BackingObjectDetails: typed{&cns.CnsBlockBackingDetails{
			CnsBackingObjectDetails: cns.CnsBackingObjectDetails{CapacityInMb: v.capacity},
			BackingDiskId:           v.id, BackingDiskPath: v.path,
		}},
	}
	if v.policy != "" {
		out.ComplianceStatus = compliant
	}
	if ds, ok := s.reg.Get(v.datastore).(*simulator.Datastore); ok {
		s.reg.WithLock(ctx, ds, func() { out.DatastoreUrl = DatastoreURL(ds) })
	} else {
		out.DatastoreAccessibilityStatus, out.HealthStatus = "notAccessible", "red"
	}
	return out
}

// DatastoreURL is the URL of a datastore as a vCenter gives it. The simulator has the path of a directory of this machine there, which is what it
// stays of a datastore that is no VMFS volume.
func DatastoreURL(ds *simulator.Datastore) string {
	if info, ok := ds.Info.(*vim.VmfsDatastoreInfo); ok && info.Vmfs != nil {
		return "ds:///vmfs/volumes/" + info.Vmfs.Uuid + "/"
	}
	return ds.Summary.Url
}

// among reports whether a value is one of those that are asked for; none means all.
func among[T comparable](wanted []T, v T) bool { return len(wanted) == 0 || slices.Contains(wanted, v) }

func matches(f *cns.CnsQueryFilter, v *volume, as *cns.CnsVolume) bool {
	equal := func(wanted, has string) bool { return wanted == "" || wanted == has }
	return among(f.VolumeIds, as.VolumeId) && among(f.Names, v.name) && among(f.Datastores, v.datastore) &&
		(len(f.ContainerClusterIds) == 0 || slices.ContainsFunc(v.clusters(),
			func(id string) bool { return slices.Contains(f.ContainerClusterIds, id) })) &&
		equal(f.StoragePolicyId, v.policy) && equal(f.ComplianceStatus, as.ComplianceStatus) && equal(f.HealthStatus, as.HealthStatus) &&
		equal(f.DatastoreAccessibilityStatus, as.DatastoreAccessibilityStatus) &&
		(len(f.Labels) == 0 || slices.ContainsFunc(v.metadata.EntityMetadata, func(e cns.BaseCnsEntityMetadata) bool {
			return slices.ContainsFunc(e.GetCnsEntityMetadata().Labels, func(l vim.KeyValue) bool { return slices.Contains(f.Labels, l) })
		}))
}

// clusters are the ids of the clusters that a volume is of.
func (v *volume) clusters() []string {
	all := []string{v.metadata.ContainerCluster.ClusterId}
	for _, one := range v.metadata.ContainerClusterArray {
		all = append(all, one.ClusterId)
	}
	return all
}

// belongs reports whether one of the objects of Kubernetes that a volume is for has one of the names, and is in one of the namespaces.
// Persistent volumes are in none.
func (v *volume) belongs(k *cns.CnsKubernetesQueryFilter) bool {
	named := len(k.PodNames)+len(k.PvcNames)+len(k.PvNames) > 0
	names := map[string][]string{
		string(cns.CnsKubernetesEntityTypePOD): k.PodNames, string(cns.CnsKubernetesEntityTypePVC): k.PvcNames,
		string(cns.CnsKubernetesEntityTypePV): k.PvNames,
	}
	return !named && len(k.Namespaces) == 0 || slices.ContainsFunc(v.metadata.EntityMetadata, func(e cns.BaseCnsEntityMetadata) bool {
		one, ok := e.(*cns.CnsKubernetesEntityMetadata)
		return ok && (!named || slices.Contains(names[one.EntityType], one.EntityName)) &&
			(one.EntityType == string(cns.CnsKubernetesEntityTypePV) || among(k.Namespaces, one.Namespace)) &&
			(named || one.EntityType != string(cns.CnsKubernetesEntityTypePV))
	})
}
