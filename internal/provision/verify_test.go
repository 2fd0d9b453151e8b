package provision_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// on is what was found of a component on one object of the first vCenter; the test fails where it was not looked at.
func on(t *testing.T, v *verify.Result, c component.Name, path, scope string) verify.Object {
	t.Helper()
	for _, a := range v.VCenters[0].Accounts {
		for _, o := range a.Objects {
			if a.Component == string(c) && o.Path == path && (scope == "" || o.Scope == scope) {
				return o
			}
		}
	}
	t.Fatalf("%s was not compared on %s (%s)\n%s", c, path, scope, failing(v))
	return verify.Object{}
}

// because is the reason that is given for a privilege.
func because(o verify.Object, id string) verify.Reason {
	for _, r := range o.Reasons {
		if slices.Contains(r.Privileges, id) {
			return r
		}
	}
	return verify.Reason{}
}

// What a vCenter does not know is needed all the same: it is named with what the component cannot do, and counted apart.
func TestVerifyCountsWhatAVCenterDoesNotKnow(t *testing.T) {
	t.Parallel()
	const gone = "VirtualMachine.State.CreateSnapshot"
	h := one(t, vcsim.Options{Without: []string{gone}})
	h.mustApply(t)
	v := h.verify(t)
	if !v.Meets(byDefault) || v.Meets(strictly) || v.Summary.Unknown == 0 || v.Summary.Missing != 0 {
		t.Errorf("%s", failing(v))
	}
	o := on(t, v, component.MachineAPI, "/DC1/vm/openshift/cluster1", "folder")
	if r := because(o, gone); !slices.Contains(o.Unknown, gone) || !strings.Contains(r.Why, "unknown to this vCenter") || r.Remedy == "" {
		t.Errorf("%+v", o)
	}
}

// What the layout, the topology or vSphere bring along is no failure, and no secret either.
func TestVerifyTellsUnavoidableExcessApart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change     func(*spec.Spec)
		path, why  string
		privileges string
	}{
		"one role per component": {
			func(s *spec.Spec) { s.Privileges.RoleLayout = "component" },
			"/DC1/datastore/ds1", "serves all scopes of its component", "VirtualMachine.Inventory.Create",
		},
		"no folder": {
			func(s *spec.Spec) { s.VCenters[0].FailureDomains[0].Folder = "" },
			"/DC1", "permissions cannot be set on /DC1/vm itself: it has those of /DC1", "VirtualMachine.Inventory.Create",
		},
		"no folder, further down": {
			func(s *spec.Spec) { s.VCenters[0].FailureDomains[0].Folder = "" },
			"/DC1/network/VM Network", "propagates to everything below", "VirtualMachine.Inventory.Create",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := one(t, vcsim.Options{})
			c.change(h.spec)
			h.mustApply(t)
			v := h.verify(t)
			if !v.Meets(strictly) || v.Summary.Unavoidable == 0 || v.Summary.Excess != 0 {
				t.Errorf("%s", failing(v))
			}
			o := on(t, v, component.MachineAPI, c.path, "")
			if r := because(o, c.privileges); !slices.Contains(o.Unavoidable, c.privileges) || !strings.Contains(r.Why, c.why) {
				t.Errorf("%+v", o)
			}
		})
	}
}

// A plain specification passes strictly, too: what its topology brings along is nobody's fault.
func TestVerifyStrictly(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	if v := h.verify(t); !v.Meets(strictly) || v.Summary.Unavoidable == 0 {
		t.Errorf("%s: %d unavoidable", failing(v), v.Summary.Unavoidable)
	}
}

