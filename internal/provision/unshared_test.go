package provision_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// A profile that gives each component an account takes no privilege from the one that all of them work with, until --prune says
// that they left it. The accounts beside it are made all the same.
func TestChangedProfileKeepsTheSharedAccount(t *testing.T) {
	t.Parallel()
	for profile, beside := range map[string]string{
		openshift.ProfilePassthrough:     "machine-api,csi-driver,cloud-controller,diagnostics",
		openshift.ProfileComponentScoped: "installer",
	} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			h := one(t, vcsim.Options{})
			empty := h.snapshot()
			as := func(profile string) {
				text := strings.Replace(demoSpec, "cluster: cluster1\n", "cluster: cluster1\nprofile: "+profile+"\n", 1)
				s := parse(t, text)
				s.VCenters = s.VCenters[:1]
				h.spec, h.o.Request.Spec = s, s
			}
			as(profile)
			h.mustApply(t)
			before := h.snapshot()
			as(openshift.ProfileKubeSystem)
			p := h.plan(t)
			if p.Err() == nil || !strings.Contains(p.Err().Error(), " is the account of profile "+profile+", for ") {
				t.Fatalf("plan: %v", p.Err())
			}
			proof := "apply --prune --secrets -"
			if profile == openshift.ProfileComponentScoped { // whose account stays in use
				proof = "which secrets do not prove: ocp-vsphere-admin apply --prune --applied"
			}
			if says := strings.Join(p.VCenters[0].Causes()[0].Hints, "; "); !strings.Contains(says, "apply --components "+beside) || !strings.Contains(says, proof) {
				t.Error(says)
			}
			if _, err := h.apply(t); err == nil {
				t.Error("applied")
			}
			h.same(t, before)
			h.narrowed(t, nil, strings.Split(beside, ","), func() { h.mustApply(t) })
			for line := range strings.Lines(before) { // nothing of it is gone
				if strings.HasPrefix(line, "permission ") && !strings.Contains(h.snapshot(), line) {
					t.Errorf("gone: %s", line)
				}
			}
			if err := h.plan(t).Err(); err == nil {
				t.Error("the second plan takes it all the same")
			}
			h.o.Request.Prune = true
			h.mustApply(t)
			h.o.Request.Prune = false
			if p := h.plan(t); p.Err() != nil || p.Differs() {
				t.Errorf("%v\n%s", p.Err(), text(p))
			}
			if _, err := h.destroy(t); err != nil {
				t.Fatal(err)
			}
			h.same(t, empty)
		})
	}
}

// asMatrix has the specification name an embedded matrix.
func (h *house) asMatrix(t *testing.T, name string) {
	t.Helper()
	m, err := privileges.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	s := *h.spec
	s.Privileges.Matrix = name
	h.spec, h.o.Request.Spec, h.o.Request.Matrix = &s, &s, m
}

// Another matrix in the file takes no privilege from a live account until --prune says so; what is new comes with --additive. A row
// that a matrix lost since, as in a later version of this tool, goes as before.
func TestChangedMatrixKeepsWhatAccountsHave(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"default", "documented"}, {"documented", "default"}, {"default", "enhancement"}, {"documented", "component-scoped"}} {
		t.Run(strings.Join(pair[:], " to "), func(t *testing.T) {
			t.Parallel()
			h := one(t, vcsim.Options{})
			empty := h.snapshot()
			h.asMatrix(t, pair[0])
			h.mustApply(t)
			before := h.snapshot()
			h.asMatrix(t, pair[1])
			err := h.plan(t).Err()
			wantErr(t, err, "the accounts have the privileges of matrix "+pair[0]+": matrix "+pair[1]+" would take some from them on /")
			var hinted *hint.Error
			want := "to keep the matrix that they were made with, write matrix: " + pair[0] + " in the file: ocp-vsphere-admin plan --matrix " + pair[0]
			if !errors.As(err, &hinted) || hinted.Hints()[0] != want {
				t.Errorf("%v does not begin its remedies with %q", err, want)
			}
			if _, err := h.apply(t); err == nil {
				t.Error("applied")
			}
			h.same(t, before)
			h.o.Request.Additive = true
			h.mustApply(t)
			h.o.Request.Additive = false
			wantErr(t, h.plan(t).Err(), "the accounts have the privileges of matrix "+pair[0]+": matrix "+pair[1]+" would take some from them on /")
			h.o.Request.Prune = true
			h.mustApply(t)
			h.o.Request.Prune = false
			if p := h.plan(t); p.Err() != nil || p.Differs() {
				t.Errorf("%v\n%s", p.Err(), text(p))
			}
			later := *h.o.Request.Matrix
			at := slices.IndexFunc(later.Rows, func(r privileges.Row) bool {
				return r.Component == "csi-driver" && r.Scope == "datastore" && r.Privilege == "Datastore.FileManagement"
			})
			later.Rows = slices.Delete(slices.Clone(later.Rows), at, at+1)
			h.o.Request.Matrix = &later
			h.mustApply(t)
			if _, err := h.destroy(t); err != nil {
				t.Fatal(err)
			}
			h.same(t, empty)
		})
	}
}

