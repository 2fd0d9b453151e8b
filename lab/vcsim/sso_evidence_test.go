package vcsim

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/ssoadmin"
	"github.com/vmware/govmomi/ssoadmin/methods"
	"github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/soap"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// ssoWire gives what the administrator of contractDirectory is answered: the status and the body.
func ssoWire(t *testing.T, method, name, domain string) (int, string) {
	t.Helper()
	s := &ssoService{dir: contractDirectory(t)}
	e := newSSOEndpoint(s)
	s.sessions["c"] = directory.Principal{Domain: "vsphere.local", Name: directory.Administrator}
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(ssoRequest(t, e, method, name, domain)))
	r.AddCookie(&http.Cookie{Name: ssoCookie, Value: "c"})
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// One fault for principals that are there already, and for those that are not; it names the principal.
func TestR39InvalidPrincipalOnTheWire(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ method, name, text string }{
		{"CreateLocalPersonUser", "regular", "Another user or group already exists with the same name"},
		{"CreateLocalPersonUser", "REGULAR", "Another user or group already exists with the same name"},
		{"CreateLocalGroup", "team", "Another user or group already exists with the same name"},
		{"CreateLocalGroup", "Everyone", "Another user or group already exists with the same name"},
		{"DeleteLocalPrincipal", "nobody", "no such principal"},
		{"DeleteLocalPrincipal", "Administrator", "the SSO domain cannot do without this principal"},
		{"ResetLocalPersonUserPassword", "nobody", "no such principal"},
		{"UpdateLocalPersonUserDetails", "nobody", "no such principal"},
		{"AddUserToLocalGroup", "nobody", "no such principal"},
		{"RemoveFromLocalGroup", "nobody", "no such principal"},
		{"EnableUserAccount", "nobody", "no such principal"},
		{"FindNestedParentGroups", "nobody", "no such principal"},
		{"FindNestedParentGroups", "team", "no such principal"}, // a group
		{"FindDirectParentGroups", "nobody", "no such principal"},
		{"FindDirectParentGroups", "Everyone", "no such principal"},
		{"FindUsersInGroup", "Everyone", "no such principal"},
		{"GetDaysRemainingUntilPasswordExpiration", "nobody", "no such principal"},
	} {
		service := ssoManagement
		if strings.HasPrefix(c.method, "Find") {
			service = ssoDiscovery
		}
		code, body := ssoWire(t, service+c.method, c.name, "vsphere.local")
		want := `<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>` + c.text + `</faultstring><detail>` +
			`<SsoFaultInvalidPrincipalFaultFault xmlns="urn:sso" xsi:type="SsoFaultInvalidPrincipalFault"><principal>` + c.name +
			`</principal></SsoFaultInvalidPrincipalFaultFault></detail></soapenv:Fault>`
		if code != http.StatusInternalServerError || !strings.Contains(body, want) {
			t.Errorf("%s %s: %d\n%s\nwant %s", c.method, c.name, code, body, want)
		}
	}
}

// Methods that make or change a principal say which, in the spelling of the directory.
func TestSSOAnswersWithTheID(t *testing.T) {
	t.Parallel()
	for method, name := range map[string]string{
		"CreateLocalPersonUser": "fresh", "CreateLocalGroup": "fresh", "CreateLocalSolutionUser": "fresh",
		"UpdateLocalPersonUserDetails": "regular", "UpdateLocalGroupDetails": "team", "UpdateLocalSolutionUserDetails": "vpxd",
	} {
		code, body := ssoWire(t, ssoManagement+method, name, "vsphere.local")
		want := `<` + method + `Response xmlns="urn:sso"><returnval><name>` + name + `</name><domain>vsphere.local</domain></returnval></` + method + `Response>`
		if code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", method, code, body)
		}
	}
}

func TestR37DaysOnTheWire(t *testing.T) {
	t.Parallel()
	code, body := ssoWire(t, ssoManagement+daysOf, "regular", "vsphere.local")
	if want := `<GetDaysRemainingUntilPasswordExpirationResponse xmlns="urn:sso"><returnval>90</returnval>`; code != http.StatusOK || !strings.Contains(body, want) {
		t.Errorf("%d %s", code, body)
	}
}

