package provision_test

import (
	"fmt"
	"path/filepath"
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
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Random pairs of releases per shard of TestReleasesUpAndDown: 6 in all, 16 with LONG=1.
const (
	releaseChecks     = 3
	longReleaseChecks = 8
)

// Over random pairs of releases: what is added before an upgrade reduces nothing that any account may do anywhere, a plain
// apply keeps it and completes what was killed, the next release's needs are all met, and the prune after the upgrade
// leaves the vCenters as a first apply for the next release leaves them, to the letter.
func TestReleasesUpAndDown(t *testing.T) {
	setChecks(t, releaseChecks, longReleaseChecks)
	for shard := range 2 {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			tmp, cases := t.TempDir(), 0
			rapid.Check(t, func(t *rapid.T) {
				cases++
				upgrade(t, filepath.Join(tmp, fmt.Sprint(cases)))
			})
		})
	}
}

// drawRelease draws the CredentialsRequests of a release. Some privileges are in the matrices, some in none; some components have no
// request, and one has two.
func drawRelease(t *rapid.T, name string) *release.Requests {
	r := &release.Requests{Dir: name, Others: map[string]int{}}
	ids := []string{
		"VirtualMachine.Inventory.Create", "Datastore.FileManagement", "Host.Config.Storage", "StorageProfile.View", // in matrices
		"VirtualMachine.Interact.Suspend", "Alarm.Create", "DVSwitch.Modify", "Datacenter.Rename", "Datastore.Rename", // by their methods
		"VApp.Export", // placed by hand
	}
	for _, c := range []component.Name{component.MachineAPI, component.CSIDriver, component.CloudController, component.Diagnostics, component.MachineAPI} {
		if rapid.IntRange(0, 4).Draw(t, name+" has no "+string(c)) == 0 {
			continue
		}
		asks := rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 0, 4, rapid.ID).Draw(t, name+" asks for "+string(c))
		slices.Sort(asks)
		at := component.At("openshift-cloud-credential-operator", fmt.Sprintf("%s-%d", c, len(r.List)))
		r.List = append(r.List, release.Request{Ref: at, File: name, SecretRef: component.At(string(c), at.Name), Component: c, Privileges: asks})
	}
	return r
}

// places are those of the privileges that some request asks for and that nobody else places.
func places(r *release.Requests) map[string][]privileges.Scope {
	for _, q := range r.List {
		if slices.Contains(q.Privileges, "VApp.Export") {
			return map[string][]privileges.Scope{"VApp.Export": {privileges.ScopeCluster, privileges.ScopeFolder}}
		}
	}
	return nil
}

