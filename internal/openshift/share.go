package openshift

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
)

// Share is what a vCenter's components get from a set of accounts: what [Manifests] writes, or why
// it refuses. Commands that write secrets, or check them, all judge a credentials file by it.
type Share struct {
	Server  string
	Gets    map[component.Name]credfile.Account // by the component that gets it
	Main    []component.Name                    // who gets the main account by [EmitOptions.MainFor]
	None    []component.Name                    // who gets none
	refused []refusal
	odd     []string // accepted, but reported
}

// refusal is an account that a reader of the secrets would not take.
type refusal struct {
	component component.Name // that gets it
	err       error
}

// Shares are what components get on each server, in a profile without its CredentialsRequests all.
func (e EmitOptions) Shares(servers []string, a Accounts) []Share {
	e = e.WithOptIn(a)
	served := slices.DeleteFunc(component.Names(),
		func(c component.Name) bool { return !e.chosen(c) || !e.profile().Writes(c) })
	if !e.profile().Requests || e.Requests != nil {
		sinks, _ := e.sinks() // none where it is refused for another reason than an account
		served = components(sinks)
	}
	all := make([]Share, len(servers))
	for i, server := range servers {
		all[i] = e.share(server, served, a[server])
	}
	return all
}

// Picked are the accounts that components get, by server.
func Picked(shares []Share) Accounts {
	all := Accounts{}
	for _, s := range shares {
		all[s.Server] = s.Gets
	}
	return all
}

// Lacking are the components that get no account, by server.
func Lacking(shares []Share) map[string][]component.Name {
	all := map[string][]component.Name{}
	for _, s := range shares {
		if len(s.None) > 0 {
			all[s.Server] = s.None
		}
	}
	return all
}

func (e EmitOptions) share(server string, served []component.Name, accounts map[component.Name]credfile.Account) Share {
	s := Share{Server: server, Gets: map[component.Name]credfile.Account{}}
	main, hasMain := accounts[component.Installer]
	for _, c := range served {
		account, own := accounts[c]
		switch {
		case own:
		case hasMain && slices.Contains(e.MainFor, c):
			s.Main = append(s.Main, c)
			account = main
		default:
			s.None = append(s.None, c)
			continue
		}
		s.Gets[c] = account
		warning, err := checkAccount(e.profile().Shared() || c == component.CSIDriver, account)
		if err != nil {
			s.refused = append(s.refused, refusal{c, err})
		} else if warning != "" {
			s.odd = append(s.odd, fmt.Sprintf("%s: %s: %s", server, c, warning))
		}
	}
	return s
}

func (s Share) warnings() []string {
	if len(s.Main) == 0 {
		return s.odd
	}
	return append([]string{fmt.Sprintf("%s: no account of its own for %s: the main account %s is used instead",
		s.Server, names(s.Main), s.Gets[s.Main[0]].User)}, s.odd...)
}

// err says why a profile has no secret of it.
func (s Share) err(p Profile) error {
	var errs []error
	for _, r := range s.refused {
		errs = append(errs, fmt.Errorf("%s: %s: %w", s.Server, r.component, r.err))
	}
	switch {
	case len(s.None) > 0 && p.Shared():
		errs = append(errs, fmt.Errorf("%s: %w that all components share (%s)", s.Server, ErrNoAccount, component.Installer))
	case len(s.None) > 0:
		errs = append(errs, fmt.Errorf("%s: %w for %s", s.Server, ErrNoAccount, names(s.None)))
	}
	return errors.Join(errs...)
}

// Findings report each component without an account of its own, or with a refused one, beside known
// findings of the file. They name other vCenters that have the account. None holds a password.
func (e EmitOptions) Findings(servers []string, a Accounts, known []*finding.Finding) []*finding.Finding {
	var all []*finding.Finding
	add := func(code finding.Code, server string, c component.Name, format string, args ...any) {
		said := func(f *finding.Finding) bool {
			return f.Severity == finding.Error && slices.ContainsFunc(f.Accounts, func(a finding.Account) bool {
				return a.Server == server &&
					(a.Component == c || f.Code == finding.SectionMissing || f.Code == finding.SectionName)
			})
		}
		if !slices.ContainsFunc(known, said) && !slices.ContainsFunc(all, said) {
			all = append(all, finding.New(code, "", format, args...).About(server, c))
		}
	}
	for _, s := range e.Shares(servers, a) {
		if err := CheckServer(s.Server); err != nil {
			add(finding.SectionName, s.Server, "", "%s", err)
		}
		p, main := e.profile(), a[s.Server][component.Installer]
		if main.User == "" && p.Main && e.chosen(component.Installer) &&
			!slices.Contains(s.None, component.Installer) {
			add(finding.AccountFallback, s.Server, component.Installer,
				"has no account here: the installer uses the one in install-config.yaml")
		}
		for _, c := range e.Components { // some have no secret: an identity of Cluster API
			if _, own := a[s.Server][c]; !own && c.OptIn() && c.InCluster() && !slices.Contains(s.None, c) {
				s.None = append(s.None, c)
			}
		}
		for _, c := range s.None {
			userKey, passwordKey := credfile.Keys(c)
			why, chosen := "", ""
			switch {
			case p.Shared():
				why = ", and profile " + p.Name + " has no fallback"
			case p.Main && main.User != "":
				chosen = "; 'secrets emit' gives it the main account " + main.User + " only with --main-account-for"
			}
			add(finding.AccountMissing, s.Server, c, "has no account%s%s: set both %s and %s%s",
				elsewhere(a, c), why, userKey, passwordKey, chosen)
		}
		for _, r := range s.refused {
			add(finding.AccountForm, s.Server, r.component, "%s", r.err)
		}
	}
	return all
}

