package spec

import (
	"reflect"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// Reconciled is what a specification says once accounts are reconciled with a release.
type Reconciled struct {
	Added  []privileges.Added // all of privileges.added
	Matrix string             // privileges.matrix; "" = as it is
	Name   []component.Name   // components that it names besides those that it does
	Drop   []component.Name   // those that it does not name any more
}

// Reconcile gives the specification that a reconciliation comes to. The receiver stays as it is. Entries of privileges.added that
// stay keep their order, and new ones come last.
func (s *Spec) Reconcile(to Reconciled) *Spec {
	want := *s
	want.Privileges.Added = privileges.Others(s.Privileges.Added, privileges.Others(s.Privileges.Added, to.Added))
	want.Privileges.Added = append(want.Privileges.Added, privileges.Others(to.Added, s.Privileges.Added)...)
	if to.Matrix != "" {
		want.Privileges.Matrix = to.Matrix
	}
	want.Components = s.with(to.Name...)
	for _, c := range to.Drop {
		delete(want.Components, c)
	}
	if s.Components == nil && reflect.DeepEqual(want.named(), s.named()) {
		want.Components = nil
	}
	if s.Before != nil {
		want.Before = s.Before.Reconcile(to)
	}
	return &want
}

// reconciledField is the field of [Spec.ReconciledUpdates], named as in the design that it comes from (openshift/enhancements,
// manual-cloud-credentials).
const reconciledField = "reconciledAvailableUpdates"

// Prepare gives the specification with a release among those that the accounts fit, in place of other images of its version. The
// receiver stays as it is.
func (s *Spec) Prepare(r release.Ref) *Spec {
	want := *s
	want.ReconciledUpdates = slices.DeleteFunc(slices.Clone(s.ReconciledUpdates), func(o release.Ref) bool { return o.Version == r.Version && o != r })
	if !slices.Contains(want.ReconciledUpdates, r) {
		want.ReconciledUpdates = append(want.ReconciledUpdates, r)
	}
	return &want
}

// Unprepared gives the specification without any release that the accounts were made fit for. The receiver stays as it is.
func (s *Spec) Unprepared() *Spec {
	want := *s
	want.ReconciledUpdates = nil
	return &want
}
