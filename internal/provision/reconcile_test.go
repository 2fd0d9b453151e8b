package provision_test

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// withAdded is the demo's specification with entries of privileges.added.
func withAdded(entries ...string) string {
	return demoSpec + "privileges:\n  added:\n  - " + strings.Join(entries, "\n  - ") + "\n"
}

// What a specification adds to the matrix is planned, granted, verified, ordered and taken away like a row of the matrix.
func TestAddedPrivilegesAreLikeThoseOfTheMatrix(t *testing.T) {
	t.Parallel()
	h := demo(t)
	if _, err := h.apply(t); err != nil {
		t.Fatal(err)
	}
	plain := h.snapshot()
	h.o.Request.Spec = parse(t, withAdded("{component: csi-driver, scope: datastore, privileges: [Datastore.Rename], release: 4.23.0, reason: volumes are renamed}"))
	if v := h.verify(t); v.Summary.Missing != 2 {
		t.Errorf("verify finds %d missing, want one on each datastore: %s", v.Summary.Missing, failing(v))
	}
	if p := h.plan(t); !strings.Contains(text(p), "openshift-csi-driver-datastore-") || p.Empty() {
		t.Errorf("the plan does not change the role: %s", text(p))
	}
	_, order := h.order(t)
	for _, want := range []string{"Datastore.Rename", "volumes are renamed"} {
		if !strings.Contains(order, want) {
			t.Errorf("the work order does not say %q", want)
		}
	}
	if _, err := h.apply(t); err != nil {
		t.Fatal(err)
	}
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Error(failing(v))
	}
	if ids := h.rights(t, "ocp-cluster1-csi-driver", "/DC1/datastore/ds1"); !strings.Contains(ids, "Datastore.Rename") {
		t.Errorf("csi-driver holds %s", ids)
	}
	h.o.Request.Spec = parse(t, demoSpec)
	if _, err := h.apply(t); err != nil {
		t.Fatal(err)
	}
	if h.snapshot() != plain {
		t.Error("what was added does not go with its entry")
	}
}

// A permission replaces what reaches its object from above. One that is added takes nothing away all the same.
func TestAdditiveHidesNothingFromAbove(t *testing.T) {
	t.Parallel()
	const above = "{component: diagnostics, scope: datacenter, propagate: true, privileges: [Folder.Rename]}"
	const below = "{component: diagnostics, scope: folder, propagate: true, privileges: [VirtualMachine.Interact.Suspend]}"
	const who, folder = "ocp-cluster1-diagnostics", "/DC1/vm/openshift/cluster1"
	h := demo(t)
	h.o.Request.Spec = parse(t, withAdded(above))
	if _, err := h.apply(t); err != nil {
		t.Fatal(err)
	}
	before := h.effective(t)
	h.o.Request.Spec, h.o.Request.Additive = parse(t, withAdded(above, below)), true
	if _, err := h.apply(t); err != nil {
		t.Fatal(err)
	}
	h.reduced(t, before)
	if ids := h.rights(t, who, folder); !strings.Contains(ids, "Folder.Rename") || !strings.Contains(ids, "VirtualMachine.Interact.Suspend") {
		t.Errorf("on the folder it holds %s", ids)
	}
	h.o.Request.Additive = false
	if _, err := h.apply(t); err != nil {
		t.Fatal(err)
	}
	if ids := h.rights(t, who, folder); !strings.Contains(ids, "Folder.Rename") {
		t.Errorf("a plain apply behind it takes away what the added permission would hide: %s", ids)
	}
}

// A role that was made while the vCenter did not know one of its privileges is ours still when that privilege is taken away.
func TestPruneOfWhatTheVCenterNeverKnew(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2}), t.TempDir(), parse(t, demoSpec))
	if _, err := h.apply(t); err != nil {
		t.Fatal(err)
	}
	plain := h.snapshot()
	h.o.Request.Spec = parse(t, withAdded("{component: csi-driver, scope: datastore, privileges: [Datastore.Teleport]}"))
	if _, err := h.apply(t); err != nil {
		t.Fatal(err)
	}
	h.o.Request.Formerly, h.o.Request.Spec = h.o.Request.Spec.Privileges.Added, parse(t, demoSpec)
	if p, err := h.apply(t); err != nil || h.snapshot() != plain {
		t.Errorf("it leaves a role: %v\n%s", err, text(p))
	}
}

// rights is what an account of ours holds on an object of the vCenter that has it, in one line.
func (h *house) rights(t fatalT, name, path string) string {
	t.Helper()
	var last error
	for _, v := range h.lab.VCenters {
		ids, err := v.EffectivePrivileges(name+"@"+v.Directory().Domain(), path)
		if err == nil {
			return strings.Join(ids, " ")
		}
		last = err
	}
	t.Fatal(last)
	return ""
}
