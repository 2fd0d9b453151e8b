package volumes

import (
	"slices"

	cns "github.com/vmware/govmomi/cns/types"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	vim "github.com/vmware/govmomi/vim25/types"
)

// CreateSnapshots makes snapshots of the disks of volumes.
func (s *Service) CreateSnapshots(c Caller, req *cns.CnsCreateSnapshots) (*cns.CnsCreateSnapshotsResponse, vim.BaseMethodFault) {
	var all []string
	for _, spec := range req.SnapshotSpecs {
		all = append(all, spec.VolumeId.Id)
	}
	if fault := c.Require(s.managesVolumes(c, all)...); fault != nil {
		return nil, fault
	}
	return &cns.CnsCreateSnapshotsResponse{Returnval: each(s, c, "CreateSnapshots", req.SnapshotSpecs,
		func(ctx *simulator.Context, spec *cns.CnsSnapshotCreateSpec) cns.BaseCnsVolumeOperationResult {
			out := &cns.CnsSnapshotCreateResult{}
			made, fault := s.snapshot(ctx, spec)
			out.CnsVolumeOperationResult = result(spec.VolumeId.Id, fault)
			if fault == nil {
				out.Snapshot = *made
			}
			return out
		})}, nil
}

func (s *Service) snapshot(ctx *simulator.Context, spec *cns.CnsSnapshotCreateSpec) (*cns.CnsSnapshot, vim.BaseMethodFault) {
	v := s.find(spec.VolumeId.Id)
	switch {
	case v == nil || s.disk(ctx, spec.VolumeId.Id) == nil:
		return nil, &cns.CnsVolumeNotFoundFault{VolumeId: spec.VolumeId}
	case spec.SnapshotId != nil:
		return nil, failed("CNS: snapshots with a given id are not simulated.")
	}
	disks := s.reg.VStorageObjectManager()
	body, ok := disks.VStorageObjectCreateSnapshotTask(ctx, &vim.VStorageObjectCreateSnapshot_Task{
		This: disks.Self, Id: vim.ID{Id: v.id}, Datastore: v.datastore, Description: spec.Description,
	}).(*methods.VStorageObjectCreateSnapshot_TaskBody)
	if !ok || body.Res == nil {
		return nil, failed("CNS: Failed to create the snapshot.")
	}
	res, fault := s.finished(body.Res.Returnval)
	if fault != nil {
		return nil, fault
	}
	id, ok := res.(*vim.ID)
	if !ok {
		return nil, failed("CNS: Failed to create the snapshot.")
	}
	v.snapshots = append(v.snapshots, cns.CnsSnapshot{
		SnapshotId: cns.CnsSnapshotId{Id: id.Id}, VolumeId: spec.VolumeId, Description: spec.Description, CreateTime: s.now().UTC(),
	})
	return &v.snapshots[len(v.snapshots)-1], nil
}

// DeleteSnapshots removes snapshots.
func (s *Service) DeleteSnapshots(c Caller, req *cns.CnsDeleteSnapshots) (*cns.CnsDeleteSnapshotsResponse, vim.BaseMethodFault) {
	var all []string
	for _, spec := range req.SnapshotDeleteSpecs {
		all = append(all, spec.VolumeId.Id)
	}
	if fault := c.Require(s.managesVolumes(c, all)...); fault != nil {
		return nil, fault
	}
	return &cns.CnsDeleteSnapshotsResponse{Returnval: each(s, c, "DeleteSnapshots", req.SnapshotDeleteSpecs,
		func(ctx *simulator.Context, spec *cns.CnsSnapshotDeleteSpec) cns.BaseCnsVolumeOperationResult {
			out := &cns.CnsSnapshotDeleteResult{SnapshotId: spec.SnapshotId}
			out.CnsVolumeOperationResult = result(spec.VolumeId.Id, s.removeSnapshot(ctx, spec))
			return out
		})}, nil
}

func (s *Service) removeSnapshot(ctx *simulator.Context, spec *cns.CnsSnapshotDeleteSpec) vim.BaseMethodFault {
	v := s.find(spec.VolumeId.Id)
	if v == nil {
		return &cns.CnsVolumeNotFoundFault{VolumeId: spec.VolumeId}
	}
	i := slices.IndexFunc(v.snapshots, func(one cns.CnsSnapshot) bool { return one.SnapshotId == spec.SnapshotId })
	if i < 0 {
		return &cns.CnsSnapshotNotFoundFault{VolumeId: spec.VolumeId, SnapshotId: spec.SnapshotId}
	}
	disks := s.reg.VStorageObjectManager()
	body, ok := disks.DeleteSnapshotTask(ctx, &vim.DeleteSnapshot_Task{
		This: disks.Self, Id: vim.ID{Id: v.id}, Datastore: v.datastore, SnapshotId: vim.ID{Id: spec.SnapshotId.Id},
	}).(*methods.DeleteSnapshot_TaskBody)
	if !ok || body.Res == nil {
		return failed("CNS: Failed to delete the snapshot.")
	}
	if _, fault := s.finished(body.Res.Returnval); fault != nil {
		return fault
	}
	v.snapshots = slices.Delete(v.snapshots, i, i+1)
	return nil
}

// QuerySnapshots gives snapshots, of some volumes or of all, in pages as Query does. What is not there is an entry with an error.
func (s *Service) QuerySnapshots(c Caller, req *cns.CnsQuerySnapshots) (*cns.CnsQuerySnapshotsResponse, vim.BaseMethodFault) {
	if fault := c.Require(Need{Privilege: search}); fault != nil {
		return nil, fault
	}
	return &cns.CnsQuerySnapshotsResponse{Returnval: s.task(c, "QuerySnapshots", func(*simulator.Context) (vim.AnyType, vim.BaseMethodFault) {
		var all []cns.CnsSnapshotQueryResultEntry
		specs := req.SnapshotQueryFilter.SnapshotQuerySpecs
		if len(specs) == 0 {
			for _, v := range s.volumes {
				specs = append(specs, cns.CnsSnapshotQuerySpec{VolumeId: cns.CnsVolumeId{Id: v.id}})
			}
		}
		for _, spec := range specs {
			all = append(all, s.entries(spec)...)
		}
		offset, limit := bounds(req.SnapshotQueryFilter.Cursor)
		total := int64(len(all))
		from := min(offset, total)
		to := from + min(limit, total-from)
		return &cns.CnsSnapshotQueryResult{Entries: all[from:to], Cursor: cns.CnsCursor{Offset: to, Limit: limit, TotalRecords: total}}, nil
	})}, nil
}

// entries are the snapshots that are asked for of one volume. The caller holds the lock.
func (s *Service) entries(spec cns.CnsSnapshotQuerySpec) (out []cns.CnsSnapshotQueryResultEntry) {
	v := s.find(spec.VolumeId.Id)
	if v == nil {
		return []cns.CnsSnapshotQueryResultEntry{{Error: result("", &cns.CnsVolumeNotFoundFault{VolumeId: spec.VolumeId}).Fault}}
	}
	for _, one := range v.snapshots {
		if spec.SnapshotId == nil || *spec.SnapshotId == one.SnapshotId {
			out = append(out, cns.CnsSnapshotQueryResultEntry{Snapshot: one})
		}
	}
	if spec.SnapshotId != nil && out == nil {
		out = append(out, cns.CnsSnapshotQueryResultEntry{
			Error: result("", &cns.CnsSnapshotNotFoundFault{VolumeId: spec.VolumeId, SnapshotId: *spec.SnapshotId}).Fault,
		})
	}
	return out
}
