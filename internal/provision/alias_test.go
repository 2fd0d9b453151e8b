package provision_test

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// aliased has the specification call vCenters by other names than they register, which lead nowhere from here.
func aliased(t *testing.T, o vcsim.Options) *house {
	t.Helper()
	h := open(t, start(t, o), t.TempDir(), parse(t, strings.ReplaceAll(demoSpec, ".example.com", "")))
	h.spec.VCenters = h.spec.VCenters[:o.VCenters]
	h.o.Config = func(v spec.VCenter) vcenter.Config {
		c := vcenter.Config{Server: v.Server, Address: "127.0.0.1:1", Insecure: true}
		if at := h.lab.VCenter(v.Server + ".example.com"); at != nil {
			c.Address = at.Addr()
		}
		return c
	}
	h.o.Admin = loginAs(h.lab.VCenters[0].AdminUser(), h.lab.VCenters[0].AdminPassword())
	return h
}

// A vCenter that registers another name is no other vCenter: what is asked to go goes.
func TestVCenterUnderAnotherName(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2} {
		h := aliased(t, vcsim.Options{VCenters: n, Linked: n > 1})
		empty := h.snapshot()
		h.mustApply(t)
		h.mustTurn(t, "replace")
		h.mustTurn(t, "finish")
		if s := h.snapshot(); strings.Contains(s, `ocp-cluster1-csi-driver description`) {
			t.Errorf("%d: the account before stays:\n%s", n, s)
		}
		p, err := h.destroy(t)
		if err != nil || len(staying(p)) > 0 {
			t.Errorf("%d: %v\n%s", n, err, text(p))
		}
		h.same(t, empty)
	}
}

// Of two linked vCenters one is out of reach: what stays for that is a finding.
func TestWhatStaysIsAFinding(t *testing.T) {
	t.Parallel()
	h := aliased(t, vcsim.Options{VCenters: 2, Linked: true})
	h.mustApply(t)
	h.mustTurn(t, "replace")
	h.spec.VCenters = h.spec.VCenters[:1]
	stays := func(p *plan.Plan, what string) {
		t.Helper()
		for _, f := range staying(p) {
			if strings.Contains(f.Subject, what) && strings.Contains(f.Text, "vcenter2.example.com, in the same SSO domain, was not read") {
				return
			}
		}
		t.Errorf("no finding says that %s stays:\n%s", what, text(p))
	}
	p, err := h.turn(t, "finish")
	if err != nil {
		t.Fatal(err)
	}
	stays(p, "ocp-cluster1-csi-driver@vsphere.local")
	if p, err = h.destroy(t); err != nil {
		t.Fatal(err)
	}
	stays(p, "ocp-cluster1-csi-driver-2@vsphere.local")
	stays(p, "roles openshift-")
}
