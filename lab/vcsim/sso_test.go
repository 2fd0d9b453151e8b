package vcsim

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/ssoadmin"
	"github.com/vmware/govmomi/ssoadmin/methods"
	"github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/soap"
	vim "github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// goodPassword satisfies the default policy.
const goodPassword = "Secret!pass1"

// administrate is the stock SSO client of the administrator.
func administrate(t *testing.T, v *VCenter) *ssoadmin.Client {
	t.Helper()
	return ssoClient(t, v, v.AdminUser(), v.AdminPassword())
}

func TestR33DomainIsNotAssumed(t *testing.T) {
	c := administrate(t, start(t, Options{Domain: "ocp.sso"}).VCenters[0])
	if c.Domain != "ocp.sso" {
		t.Errorf("the admin URL says %s", c.Domain)
	}
	s, err := c.IdentitySources(t.Context())
	if err != nil || s.System.Name != "ocp.sso" || s.LocalOS == nil || len(s.LDAPS) != 1 || s.LDAPS[0].Domains[0].Alias != "CORP" {
		t.Errorf("identity sources %+v, %v", s, err)
	}
	n, err := methods.GetSystemDomainName(t.Context(), c, &types.GetSystemDomainName{This: c.ServiceContent.DomainManagementService})
	if err != nil || n.Returnval != "ocp.sso" {
		t.Errorf("GetSystemDomainName: %+v, %v", n, err)
	}
}

func TestR34AdministrationNeedsTheGroup(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	d := v.Directory()
	if err := d.AddUser("user", goodPassword, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	anonymous, err := ssoadmin.NewClient(t.Context(), admin(t, v)) // a vim25 session is no SSO login
	if err != nil {
		t.Fatal(err)
	}
	var notAuthenticated *vim.NotAuthenticated
	if _, err := anonymous.FindPersonUser(t.Context(), "user"); !isFault(err, &notAuthenticated) {
		t.Errorf("without a login: %v", err)
	}
	c := ssoClient(t, v, "user@vsphere.local", goodPassword)
	var noPermission *vim.NoPermission
	if err := c.CreatePersonUser(t.Context(), "x", types.AdminPersonDetails{}, goodPassword); !isFault(err, &noPermission) || soap.ToSoapFault(err).String != "" {
		t.Errorf("as nobody: %v; want no text", err)
	}
	if err := d.AddGroup("deputies", ""); err != nil {
		t.Fatal(err)
	}
	if err := d.AddMember("deputies", "user", false); err != nil {
		t.Fatal(err)
	}
	if err := d.AddMember("Administrators", "deputies", true); err != nil {
		t.Fatal(err)
	}
	if err := c.CreatePersonUser(t.Context(), "x", types.AdminPersonDetails{}, goodPassword); err != nil {
		t.Errorf("as a member of a member: %v", err)
	}
	if err := c.Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.FindPersonUser(t.Context(), "x"); !isFault(err, &notAuthenticated) {
		t.Errorf("after logout: %v", err)
	}
}

// isFault is errors.As for a vim fault.
func isFault[T vim.BaseMethodFault](err error, as *T) bool {
	_, ok := fault.As(err, as)
	return ok
}

func TestR35PolicyIsServedAndEnforced(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := administrate(t, v)
	p, err := c.GetLocalPasswordPolicy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v.Directory().PasswordPolicy(), passwordPolicyOf(*p)); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
	p.PasswordFormat.LengthRestriction.MinLength = 12
	if err := c.UpdateLocalPasswordPolicy(t.Context(), *p); err != nil {
		t.Fatal(err)
	}
	if err := c.CreatePersonUser(t.Context(), "x", types.AdminPersonDetails{}, "Short!pass1"); err == nil {
		t.Error("a short password is taken")
	}
	if u, err := c.FindPersonUser(t.Context(), "x"); u != nil || err != nil {
		t.Errorf("a refused account exists: %+v, %v", u, err)
	}
	if err := c.CreatePersonUser(t.Context(), "x", types.AdminPersonDetails{}, "Longer!pass12"); err != nil {
		t.Fatal(err)
	}
	if err := c.ResetPersonPassword(t.Context(), "x", "Short!pass1"); err == nil || strings.Contains(err.Error(), "Short!pass1") {
		t.Errorf("reset to a short password: %v", err)
	}
	if _, err := v.Directory().CheckPassword("x", "Longer!pass12"); err != nil {
		t.Errorf("a refused reset changed the password: %v", err)
	}
	if err := c.ResetPersonPassword(t.Context(), "x", "Another!pass34"); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Directory().CheckPassword("x", "Longer!pass12"); err == nil {
		t.Error("the old password still opens")
	}
	if _, err := issue(t, v, "x@vsphere.local", "Another!pass34"); err != nil {
		t.Errorf("the new password: %v", err)
	}
}

