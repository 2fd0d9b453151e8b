package provision

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

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
func (j *Job) missing(s *site, p string) error {
	return fmt.Errorf("%s: %w", s.spec.Server, &errMissing{path: p})
}

// nearby replaces "there is no ..." errors by ones that name the nearest existing path. Only failing runs pay for it.
func (s *site) nearby(ctx context.Context, err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if m, ok := errors.AsType[*errMissing](err); ok {
			near := s.session.Nearest(ctx, m.path)
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
		all = append(all, s.nearby(ctx, one))
	}
	return errors.Join(all...)
}

// folder is a VM folder: one that exists, one that is going to be made, or an error.
func (t *topology) folder(p string) *inventory.Object {
	if t.site.inventory.At(p) != nil {
		return t.at(p, "folder", folders)
	}
	if !t.job.o.CreateFolders {
		t.fail(hint.Wrap(t.job.missing(t.site, p), "--create-folders makes it"))
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
	session, server := t.site.session, t.site.spec.Server
	t.folders = append(t.folders, &plan.Change{
		Verb: plan.Create, Kind: plan.Folder, Name: p,
		Provides: plan.Key(server, plan.Folder, p),
		Needs:    []string{plan.Key(server, plan.Folder, parent.Path())},
		Do: func(ctx context.Context) (err error) { // what needs the folder is done afterwards
			o.Ref, err = createFolder(ctx, session, parent.Ref, o.Name)
			return err
		},
	})
	return o
}

// unstored is a name as people write it. Inventory paths hold names as stored.
func unstored(name string) string {
	return strings.NewReplacer("%2f", "/", "%5c", `\`, "%25", "%").Replace(name)
}

// createFolder makes a folder, or finds the one that is there by now. The call takes names as people write them.
func createFolder(ctx context.Context, s *vcenter.Session, parent inventory.Ref, stored string) (inventory.Ref, error) {
	name := unstored(stored)
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
