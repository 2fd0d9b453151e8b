package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// settle is how long a difference is read again before it is believed: changed roles take effect a little later (R8).
var settle = []time.Duration{200 * time.Millisecond, 500 * time.Millisecond, time.Second}

// below picks one or two objects directly below each granted one, which show whether grants propagate as they shall.
func (j *Job) below(ctx context.Context, s *site, d *desired) ([]*vcenter.Object, error) {
	var parents []*vcenter.Object
	for _, e := range d.entries {
		if o := e.place.Object; o != nil && !slices.Contains(parents, o) {
			parents = append(parents, o)
		}
	}
	children := make([][]*vcenter.Object, len(parents))
	errs := make([]error, len(parents))
	var wg crash.Group
	for i, o := range parents {
		wg.Go(func() { children[i], errs[i] = s.session.Below(ctx, o, 4) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var refs []types.ManagedObjectReference
	for _, c := range children {
		for _, o := range c {
			if s.inventory.Object(o.Ref) == nil {
				refs = append(refs, o.Ref)
			}
		}
	}
	if err := s.session.Include(ctx, s.inventory, refs); err != nil {
		return nil, err
	}
	var all []*vcenter.Object
	for _, c := range children {
		for _, o := range c {
			if known := s.inventory.Object(o.Ref); known != nil {
				all = appendNew(all, known)
			}
		}
	}
	return all, nil
}

// compare reads an account's effective rights as the account itself and holds them against what shall be.
func (j *Job) compare(ctx context.Context, d *desired, a *account, below []*vcenter.Object) VerifiedAccount {
	names := make([]string, len(a.components))
	for i, c := range a.components {
		names[i] = string(c)
	}
	v := VerifiedAccount{Component: strings.Join(names, ","), Principal: a.principal(), Member: a.member, Login: a.result, Reason: a.reason, Objects: []VerifiedObject{}}
	if a.session == nil || a.result != LoginOK {
		return v
	}
	objects, labels := d.examined(a.who, below)
	for n := 0; ; n++ {
		v.Objects = v.Objects[:0]
		actual, err := effective(ctx, a.session, objects, func(o *vcenter.Object) bool {
			_, ok := d.rightsOf(a.who, o)
			return ok
		})
		if err != nil {
			v.Login = err.Error()
			return v
		}
		for i, o := range objects {
			want, _ := d.rightsOf(a.who, o)
			v.Objects = append(v.Objects, VerifiedObject{
				Path: o.Path(), Scope: labels[i], Missing: without(want, actual[i]), Excess: without(actual[i], want),
			})
		}
		if !v.Failed() || !again(ctx, n) {
			return v
		}
	}
}

// again waits before a difference is read for the n+1st time; false when it is to be believed.
func again(ctx context.Context, n int) bool {
	if n == len(settle) {
		return false
	}
	timer := time.NewTimer(settle[n])
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// examined are the objects on which an account is compared: those with a permission of its own, and those one level
// below any granted object. Objects one level below somebody else's grant count too: it shall have nothing there.
func (d *desired) examined(who []string, below []*vcenter.Object) ([]*vcenter.Object, []string) {
	var objects []*vcenter.Object
	var labels []string
	for _, e := range d.entries {
		if e.place.Object != nil && slices.Contains(who, e.who) {
			scopes := make([]string, len(e.scopes))
			for i, sc := range e.scopes {
				scopes[i] = string(sc)
			}
			objects, labels = append(objects, e.place.Object), append(labels, strings.Join(scopes, "+"))
		}
	}
	for _, o := range below {
		if !slices.Contains(objects, o) {
			objects, labels = append(objects, o), append(labels, "below")
		}
	}
	return objects, labels
}

// effective asks for the rights of the session's own account. Objects that it cannot see are those on which it has no
// rights. One request serves all objects that shall be visible, because one invisible object fails it; the others are
// asked for one by one, at the same time.
func effective(ctx context.Context, s *vcenter.Session, objects []*vcenter.Object, visible func(*vcenter.Object) bool) ([][]string, error) {
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
		if visible(o) {
			together = append(together, i)
		} else {
			wg.Go(func() { one(i) })
		}
	}
	wg.Go(func() {
		if len(together) == 0 {
			return
		}
		refs := make([]types.ManagedObjectReference, len(together))
		for n, i := range together {
			refs[n] = objects[i].Ref
		}
		found, err := s.Privileges(ctx, refs...)
		for n, i := range together {
			if err != nil {
				wg.Go(func() { one(i) })
			} else {
				rights[i] = found[n]
			}
		}
	})
	wg.Wait()
	return rights, errors.Join(errs...)
}