func TestR36LockedUsers(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := administrate(t, v)
	if err := c.CreatePersonUser(t.Context(), "x", types.AdminPersonDetails{}, goodPassword); err != nil {
		t.Fatal(err)
	}
	res, err := methods.GetLockoutPolicy(t.Context(), c, &types.GetLockoutPolicy{This: c.ServiceContent.LockoutPolicyService})
	if err != nil || res.Returnval.MaxFailedAttempts != 5 || res.Returnval.FailedAttemptIntervalSec != 180 || res.Returnval.AutoUnlockIntervalSec != 300 {
		t.Fatalf("lockout policy %+v, %v", res, err)
	}
	for range 3 {
		if _, err := v.Login(t.Context(), "x@vsphere.local", "wrong"); err == nil {
			t.Fatal("a wrong password opens")
		}
	}
	for range 2 {
		if _, err := issue(t, v, `vsphere.local\x`, "wrong"); err == nil {
			t.Fatal("a wrong password gets a token")
		}
	}
	if _, err := issue(t, v, "x@vsphere.local", goodPassword); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("logins and tokens count together; after five: %v", err)
	}
	locked, err := methods.FindLockedUsers(t.Context(), c, &types.FindLockedUsers{This: c.ServiceContent.PrincipalDiscoveryService, Limit: math.MaxInt32})
	if err != nil || len(locked.Returnval) != 1 || locked.Returnval[0].Id.Name != "x" || !locked.Returnval[0].Locked {
		t.Errorf("locked users %+v, %v", locked, err)
	}
	id := types.PrincipalId{Name: "X", Domain: "VSPHERE.LOCAL"}
	if _, err := methods.UnlockUserAccount(t.Context(), c, &types.UnlockUserAccount{This: c.ServiceContent.PrincipalManagementService, UserId: id}); err != nil {
		t.Fatal(err)
	}
	if _, err := issue(t, v, "x@vsphere.local", goodPassword); err != nil {
		t.Errorf("unlocked: %v", err)
	}
	if _, err := methods.DisableUserAccount(t.Context(), c, &types.DisableUserAccount{This: c.ServiceContent.PrincipalManagementService, UserId: id}); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Login(t.Context(), "x@vsphere.local", goodPassword); err == nil {
		t.Error("a disabled account logs in")
	}
	u, err := c.FindPersonUser(t.Context(), "x")
	if err != nil || u == nil || !u.Disabled {
		t.Errorf("disabled account %+v, %v", u, err)
	}
}

func TestR38FindIsExactAndSearchIsNot(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := administrate(t, v)
	for _, name := range []string{"ocp-a", "ocp-a-2", "OCP-b"} {
		if err := c.CreatePersonUser(t.Context(), name, types.AdminPersonDetails{Description: "of a cluster"}, goodPassword); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"ocp-a": "ocp-a", "OCP-A": "ocp-a", "ocp": "", "ocp-b@VSPHERE.local": "OCP-b"} {
		u, err := c.FindPersonUser(t.Context(), name)
		if err != nil || (u != nil) != (want != "") || u != nil && u.Id.Name != want {
			t.Errorf("FindPersonUser(%s) = %+v, %v; want %q", name, u, err, want)
		}
		found, err := c.FindUser(t.Context(), name)
		if err != nil || (found != nil) != (want != "") {
			t.Errorf("FindUser(%s) = %+v, %v", name, found, err)
		}
	}
	list, err := c.FindPersonUsers(t.Context(), "ocp-A")
	if err != nil || len(list) != 2 {
		t.Errorf("FindPersonUsers: %+v, %v", list, err)
	}
}

