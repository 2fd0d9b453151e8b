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
	Misnamed   func(of component.Name, user string) string // names another user of the specification; may be nil
}

// secretKey is what Kubernetes allows in a key of a Secret: here <server>.username and
// <server>.password.
var secretKey = pattern.Of(`^[-._a-zA-Z0-9]+$`)

// FitsSecretKey reports whether the name of a vCenter can be part of a key of a Secret.
func FitsSecretKey(server string) bool { return secretKey().MatchString(server) }

// Judge finds the sections that installer and operators will not find, and the lines that they
// misread. See openshift.EmitOptions.Findings for accounts that components lack.
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
			c.add(finding.SectionUnasked, server, "", "is not one of the requested vCenters%s",
				Meant(server, lists.Without(want.Servers, f.Servers())))
			continue
		}
		c.accounts(server)
	}
	return c.findings
}

// Meant is the missing vCenter that a section is probably meant for; "" if no name is near.
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

func (j *judgement) add(code finding.Code, server string, of component.Name, format string, args ...any) {
	j.findings = append(j.findings, finding.New(code, "", format, args...).About(server, of))
}

// section looks for the one that should be there.
func (j *judgement) section(server string) {
	all := j.file.Servers()
	if !slices.Contains(all, server) {
		spare := lists.Without(all, j.want.Servers)
		if i := slices.IndexFunc(all, func(s string) bool { return strings.EqualFold(s, server) }); i >= 0 {
			j.add(finding.SectionMissing, server, "",
				"is written [%s] in the file: the installer is case-sensitive", all[i])
		} else if near := NearServer(server, spare); near != "" {
			j.add(finding.SectionMissing, server, "",
				"has no section: did you mean [%s]? The names must match exactly", near)
		} else {
			j.add(finding.SectionMissing, server, "", "has no section")
		}
	}
}

func (j *judgement) accounts(server string) {
	if !FitsSecretKey(server) {
		j.add(finding.SectionName, server, "", "cannot be part of a secret's key, so operators cannot find its account: use a host name or an IPv4 address")
	}
	users := map[string]component.Name{}
	for _, of := range component.Names() {
		a, ok := j.file.Get(server, of)
		if !ok {
			if key, half := j.file.Half(server, of); half {
				j.add(finding.AccountHalf, server, of,
					"%s is set alone, so the installer silently ignores the account: set its user and password",
					key)
			}
			continue
		}
		unfilled := j.file.written(server, of).Unfilled()
		for _, part := range unfilled {
			line, _, key := j.file.line(server, of, part)
			j.add(finding.AccountPlaceholder, server, of, "%s %v: fill it in", key, ErrPlaceholder)
			j.findings[len(j.findings)-1].Line = line
		}
		if len(unfilled) > 0 {
			continue
		}
		if err := CheckUser(a.User); err != nil {
			j.add(finding.AccountForm, server, of, "%s", err)
		}
		if a.Password.Empty() {
			j.add(finding.AccountForm, server, of, "the password is empty")
		}
		if from := j.file.Inherited(server, of); from != "" {
			j.add(finding.AccountInherits, server, of,
				"inherits keys from [%s], because ini.v1 treats dots as levels: also write the account in [%s]",
				from, server)
		}
		if j.want.Misnamed != nil && slices.Contains(j.want.Components, of) {
			if text := j.want.Misnamed(of, a.User); text != "" {
				j.add(finding.AccountOther, server, of, "%s", text)
			}
		}
		key := strings.ToLower(a.User)
		if first, shared := users[key]; shared && a.User != "" {
			j.add(finding.AccountShared, server, of, "shares the account %s with %s", a.User, first)
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

// driverUser is the form of user names that the CSI driver insists on, or it does not start
// (openshift/vmware-vsphere-csi-driver@6b18bb29fc45, pkg/common/config/config.go).
var driverUser = pattern.Of(`^(?:[a-zA-Z0-9.-]+\\[a-zA-Z0-9._-]+|[a-zA-Z0-9._-]+@[a-zA-Z0-9.-]+)$`)

// CheckUser says why the CSI driver would not start with a user name; the problem detector reports
// it as UsernameWithoutDomain.
func CheckUser(user string) error {
	switch {
	case len(user) > MaxValue:
		return fmt.Errorf("the user name has %d bytes, more than %d", len(user), MaxValue)
	case driverUser().MatchString(user):
		return nil
	case user == "":
		return fmt.Errorf("the user name is empty")
	case !strings.ContainsAny(user, `@\`):
		return fmt.Errorf(`user %q has no domain: name@domain or DOMAIN\name`, user)
	}
	return fmt.Errorf(`user %q is not of the form that the CSI driver takes: name@domain or DOMAIN\name, with letters, digits, `+
		`dots and hyphens, and underscores in the name`, user)
}
