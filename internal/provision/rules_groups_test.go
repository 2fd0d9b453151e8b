package provision_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

const memberPassword = "Member!Pass-1"

// directory adds to the directory of the first vCenter what an identity team would: svc-csi, who is in "OCP storage" by way
// of another group, svc-diag, who is in none, and ldap.example.com, where a user and a group are both called ocp.
func populate(t fatalT, lab *vcsim.Lab) *directory.Directory {
	t.Helper()
	d := lab.VCenters[0].Directory()
	const domain = "@corp.example.com"
	if err := errors.Join(
		d.AddUser("svc-csi"+domain, memberPassword, directory.Details{}),
		d.AddUser("svc-diag"+domain, memberPassword, directory.Details{}),
		d.AddGroup("OCP storage"+domain, ""), d.AddGroup("OCP services"+domain, ""),
		d.AddMember("OCP services"+domain, "svc-csi"+domain, false),
		d.AddMember("OCP storage"+domain, "OCP services"+domain, true),
		d.AddIdentitySource(directory.IdentitySource{Name: "ldap.example.com", Type: "OpenLdap"}),
		d.AddUser("ocp@ldap.example.com", "", directory.Details{}), d.AddGroup("ocp@ldap.example.com", ""),
	); err != nil {
		t.Fatal(err)
	}
	return d
}

// supply gives accounts to verify as the command line does.
func (h *house) supply(accounts map[component.Name]string) {
	h.o.Accounts = func(_ string, c component.Name) (credfile.Account, bool) {
		user, ok := accounts[c]
		return credfile.Account{User: user, Password: secret.New(memberPassword)}, ok
	}
}

func verified(t *testing.T, v *verify.Result, component string) verify.Account {
	t.Helper()
	for _, a := range v.VCenters[0].Accounts {
		if strings.Contains(a.Component, component) {
			return a
		}
	}
	t.Fatalf("no account of %s: %+v", component, v)
	return verify.Account{}
}

// A group of Active Directory is found to be one, granted as one, verified by the login of somebody in it, and loses
// exactly what it was granted.
func TestGroupIsGrantedVerifiedAndLeft(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]spec.Component{
		"detected": {Principal: `CORP\OCP storage`},
		"said":     {Principal: "ocp STORAGE@corp.example.com", Group: new(true)},
	} {
		t.Run(name, func(t *testing.T) {
			h := one(t, vcsim.Options{})
			populate(t, h.lab)
			h.spec.Components = map[component.Name]spec.Component{"csi-driver": of, "installer": {}}
			before := h.snapshot()
			h.mustApply(t)
			if want := `permission "/DC1/datastore/ds1" group CORP.EXAMPLE.COM\OCP storage role "openshift-cluster1-csi-driver-datastore" propagate false`; !strings.Contains(undigested(h.snapshot()), want) {
				t.Fatalf("no %s in\n%s", want, h.snapshot())
			}
			if p := h.plan(t); p.Err() != nil || !p.Empty() {
				t.Errorf("the second plan (%v):\n%s", p.Err(), text(p))
			}
			v := h.verify(t)
			if a := verified(t, v, "csi-driver"); !v.Meets(asAsked) || v.Summary.Unverified != 1 || a.Login != verify.LoginUnverified || !strings.Contains(a.Reason, "a group cannot log in, and no member account is given") {
				t.Errorf("without a member: %+v %+v", v.Summary, a)
			}
			h.supply(map[component.Name]string{"csi-driver": `corp\svc-csi`})
			v = h.verify(t)
			if a := verified(t, v, "csi-driver"); !v.Meets(byDefault) || v.Summary.Unverified != 0 || a.Login != login.OK || a.Member != `corp\svc-csi` || len(a.Objects) == 0 {
				t.Errorf("with a member: %+v %+v", v.Summary, a)
			}
			h.supply(map[component.Name]string{"csi-driver": "svc-diag@corp.example.com"})
			if a := verified(t, h.verify(t), "csi-driver"); !a.Failed() || a.Login != "no permission on any object of this vCenter" {
				t.Errorf("with somebody else: %+v", a)
			}
			if report, err := h.destroy(t); err != nil {
				t.Fatalf("%v\n%s", err, text(report))
			}
			if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(h.snapshot(), "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Somebody with the same rights who is not in the group proves nothing about the group.
func TestVerifyAsksForMembership(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	populate(t, h.lab)
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: "svc-diag@corp.example.com"}}
	h.mustApply(t)
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: `CORP\OCP storage`}}
	h.mustApply(t)
	h.supply(map[component.Name]string{"csi-driver": "svc-diag@corp.example.com"})
	if a := verified(t, h.verify(t), "csi-driver"); a.Login != `svc-diag@corp.example.com is not a member of CORP\OCP storage` || !a.Failed() {
		t.Errorf("%+v", a)
	}
}