// Which fields the searches look at differs (vmware/lightwave@1ff3bea, interface PrincipalDiscovery).
func TestR38WhatSearchesLookAt(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := administrate(t, v)
	details := types.AdminPersonDetails{Description: "of a cluster", FirstName: "Vorname", LastName: "Nachname"}
	if err := c.CreatePersonUser(t.Context(), "zz-a", details, goodPassword); err != nil {
		t.Fatal(err)
	}
	if err := c.CreateGroup(t.Context(), "zz-g", types.AdminGroupDetails{Description: "of a cluster"}); err != nil {
		t.Fatal(err)
	}
	discovery := c.ServiceContent.PrincipalDiscoveryService
	for text, want := range map[string][3]int{ // persons, users, groups
		"ZZ-": {1, 1, 1}, "vorname": {1, 1, 0}, "NACHNAME": {1, 1, 0}, "of a cluster": {0, 1, 1}, "none such": {0, 0, 0},
	} {
		criteria := types.AdminPrincipalDiscoveryServiceSearchCriteria{SearchString: text, Domain: "vsphere.local"}
		persons, err1 := methods.FindPersonUsers(t.Context(), c, &types.FindPersonUsers{This: discovery, Criteria: criteria, Limit: 10})
		users, err2 := methods.FindUsers(t.Context(), c, &types.FindUsers{This: discovery, Criteria: criteria, Limit: 10})
		groups, err3 := methods.FindGroups(t.Context(), c, &types.FindGroups{This: discovery, Criteria: criteria, Limit: 10})
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		if got := [3]int{len(persons.Returnval), len(users.Returnval), len(groups.Returnval)}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// However many are asked for, an answer holds 5,000.
func TestR38CapOfAnswers(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	for i := range bulkLimit + 7 {
		if err := v.Directory().AddUser(fmt.Sprintf("many%05d", i), "", directory.Details{}); err != nil {
			t.Fatal(err)
		}
	}
	c := administrate(t, v)
	for limit, want := range map[int32]int{math.MaxInt32: 5000, 5001: 5000, 4999: 4999} {
		res, err := methods.FindPersonUsers(t.Context(), c, &types.FindPersonUsers{
			This: c.ServiceContent.PrincipalDiscoveryService, Limit: limit,
			Criteria: types.AdminPrincipalDiscoveryServiceSearchCriteria{SearchString: "many", Domain: "vsphere.local"},
		})
		if err != nil || len(res.Returnval) != want {
			t.Errorf("limit %d: %v, %v; want %d", limit, len(res.Returnval), err, want)
		}
	}
}

func TestR39DuplicatesAndAbsentees(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := administrate(t, v)
	person := func(name string) error {
		return c.CreatePersonUser(t.Context(), name, types.AdminPersonDetails{}, goodPassword)
	}
	if err := person("x"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x", "X"} {
		if err := person(name); err == nil || !strings.Contains(err.Error(), "already exists with the same name") {
			t.Errorf("%s a second time: %v", name, err)
		}
	}
	for _, name := range []string{"", "y@vsphere.local", `dom\y`} {
		if err := person(name); err == nil {
			t.Errorf("an account is called %q", name)
		}
	}
	if err := c.DeletePrincipal(t.Context(), "X"); err != nil {
		t.Errorf("delete: %v", err)
	}
	if err := c.DeletePrincipal(t.Context(), "x"); err == nil {
		t.Error("deleted a second time")
	}
	if err := c.ResetPersonPassword(t.Context(), "x", goodPassword); err == nil {
		t.Error("an absent account has a new password")
	}
	for _, name := range []string{"Administrator", "administrators"} {
		if err := c.DeletePrincipal(t.Context(), name); err == nil {
			t.Errorf("%s is gone", name)
		}
	}
}

func TestSelfService(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	if err := v.Directory().AddUser("user", goodPassword, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	c := ssoClient(t, v, "user@vsphere.local", goodPassword)
	req := types.ResetSelfLocalPersonUserPassword{This: c.ServiceContent.PrincipalManagementService, NewPassword: "Mine!alone99"}
	if _, err := methods.ResetSelfLocalPersonUserPassword(t.Context(), c, &req); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Directory().CheckPassword("user", "Mine!alone99"); err != nil {
		t.Error(err)
	}
}

func TestSSOAnswersNonsense(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DialTLSContext: v.lab.DialTLSContext}}
	for _, body := range []string{
		"", "<x/>", "not xml", `<Envelope><Body><Nothing/></Body></Envelope>`,
		`<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><PrincipalId xmlns="urn:sso"/></soapenv:Body></soapenv:Envelope>`,
	} {
		for _, path := range []string{"/sso-adminserver/sdk/vsphere.local", "/sts/STSService/vsphere.local", "/lookupservice/sdk"} {
			res, err := client.Post("https://"+v.Server()+path, "text/xml", strings.NewReader(body))
			if err != nil {
				t.Errorf("%s %q: %v", path, body, err)
				continue
			}
			_ = res.Body.Close()
			if res.StatusCode != http.StatusInternalServerError {
				t.Errorf("%s %q: %s", path, body, res.Status)
			}
		}
	}
}
