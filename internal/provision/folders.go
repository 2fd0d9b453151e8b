package provision

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// errMissing carries a path that does not exist until somebody has the time to look for the nearest one.
type errMissing struct{ path string }

func (e *errMissing) Error() string { return "there is no " + e.path }

// missing is the error for a path that does not exist; plan adds what is near.
func (s *snapshot) missing(p string) error {
	return fmt.Errorf("%s: %w", s.spec.Server, &errMissing{path: p})
}

// nearby replaces "there is no ..." errors by ones that name the nearest existing path. Only failing runs pay for it.
func (t *target) nearby(ctx context.Context, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if m, ok := errors.AsType[*errMissing](err); ok {
			near := t.session.Nearest(ctx, m.path)
			if h, ok := errors.AsType[*hint.Error](err); ok {
				if n, ok := errors.AsType[*hint.Error](near); ok {
					return hint.Wrap(errors.New(near.Error()), append(n.Hints(), h.Hints()...)...)
				}
			}
			return near
		}
		return err
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, t.nearby(ctx, one))
	}
	return errors.Join(all...)
}

// newFolder is a folder that has to be made. Its object has no reference until then.
type newFolder struct {
	*plan.Change
	object *inventory.Object
}

// folder is a VM folder: one that exists, one that is going to be made, or an error.
func (t *topology) folder(p string) *inventory.Object {
	if t.inventory.At(p) != nil {
		return t.at(p, "folder", folders)
	}
	if !t.CreateFolders {
		t.fail(hint.Wrap(t.missing(p), "--create-folders creates it"))
		return nil
	}
	if o := t.made[p]; o != nil {
		return o
	}
	parent := t.folder(path.Dir(p))
	if parent == nil {
		return nil
	}
	o := &inventory.Object{Ref: inventory.Ref{Type: "Folder"}, Name: path.Base(p), Parent: parent}
	t.made[p] = o
	t.folders = append(t.folders, newFolder{&plan.Change{
		Verb: plan.Create, Kind: plan.Folder, Name: p,
		Provides: plan.Key(t.spec.Server, plan.Folder, p),
		Needs:    []string{plan.Key(t.spec.Server, plan.Folder, parent.Path())},
	}, o})
	return o
}

// folderChanges are the changes that make the folders.
func (d *desired) folderChanges() []*plan.Change {
	var all []*plan.Change
	for _, f := range d.folders {
		all = append(all, f.Change)
	}
	return all
}

// attachFolders says what the changes of folders do. What needs a folder is done afterwards.
func (t *target) attachFolders(work plan.Steps, all []newFolder) {
	for _, f := range all {
		work.Do(f.Change, func(ctx context.Context) (err error) {
			f.object.Ref, err = createFolder(ctx, t.session, f.object.Parent.Ref, f.object.Name)
			return err
		})
	}
}

// createFolder makes a folder, or finds the one that is there by now. The call takes names as people write them.
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
