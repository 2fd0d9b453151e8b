package reconcile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// drawn is a random release: components without a request, with one, with two.
func drawn(t *rapid.T, name string) *release.Requests {
	ids := []string{
		"VirtualMachine.Inventory.Create", "Datastore.FileManagement", "Datastore.Browse", "Host.Config.Storage",
		"VirtualMachine.Interact.Suspend", "Alarm.Create", "DVSwitch.Modify", "VApp.Export",
	}
	r := requests()
	for _, c := range []component.Name{component.MachineAPI, component.CSIDriver, component.Diagnostics, component.MachineAPI} {
		if rapid.IntRange(0, 3).Draw(t, name+" has no "+string(c)) > 0 {
			r.List = append(r.List, request(c, fmt.Sprintf("%s-%d", c, len(r.List)), asking(rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 0, 4, rapid.ID).Draw(t, name+" asks")...)))
		}
	}
	return r
}

// held are the rows that a specification comes to, and under which conditions each holds.
func held(m *privileges.Matrix, s *spec.Spec) map[string][]privileges.Condition {
	all := map[string][]privileges.Condition{}
	for _, r := range m.With(s.Privileges.Added).Rows {
		if _, names := s.Components[r.Component]; names || s.Components == nil {
			all[fmt.Sprintf("%s %s %s %v", r.Component, r.Scope, r.Privilege, r.Propagate)] = r.Conditions
		}
	}
	return all
}

// placesElsewhere is next, where what others ask for is placed elsewhere than by base.
var placesElsewhere = strings.Replace(next, "folder, propagate: true", "folder, propagate: false", 1)

// Over random pairs of releases and matrices: additively no row of any component goes or holds less often, doing it again changes
// nothing, and the prune leaves what a first reconciliation with the next release leaves.
func TestAdditiveGrowsAndPruneForgets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now, to := drawn(t, "now"), drawn(t, "next")
		first := specOf(t, rapid.SampledFrom([]string{"", "privileges: {conditions: [vsan-file]}\n"}).Draw(t, "conditions"))
		matrices := map[string]*privileges.Matrix{"./base.yaml": matrix(t, "base", base), "./next.yaml": matrix(t, "next", placesElsewhere)}
		first.Privileges.Matrix = "./base.yaml"
		o := reconcile.Options{Matrix: matrices["./base.yaml"], Release: "4.23.0"}
		if rapid.Bool().Draw(t, "another matrix") {
			o.MatrixTo, o.MatrixAs = matrices["./next.yaml"], "./next.yaml"
		}
		do := func(s *spec.Spec, from, to *release.Requests, matrixTo, prune bool) *spec.Spec {
			o := o
			if !matrixTo {
				o.MatrixTo, o.MatrixAs = nil, ""
			}
			o.Spec, o.Matrix, o.From, o.To, o.Prune = s, matrices[s.Privileges.Matrix], from, to, prune
			for _, q := range to.List {
				if slices.Contains(q.Privileges, "VApp.Export") {
					o.Place = map[string][]privileges.Scope{"VApp.Export": {privileges.ScopeFolder}}
				}
			}
			r, err := reconcile.Reconcile(o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := spec.Parse("spec.yaml", r.Spec.YAML()); err != nil {
				t.Fatalf("what comes of it is no specification: %v", err)
			}
			return r.Spec
		}
		running := do(first, nil, now, false, false)
		both := do(running, now, to, true, false)
		more := held(matrices["./base.yaml"], both)
		for row, conditions := range held(matrices["./base.yaml"], running) {
			now, there := more[row]
			if !there || !slices.Contains(now, privileges.Always) && slices.ContainsFunc(conditions, func(c privileges.Condition) bool { return !slices.Contains(now, c) }) {
				t.Fatalf("%s held under %v, and then under %v (%t)", row, conditions, now, there)
			}
		}
		if diff := cmp.Diff(both, do(both, now, to, true, false)); diff != "" {
			t.Fatalf("again it is something else: %s", diff)
		}
		after, fresh := do(both, now, to, true, true), do(first, now, to, true, true)
		if diff := cmp.Diff(held(matrices[fresh.Privileges.Matrix], fresh), held(matrices[after.Privileges.Matrix], after)); diff != "" {
			t.Fatalf("pruned (+) it is not what it is from the start (-): %s", diff)
		}
		if diff := cmp.Diff(fresh.Named(), after.Named()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Over random releases, several at once: no row goes or holds less often, each release alone then needs nothing more, doing it again
// changes nothing, and one release is what it is alone.
func TestTogetherFitsEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := specOf(t, rapid.SampledFrom([]string{"", "privileges: {conditions: [vsan-file]}\n"}).Draw(t, "conditions"))
		base, next := matrix(t, "base", base), matrix(t, "next", placesElsewhere)
		now := drawn(t, "now")
		var releases []reconcile.Options
		for i := range rapid.IntRange(1, 3).Draw(t, "releases") {
			o := reconcile.Options{Spec: first, Matrix: base, From: now, To: drawn(t, fmt.Sprintf("release %d", i)), Release: fmt.Sprintf("4.%d.0", 21+i), Place: map[string][]privileges.Scope{}}
			if rapid.Bool().Draw(t, "another matrix") {
				o.MatrixTo, o.MatrixAs = next, "./next.yaml"
			}
			releases = append(releases, o)
		}
		for i := range releases { // of one run, as the command has it
			for _, o := range releases {
				if slices.Contains(o.To.Privileges(), "VApp.Export") {
					releases[i].Place["VApp.Export"] = []privileges.Scope{privileges.ScopeFolder}
				}
			}
		}
		whole, each, err := reconcile.Together(releases)
		if err != nil {
			t.Fatal(err)
		}
		if len(releases) == 1 {
			alone, err := reconcile.Reconcile(releases[0])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(alone.Spec, whole.Spec); diff != "" {
				t.Fatal(diff)
			}
		}
		more := held(base, whole.Spec)
		for row, conditions := range held(base, first) {
			now, there := more[row]
			if !there || !slices.Contains(now, privileges.Always) && slices.ContainsFunc(conditions, func(c privileges.Condition) bool { return !slices.Contains(now, c) }) {
				t.Fatalf("%s held under %v, and then under %v (%t)", row, conditions, now, there)
			}
		}
		for i := range releases {
			for _, c := range each[i].Write.Name {
				if !slices.Contains(whole.Write.Name, c) {
					t.Fatalf("%s is not named", c)
				}
			}
			releases[i].Spec = whole.Spec
		}
		again, then, err := reconcile.Together(releases)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole.Spec, again.Spec); diff != "" {
			t.Fatalf("again it is something else: %s", diff)
		}
		for i, r := range then {
			if len(r.Add) > 0 {
				t.Fatalf("release %d still needs %+v", i, r.Add)
			}
		}
	})
}
