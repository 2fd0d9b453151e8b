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
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
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

// folder is the place of a VM folder: one that exists, one that is going to be made, or an error.
func (b *binder) folder(p string) *perms.Place {
	if b.site.inventory.At(p) != nil {
		return b.at(p, "folder", folders)
	}
	if !b.job.o.CreateFolders {
		b.fail(hint.Wrap(b.job.missing(b.site, p), "--create-folders makes it"))
		return nil
	}
	if place := b.folders[p]; place != nil {
		return place
	}
	parent := b.folder(path.Dir(p))
	if parent == nil {
		return nil
	}
	made := types.ManagedObjectReference{}
	place := &perms.Place{Path: p, Ref: func() types.ManagedObjectReference { return made }}
	b.folders[p] = place
	server := b.site.spec.Server
	b.out.folders = append(b.out.folders, &plan.Change{
		Verb: plan.Create, Kind: plan.Folder, Name: p,
		Provides: plan.Key(server, plan.Folder, p),
		Needs:    []string{plan.Key(server, plan.Folder, parent.Path)},
		Do: func(ctx context.Context) error {
			ref, err := createFolder(ctx, b.site.session, parent.Ref(), path.Base(p))
			made = ref
			return err
		},
	})
	return place
}

// unstored is a name as people write it. Inventory paths hold names as stored.
func unstored(name string) string {
	return strings.NewReplacer("%2f", "/", "%5c", `\`, "%25", "%").Replace(name)
}

// createFolder makes a folder, or finds the one that is there by now. The call takes names as people write them.
func createFolder(ctx context.Context, s *vcenter.Session, parent types.ManagedObjectReference, stored string) (types.ManagedObjectReference, error) {
	name := unstored(stored)
	res, err := methods.CreateFolder(ctx, s, &types.CreateFolder{This: parent, Name: name})
	if err == nil {
		return res.Returnval, nil
	}
	var exists *types.DuplicateName
	if _, ok := fault.As(err, &exists); ok && exists != nil && exists.Object.Type == "Folder" {
		return exists.Object, nil
	}
	return types.ManagedObjectReference{}, err
}

// above are the places above one, the nearest first: folders that are going to be made, then what exists. What takes no
// permission is left out.
func (b *binder) above(place *perms.Place) []*perms.Place {
	var all []*perms.Place
	o := place.Object
	for p := path.Dir(place.Path); o == nil && p != "/" && p != "."; p = path.Dir(p) {
		if future := b.folders[p]; future != nil {
			all = append(all, future)
			continue
		}
		if o = b.site.inventory.At(p); o != nil {
			all = append(all, assignable(o)...)
		}
	}
	if o == nil {
		return all
	}
	for _, ancestor := range o.Ancestors() {
		all = append(all, assignable(ancestor)...)
	}
	return all
}

func assignable(o *vcenter.Object) []*perms.Place {
	if above, _ := o.Unassignable(); above != nil {
		return nil
	}
	return []*perms.Place{perms.At(o)}
}

// readable tells whether an account sees a place already: by an entry there, or one above that propagates.
func (b *binder) readable(who string, place *perms.Place) bool {
	if place.Object != nil {
		rights, ok := b.out.rightsOf([]string{who}, place.Object)
		return ok && rights != nil
	}
	for p := place.Path; p != "/" && p != "."; p = path.Dir(p) {
		if e := b.index[who+"\x00"+p]; e != nil && (p == place.Path || e.propagate) {
			return true
		}
		if o := b.site.inventory.At(p); o != nil {
			return b.out.handedDown([]string{who}, o, false) != nil
		}
	}
	return false
}
