package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// wantedAccounts is what a credentials file is held against; no servers = whatever is in it.
type wantedAccounts struct {
	servers    []string
	components []component.Name // empty = all
	spec       *spec.Spec       // of a provisioning file, which names the accounts; nil = none
	all        *spec.Spec       // of any source, which says how vCenters are reached; nil = none
}

// secretKey is what a key of a Secret may consist of; keys are <server>.username and <server>.password.
var secretKey = regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)

// checkCredentials judges the file as the installer and the operators will read it.
func checkCredentials(f *credfile.File, want wantedAccounts) []*finding.Finding {
	c := &credentialCheck{file: f, want: want}
	for _, w := range f.Warnings() {
		c.findings = append(c.findings, finding.New(finding.FileNote, "", "%s", w))
	}
	c.findings = append(c.findings, f.Misread()...)
	for _, server := range want.servers {
		c.section(server)
	}
	for _, server := range f.Servers() {
		if len(want.servers) > 0 && !slices.Contains(want.servers, server) {
			c.add(finding.SectionUnasked, server, "", "is not one of the requested vCenters%s", meantFor(server, without(want.servers, f.Servers())))
			continue
		}
		c.accounts(server)
	}
	return c.findings
}

// without are the names of list that others does not hold.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

// meantFor asks whether one of those that have no section was meant; "" when none is near.
func meantFor(section string, missing []string) string {
	if near := credfile.NearServer(section, missing); near != "" {
		return "; " + didYouMean(near)
	}
	return ""
}

type credentialCheck struct {
	file     *credfile.File
	want     wantedAccounts
	findings []*finding.Finding
}

func (c *credentialCheck) add(code finding.Code, server string, of component.Name, format string, args ...any) {
	c.findings = append(c.findings, finding.New(code, "", format, args...).About(server, of))
}

// section looks for what should be there.
func (c *credentialCheck) section(server string) {
	all := c.file.Servers()
	if !slices.Contains(all, server) {
		spare := without(all, c.want.servers)
		if i := slices.IndexFunc(all, func(s string) bool { return strings.EqualFold(s, server) }); i >= 0 {
			c.add(finding.SectionMissing, server, "", "is written [%s] in the file: the installer is case-sensitive", all[i])
		} else if near := credfile.NearServer(server, spare); near != "" {
			c.add(finding.SectionMissing, server, "", "has no section: did you mean [%s]? The names must match exactly", near)
		} else {
			c.add(finding.SectionMissing, server, "", "has no section")
		}
		return
	}
	_, main := c.file.Get(server, component.Installer)
	profile, _ := openshift.FindProfile("")
	if c.want.all != nil {
		profile, _ = openshift.FindProfile(c.want.all.Profile)
	}
	main = main && profile.Main
	components := c.want.components
	if len(components) == 0 {
		components = component.Default()
	}
	for _, of := range components {
		_, ok := c.file.Get(server, of)
		_, half := c.file.Half(server, of)
		user, password := credfile.Keys(of)
		switch {
		case ok:
		case of == component.Installer && profile.Shared():
			c.add(finding.AccountMissing, server, of, "has no account, and profile %s has no fallback: set both user and password", profile.Name)
		case of == component.Installer:
			c.add(finding.AccountFallback, server, of, "has no account here: the installer uses the one in install-config.yaml")
		case half:
			// said among the accounts of the file
		case main:
			c.add(finding.AccountFallback, server, of, "has no account and will use the main one (%s and %s are not both set)", user, password)
		default:
			c.add(finding.AccountMissing, server, of, "has no account, and there is no main one: set both %s and %s", user, password)
		}
	}
}

// accounts judges what is there.
func (c *credentialCheck) accounts(server string) {
	if !secretKey.MatchString(server) {
		c.add(finding.SectionName, server, "", "cannot be part of a secret's key, so operators cannot find its account: use a host name or an IPv4 address")
	}
	users := map[string]component.Name{}
	for _, of := range component.Names() {
		a, ok := c.file.Get(server, of)
		if !ok {
			if key, half := c.file.Half(server, of); half {
				c.add(finding.AccountHalf, server, of, "%s is set alone, so the installer silently ignores the account: set its user and password", key)
			}
			continue
		}
		if err := credfile.CheckUser(a.User); err != nil {
			c.add(finding.AccountForm, server, of, "%s", err)
		}
		if a.Password.Empty() {
			c.add(finding.AccountForm, server, of, "the password is empty")
		}
		if from := c.file.Inherited(server, of); from != "" {
			c.add(finding.AccountInherits, server, of, "inherits keys from [%s], because ini.v1 treats dots as levels: also write the account in [%s]", from, server)
		}
		c.named(server, of, a.User)
		key := strings.ToLower(a.User)
		if first, shared := users[key]; shared && a.User != "" {
			c.add(finding.AccountShared, server, of, "shares the account %s with %s", a.User, first)
		} else {
			users[key] = of
		}
	}
}

// named holds the user against the one that the provisioning file names.
func (c *credentialCheck) named(server string, of component.Name, user string) {
	s := c.want.spec
	if s == nil || !slices.Contains(c.want.components, of) {
		return
	}
	if text := misnamed(s, of, user); text != "" {
		c.add(finding.AccountOther, server, of, "%s", text)
	}
}

// misnamed says that the specification names another account of a component than a user's; "" where it may be that one.
func misnamed(s *spec.Spec, of component.Name, user string) string {
	switch a := s.Account(of); {
	case a.MayBe(user):
		return ""
	case a.Ours():
		return fmt.Sprintf("is %s, and the specification names %s in the vCenter's own domain", user, a.Name)
	default:
		return fmt.Sprintf("is %s, and the specification names %s", user, a.Principal)
	}
}
