package vcsim

import (
	"maps"
	"net/http"
	"sync"

	"github.com/google/uuid"
	"github.com/vmware/govmomi/ssoadmin/types"
	vim "github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// ssoCookie holds an SSO login; it is not the cookie of a vim25 session.
const ssoCookie = "JSESSIONID"

// ssoService is the SSO administration service of one vCenter. Its data are the Directory's; only the
// logins are its own.
type ssoService struct {
	dir   *directory.Directory
	trust []string // certificates that sign tokens, base64 DER

	mu       sync.Mutex
	sessions map[string]directory.Principal // by cookie
}

// reference of a service object; a real SSO service uses the same type names.
func ssoRef(kind, value string) vim.ManagedObjectReference {
	return vim.ManagedObjectReference{Type: kind, Value: value}
}

func ssoContent() types.AdminServiceContent {
	return types.AdminServiceContent{
		SessionManager:                  ssoRef("SsoSessionManager", "ssoSessionManager"),
		ConfigurationManagementService:  ssoRef("SsoAdminConfigurationManagementService", "configurationManagementService"),
		SmtpManagementService:           ssoRef("SsoAdminSmtpManagementService", "smtpManagementService"),
		PrincipalDiscoveryService:       ssoRef("SsoAdminPrincipalDiscoveryService", "principalDiscoveryService"),
		PrincipalManagementService:      ssoRef("SsoAdminPrincipalManagementService", "principalManagementService"),
		RoleManagementService:           ssoRef("SsoAdminRoleManagementService", "roleManagementService"),
		PasswordPolicyService:           ssoRef("SsoAdminPasswordPolicyService", "passwordPolicyService"),
		LockoutPolicyService:            ssoRef("SsoAdminLockoutPolicyService", "lockoutPolicyService"),
		DomainManagementService:         ssoRef("SsoAdminDomainManagementService", "domainManagementService"),
		IdentitySourceManagementService: ssoRef("SsoAdminIdentitySourceManagementService", "identitySourceManagementService"),
		SystemManagementService:         ssoRef("SsoAdminSystemManagementService", "systemManagementService"),
		ComputerManagementService:       ssoRef("SsoAdminComputerManagementService", "computerManagementService"),
		SsoHealthManagementService:      ssoRef("SsoAdminSsoHealthManagementService", "ssoHealthManagementService"),
		DeploymentInformationService:    ssoRef("SsoAdminDeploymentInformationService", "deploymentInformationService"),
		ReplicationService:              ssoRef("SsoAdminReplicationService", "replicationService"),
	}
}

func newSSOEndpoint(s *ssoService) *soapEndpoint {
	s.sessions = map[string]directory.Principal{}
	e := &soapEndpoint{namespace: "sso", admit: s.admit, requests: ssoRequests(), methods: map[string]soapMethod{
		"SsoAdminServiceInstance.SsoAdminServiceInstance": method(func(*soapCall, *types.SsoAdminServiceInstance) (*types.SsoAdminServiceInstanceResponse, error) {
			return &types.SsoAdminServiceInstanceResponse{Returnval: ssoContent()}, nil
		}),
		"SsoGroupcheckServiceInstance.SsoGroupcheckServiceInstance": method(func(*soapCall, *types.SsoGroupcheckServiceInstance) (*types.SsoGroupcheckServiceInstanceResponse, error) {
			return &types.SsoGroupcheckServiceInstanceResponse{Returnval: types.GroupcheckServiceContent{
				SessionManager:    ssoContent().SessionManager,
				GroupCheckService: ssoRef("SsoGroupcheckGroupCheckService", "groupCheckService"),
			}}, nil
		}),
		"SsoSessionManager.Login":  method(s.login),
		"SsoSessionManager.Logout": method(s.logout),
		"SsoAdminConfigurationManagementService.GetTrustedCertificates": method(func(*soapCall, *types.GetTrustedCertificates) (*types.GetTrustedCertificatesResponse, error) {
			return &types.GetTrustedCertificatesResponse{Returnval: s.trust}, nil
		}),
	}}
	maps.Copy(e.methods, s.discovery())
	maps.Copy(e.methods, s.principals())
	maps.Copy(e.methods, s.expiry())
	maps.Copy(e.methods, s.groups())
	maps.Copy(e.methods, s.roles())
	maps.Copy(e.methods, s.policies())
	maps.Copy(e.methods, s.identitySources())
	return e
}

func (s *ssoService) caller(c *soapCall) (directory.Principal, bool) {
	cookie, err := c.request.Cookie(ssoCookie)
	if err != nil {
		return directory.Principal{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.sessions[cookie.Value]
	return p, ok
}

// noteTo records each call with who made it; the owner of a login's token.
func (s *ssoService) noteTo(j journal) func(*soapCall) func(error) {
	if j == nil {
		return nil
	}
	return func(c *soapCall) func(error) {
		p, known := s.caller(c)
		if c.Name == "Login" {
			var invalid error
			p, invalid = tokenPrincipal(s.dir, c.Header)
			known = invalid == nil
		}
		var who string
		if known {
			who = p.String()
		}
		return func(err error) { j.call("sso", c.Name, who, err) }
	}
}

func (s *ssoService) login(c *soapCall, _ *types.Login) (*types.LoginResponse, error) {
	p, err := tokenPrincipal(s.dir, c.Header)
	if err != nil {
		return nil, &soapError{"SsoFaultInvalidCredentials", &vim.InvalidLogin{}, "Invalid credentials: " + err.Error()}
	}
	id := uuid.NewString()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[id] = p
	cookie := http.Cookie{Name: ssoCookie, Value: id, Path: ssoPath, Secure: true, HttpOnly: true}
	c.header.Add("Set-Cookie", cookie.String())
	return &types.LoginResponse{}, nil
}

func (s *ssoService) logout(c *soapCall, _ *types.Logout) (*types.LogoutResponse, error) {
	s.end(c.request)
	return &types.LogoutResponse{}, nil
}

// end forgets the SSO login of a request.
func (s *ssoService) end(r *http.Request) {
	if cookie, err := r.Cookie(ssoCookie); err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.sessions, cookie.Value)
	}
}

// reachable runs f, a method that works on the directory, where that can be reached, and turns its error into a fault.
func reachable[Req, Res any](s *ssoService, f func(*Req) (*Res, error)) soapMethod {
	return method(func(_ *soapCall, req *Req) (*Res, error) {
		if err := s.searchable(req); err != nil {
			return nil, ssoFault(err)
		}
		res, err := f(req)
		return res, ssoFault(err)
	})
}
