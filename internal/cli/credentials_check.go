package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// credentialIssue is something about one account, section or the file as a whole.
type credentialIssue struct {
	Server    string               `json:"server,omitempty"`
	Component privileges.Component `json:"component,omitempty"`
	Message   string               `json:"message"`
}

// wantedAccounts is what a credentials file is held against; no servers = whatever is in it.
type wantedAccounts struct {
	servers    []string
	components []privileges.Component // empty = all
}

// driverUser is the form of user names that the CSI driver insists on, or it does not start
// (openshift/vmware-vsphere-csi-driver@6b18bb29fc45:pkg/common/config/config.go).
var driverUser = regexp.MustCompile(`^(?:[a-zA-Z0-9.-]+\\[a-zA-Z0-9._-]+|[a-zA-Z0-9._-]+@[a-zA-Z0-9.-]+)$`)

// secretKey is what a key of a Secret may consist of; keys are <server>.username and <server>.password.
var secretKey = regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)

// checkCredentials judges the file as the installer and the operators will read it.
func checkCredentials(f *credfile.File, want wantedAccounts) (problems, notes []credentialIssue) {
	c := &credentialCheck{file: f, want: want}
	for _, w := range f.Warnings() {
		c.note("", "", "%s", w)
	}
	for _, server := range want.servers {
		c.section(server)
	}
	for _, server := range f.Servers() {
		if len(want.servers) > 0 && !slices.Contains(want.servers, server) {
			c.note(server, "", "is not among the vCenters asked for")
			continue
		}
		c.accounts(server)
	}
	return c.problems, c.notes
}

type credentialCheck struct {
	file            *credfile.File
	want            wantedAccounts
	problems, notes []credentialIssue
}

func (c *credentialCheck) problem(server string, component privileges.Component, format string, args ...any) {
	c.problems = append(c.problems, credentialIssue{server, component, fmt.Sprintf(format, args...)})
}

func (c *credentialCheck) note(server string, component privileges.Component, format string, args ...any) {
	c.notes = append(c.notes, credentialIssue{server, component, fmt.Sprintf(format, args...)})
}

// section looks for what should be there.
func (c *credentialCheck) section(server string) {
	all := c.file.Servers()
	if !slices.Contains(all, server) {
		if i := slices.IndexFunc(all, func(s string) bool { return strings.EqualFold(s, server) }); i >= 0 {
			c.problem(server, "", "is spelt [%s] in the file: the installer tells upper from lower case", all[i])
		} else {
			c.problem(server, "", "has no section")
		}
		return
	}
	_, main := c.file.Get(server, credfile.Installer)
	components := c.want.components
	if len(components) == 0 {
		components = privileges.Components()
	}
	for _, component := range components {
		_, ok := c.file.Get(server, string(component))
		user, password := string(component)+".user", string(component)+".password"
		switch {
		case ok:
		case component == privileges.Installer:
			c.note(server, component, "has no account here: the installer takes its own from install-config.yaml")
		case main:
			c.note(server, component, "has no account: it will use the main one (%s and %s are not both there)", user, password)
		default:
			c.problem(server, component, "has no account, and there is no main one: %s and %s must both be there", user, password)
		}
	}
}

// accounts judges what is there.
func (c *credentialCheck) accounts(server string) {
	if !secretKey.MatchString(server) {
		c.problem(server, "", "cannot be part of a secret's key, so no operator finds its account: use a host name or an IPv4 address")
	}
	users := map[string]privileges.Component{}
	for _, component := range privileges.Components() {
		a, ok := c.file.Get(server, string(component))
		if !ok {
			continue
		}
		switch {
		case a.User == "":
			c.problem(server, component, "the user is empty")
		case !strings.ContainsAny(a.User, `@\`):
			c.problem(server, component, `user %q has no domain: name@domain or DOMAIN\name`, a.User)
		case !driverUser.MatchString(a.User):
			c.problem(server, component, `user %q: the CSI driver takes name@domain or DOMAIN\name with letters, digits, dots, hyphens and underscores`, a.User)
		}
		if a.Password.Empty() {
			c.problem(server, component, "the password is empty")
		}
		key := strings.ToLower(a.User)
		if first, shared := users[key]; shared && a.User != "" {
			c.note(server, component, "shares the account %s with %s", a.User, first)
		} else {
			users[key] = component
		}
	}
}
