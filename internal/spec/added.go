package spec

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// addedKey is what may stand only once in privileges.added.
type addedKey struct {
	component component.Name
	scope     privileges.Scope
	propagate bool
	privilege string
}

// added reads what releases need beyond the matrix.
func (r *reader) added(o yamldoc.Object, known Field) []privileges.Added {
	items, _ := o.List(known.Name)
	var all []privileges.Added
	first := map[addedKey]int{}
	for _, item := range items {
		entry := item.Object(known.Keys()...)
		c, scope, release := entry.Text("component"), entry.Text("scope"), entry.Text("release")
		a := privileges.Added{
			Component: component.Name(c.Value), Scope: privileges.Scope(scope.Value), Propagate: entry.Truth("propagate"),
			Release: release.Value, Reason: entry.Text("reason").Value,
		}
		named := r.word(c, known.Field("component").Words())
		named = r.word(scope, known.Field("scope").Words()) && named
		if release.Value != "" {
			if _, err := privileges.Minor(release.Value); err != nil {
				r.At(release.Place, "%v", err)
			}
		}
		conditions, _ := entry.Texts("conditions")
		for _, t := range conditions {
			if r.word(t, known.Field("conditions").Words()) {
				a.Conditions = append(a.Conditions, privileges.Condition(t.Value))
			}
		}
		list, ok := entry.Texts("privileges")
		if ok && len(list) == 0 {
			r.missing(entry.Where("privileges"))
		}
		for _, t := range list {
			if err := privileges.CheckID(t.Value); err != nil {
				r.At(t.Place, "%v", err)
				continue
			}
			key := addedKey{a.Component, a.Scope, a.Propagate, t.Value}
			if line, twice := first[key]; twice && named {
				r.At(t.Place, "%s of %s on scope %s is already in line %d", t.Value, a.Component, a.Scope, line)
			}
			first[key] = cmp.Or(first[key], t.Line)
			a.Privileges = append(a.Privileges, t.Value)
		}
		all = append(all, a)
	}
	return all
}

// word reports a required text that is missing, or none of the known words.
func (r *reader) word(t yamldoc.Text, known []string) bool {
	r.require(t)
	switch {
	case t.Bad || t.Value == "":
		return false
	case !slices.Contains(known, t.Value):
		r.At(t.Place, "%s is unknown%s", hint.Quote(t.Value), hint.Suggest(t.Value, known))
		return false
	}
	return true
}

// Reconciled is what a specification says once accounts are reconciled with a release.
type Reconciled struct {
	Added  []privileges.Added // all of privileges.added
	Matrix string             // privileges.matrix; "" = as it is
	Name   []component.Name   // components that it names besides those that it does
	Drop   []component.Name   // those that it does not name any more
}

// Reconcile returns a copy after a reconciliation. New entries of privileges.added come last.
func (s *Spec) Reconcile(to Reconciled) *Spec {
	want := *s
	want.Privileges.Added = privileges.Others(s.Privileges.Added,
		privileges.Others(s.Privileges.Added, to.Added))
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

// reconciledField is the field of [Spec.ReconciledUpdates], named as in its design
// (openshift/enhancements, manual-cloud-credentials).
const reconciledField = "reconciledAvailableUpdates"

// Prepare returns a copy that lists a release as reconciled, not other images of its version.
func (s *Spec) Prepare(r release.Ref) *Spec {
	want := *s
	want.ReconciledUpdates = slices.DeleteFunc(slices.Clone(s.ReconciledUpdates),
		func(o release.Ref) bool { return o.Version == r.Version && o != r })
	want.ReconciledUpdates = lists.AppendNew(want.ReconciledUpdates, r)
	return &want
}

// Unprepared returns a copy without reconciled releases.
func (s *Spec) Unprepared() *Spec {
	want := *s
	want.ReconciledUpdates = nil
	return &want
}
