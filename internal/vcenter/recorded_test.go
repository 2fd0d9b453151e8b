package vcenter_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// recorded is a server that knows nothing but bodies in the shape that real vCenters were recorded to send, written anew. The
// simulation has no part in it: what the client makes of these holds whatever the simulation says.
type recorded struct {
	*httptest.Server

	faults map[string]string // by the method that is answered with it
	more   map[string]string // answers besides recordedAnswers
	run    *vcenter.Run      // of the sessions; nil = each its own
}

// envelope is a SOAP answer as vpxd sends it.
func envelope(body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<soapenv:Envelope xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/"` +
		` xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema"` +
		` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` + "\n<soapenv:Body>\n" + body + "\n</soapenv:Body>\n</soapenv:Envelope>"
}

func vimFault(text, detail string) string {
	return envelope(`<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>` + text + `</faultstring><detail>` + detail + `</detail></soapenv:Fault>`)
}

// stsFault is a fault as the token service sends it.
func stsFault(text string) string {
	return `<?xml version='1.0' encoding='UTF-8'?><S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body>` +
		`<S:Fault xmlns:ns4="http://www.w3.org/2003/05/soap-envelope">` +
		`<faultcode xmlns:ns0="http://docs.oasis-open.org/ws-sx/ws-trust/200512">ns0:FailedAuthentication</faultcode>` +
		`<faultstring>` + text + `</faultstring></S:Fault></S:Body></S:Envelope>`
}

// The recorded faults.
const (
	expired = "Password of the user logging on is expired. :: Password of the user logging on is expired. :: User account expired: {Name: svc, Domain: vsphere.local}"
	locked  = "The account of the user trying to authenticate is locked. :: The account of the user trying to authenticate is locked. :: User account locked: {Name: svc, Domain: vsphere.local}"

	invalidPrincipal = `<SsoFaultInvalidPrincipalFaultFault xmlns="urn:sso" xsi:type="SsoFaultInvalidPrincipalFault"><principal>svc</principal></SsoFaultInvalidPrincipalFaultFault>`
)

var requested = regexp.MustCompile(`<(?:\w+:)?Body[^>]*>\s*<(?:\w+:)?(\w+)`)

// answers by method, where no fault is asked for.
var recordedAnswers = map[string]string{
	"RetrieveServiceContent": `<RetrieveServiceContentResponse xmlns="urn:vim25"><returnval>` +
		`<rootFolder type="Folder">group-d1</rootFolder><propertyCollector type="PropertyCollector">propertyCollector</propertyCollector>` +
		`<about><name>VMware vCenter Server</name><fullName>VMware vCenter Server 8.0.3 build-1</fullName><vendor>VMware, Inc.</vendor>` +
		`<version>8.0.3</version><build>1</build><osType>linux-x64</osType><productLineId>vpx</productLineId><apiType>VirtualCenter</apiType>` +
		`<apiVersion>8.0.3.0</apiVersion><instanceUuid>b61a0d7f-0f7f-4a3c-9b0e-000000000001</instanceUuid></about>` +
		`<authorizationManager type="AuthorizationManager">AuthorizationManager</authorizationManager>` +
		`<sessionManager type="SessionManager">SessionManager</sessionManager><searchIndex type="SearchIndex">SearchIndex</searchIndex>` +
		`</returnval></RetrieveServiceContentResponse>`,
	"Login": `<LoginResponse xmlns="urn:vim25"><returnval><key>52-1</key><userName>VSPHERE.LOCAL\svc</userName><fullName>svc</fullName>` +
		`<loginTime>2026-01-01T00:00:00Z</loginTime><lastActiveTime>2026-01-01T00:00:00Z</lastActiveTime><locale>en</locale>` +
		`<messageLocale>en</messageLocale></returnval></LoginResponse>`,
	"Logout": `<LogoutResponse xmlns="urn:vim25"></LogoutResponse>`,
	"List": `<ListResponse xmlns="urn:lookup"><returnval><serviceVersion>2.0</serviceVersion>` +
		`<serviceEndpoints><url>https://vc/sts/STSService/vsphere.local</url><endpointType><protocol>wsTrust</protocol><type>com.vmware.cis.cs.identity.sso</type></endpointType></serviceEndpoints>` +
		`<serviceEndpoints><url>https://vc/sso-adminserver/sdk/vsphere.local</url><endpointType><protocol>vmomi</protocol><type>com.vmware.cis.cs.identity.admin</type></endpointType></serviceEndpoints>` +
		`<serviceType><product>com.vmware.cis</product><type>cs.identity</type></serviceType><serviceId>1</serviceId><siteId>s</siteId></returnval></ListResponse>`,
	"RequestSecurityToken": `<RequestSecurityTokenResponseCollection xmlns="http://docs.oasis-open.org/ws-sx/ws-trust/200512"><RequestSecurityTokenResponse>` +
		`<RequestedSecurityToken><saml2:Assertion xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" ID="_1"></saml2:Assertion></RequestedSecurityToken>` +
		`</RequestSecurityTokenResponse></RequestSecurityTokenResponseCollection>`,
	"SsoAdminServiceInstance": func() string {
		var b strings.Builder
		for _, name := range strings.Fields("sessionManager configurationManagementService smtpManagementService principalDiscoveryService " +
			"principalManagementService roleManagementService passwordPolicyService lockoutPolicyService domainManagementService " +
			"identitySourceManagementService systemManagementService computerManagementService ssoHealthManagementService " +
			"deploymentInformationService replicationService") {
			fmt.Fprintf(&b, `<%[1]s type="SsoAdmin">%[1]s</%[1]s>`, name)
		}
		return `<SsoAdminServiceInstanceResponse xmlns="urn:sso"><returnval>` + b.String() + `</returnval></SsoAdminServiceInstanceResponse>`
	}(),
}

