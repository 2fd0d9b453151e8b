package provision

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// settle is how long a difference is read again: changed roles take effect later (R8).
var settle = []time.Duration{200 * time.Millisecond, 500 * time.Millisecond, time.Second}

// again waits before the n+1st reading of a difference; false ends it.
func again(ctx context.Context, s *vcenter.Session, n int) bool {
	return n < len(settle) && s.Pause(ctx, settle[n]) == nil
}

// examined returns objects below needed ones, a few of each, and those with permissions of ours.
func (t *target) examined(ctx context.Context, d *snapshot.Desired, ours func(perms.Permission) bool) ([]*inventory.Object, error) {
	var parents []*inventory.Object
	for _, n := range d.Wanted.Needs {
		parents = lists.AppendNew(parents, n.Place)
	}
	children := make([][]*inventory.Object, len(parents))
	errs := make([]error, len(parents))
	var wg crash.Group
	for i, o := range parents {
		wg.Go(func() { children[i], errs[i] = t.session.Below(ctx, o, 4) })
	}
	wg.Wait()
	if err := t.session.Join(errs...); err != nil {
		return nil, err
	}
	var refs []inventory.Ref
	for _, o := range slices.Concat(children...) {
		refs = lists.AppendNew(refs, o.Ref)
	}
	t.at.Inventory.Adopt(slices.Concat(children...))
	for _, p := range t.at.Perms.All {
		if ours(p) {
			refs = lists.AppendNew(refs, p.Entity)
		}
	}
	if err := t.session.Include(ctx, t.at.Inventory, refs); err != nil {
		return nil, err
	}
	var all []*inventory.Object
	for _, ref := range refs {
		if o := t.at.Inventory.Object(ref); o != nil {
			all = append(all, o)
		}
	}
	return all, nil
}

// look returns what an account sees or vCenter reports of it, and the session that asked.
func (t *target) look(ctx context.Context, w *access.Wanted, a *account,
	needed, all []*inventory.Object,
) (map[*inventory.Object]verify.Seen, *vcenter.Session, error) {
	if a.result != verify.LoginComputed {
		seen, err := a.look(ctx, w, needed, all)
		return seen, a.session, err
	}
	objects := lists.AppendNew(slices.Clone(needed), all...)
	name, _ := t.vcenterName(a.principals[0])
	refs := verify.Asked(objects)
	rights, err := t.session.PrivilegesOf(ctx, name, refs...)
	if err != nil {
		return nil, t.session, fmt.Errorf("%s: privileges of %s: %w", t.at.VCenter.Server, name, err)
	}
	return verify.Told(objects, refs, rights), t.session, nil
}

// look finds the needed objects by path as the account does, and reads its rights on all objects.
func (a *account) look(ctx context.Context, w *access.Wanted, needed, all []*inventory.Object) (map[*inventory.Object]verify.Seen, error) {
	objects := slices.Clone(needed)
	for _, o := range all {
		objects = lists.AppendNew(objects, o)
	}
	var wg crash.Group
	var rights [][]string
	var hidden []*inventory.Object
	var rightsErr, hiddenErr error
	wg.Go(func() {
		rights, rightsErr = effective(ctx, a.session, objects, func(o *inventory.Object) bool { return w.Sees(a.who, o) })
	})
	wg.Go(func() { hidden, hiddenErr = hiding(ctx, a.session, needed) })
	wg.Wait()
	if err := a.session.Join(rightsErr, hiddenErr); err != nil {
		return nil, err
	}
	seen := map[*inventory.Object]verify.Seen{}
	for i, o := range objects { // needed ones first
		saw := verify.Seen{Held: rights[i]}
		if i < len(needed) {
			saw.Hidden = hidden[i]
		}
		seen[o] = saw
	}
	return seen, nil
}

// hiding looks each object up by its path as the session's account, and returns what keeps it from
// being found; nil if nothing. The installer, the machine API and the CSI driver walk down from the
// root folder, so they need every step visible.
func hiding(ctx context.Context, s *vcenter.Session, objects []*inventory.Object) ([]*inventory.Object, error) {
	var chains []inventory.Ref
	for _, o := range objects {
		if o.Ref.Network() { // a cluster's list leads to it, and others can have its path
			chains = lists.AppendNew(chains, o.Ref)
		}
		for _, above := range o.Ancestors() {
			if above.Known() {
				chains = lists.AppendNew(chains, above.Ref)
			}
		}
	}
	leaves := slices.DeleteFunc(slices.Clone(objects),
		func(o *inventory.Object) bool { return slices.Contains(chains, o.Ref) })
	ends := make([]string, len(leaves))
	for i, o := range leaves {
		ends[i] = o.Path()
	}
	seen, err := s.Look(ctx, ends, chains...)
	if err != nil {
		return nil, err
	}
	sees := func(o *inventory.Object) bool {
		if slices.Contains(leaves, o) {
			found := seen.At(o.Path())
			return found != nil && found.Ref == o.Ref
		}
		there := seen.Object(o.Ref)
		return there != nil && there.Name != ""
	}
	hidden := make([]*inventory.Object, len(objects))
	for i, o := range objects {
		for _, step := range slices.Backward(append([]*inventory.Object{o}, o.Ancestors()...)) {
			if !sees(step) {
				hidden[i] = step
				break
			}
		}
	}
	return hidden, nil
}

// invisible reports whether a fault says that the account may not see the object at all.
func invisible(err error) bool {
	return fault.Is(err, &types.ManagedObjectNotFound{}) || len(vcenter.MissingPrivileges(err)) > 0
}

// effective reads the session account's rights; none on objects that it cannot see. One request
// covers objects that must be visible, because an invisible one fails it; others are read singly.
func effective(ctx context.Context, s *vcenter.Session, objects []*inventory.Object,
	visible func(*inventory.Object) bool,
) ([][]string, error) {
	rights := make([][]string, len(objects))
	errs := make([]error, len(objects))
	var wg crash.Group
	one := func(i int) {
		found, err := s.Privileges(ctx, objects[i].Ref)
		switch {
		case err == nil:
			rights[i] = found[0]
		case !invisible(err):
			errs[i] = fmt.Errorf("%s: %s: %w", s.Server, objects[i].Path(), err)
		}
	}
	var together []int
	for i, o := range objects {
		switch {
		case !o.Known(): // no account sees it
		case visible(o):
			together = append(together, i)
		default:
			wg.Go(func() { one(i) })
		}
	}
	wg.Go(func() {
		if len(together) == 0 {
			return
		}
		refs := make([]inventory.Ref, len(together))
		for n, i := range together {
			refs[n] = objects[i].Ref
		}
		found, err := s.Privileges(ctx, refs...)
		if vcenter.Unanswered(err) { // the others would not be answered either
			errs[together[0]] = fmt.Errorf("%s: %w", s.Server, err)
			return
		}
		for n, i := range together {
			if err != nil {
				wg.Go(func() { one(i) })
			} else {
				rights[i] = found[n]
			}
		}
	})
	wg.Wait()
	return rights, s.Join(errs...)
}