// Who may read what: the password policy is for everybody who is logged in, searches and the lockout policy are for
// regular users, changes are for administrators; the name of the domain is for all.
func TestR34WhoMayReadWhat(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	if err := v.Directory().AddUser("user", goodPassword, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	calls := map[string]func(*ssoadmin.Client) error{
		"domain": func(c *ssoadmin.Client) error {
			_, err := methods.GetSystemDomainName(t.Context(), c, &types.GetSystemDomainName{This: c.ServiceContent.IdentitySourceManagementService})
			return err
		},
		"password policy": func(c *ssoadmin.Client) error { _, err := c.GetLocalPasswordPolicy(t.Context()); return err },
		"lockout policy": func(c *ssoadmin.Client) error {
			_, err := methods.GetLockoutPolicy(t.Context(), c, &types.GetLockoutPolicy{This: c.ServiceContent.LockoutPolicyService})
			return err
		},
		"identity sources": func(c *ssoadmin.Client) error { _, err := c.IdentitySources(t.Context()); return err },
		"find":             func(c *ssoadmin.Client) error { _, err := c.FindPersonUser(t.Context(), "user"); return err },
		"search":           func(c *ssoadmin.Client) error { _, err := c.FindGroups(t.Context(), ""); return err },
		"change": func(c *ssoadmin.Client) error {
			return c.UpdatePersonUser(t.Context(), "user", types.AdminPersonDetails{Description: "changed"})
		},
	}
	anonymous, err := ssoadmin.NewClient(t.Context(), plain(t, v))
	if err != nil {
		t.Fatal(err)
	}
	c := ssoClient(t, v, "user@vsphere.local", goodPassword)
	answers := func(c *ssoadmin.Client) string {
		var allowed []string
		for _, name := range []string{"domain", "password policy", "lockout policy", "identity sources", "find", "search", "change"} {
			switch err := calls[name](c); {
			case err == nil:
				allowed = append(allowed, name)
			case !soap.IsSoapFault(err):
				t.Fatal(err)
			}
		}
		return strings.Join(allowed, ", ")
	}
	got := []string{answers(anonymous), answers(c)}
	for _, role := range []directory.Role{directory.RegularUser, directory.AdministratorUser} {
		if _, err := v.Directory().SetRole("user", role); err != nil {
			t.Fatal(err)
		}
		got = append(got, answers(c))
	}
	want := []string{
		"domain",
		"domain, password policy",
		"domain, password policy, lockout policy, identity sources, find, search",
		"domain, password policy, lockout policy, identity sources, find, search, change",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The implicit group: a parent of all, and nothing that a look-up, a search or a list of members finds.
func TestEveryoneIsImplicit(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := administrate(t, v)
	if err := c.CreateGroup(t.Context(), "team", types.AdminGroupDetails{}); err != nil {
		t.Fatal(err)
	}
	if g, err := c.FindGroup(t.Context(), "Everyone"); g != nil || err != nil {
		t.Errorf("look-up: %+v, %v", g, err)
	}
	if list, err := c.FindGroups(t.Context(), "everyone"); len(list) > 0 || err != nil {
		t.Errorf("search: %+v, %v", list, err)
	}
	parents := func(name, domain string) (string, error) {
		res, err := methods.FindDirectParentGroups(t.Context(), c, &types.FindDirectParentGroups{
			This: c.ServiceContent.PrincipalDiscoveryService, PrincipalId: types.PrincipalId{Name: name, Domain: domain},
		})
		if err != nil {
			return "", err
		}
		var names []string
		for _, g := range res.Returnval {
			names = append(names, g.Id.Name)
		}
		return strings.Join(names, " "), nil
	}
	for name, want := range map[[2]string]string{
		{"team", "vsphere.local"}: "Everyone", {"bob", foreignDomain}: "Everyone", {"vpxd", "vsphere.local"}: "Everyone SolutionUsers",
	} {
		if got, err := parents(name[0], name[1]); got != want || err != nil {
			t.Errorf("direct parents of %v: %s, %v; want %s", name, got, err, want)
		}
	}
	if _, err := parents("Everyone", "vsphere.local"); err == nil {
		t.Error("Everyone has parents")
	}
	res, err := methods.AddUserToLocalGroup(t.Context(), c, &types.AddUserToLocalGroup{
		This: c.ServiceContent.PrincipalManagementService, UserId: types.PrincipalId{Name: "bob", Domain: foreignDomain}, GroupName: "Everyone",
	})
	if err != nil || res.Returnval {
		t.Errorf("somebody joins Everyone: %+v, %v", res, err)
	}
}

// The STS says why in recorded words, and says it of a disabled account as of a wrong password.
func TestR42TextsOfTheSTS(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	d := v.Directory()
	for _, name := range []string{"Expired", "Locked", "Disabled"} {
		if err := d.AddUser(name, goodPassword, directory.Details{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(d.Expire("expired"), d.SetLocked("locked", true), d.SetDisabled("disabled", true)); err != nil {
		t.Fatal(err)
	}
	const expired = "Password of the user logging on is expired. :: Password of the user logging on is expired. :: User account expired: {Name: Expired, Domain: vsphere.local}"
	const locked = "The account of the user trying to authenticate is locked. :: The account of the user trying to authenticate is locked. :: User account locked: {Name: Locked, Domain: vsphere.local}"
	for _, c := range []struct{ user, password, want string }{
		{"expired", goodPassword, expired},
		{"EXPIRED@vsphere.local", "wrong", expired},
		{`vsphere.local\locked`, goodPassword, locked},
		{"locked", "wrong", locked},
		{"disabled", goodPassword, "Invalid credentials"},
		{"disabled", "wrong", "Invalid credentials"},
		{"nobody", "x", "Invalid credentials"},
		{v.AdminUser(), "wrong", "Invalid credentials"},
	} {
		var body string
		v.SetAnswer(func(a *Answer) { body = string(a.Body) })
		_, err := issue(t, v, c.user, c.password)
		v.SetAnswer(nil)
		if err == nil || !soap.IsSoapFault(err) {
			t.Fatalf("%s: %v", c.user, err)
		}
		want := `<faultcode xmlns:ns0="http://docs.oasis-open.org/ws-sx/ws-trust/200512">ns0:FailedAuthentication</faultcode><faultstring>` + c.want + `</faultstring>`
		if !strings.Contains(body, want) {
			t.Errorf("%s with %s:\n%s\nwant %s", c.user, c.password, body, want)
		}
	}
}