func serveRecorded(t *testing.T, faults map[string]string) *recorded {
	t.Helper()
	r := &recorded{faults: faults}
	r.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		method := ""
		if m := requested.FindSubmatch(body); m != nil {
			method = string(m[1])
		}
		if strings.HasPrefix(req.URL.Path, "/sso-adminserver") && (method == "Login" || method == "Logout") {
			_, _ = io.WriteString(w, envelope(`<`+method+`Response xmlns="urn:sso"></`+method+`Response>`))
			return
		}
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		if fault, ok := r.faults[method]; ok {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, fault)
			return
		}
		answer, ok := recordedAnswers[method]
		if !ok {
			answer, ok = r.more[method]
		}
		if !ok {
			http.NotFound(w, req)
			return
		}
		_, _ = io.WriteString(w, envelope(answer))
	}))
	t.Cleanup(r.Close)
	return r
}

// connect logs in, if there is no fault against it.
func (r *recorded) connect(t *testing.T) (*vcenter.Session, error) {
	t.Helper()
	s, err := vcenter.Connect(t.Context(), vcenter.Config{
		Server: "127.0.0.1", Address: r.Listener.Addr().String(), Retries: quick, Run: r.run,
		RootCAs: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw}),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	err = s.Login(t.Context(), "svc@vsphere.local", secret.New("Any-Secret-1x"))
	return s, err
}