// elsewhere names a vCenter where a component has what it has not here; "" = it has it nowhere.
func elsewhere(a Accounts, c component.Name) string {
	for _, server := range slices.Sorted(maps.Keys(a)) {
		if _, own := a[server][c]; own {
			return ", unlike on " + server
		}
	}
	return ""
}

// ErrNoAccount says that a component has no account for a secret.
var ErrNoAccount = errors.New("no account")

// root is the secret with the one account that releases share among all components.
var root = component.RootSecret()

// The ends of a secret's keys: <server>.username and <server>.password.
const (
	UserKey     = ".username"
	PasswordKey = ".password"
)

// Accounts holds the accounts by server and component; "installer" is the main account.
type Accounts map[string]map[component.Name]credfile.Account

// Count is how many accounts there are.
func (a Accounts) Count() (n int) {
	for _, own := range a {
		n += len(own)
	}
	return n
}

// FromFile reads the accounts of servers from a credentials file; a server may have none.
func FromFile(f *credfile.File, servers []string) Accounts {
	a := Accounts{}
	for _, server := range servers {
		a[server] = map[component.Name]credfile.Account{}
		for _, c := range component.Names() {
			if account, ok := f.Get(server, c); ok {
				a[server][c] = account
			}
		}
	}
	return a
}

// Only are the accounts of these components, without those that others fall back to.
func (a Accounts) Only(list []component.Name) Accounts {
	only := Accounts{}
	for server, own := range a {
		only[server] = maps.Clone(own)
		maps.DeleteFunc(only[server],
			func(c component.Name, _ credfile.Account) bool { return !slices.Contains(list, c) })
	}
	return only
}

// CheckFilled refuses accounts read from secrets, called file, with placeholders.
func (a Accounts) CheckFilled(file string) error {
	return credfile.CheckFilled(a, func(server string, c component.Name, part string) (place, field string) {
		return file, fmt.Sprintf("%s: %s of %s", server, part, c)
	})
}

// CheckServer refuses names that cannot be in a secret's key, because readers know no escapes.
func CheckServer(server string) error {
	if server == "" {
		return errors.New("a vCenter without a name cannot have a key in a secret")
	}
	var reason string
	switch {
	case strings.Count(server, ":") > 1:
		reason = "an IPv6 address cannot be part of a secret's key"
	case strings.Contains(server, ":"):
		reason = "a name with a port cannot be part of a secret's key"
	case len(validation.IsConfigMapKey(server+".username")) > 0:
		reason = "a secret's key has at most 253 of the characters a-z, A-Z, 0-9, '-', '_' and '.'"
	default:
		return nil
	}
	return fmt.Errorf("%q: %s, and OpenShift reads the key <server>.username exactly: use the vCenter's host name "+
		"(install-config.yaml has a separate field for the port)", server, reason)
}

// UpperCase tells what a vCenter's name in upper case means (openshift/installer,
// pkg/types/vsphere/validation); "" = it is in lower case.
func UpperCase(server string) string {
	lower := strings.ToLower(server)
	if lower == server {
		return ""
	}
	return "openshift-install refuses upper case in a vCenter's name, and components look for their secrets' keys in their own case: write " +
		lower + " everywhere"
}

// checkAccount tells what the component would make of the account; strict: the CSI driver reads it.
func checkAccount(strict bool, a credfile.Account) (warning string, err error) {
	for _, part := range []struct{ name, value string }{{"user name", a.User}, {"password", a.Password.Reveal()}} {
		switch {
		case part.value == "":
			return "", fmt.Errorf("the %s is empty, which the cloud controller manager and others refuse", part.name)
		case strings.ContainsAny(part.value, "\r\n"):
			return "", fmt.Errorf("the %s holds a line break, which the problem detector reports and others trim: remove it", part.name)
		}
	}
	if err := a.CheckFilled(); err != nil {
		return "", err
	}
	if credfile.CheckUser(a.User) == nil {
		if strict {
			return brokenByCSI(a), nil
		}
		return "", nil
	}
	const form = `is neither user@domain nor DOMAIN\user of letters, digits, '.', '_' and '-'`
	if strict {
		return "", fmt.Errorf("user name %q %s, so the CSI driver would not start: use another account",
			a.User, form)
	}
	return fmt.Sprintf("user name %q %s: the problem detector reports such names as UsernameWithoutDomain", a.User, form), nil
}

// brokenByCSI tells which characters of a password the CSI driver's operator breaks up to release
// 4.17, where it writes cloud.conf through ini.v1 (OCPBUGS-84895); "" = none.
func brokenByCSI(a credfile.Account) string {
	if !strings.ContainsAny(a.Password.Reveal(), `"\`) {
		return ""
	}
	return fmt.Sprintf(`the password of %s has a " or a \, which the CSI driver of OpenShift up to 4.17 breaks (OCPBUGS-84895): `+
		"its login fails; give the account another password, or use 4.18 or later", a.User)
}
