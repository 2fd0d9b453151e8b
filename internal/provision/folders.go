package provision

import (
	"context"
	"errors"
	"path"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// nearby adds the nearest existing path to "there is no ..." errors. Only failing runs look it up.
func (t *target) nearby(ctx context.Context, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if m, ok := errors.AsType[*snapshot.MissingError](err); ok {
			found, near := t.session.Nearest(ctx, m.Path, m.Type)
			if h, ok := errors.AsType[*hint.Error](err); ok && !found { // what exists is not created
				if n, ok := errors.AsType[*hint.Error](near); ok {
					return hint.Wrap(errors.New(near.Error()), append(n.Hints(), h.Hints()...)...)
				}
			}
			return near
		}
		if o, ok := errors.AsType[*snapshot.OtherTypeError](err); ok && o.Object.Ref.Type == "StoragePod" {
			return hint.Wrap(err, t.datastoresOf(ctx, o)...)
		}
		return err
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, t.nearby(ctx, one))
	}
	return errors.Join(all...)
}

// datastoresOf names those of a datastore cluster, one of which is meant.
func (t *target) datastoresOf(ctx context.Context, pod *snapshot.OtherTypeError) []string {
	var paths []string
	all, _ := t.session.Below(ctx, pod.Object, 100)
	for _, o := range all {
		paths = append(paths, path.Join(pod.Path, o.Name))
	}
	if len(paths) == 0 {
		return []string{"a datastore cluster: write a datastore"}
	}
	return []string{"a datastore cluster: write one of its datastores: " + lists.Few(paths)}
}

// createFolder makes a folder, or finds an existing one. The call takes names as users write them.
func createFolder(ctx context.Context, s *vcenter.Session, parent inventory.Ref, stored string) (inventory.Ref, error) {
	name := inventory.Written(stored)
	res, err := methods.CreateFolder(ctx, s, &types.CreateFolder{This: vcenter.MOR(parent), Name: name})
	if err == nil {
		return vcenter.Ref(res.Returnval), nil
	}
	var exists *types.DuplicateName
	if _, ok := fault.As(err, &exists); ok && exists != nil && exists.Object.Type == "Folder" {
		return vcenter.Ref(exists.Object), nil
	}
	return inventory.Ref{Type: "Folder"}, err
}