// What accounts of ours hold where nothing needs it is in excess, wherever it stands, with its role and what removes it.
func TestVerifyFindsLeftovers(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	c := h.admin(t)
	const machineAPI = "ocp-cluster1-machine-api@vsphere.local"
	permit(t, c, "/DC1/vm/legacy", machineAPI, "Admin", true)
	v := h.verify(t)
	o := on(t, v, component.MachineAPI, "/DC1/vm/legacy", verify.ScopeLeftover)
	if v.Meets(asAsked) || !strings.Contains(o.Reasons[0].Why, "role Admin") || o.Reasons[0].Remedy == "" || !slices.Contains(o.Excess, "VirtualMachine.Inventory.Delete") {
		t.Errorf("%+v\n%s", o, failing(v))
	}
	if r := o.Reasons[0].Remedy; !strings.Contains(r, "--prune") {
		t.Errorf("the remedy is %q", r)
	}
	h.o.Request.Prune = true
	h.mustApply(t)
	h.o.Request.Prune = false
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("after apply --prune: %s", failing(v))
	}
	// A permission that propagates without need shows although nothing is below yet.
	permit(t, c, "/DC1/datastore/ds1", machineAPI, h.liveRole(t, 0, "openshift-machine-api-datastore").Name, true)
	v = h.verify(t)
	if o := on(t, v, component.MachineAPI, "/DC1/datastore/ds1", verify.ScopeLeftover); v.Meets(asAsked) || !strings.Contains(o.Reasons[0].Why, "propagates") {
		t.Errorf("%+v\n%s", o, failing(v))
	}
	// A failure domain that is gone leaves permissions: they go with --prune, so verify does not pass.
	h.mustApply(t)
	h.spec.VCenters[0].FailureDomains[0].Datastore = "/DC1/datastore/other"
	v = h.verify(t)
	if o := on(t, v, component.CSIDriver, "/DC1/datastore/ds1", verify.ScopeLeftover); v.Meets(asAsked) || len(o.Excess) == 0 {
		t.Errorf("%+v\n%s", o, failing(v))
	}
	// and a component that is gone leaves an account
	h.spec.VCenters[0].FailureDomains[0].Datastore = "/DC1/datastore/ds1"
	h.spec.Components = map[component.Name]spec.Component{"machine-api": {}, "csi-driver": {}, "cloud-controller": {}, "installer": {}}
	v = h.verify(t)
	if o := on(t, v, component.Diagnostics, "/DC1", verify.ScopeLeftover); v.Meets(asAsked) || !strings.Contains(o.Reasons[0].Remedy, "--prune") {
		t.Errorf("%+v\n%s", o, failing(v))
	}
	if o := on(t, v, component.Diagnostics, "/DC1", verify.ScopeLeftover); o.Reasons[0].Why != "the account is not in the specification (role ReadOnly)" {
		t.Errorf("%q", o.Reasons[0].Why)
	}
	if s := v.Summary; s.Accounts != 5 || s.Failed != 1 || s.Unverified != 0 { // it counts once
		t.Errorf("%+v", s)
	}
}

// Rights on an object that the account cannot find are of no use: what hides it is named, and the installer's checks fail as the
// installer does.
func TestVerifyFindsObjectsAsTheAccount(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.spec.VCenters[0].FailureDomains[0].Networks = []string{"/DC1/network/VM Network"} // else the switch keeps the datacenter visible
	h.mustApply(t)
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Fatal(failing(v))
	}
	c := h.admin(t)
	permit(t, c, "/DC1", "ocp-cluster1-installer@vsphere.local", "NoAccess", false)
	v := h.verify(t)
	o := on(t, v, component.Installer, "/DC1/datastore/ds1", "datastore")
	if v.Meets(asAsked) || o.HiddenBy != "/DC1" || !slices.Contains(o.Missing, "Datastore.AllocateSpace") || !strings.Contains(o.Reasons[0].Why, "it cannot find") {
		t.Errorf("%+v\n%s", o, failing(v))
	}
	failed := 0
	for _, check := range v.VCenters[0].Preflight {
		if slices.ContainsFunc(check.Missing, func(m string) bool { return strings.Contains(m, "not found: the account cannot see /DC1") }) {
			failed++
		}
	}
	if failed == 0 || v.Summary.PreflightFailed < failed {
		t.Errorf("the installer finds everything: %+v", v.VCenters[0].Preflight)
	}
	if o := on(t, v, component.CSIDriver, "/DC1/datastore/ds1", "datastore"); len(o.Missing) > 0 {
		t.Errorf("the other accounts are not concerned: %+v", o)
	}
}

// In the profile component-scoped openshift-install checks every component, and asks for two privileges that nobody has to name.
func TestVerifyReplaysTheChecksOfEachComponent(t *testing.T) {
	t.Parallel()
	for _, pool := range []string{"", "/DC1/host/C1/Resources/openshift"} {
		h := one(t, vcsim.Options{})
		h.spec.VCenters[0].FailureDomains[0].ResourcePool = pool
		if err := h.spec.SetProfile(openshift.ProfileComponentScoped); err != nil {
			t.Fatal(err)
		}
		h.mustApply(t)
		v := h.verify(t)
		if !v.Meets(byDefault) {
			t.Errorf("pool %q: %s", pool, failing(v))
		}
		var names []string
		for _, check := range v.VCenters[0].Preflight {
			names = append(names, check.Check)
		}
		for _, want := range []string{"template /DC1/vm/templates/rhcos", "storage cluster /DC1/host/C1", "vsphereProblemDetector vcenter /"} {
			if !slices.Contains(names, want) {
				t.Errorf("pool %q: %q is not checked: %q", pool, want, names)
			}
		}
	}
}

// A failed account is not verified, and an unverified one is counted apart.
func TestVerifyCountsAccounts(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	populate(t, h.lab)
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {}, "diagnostics": {Principal: "svc-diag@corp.example.com"}}
	h.mustApply(t)
	v := h.verify(t)
	if s := v.Summary; !v.Meets(strictly) || s.Accounts != 2 || s.Unverified != 1 || s.Failed != 0 {
		t.Errorf("%s", failing(v))
	}
}
