package vcsim

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// Faults that methods of the SSO administration declare, besides the runtime faults that every method may answer. From
// what svcutil generated from the WSDL of a vCenter (vmware/PowerCLI-Example-Scripts@2b62d20, SsoAdminServiceReference).
var ssoDeclared = func() map[string][]string {
	const (
		principal = "SsoFaultInvalidPrincipalFault"
		violation = "SsoAdminFaultPasswordPolicyViolationFault"
		circle    = "SsoAdminFaultGroupCyclicDependencyFault"
	)
	declared := map[string][]string{
		"UpdateLocalPasswordPolicy":        {"SsoAdminFaultInvalidPasswordPolicyFault"},
		"SetDefaultDomains":                {"SsoAdminFaultDomainNotFoundFault", "SsoAdminFaultDuplicateDomainNameFault"},
		"CreateLocalPersonUser":            {principal, violation},
		"ResetLocalPersonUserPassword":     {principal, violation},
		"ResetSelfLocalPersonUserPassword": {principal, violation},
		"CreateLocalSolutionUser":          {principal, "SsoAdminFaultDuplicateSolutionCertificateFault"},
		"AddGroupToLocalGroup":             {principal, circle},
		"AddGroupsToLocalGroup":            {principal, circle},
	}
	for _, name := range strings.Fields(`FindUsersInGroup FindPersonUsersInGroup FindSolutionUsersInGroup FindGroupsInGroup
		FindDirectParentGroups FindNestedParentGroups CreateLocalGroup DeleteLocalPrincipal RemoveFromLocalGroup
		RemovePrincipalsFromLocalGroup AddUserToLocalGroup AddUsersToLocalGroup UpdateLocalPersonUserDetails
		UpdateLocalSolutionUserDetails UpdateLocalGroupDetails UpdateSelfLocalPersonUserDetails UnlockUserAccount
		EnableUserAccount DisableUserAccount GetDaysRemainingUntilPasswordExpiration
		GetDaysRemainingUntilSelfPasswordExpiration SetRole HasAdministratorRole HasRegularUserRole GrantWSTrustRole
		RevokeWSTrustRole IsMemberOfGroup FindParentGroups FindAllParentGroups`) {
		declared[name] = []string{principal}
	}
	for _, name := range strings.Fields(`SsoAdminServiceInstance SsoGroupcheckServiceInstance Login Logout GetTrustedCertificates
		Get GetDefaultDomains GetDomains GetSystemDomainName GetLockoutPolicy UpdateLockoutPolicy GetLocalPasswordPolicy
		FindPersonUser FindSolutionUser FindUser FindGroup FindPersonUsers FindSolutionUsers FindUsers FindGroups Find
		FindLockedUsers FindDisabledPersonUsers`) {
		declared[name] = nil
	}
	return declared
}()

// runtimeFaults extend RuntimeFault in that WSDL.
var runtimeFaults = strings.Fields(`SsoFaultRuntimeServiceFault SsoFaultNoDomainSearchPermission SsoFaultInternalFault
	SsoFaultNotAuthenticated SsoFaultNoPermission SsoFaultInvalidCredentials SystemError NotSupported NotImplemented
	ManagedObjectNotFound InvalidRequest MethodNotFound InvalidType InvalidArgument UnexpectedFault RequestCanceled
	SsoAdminFaultInvalidProviderFault SsoAdminFaultDomainManagerFault`)

// filled sets every field of a request: names to one name, the rest to something that some methods refuse.
func filled(v reflect.Value, name, domain string) {
	switch v.Kind() { //nolint:exhaustive // requests hold no others
	case reflect.Struct:
		switch value := v.Addr().Interface().(type) {
		case *types.ManagedObjectReference, *types.DynamicData:
			return
		case *ssotypes.PrincipalId:
			value.Name, value.Domain = name, domain
			return
		}
		for i := range v.NumField() {
			field := v.Type().Field(i)
			switch {
			case strings.HasSuffix(field.Name, "assword"):
				v.Field(i).SetString(map[bool]string{true: "weak", false: goodPassword}[name == "user"])
			case field.Name == "Domain", field.Name == "DomainNames":
				filled(v.Field(i), domain, domain)
			default:
				filled(v.Field(i), name, domain)
			}
		}
	case reflect.String:
		v.SetString(name)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0), name, domain)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), name, domain)
	case reflect.Int32, reflect.Int64:
		v.SetInt(1)
	default:
	}
}

// ssoRequest is the body of a request of a method, "Type.Method".
func ssoRequest(t *testing.T, e *soapEndpoint, method, name, domain string) []byte {
	t.Helper()
	service, method, _ := strings.Cut(method, ".")
	kind, ok := e.requests[method]
	if !ok {
		if kind, ok = types.TypeFunc()("sso:" + method); !ok {
			t.Fatalf("no type for %s", method)
		}
	}
	req := reflect.New(kind)
	filled(req.Elem(), name, domain)
	req.Elem().FieldByName("This").Set(reflect.ValueOf(ssoRef(service, "x")))
	var out bytes.Buffer
	out.WriteString(envelopeStart)
	enc := xml.NewEncoder(&out)
	if err := enc.EncodeElement(req.Interface(), xml.StartElement{Name: xml.Name{Space: "urn:sso", Local: method}}); err != nil {
		t.Fatal(err)
	}
	if err := enc.Flush(); err != nil {
		t.Fatal(err)
	}
	out.WriteString(envelopeEnd)
	return out.Bytes()
}

