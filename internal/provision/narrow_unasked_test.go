package provision_test

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Without rights in SSO nobody tells a user from a group of the same name, so the specification has to.
func TestGrantToOthersWithoutRightsInSSO(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	populate(t, h.lab)
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: "ocp@ldap.example.com"}}
	plain := h.plainAdmin(t)
	if _, err := plain.only(plan.Role).apply(t); err != nil {
		t.Fatal(err)
	}
	before := h.snapshot()
	if p, err := plain.only(plan.Permission).apply(t); err == nil {
		t.Errorf("a user was granted what may be a group's:\n%s", text(p))
	} else {
		wantErr(t, err, "cannot determine whether ocp@ldap.example.com is a user or a group")
	}
	if before != h.snapshot() {
		t.Error("something was changed")
	}
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: "ocp@ldap.example.com", Group: new(true)}}
	p, err := plain.only(plan.Permission).apply(t)
	if err != nil {
		t.Fatalf("%v\n%s", err, text(p))
	}
	if !strings.Contains(text(p), "what this displaces is not known") {
		t.Errorf("groups are unknown, and nothing says so:\n%s", text(p))
	}
	if s := h.snapshot(); !strings.Contains(s, `group LDAP.EXAMPLE.COM\ocp role`) || strings.Contains(s, `account LDAP.EXAMPLE.COM\ocp role`) {
		t.Errorf("the wrong one was granted something:\n%s", s)
	}
}

// Without rights in SSO nobody reports whether two spellings are one account, which would keep the last of its permissions.
func TestSpellingsWithoutRightsInSSO(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	populate(t, h.lab)
	h.spec.Components = map[component.Name]spec.Component{
		"csi-driver":  {Principal: "svc-csi@corp.example.com", Group: new(false)},
		"diagnostics": {Principal: `CORP\svc-csi`, Group: new(false)},
	}
	plain := h.plainAdmin(t)
	if p, err := plain.only(plan.Role).apply(t); err != nil {
		t.Fatalf("%v\n%s", err, text(p))
	}
	p, err := plain.only(plan.Permission).apply(t)
	if err == nil {
		t.Logf("the whole plan would be:\n%s", text(h.plan(t)))
		t.Fatalf("one account was granted two roles on an object:\n%s", text(p))
	}
	wantErr(t, err, `cannot determine whether svc-csi@corp.example.com and CORP\svc-csi are the same account`)

	// A spelling that the vCenter has otherwise.
	delete(h.spec.Components, "diagnostics")
	h.mustApply(t)
	h.spec.Components["csi-driver"] = spec.Component{Principal: `CORP\svc-csi`, Group: new(false)}
	p = plain.only(plan.Permission).plan(t)
	if got := change(t, p, "on /DC1/datastore/ds1"); !strings.Contains(undigested(got.Note), `if it is the same as CORP.EXAMPLE.COM\svc-csi, this displaces openshift-cluster1-csi-driver-datastore`) {
		t.Errorf("%v %s %s", p.Err(), got.Verb, got.Line())
	}
}