// What a login came to, by the fault that was recorded for it.
func TestRecordedRefusalsOfLogins(t *testing.T) {
	t.Parallel()
	invalidLogin := vimFault("Cannot complete login due to an incorrect user name or password.", `<InvalidLoginFault xmlns="urn:vim25" xsi:type="InvalidLogin"></InvalidLoginFault>`)
	for name, c := range map[string]struct {
		method, body string
		want         error // of vcenter's
		says         string
	}{
		"wrong password":      {"Login", invalidLogin, vcenter.ErrLogin, "user name or password refused"},
		"expired":             {"Login", strings.ReplaceAll(invalidLogin, "InvalidLogin", "PasswordExpired"), vcenter.ErrExpired, "the password has expired"},
		"STS: wrong password": {"RequestSecurityToken", stsFault("Invalid credentials"), vcenter.ErrLogin, "user name or password refused"},
		"STS: expired":        {"RequestSecurityToken", stsFault(expired), vcenter.ErrExpired, "the password has expired"},
		"STS: locked":         {"RequestSecurityToken", stsFault(locked), vcenter.ErrLocked, "the account is locked"},
		"STS: in other words": {"RequestSecurityToken", stsFault("Ungültige Anmeldedaten"), vcenter.ErrLogin, "user name or password refused"},
		"no permission on any object of this vCenter": {"Login", vimFault("Permission to perform this operation was denied.", `<NoPermissionFault xmlns="urn:vim25" xsi:type="NoPermission"><object type="Folder">group-d1</object><privilegeId>System.View</privilegeId></NoPermissionFault>`), nil, "has no privilege System.View on Folder:group-d1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := serveRecorded(t, map[string]string{c.method: c.body}).connect(t)
			if c.method == "RequestSecurityToken" {
				if err != nil {
					t.Fatal(err)
				}
				_, err = s.SSO(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
			for _, reason := range []error{vcenter.ErrLogin, vcenter.ErrExpired, vcenter.ErrLocked} {
				if want := reason == c.want || reason == vcenter.ErrLogin && c.want != nil; errors.Is(err, reason) != want { //nolint:errorlint // each itself, and one wraps the other
					t.Errorf("is %q: %v", reason, !want)
				}
			}
			if c.method == "RequestSecurityToken" {
				if opened, err := s.ProvePassword(t.Context(), "svc@vsphere.local", secret.New("Any-Secret-1x")); opened || err != nil {
					t.Errorf("proof: %v, %v; a refusal is an answer", opened, err)
				}
			}
		})
	}
}

// A fault that says what is missing in the old way, in both, and in the new one alone: the same is read.
func TestRecordedNoPermission(t *testing.T) {
	t.Parallel()
	const before = `<object type="Folder">group-d1</object><privilegeId>Authorization.ModifyRoles</privilegeId>`
	const since = `<missingPrivileges><entity type="Folder">group-d1</entity><privilegeIds>Authorization.ModifyRoles</privilegeIds></missingPrivileges>`
	root := types.ManagedObjectReference{Type: "Folder", Value: "group-d1"}
	want := []vcenter.Missing{{Privileges: []string{"Authorization.ModifyRoles"}, Object: root}}
	for name, detail := range map[string]string{"without missingPrivileges": before, "with": before + since, "with it alone": since} {
		s, err := serveRecorded(t, map[string]string{
			"AddAuthorizationRole": vimFault("Permission to perform this operation was denied.", `<NoPermissionFault xmlns="urn:vim25" xsi:type="NoPermission">`+detail+`</NoPermissionFault>`),
		}).connect(t)
		if err != nil {
			t.Fatal(err)
		}
		_, err = methods.AddAuthorizationRole(t.Context(), s, &types.AddAuthorizationRole{This: *s.Content.AuthorizationManager, Name: "x"})
		if diff := cmp.Diff(want, vcenter.MissingPrivileges(err)); diff != "" || !vcenter.Refused(err) {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// InvalidPrincipal, which govmomi does not know, is known: with its own namespace before the type, too. A fault of a type
// that nobody knows is a refusal all the same, and no InvalidPrincipal.
func TestRecordedInvalidPrincipal(t *testing.T) {
	t.Parallel()
	unknown := strings.ReplaceAll(invalidPrincipal, "SsoFaultInvalidPrincipalFault", "SsoFaultServiceFault")
	prefixed := `<ns1:SsoFaultInvalidPrincipalFaultFault xmlns:ns1="urn:sso" xsi:type="ns1:SsoFaultInvalidPrincipalFault"><ns1:principal>svc</ns1:principal></ns1:SsoFaultInvalidPrincipalFaultFault>`
	for detail, want := range map[string]bool{invalidPrincipal: true, prefixed: true, unknown: false} {
		s, err := serveRecorded(t, map[string]string{
			"DeleteLocalPrincipal": vimFault("Another user or group already exists with the same name", detail),
		}).connect(t)
		if err != nil {
			t.Fatal(err)
		}
		o, err := s.SSO(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = ssomethods.DeleteLocalPrincipal(t.Context(), o, &ssotypes.DeleteLocalPrincipal{This: o.Content.PrincipalManagementService, PrincipalName: "svc"})
		if got := vcenter.IsInvalidPrincipal(err); got != want || !vcenter.Refused(err) {
			t.Errorf("%s\n%v: is InvalidPrincipal: %v, refused: %v", detail, err, got, vcenter.Refused(err))
		}
	}
}