var faultType = regexp.MustCompile(`<detail><(\w+)Fault xmlns="urn:sso" xsi:type="(\w+)"`)

// Whatever is asked, by whomever: the answer is the method's own response, or a fault that the WSDL lets the method answer.
func TestSSOAnswersOnlyWhatItsWSDLDeclares(t *testing.T) {
	t.Parallel()
	seen := map[string]map[string]bool{} // method → fault
	names := []string{"user", "nobody", "team", "Everyone", "Administrator", "Users", "a<b", ""}
	domains := []string{"vsphere.local", "corp.example.com", "down.example.com", "nowhere.example.com", ""}
	for _, caller := range []string{"", "user", "regular", "Administrator", "alice@corp.example.com"} {
		for _, name := range names {
			for _, domain := range domains {
				s := &ssoService{}
				e := newSSOEndpoint(s)
				for _, method := range slices.Sorted(maps.Keys(e.methods)) {
					s.dir = contractDirectory(t)
					r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(ssoRequest(t, e, method, name, domain)))
					if caller != "" {
						p, err := s.dir.Lookup(caller, false)
						if err != nil {
							t.Fatal(err)
						}
						s.sessions["c"] = p
						r.AddCookie(&http.Cookie{Name: ssoCookie, Value: "c"})
					}
					w := httptest.NewRecorder()
					e.ServeHTTP(w, r)
					_, bare, _ := strings.Cut(method, ".")
					what := fmt.Sprintf("%s of %q in %q by %q: %d %s", method, name, domain, caller, w.Code, w.Body)
					declared, known := ssoDeclared[bare]
					if !known {
						t.Fatalf("%s: not in the WSDL", what)
					}
					if w.Code == http.StatusOK {
						if !strings.Contains(w.Body.String(), "<"+bare+`Response xmlns="urn:sso"`) {
							t.Errorf("%s: not its response", what)
						}
						continue
					}
					m := faultType.FindStringSubmatch(w.Body.String())
					if len(m) < 3 || m[1] != m[2] || !slices.Contains(declared, m[2]) && !slices.Contains(runtimeFaults, m[2]) {
						t.Errorf("%s: not declared", what)
						continue
					}
					if seen[bare] == nil {
						seen[bare] = map[string]bool{}
					}
					seen[bare][m[2]] = true
				}
			}
		}
	}
	for method, declared := range ssoDeclared {
		if ssoRoles[method] != ssoAnyone && !seen[method]["SsoFaultNotAuthenticated"] {
			t.Errorf("%s: answers without a login", method)
		}
		for _, fault := range declared { // a method that never answers its own faults was not asked
			never := slices.Contains([]string{"SsoAdminFaultDuplicateDomainNameFault", "SsoAdminFaultDuplicateSolutionCertificateFault"}, fault) // not simulated
			if !never && !seen[method][fault] {
				t.Errorf("%s never answers %s", method, fault)
			}
		}
	}
}

// What the WSDL has and the simulation has not says so, and does nothing.
func TestSSOMethodsThatAreNotSimulated(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"FindDisabledSolutionUsers", "FindCertificate", "FindExternalDomain"} {
		code, body := ssoWire(t, ssoDiscovery+method, "user", "vsphere.local")
		if m := faultType.FindStringSubmatch(body); code != http.StatusInternalServerError || m == nil || m[2] != "MethodNotFound" {
			t.Errorf("%s: %d %s", method, code, body)
		}
	}
}

// contractDirectory is an SSO domain with a regular user, a group, an Active Directory, and one that is down.
func contractDirectory(t *testing.T) *directory.Directory {
	t.Helper()
	d := directory.New("vsphere.local", adminPassword, 0, (&clock{}).now)
	for _, f := range []func() error{
		func() error { return d.AddUser("user", goodPassword, directory.Details{}) },
		func() error { return d.AddUser("regular", goodPassword, directory.Details{}) },
		func() error { _, err := d.SetRole("regular", directory.RegularUser); return err },
		func() error { return d.AddGroup("team", "") },
		func() error {
			return d.AddIdentitySource(directory.IdentitySource{Name: "corp.example.com", Alias: "CORP", Type: "ActiveDirectory"})
		},
		func() error { return d.AddUser("alice@corp.example.com", "", directory.Details{}) },
		func() error { _, err := d.SetRole("alice@corp.example.com", directory.AdministratorUser); return err },
		func() error {
			return d.AddIdentitySource(directory.IdentitySource{Name: "down.example.com", Type: "OpenLdap"})
		},
		func() error { return d.SetReachable("down.example.com", false) },
	} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	return d
}
