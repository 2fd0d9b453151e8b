package directory

import (
	"slices"
	"strings"
	"time"
)

// The account and the group that every SSO domain has for its administration (R34).
const (
	Administrator  = "Administrator"
	Administrators = "Administrators"
)

// Everyone is the implicit group: everybody is in it, nobody lists its members, and no search finds it.
const Everyone = "Everyone"

// usersGroup is where the persons of the SSO domain are, the created ones too (recorded,
// lamw/vcenter-authn-authz-log-examples@d2b943d).
const usersGroup = "Users"

// presetGroups are those that an installed SSO domain brings along (vSphere Authentication, "Groups in
// the vCenter Single Sign-On Domain").
var presetGroups = []struct{ name, description string }{
	{usersGroup, "The users of the SSO domain"},
	{Everyone, "Everybody who can log in"},
	{Administrators, "Administrators of the SSO domain and its services"},
	{"SolutionUsers", "Well-known solution users' group"},
	{"ActAsUsers", "Act-As Users"},
	{"CAAdmins", "Administrators of the certificate authority"},
	{"DCAdmins", "Administrators of the directory service"},
	{"DCClients", "Services that read the directory service"},
	{"ExternalIDPUsers", "Users of external identity providers"},
	{"ComponentManager.Administrators", "Administrators of the component manager"},
	{"LicenseService.Administrators", "Administrators of licences"},
	{"SystemConfiguration.Administrators", "Administrators of the system configuration"},
	{"SystemConfiguration.BashShellAdministrators", "Administrators of the shell of the appliance"},
	{"TrustedAdmins", "Administrators of trusted hosts"},
}

func isPreset(group string) bool {
	for _, g := range presetGroups {
		if strings.EqualFold(g.name, group) {
			return true
		}
	}
	return false
}

// presetSolutions are the services' own accounts; a real domain adds the node's id to each name.
var presetSolutions = []string{"machine", "vpxd", "vpxd-extension", "vsphere-webclient"}

// source is an identity source.
type source struct {
	IdentitySource
	unreachable bool
}

// IdentitySource is a directory that vCenter asks for users and groups.
type IdentitySource struct {
	Name, Alias string
	Type        string // "System", "LocalOS", "ActiveDirectory" or "OpenLdap"
	URL         string // of an LDAP server
}

func (d *Directory) preset(adminPassword string) {
	d.sources[strings.ToLower(d.domain)] = &source{IdentitySource: IdentitySource{Name: d.domain, Type: "System"}}
	d.sources["localos"] = &source{IdentitySource: IdentitySource{Name: "localos", Type: "LocalOS"}}
	for _, g := range presetGroups {
		_ = d.addGroup(g.name+"@"+d.domain, g.description, time.Time{})
	}
	_ = d.add(&account{
		Principal: Principal{Domain: d.domain, Name: Administrator},
		details:   Details{FirstName: Administrator, LastName: d.domain},
		password:  adminPassword, changed: d.now(),
	})
	_ = d.add(&account{Principal: Principal{Domain: "localos", Name: "root"}, changed: d.now()})
	_ = d.addGroup("root@localos", "", time.Time{})
	for _, g := range []string{
		Administrators, "ActAsUsers", "CAAdmins", "ComponentManager.Administrators", "LicenseService.Administrators",
		"SystemConfiguration.Administrators", "SystemConfiguration.BashShellAdministrators",
	} {
		_, _ = d.join(g, Administrator, false)
	}
	for _, name := range presetSolutions {
		_ = d.add(&account{Principal: Principal{Domain: d.domain, Name: name}, kind: solution, changed: d.now()})
		_, _ = d.join("SolutionUsers", name, false)
	}
	_, _ = d.join(Administrators, "vpxd-extension", false)
}

// AddIdentitySource joins an Active Directory or LDAP domain; add its users and groups afterwards.
func (d *Directory) AddIdentitySource(s IdentitySource) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	k := strings.ToLower(s.Name)
	if s.Name == "" || d.sources[k] != nil {
		return ErrDuplicate
	}
	d.sources[k] = &source{IdentitySource: s}
	return nil
}

// SetReachable cuts or restores the connection to an identity source; names of it are then unresolved (R32).
func (d *Directory) SetReachable(domain string, reachable bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sources[strings.ToLower(domain)]
	if s == nil {
		return ErrAbsent
	}
	s.unreachable = !reachable
	return nil
}

// SetDefaultDomain changes the domain that a bare name belongs to (R28).
func (d *Directory) SetDefaultDomain(domain string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sources[strings.ToLower(domain)]
	if s == nil {
		return ErrNoDomain
	}
	d.fallback = s.Name
	return nil
}

// IdentitySources lists them, the SSO domain first, the others by name.
func (d *Directory) IdentitySources() []IdentitySource {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []IdentitySource
	for _, s := range d.sources {
		out = append(out, s.IdentitySource)
	}
	slices.SortFunc(out, func(a, b IdentitySource) int {
		if sys := a.Type == "System"; sys != (b.Type == "System") {
			if sys {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out
}

// twoNamespaces reports whether users and groups of a domain may have the same name: those of an operating system (root and
// root) and of an LDAP server can, those of the SSO domain and of Active Directory (sAMAccountName) cannot.
func (d *Directory) twoNamespaces(domain string) bool {
	source := d.sources[strings.ToLower(domain)]
	return source != nil && source.Type != "System" && source.Type != "ActiveDirectory"
}