// The refusal of another matrix asks the permissions, not the accounts: it holds for accounts that no description of ours marks,
// for an administrator who may not read them, after --additive, and at each vCenter of an SSO domain by itself.
func TestChangedMatrixIsSeenInPermissions(t *testing.T) {
	t.Parallel()
	refused := func(t *testing.T, h *house, server, made, asked string) {
		t.Helper()
		wantErr(t, h.plan(t).Err(), server+": the accounts have the privileges of matrix "+made+": matrix "+asked+" would take some from them on /")
	}
	const first, second = "vcenter1.example.com", "vcenter2.example.com"
	t.Run("all are others' accounts", func(t *testing.T) {
		t.Parallel()
		h := one(t, vcsim.Options{})
		h.spec.Components = map[component.Name]spec.Component{}
		for _, c := range []string{"csi-driver", "machine-api"} {
			if err := h.lab.VCenters[0].Directory().AddUser("svc-"+c, "Som3thing!else-long", directory.Details{}); err != nil {
				t.Fatal(err)
			}
			h.spec.Components[component.Name(c)] = spec.Component{Principal: "svc-" + c + "@vsphere.local"}
		}
		h.asMatrix(t, "default")
		h.mustApply(t)
		h.asMatrix(t, "documented")
		refused(t, h, first, "default", "documented")
	})
	t.Run("the accounts cannot be read", func(t *testing.T) {
		t.Parallel()
		h := one(t, vcsim.Options{})
		plain := h.plainAdmin(t)
		h.asMatrix(t, "default")
		h.mustApply(t)
		plain.asMatrix(t, "documented")
		if _, err := plain.only(plan.Role).apply(t); err != nil {
			t.Fatal(err)
		}
		refused(t, plain.only(plan.Permission), first, "default", "documented")
	})
	t.Run("back after an addition", func(t *testing.T) {
		t.Parallel()
		h := one(t, vcsim.Options{})
		h.asMatrix(t, "default")
		h.mustApply(t)
		h.asMatrix(t, "documented")
		h.o.Request.Additive = true
		h.mustApply(t)
		h.o.Request.Additive = false
		h.asMatrix(t, "default")
		refused(t, h, first, "documented", "default")
	})
	t.Run("one vCenter of the SSO domain has it already", func(t *testing.T) {
		t.Parallel()
		h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
		h.asMatrix(t, "default")
		h.mustApply(t)
		h.asMatrix(t, "documented")
		h.narrowed(t, []string{first}, nil, func() {
			h.o.Request.Prune = true
			h.mustApply(t)
			h.o.Request.Prune = false
			if p := h.plan(t); p.Err() != nil || p.Differs() {
				t.Errorf("%v\n%s", p.Err(), text(p))
			}
		})
		refused(t, h, second, "default", "documented")
	})
}

// What accounts have may be what one's own matrix said before, also where it is what an embedded matrix says.
func TestEditedOwnMatrixIsApplied(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	s := *h.spec
	s.Privileges.Matrix = "./own.yaml"
	m, err := privileges.Load("documented")
	if err != nil {
		t.Fatal(err)
	}
	h.spec, h.o.Request.Spec, h.o.Request.Matrix = &s, &s, m
	h.mustApply(t)
	edited := *h.o.Request.Matrix
	edited.Rows = slices.DeleteFunc(slices.Clone(edited.Rows), func(r privileges.Row) bool {
		return r.Component == "csi-driver" && r.Scope == "datastore" && r.Privilege == "Datastore.FileManagement"
	})
	h.o.Request.Matrix = &edited
	h.mustApply(t)

	// What it had on the way to objects is the role ReadOnly, which is nobody's: that it goes is marked all the same.
	edited.Ancestors = nil
	marked := 0
	for _, c := range h.plan(t).Changes() {
		switch {
		case c.TakenBy != "":
			marked++
		case c.Kind == plan.Permission && len(c.Loses) > 0:
			t.Errorf("%s takes %q and is not marked", c.Line(), c.Loses)
		}
	}
	if marked == 0 {
		t.Errorf("nothing is marked:\n%s", text(h.plan(t)))
	}
}
