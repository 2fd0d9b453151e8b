package credfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// Wanted is what a credentials file is held against; no servers = whatever is in it.
type Wanted struct {
	Servers    []string
	Components []component.Name                            // that Misnamed knows
	Misnamed   func(of component.Name, user string) string // says that another user is named; nil = none is
}

// secretKey is what a key of a Secret may consist of; keys are <server>.username and <server>.password.
var secretKey = pattern.Of(`^[-._a-zA-Z0-9]+$`)

// FitsSecretKey reports whether the name of a vCenter can be part of a key of a Secret.
func FitsSecretKey(server string) bool { return secretKey().MatchString(server) }

// Judge says which sections the installer and the operators will not find in the file, and what they read otherwise than it looks.
// Whether each component gets an account depends on how OpenShift gets them: see openshift.EmitOptions.Findings.
func (f *File) Judge(want Wanted) []*finding.Finding {
	c := &judgement{file: f, want: want}
	for _, w := range f.Warnings() {
		c.findings = append(c.findings, finding.New(finding.FileNote, "", "%s", w))
	}
	c.findings = append(c.findings, f.Misread()...)
	for _, server := range want.Servers {
		c.section(server)
	}
	for _, server := range f.Servers() {
		if len(want.Servers) > 0 && !slices.Contains(want.Servers, server) {
			c.add(finding.SectionUnasked, server, "", "is not one of the requested vCenters%s", Meant(server, lists.Without(want.Servers, f.Servers())))
			continue
		}
		c.accounts(server)
	}
	return c.findings
}

// Meant asks whether a section is meant for one of the vCenters that have none; "" when no name is near.
func Meant(section string, missing []string) string {
	if near := NearServer(section, missing); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

type judgement struct {
	file     *File
	want     Wanted
	findings []*finding.Finding
}

func (c *judgement) add(code finding.Code, server string, of component.Name, format string, args ...any) {
	c.findings = append(c.findings, finding.New(code, "", format, args...).About(server, of))
}

// section looks for the one that should be there.
func (c *judgement) section(server string) {
	all := c.file.Servers()
	if !slices.Contains(all, server) {
		spare := lists.Without(all, c.want.Servers)
		if i := slices.IndexFunc(all, func(s string) bool { return strings.EqualFold(s, server) }); i >= 0 {
			c.add(finding.SectionMissing, server, "", "is written [%s] in the file: the installer is case-sensitive", all[i])
		} else if near := NearServer(server, spare); near != "" {
			c.add(finding.SectionMissing, server, "", "has no section: did you mean [%s]? The names must match exactly", near)
		} else {
			c.add(finding.SectionMissing, server, "", "has no section")
		}
	}
}

// accounts judges what is there.
func (c *judgement) accounts(server string) {
	if !FitsSecretKey(server) {
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
		unfilled := c.file.written(server, of).Unfilled()
		for _, part := range unfilled {
			line, _, key := c.file.line(server, of, part)
			c.add(finding.AccountPlaceholder, server, of, "%s %v: fill it in", key, ErrPlaceholder)
			c.findings[len(c.findings)-1].Line = line
		}
		if len(unfilled) > 0 {
			continue
		}
		if err := CheckUser(a.User); err != nil {
			c.add(finding.AccountForm, server, of, "%s", err)
		}
		if a.Password.Empty() {
			c.add(finding.AccountForm, server, of, "the password is empty")
		}
		if from := c.file.Inherited(server, of); from != "" {
			c.add(finding.AccountInherits, server, of, "inherits keys from [%s], because ini.v1 treats dots as levels: also write the account in [%s]", from, server)
		}
		if c.want.Misnamed != nil && slices.Contains(c.want.Components, of) {
			if text := c.want.Misnamed(of, a.User); text != "" {
				c.add(finding.AccountOther, server, of, "%s", text)
			}
		}
		key := strings.ToLower(a.User)
		if first, shared := users[key]; shared && a.User != "" {
			c.add(finding.AccountShared, server, of, "shares the account %s with %s", a.User, first)
		} else {
			users[key] = of
		}
	}
}

// Lacking are the components that have no account in the sections of vCenters.
func (f *File) Lacking(servers []string, components []component.Name) map[string][]component.Name {
	lack := map[string][]component.Name{}
	for _, server := range servers {
		for _, c := range components {
			if _, ok := f.Get(server, c); !ok {
				lack[server] = append(lack[server], c)
			}
		}
	}
	return lack
}