// One account that is in the groups of two components has what both have together (R21), and is verified once.
func TestR21MemberOfTwoGroups(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	d := populate(t, h.lab)
	if err := errors.Join(d.AddGroup("OCP machines@corp.example.com", ""),
		d.AddMember("OCP machines@corp.example.com", "svc-csi@corp.example.com", false)); err != nil {
		t.Fatal(err)
	}
	h.spec.Components = map[component.Name]spec.Component{
		"csi-driver": {Principal: `CORP\OCP storage`}, "machine-api": {Principal: "OCP machines@corp", Group: new(true)},
	}
	h.mustApply(t)
	h.supply(map[component.Name]string{"csi-driver": "svc-csi@corp.example.com", "machine-api": "SVC-CSI@corp.example.com"})
	v := h.verify(t)
	if a := verified(t, v, "csi-driver"); !v.Meets(byDefault) || v.Summary.Accounts != 1 || a.Component != "machine-api,csi-driver" {
		t.Errorf("%+v %+v", v.Summary, a)
	}
	// With one of the two alone, what the other group gives is too much.
	h.supply(map[component.Name]string{"csi-driver": "svc-csi@corp.example.com"})
	if v := h.verify(t); v.Meets(asAsked) || v.Summary.Excess == 0 || v.Summary.Missing != 0 {
		t.Errorf("%+v", v.Summary)
	}
}

// R15: what cannot be granted is refused before anything is done, and said so that one can correct it.
func TestR15WrongPrincipals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		component spec.Component
		down      bool
		says      string
		hints     string
	}{
		{"misspelled user", spec.Component{Principal: "svc-cis@corp"}, false, "principal svc-cis@corp not found; did you mean svc-csi@corp?", "corp.example.com (CORP)"},
		{"misspelled group", spec.Component{Principal: `CORP\OCP Stroage`}, false, `principal CORP\OCP Stroage not found; did you mean CORP\OCP storage?`, "ldap.example.com"},
		{"unlike anything", spec.Component{Principal: "zzz@ldap.example.com"}, false, "principal zzz@ldap.example.com not found", "vsphere.local"},
		{"no such source", spec.Component{Principal: "svc-csi@crop.example.com"}, false, "no identity source has its domain", "corp.example.com (CORP)"},
		{"both", spec.Component{Principal: "ocp@ldap.example.com"}, false, "is both a user and a group", "group: true or group: false beside components.csi-driver.principal"},
		{"no group", spec.Component{Principal: "svc-csi@corp", Group: new(true)}, false, "svc-csi@corp is a user, not a group", "omit components.csi-driver.group"},
		{"no user", spec.Component{Principal: `CORP\OCP storage`, Group: new(false)}, false, `CORP\OCP storage is a group, not a user`, "omit"},
		{"source down", spec.Component{Principal: "svc-csi@corp.example.com"}, true, "cannot look up principal", "check the directory server: the identity source does not answer"},
		{"source down, by alias", spec.Component{Principal: `CORP\svc-csi`}, true, "cannot look up principal", "check the directory server: the identity source does not answer"},
		{"administrators", spec.Component{Principal: "Administrators@vsphere.local"}, false, "group Administrators@vsphere.local administers this vCenter", "an account of its own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := one(t, vcsim.Options{})
			d := populate(t, h.lab)
			if err := d.SetReachable("corp.example.com", !c.down); err != nil {
				t.Fatal(err)
			}
			h.spec.Components = map[component.Name]spec.Component{"csi-driver": c.component, "diagnostics": {}}
			before := h.snapshot()
			p, err := h.apply(t)
			var hinted interface{ Hints() []string }
			if err == nil || !strings.Contains(err.Error(), c.says) || !errors.As(err, &hinted) || !strings.Contains(strings.Join(hinted.Hints(), "\n"), c.hints) {
				t.Errorf("error is %v\n%s", err, text(p))
			}
			if h.snapshot() != before {
				t.Error("something was done")
			}
		})
	}
}

