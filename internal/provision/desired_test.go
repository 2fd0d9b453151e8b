package provision_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// granted lists what a plan grants to an account: object → role, with a trailing * where it propagates.
func granted(t *testing.T, p *plan.Plan, account string) map[string]string {
	t.Helper()
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range p.Changes() {
		after, ok := c.After.(plan.PermissionState)
		if !ok || c.Principal != account && !strings.HasPrefix(c.Principal, account+"@") {
			continue
		}
		if _, twice := got[c.Object]; twice {
			t.Errorf("%s has two permissions on %s", account, c.Object)
		}
		got[c.Object] = undigested(after.Role)
		if after.Propagate {
			got[c.Object] += "*"
		}
	}
	return got
}

func TestDesired(t *testing.T) {
	t.Parallel()
	lab := start(t, vcsim.Options{})
	base := func() spec.FailureDomain {
		return parse(t, demoSpec).VCenters[0].FailureDomains[0]
	}
	for name, c := range map[string]struct {
		account string
		change  func(*spec.Spec, *spec.FailureDomain)
		want    map[string]string // "" = nothing there
	}{
		"existing folder, root pool": {
			"ocp-cluster1-machine-api", func(*spec.Spec, *spec.FailureDomain) {},
			map[string]string{
				"/": "openshift-machine-api-vcenter", "/DC1": "ReadOnly*", "/DC1/host/C1": "openshift-machine-api-cluster*",
				"/DC1/datastore/ds1": "openshift-machine-api-datastore", "/DC1/network/ocp-net": "openshift-machine-api-network",
				"/DC1/vm/openshift/cluster1": "openshift-machine-api-folder*", "/DC1/vm/templates": "openshift-machine-api-template*",
			},
		},
		"standard network: nothing reaches for a switch, ancestors are readable": {
			"ocp-cluster1-csi-driver", func(_ *spec.Spec, fd *spec.FailureDomain) { fd.Networks = []string{"/DC1/network/VM Network"} },
			map[string]string{
				"/": "openshift-csi-driver-vcenter", "/DC1": "ReadOnly", "/DC1/vm/openshift": "ReadOnly", "/DC1/vm/openshift/cluster1": "openshift-csi-driver-folder*",
				"/DC1/host/C1": "openshift-csi-driver-cluster*", "/DC1/datastore/ds1": "openshift-csi-driver-datastore", "/DC1/network/VM Network": "ReadOnly",
			},
		},
		"created folder: the datacenter carries, one permission for both scopes": {
			"ocp-cluster1-csi-driver", func(_ *spec.Spec, fd *spec.FailureDomain) { fd.Folder, fd.Template = "", "" },
			map[string]string{
				"/": "openshift-csi-driver-vcenter", "/DC1": "openshift-csi-driver-datacenter-folder*", "/DC1/host/C1": "openshift-csi-driver-cluster*",
				"/DC1/datastore/ds1": "openshift-csi-driver-datastore", "/DC1/network/ocp-net": "ReadOnly",
			},
		},
		"existing pool: the cluster is only read": {
			"ocp-cluster1-csi-driver", func(_ *spec.Spec, fd *spec.FailureDomain) { fd.ResourcePool = "/DC1/host/C1/Resources/openshift" },
			map[string]string{
				"/": "openshift-csi-driver-vcenter", "/DC1": "ReadOnly*", "/DC1/host/C1": "ReadOnly*",
				"/DC1/host/C1/Resources/openshift": "openshift-csi-driver-resource-pool*", "/DC1/datastore/ds1": "openshift-csi-driver-datastore",
				"/DC1/network/ocp-net": "ReadOnly", "/DC1/vm/openshift/cluster1": "openshift-csi-driver-folder*",
			},
		},
		"host groups are another role": {
			"ocp-cluster1-machine-api", func(_ *spec.Spec, fd *spec.FailureDomain) { fd.HostGroup = true },
			map[string]string{"/DC1/host/C1": "openshift-machine-api-cluster-host-group*"},
		},
		"template below the folder needs nothing of its own": {
			"ocp-cluster1-machine-api", func(_ *spec.Spec, fd *spec.FailureDomain) { fd.Folder = "/DC1/vm/templates" },
			map[string]string{"/DC1/vm/templates": "openshift-machine-api-folder*"},
		},
		"only reading propagates from the cluster where the datacenter hands it down": {
			"ocp-cluster1-cloud-controller", func(*spec.Spec, *spec.FailureDomain) {},
			map[string]string{"/DC1/host/C1": "openshift-cloud-controller-cluster", "/DC1": "ReadOnly*"},
		},
		"one role per component": {
			"ocp-cluster1-csi-driver", func(s *spec.Spec, _ *spec.FailureDomain) { s.Privileges.RoleLayout = "component" },
			map[string]string{"/": "openshift-csi-driver", "/DC1/datastore/ds1": "openshift-csi-driver", "/DC1/vm/openshift/cluster1": "openshift-csi-driver*", "/DC1": "ReadOnly*"},
		},
		"components that share an account share permissions": {
			"alice", func(s *spec.Spec, _ *spec.FailureDomain) {
				s.Components = map[component.Name]spec.Component{"diagnostics": {Principal: "alice@corp.example.com"}, "cloud-controller": {Principal: "alice@corp.example.com"}}
			},
			map[string]string{"/": "openshift-cluster1-cloud-controller-diagnostics-vcenter", "/DC1/datastore/ds1": "openshift-cluster1-cloud-controller-diagnostics-datastore", "/DC1": "openshift-cluster1-cloud-controller-diagnostics-read*"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := parse(t, demoSpec)
			fd := base()
			c.change(s, &fd)
			s.VCenters = s.VCenters[:1]
			s.VCenters[0].FailureDomains = []spec.FailureDomain{fd}
			p := open(t, lab, t.TempDir(), s).plan(t)
			got := granted(t, p, c.account)
			for object, role := range c.want {
				if got[object] != role {
					t.Errorf("%s: %q, want %q", object, got[object], role)
				}
			}
			if len(c.want) > 4 && len(got) != len(c.want) {
				t.Errorf("grants on %d objects, want %d: %v", len(got), len(c.want), got)
			}
		})
	}
}

// Failure domains that share objects, and switches, come to one permission per account and object; the excess of the
// component layout is said.
func TestDesiredSaysWhatIsShared(t *testing.T) {
	t.Parallel()
	s := parse(t, demoSpec)
	s.VCenters = s.VCenters[:1]
	second := s.VCenters[0].FailureDomains[0]
	second.Name, second.ResourcePool = "zone-c", "/DC1/host/C1/Resources/openshift"
	s.VCenters[0].FailureDomains = append(s.VCenters[0].FailureDomains, second)
	s.Privileges.RoleLayout = "component"
	h := open(t, start(t, vcsim.Options{}), t.TempDir(), s)
	p := h.plan(t)
	for _, c := range component.Default() {
		if got := granted(t, p, s.Account(c).Name); len(got) < 3 {
			t.Errorf("%s is granted %v", c, got)
		}
	}
	excess := slices.ContainsFunc(p.VCenters[0].Changes, func(c *plan.Change) bool { return strings.Contains(c.Note, "more than needed here") })
	if !excess {
		t.Errorf("the excess of the component layout is not said:\n%s", text(p))
	}
	h.mustApply(t)
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v)
	}
}