// reconciled is what a specification becomes.
func reconciled(t *rapid.T, s *spec.Spec, from, to *release.Requests, matrix string, prune bool) *reconcile.Result {
	t.Helper()
	o := reconcile.Options{Spec: s, From: from, To: to, Release: "4.23.0", Place: places(to), Prune: prune}
	var err error
	if o.Matrix, err = privileges.Load(s.Privileges.Matrix); err != nil {
		t.Fatal(err)
	}
	if matrix != s.Privileges.Matrix {
		if o.MatrixTo, err = privileges.Load(matrix); err != nil {
			t.Fatal(err)
		}
		o.MatrixAs = matrix
	}
	r, err := reconcile.Reconcile(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// become gives the house another specification, as a file that was written.
func (h *house) become(t *rapid.T, s *spec.Spec) {
	t.Helper()
	h.spec = parse(t, string(s.YAML()))
	matrix, err := privileges.Load(h.spec.Privileges.Matrix)
	if err != nil {
		t.Fatal(err)
	}
	h.o.Request.Spec, h.o.Request.Matrix = h.spec, matrix
}

func upgrade(t *rapid.T, dir string) {
	lab := estate(t)
	defer lab.Close()
	first := parse(t, drawSpec(t, lab, "c"))
	matrix := rapid.SampledFrom([]string{first.Privileges.Matrix, first.Privileges.Matrix, "default", "documented"}).Draw(t, "next matrix")
	now, next := drawRelease(t, "now"), drawRelease(t, "next")

	h := open(t, lab, dir, first)
	h.displace = true
	h.supply(lawMembers("c"))
	h.become(t, reconciled(t, first, nil, now, first.Privileges.Matrix, false).Spec)
	h.until(t, "the first apply", h.apply)
	before, running := h.effective(t), h.spec

	interrupted := false
	added := reconciled(t, h.spec, now, next, matrix, false)
	h.become(t, added.Spec)
	if rapid.Bool().Draw(t, "killed after the file was written") {
		h.until(t, "the apply that completes it", h.apply)
	} else {
		var stop func()
		stop, interrupted = disturb(t, h.lab)
		h.o.Request.Additive = true
		h.until(t, "the additive apply", h.apply)
		h.o.Request.Additive = false
		stop()
		h.reduced(t, before)
		h.until(t, "a plain apply in between", h.apply)
	}
	h.proved(t, "what was added", h.verify(t))
	h.lacks(t, "the running release", running, func(verify.Object, component.Name, string) bool { return true })
	to := reconciled(t, first, now, next, matrix, true).Spec
	rows, err := privileges.Load(to.Privileges.Matrix)
	if err != nil {
		t.Fatal(err)
	}
	h.lacks(t, "the next release", to, func(o verify.Object, c component.Name, id string) bool {
		// What a row hands down to objects of no row ends where the running release has a permission of its own.
		return slices.ContainsFunc(to.Fold(rows).Rows, func(r privileges.Row) bool {
			return r.Component == c && r.Privilege == id && slices.Contains(strings.Split(o.Scope, "+"), string(r.Scope))
		})
	})

	pruned := reconciled(t, h.spec, now, next, matrix, true)
	h.become(t, pruned.Spec)
	h.o.Request.Prune, h.o.Request.Formerly = true, pruned.Gone
	h.until(t, "the prune", h.apply)
	h.proved(t, "the prune", h.verify(t))

	upgraded := h.snapshot()
	h.o.Request.Prune, h.o.Request.Formerly = false, nil
	h.until(t, "destroy", h.destroy)
	h.become(t, reconciled(t, first, now, next, matrix, true).Spec)
	h.until(t, "a first apply for the next release", h.apply)
	// Two things leave a role behind that nobody holds: a run that ends between a permission and the role that it gives up, and
	// somebody who holds it on another vCenter still, because linked vCenters may share their roles.
	lines := func(snapshot string) []string {
		var all []string
		for vcenter := range strings.SplitSeq(snapshot, "\n# ") { // each has roles of its own
			all = append(all, slices.DeleteFunc(strings.Split(vcenter, "\n"), func(line string) bool {
				name, isRole := strings.CutPrefix(line, "role ")
				name, _, _ = strings.Cut(strings.TrimPrefix(name, "\""), "\"")
				held := " role \"" + name + "\" propagate"
				return isRole && !strings.Contains(vcenter, held) && (interrupted || strings.Contains(snapshot, held))
			})...)
		}
		return all
	}
	if diff := cmp.Diff(lines(h.snapshot()), lines(upgraded)); diff != "" {
		t.Fatalf("after the prune (+) the vCenters are not as a first apply for the next release leaves them (-):\n%s\n%s\n%s", diff, h.spec.YAML(), pruned.Spec.YAML())
	}
}

// effective is what each account of ours may do on each object, by the vCenters' own rule.
func (h *house) effective(t fatalT) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, v := range h.lab.VCenters {
		for line := range strings.Lines(v.Snapshot()) {
			kind, rest, _ := strings.Cut(line, " \"")
			path, _, quoted := strings.Cut(rest, "\"")
			if !quoted || !strings.HasPrefix(path, "/") || kind == "permission" {
				continue
			}
			for _, c := range h.spec.ComponentNames() {
				a := h.spec.Account(c)
				if !a.Ours() {
					continue
				}
				ids, err := v.EffectivePrivileges(a.In(v.Directory().Domain()), path)
				if err == nil {
					all[v.Server()+" "+string(c)+" "+path] = ids
				}
			}
		}
	}
	if len(all) == 0 {
		t.Fatal("no account may do anything: the test sees nothing")
	}
	return all
}

// reduced holds what accounts may do against what they could before.
func (h *house) reduced(t fatalT, before map[string][]string) {
	t.Helper()
	now := h.effective(t)
	for at, ids := range before {
		for _, id := range ids {
			if !slices.Contains(now[at], id) {
				t.Errorf("what is added before the upgrade takes %s away: %s", id, at)
			}
		}
	}
}

// lacks looks whether the accounts can do what they have to by another specification, where it has to hold.
func (h *house) lacks(t *rapid.T, what string, by *spec.Spec, holds func(verify.Object, component.Name, string) bool) {
	t.Helper()
	mine := h.spec
	h.become(t, by)
	v := h.verify(t)
	h.become(t, mine)
	if v.Err() != nil || v.Summary.Accounts == 0 {
		t.Fatalf("%s: %v", what, v.Err())
	}
	for _, vc := range v.VCenters {
		for _, a := range vc.Accounts {
			for _, o := range a.Objects {
				for _, id := range o.Missing {
					if o.HiddenBy == "" && holds(o, component.Name(a.Component), id) {
						t.Errorf("%s: %s lacks %s on %s (%s)", what, a.Component, id, o.Path, o.Scope)
					}
				}
			}
		}
	}
}
