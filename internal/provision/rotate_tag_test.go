package provision_test

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// tagged fails when an account of the credentials file does not bear the tag of its password there: a copy of the file somewhere else
// would not be told apart.
func (h *house) tagged(t fatalT, when string) {
	t.Helper()
	f, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range h.lab.VCenters {
		for _, c := range h.spec.ComponentNames() {
			a, ok := f.Get(v.Server(), c)
			name, _, _ := strings.Cut(a.User, "@")
			u, exists := v.Directory().User(name)
			if tag := secret.Random(a.Password.Reveal()).Tag(); !ok || !exists || !strings.HasSuffix(u.Description, ", tag "+tag) {
				t.Errorf("%s: %s on %s is described as %q, not with tag %s", when, a.User, v.Server(), u.Description, tag)
			}
		}
	}
}

// A password that comes back from the journal is known as drawn by us: whatever run sets it leaves its tag.
func TestResumedRunsLeaveTheTag(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.spec.Components = map[component.Name]spec.Component{"machine-api": {}, "csi-driver": {}}
	v := h.lab.VCenters[0]
	inPlace := func() error { _, _, err := h.rotate(t); return err }
	replace := func() error { _, err := h.turn(t, "replace"); return err }
	apply := func() error { _, err := h.apply(t); return err }
	for _, run := range []struct {
		name, method string
		kind         vcsim.FaultKind
		do           func() error
	}{
		{"apply, cut before it creates", "CreateLocalPersonUser", vcsim.Dropped, apply},
		{"in place, cut before it sets", "ResetLocalPersonUserPassword", vcsim.Dropped, inPlace},
		{"in place, cut after it has set", "ResetLocalPersonUserPassword", vcsim.LostReply, inPlace},
		{"in place, set and refused the second time", "ResetLocalPersonUserPassword", vcsim.LostReply, inPlace},
		{"rotate, cut before it creates", "CreateLocalPersonUser", vcsim.Dropped, replace},
	} {
		cut := false
		v.SetFault(func(_ int, method string) vcsim.Fault {
			switch {
			case method == run.method:
				cut = true
				return vcsim.Fault{Kind: run.kind}
			case cut && method == "RequestSecurityToken": // or it would be told whether it was set
				return vcsim.Fault{Kind: vcsim.Unavailable}
			}
			return vcsim.Fault{}
		})
		if run.do() == nil || !cut {
			t.Fatalf("%s: nothing was cut", run.name)
		}
		v.SetFault(nil)
		v.Directory().SetResetHistory(strings.Contains(run.name, "refused"))
		if err := run.do(); err != nil {
			t.Fatalf("%s: %v", run.name, err)
		}
		h.tagged(t, run.name)
	}
}