// A user and a group of one name are two principals: each gets its own grants and loses them alone.
func TestUserAndGroupOfOneName(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	populate(t, h.lab)
	h.spec.Components = map[component.Name]spec.Component{
		"csi-driver":  {Principal: "ocp@ldap.example.com", Group: new(true)},
		"diagnostics": {Principal: "ocp@ldap.example.com", Group: new(false)},
	}
	before := h.snapshot()
	h.mustApply(t)
	for _, want := range []string{
		`group LDAP.EXAMPLE.COM\ocp role "openshift-cluster1-csi-driver-datastore"`, `account LDAP.EXAMPLE.COM\ocp role "openshift-cluster1-diagnostics-datastore"`,
	} {
		if !strings.Contains(undigested(h.snapshot()), want) {
			t.Errorf("no %s in\n%s", want, h.snapshot())
		}
	}
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("the second plan (%v):\n%s", p.Err(), text(p))
	}
	delete(h.spec.Components, "diagnostics")
	if report, err := h.destroy(t); err != nil {
		t.Fatalf("%v\n%s", err, text(report))
	}
	if s := h.snapshot(); strings.Contains(s, `group LDAP.EXAMPLE.COM\ocp role`) || !strings.Contains(s, `account LDAP.EXAMPLE.COM\ocp role`) {
		t.Errorf("the wrong one lost its permissions:\n%s", s)
	}
	h.spec.Components = map[component.Name]spec.Component{"diagnostics": {Principal: "ocp@ldap.example.com", Group: new(false)}}
	if _, err := h.destroy(t); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(h.snapshot(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// R21, R22: the plan says what an entry of somebody else's principal takes away from what it has through its groups.
func TestR21GrantDisplacesWhatGroupsGive(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	populate(t, h.lab)
	ctx, c := t.Context(), h.admin(t)
	root := c.ServiceContent.RootFolder
	role, err := authz(c).AddRole(ctx, "storage people", []string{"Datastore.Delete", "Datastore.Browse"})
	if err != nil {
		t.Fatal(err)
	}
	if err := permitGroup(t, c, root, `CORP\OCP storage`, role); err != nil {
		t.Fatal(err)
	}
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: "svc-csi@corp.example.com"}}
	p := h.plan(t)
	want := `its permission through storage people of group CORP.EXAMPLE.COM\OCP storage on / no longer applies here: it loses Datastore.Delete`
	if got := change(t, p, "on /DC1/datastore/ds1"); got.Verb != plan.Create || got.Note != want {
		t.Errorf("%s %s", got.Verb, got.Line())
	}
	// A group that this group is in: what both have on one object is added, what comes from above is displaced below.
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: `CORP\OCP services`}}
	p = h.plan(t)
	if got := change(t, p, "on /DC1/datastore/ds1"); got.Note != want {
		t.Errorf("%s %s", got.Verb, got.Line())
	}
	if got := change(t, p, "on /:"); strings.Contains(got.Note, "Datastore.Delete") {
		t.Errorf("%s %s", got.Verb, got.Line())
	}
}

// Destroy takes the grants of a group back after the group itself is gone from its directory.
func TestDestroyAfterTheGroupIsGone(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	d := populate(t, h.lab)
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: `CORP\OCP storage`}}
	h.mustApply(t)
	if err := d.RemoveGroup(`CORP\OCP storage`); err != nil {
		t.Fatal(err)
	}
	if report, err := h.destroy(t); err != nil {
		t.Fatalf("%v\n%s", err, text(report))
	}
	if s := h.snapshot(); strings.Contains(s, "openshift-csi-driver") {
		t.Errorf("something is left:\n%s", s)
	}
}

// A folder that --create-folders made is found again by what adopted accounts have there, so that a run without the flag
// neither moves their grants to the whole datacenter nor leaves them behind.
func TestAdoptedAccountsOnAFolderOfOurs(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	populate(t, h.lab)
	for _, principal := range []string{"svc-csi@corp.example.com", `CORP\OCP storage`} {
		h.spec.Components = map[component.Name]spec.Component{"machine-api": {Principal: principal}}
		fd := &h.spec.VCenters[0].FailureDomains[0]
		fd.Folder, fd.Template = "", ""
		h.o.Request.CreateFolders = true
		h.mustApply(t)
		h.o.Request.CreateFolders = false
		if p := h.plan(t); p.Err() != nil || !p.Empty() {
			t.Errorf("the second plan (%v):\n%s", p.Err(), text(p))
		}
		if report, err := h.destroy(t); err != nil {
			t.Fatalf("%v\n%s", err, text(report))
		}
		if s := h.snapshot(); strings.Contains(s, "openshift-machine-api") {
			t.Errorf("something of %s is left:\n%s", principal, s)
		}
	}
}

// A group that only one of its two components calls one is one for both, also for who makes the roles without asking SSO.
func TestRolesOfAGroupThatIsSaidOnce(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	populate(t, h.lab)
	h.spec.Components = map[component.Name]spec.Component{
		"csi-driver": {Principal: `CORP\OCP storage`, Group: new(true)}, "diagnostics": {Principal: `CORP\OCP storage`},
	}
	for _, kind := range []plan.Kind{plan.Role, plan.Permission} {
		if p, err := h.only(kind).apply(t); err != nil {
			t.Fatalf("%s: %v\n%s", kind, err, text(p))
		}
	}
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
}
