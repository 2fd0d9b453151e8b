package installconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/resolution"
)

// Origin is where an account comes from: the step of a [resolution.Resolution].
type Origin = string

// The origins by precedence. There is one credentials file for all accounts: the variable's has no
// fallback (openshift/installer@0f58e82ecf15, pkg/asset/installconfig/vsphere/credentials.go).
const (
	OriginConfig   Origin = "install-config"
	OriginFlag     Origin = "--credentials-file" // in the place of the variable
	OriginVariable Origin = credfile.Variable
	OriginSpec     Origin = "credentialsFile" // of the specification, in the place of the variable
	OriginDefault  Origin = "~/.vsphere/credentials"
	OriginShared   Origin = "shared account" // user and password of the vCenter in the install-config
	OriginNone     Origin = resolution.None
)

// Sources are what the installer may read.
type Sources struct {
	Config *File          // nil = there is none at hand: the shared account is not known
	File   *credfile.File // the credentials file that is read, perhaps an empty one
	From   Origin         // which one that is
	Form   AccountFormat  // that of the profile, where there is no Config; "" = KubeSystem
	Unread *credfile.File // ~/.vsphere/credentials where another one is read; nil = nothing in it
}

// Resolved is what a component gets on a vCenter during installation. From is a file.
type Resolved struct {
	resolution.Resolution
	Component component.Name
	Account   credfile.Account // without a user if it is not known, or there is none
	Conflicts []Origin         // overridden ones with another account or password
	// Unread: the installer does not get the credentials file's main account.
	Unread bool
	Empty  bool // the credentials file has an account without a user or a password, and it is used
}

// Servers are the installer's vCenters: those of the install-config, else all sections.
func (s Sources) Servers() []string {
	if s.Config != nil {
		return s.Config.Servers()
	}
	return s.File.Servers()
}

// Resolve tells for a component on a vCenter which account the installer takes, and from where.
func (s Sources) Resolve(server string, c component.Name) Resolved {
	if c.OptIn() {
		return s.optIn(server, c)
	}
	form := cmp.Or(s.Form, KubeSystem)
	// typed: this installer knows credentialType, or is released, without a credentials file
	typed := form != KubeSystem
	if s.Config != nil {
		form, typed = s.Config.form, s.Config.kind != ""
	}
	alone := c == component.Installer || form == ComponentScoped // only the install-config
	own, main, note := s.config(server, c), s.config(server, component.Installer), ""
	if c == component.Installer && form == ComponentScoped {
		own, note = s.config(server, component.MachineAPI), "openshift-install uses machineManagement"
	}
	inFile, filed := s.File.Get(server, c)
	reads := filed && !typed && !alone && own.User == ""
	unknown := s.Config == nil && !reads // the one that has it is not at hand
	if unknown {
		note = join(note, "only the install-config has it, which was not given")
	}
	var l ladder
	if own.User != "" || unknown && alone {
		l.add(OriginConfig, s.path(), own, note, true)
	}
	switch {
	case reads:
		l.add(s.From, s.File.Path(), inFile, join(s.inherited(server, c), empty(c, inFile)), true)
	case filed:
		l.add(s.From, s.File.Path(), inFile, s.unread(c, form, typed), false)
	}
	if s.Unread != nil {
		if a, there := s.Unread.Get(server, c); there {
			l.add(OriginDefault, s.Unread.Path(), a,
				fmt.Sprintf("not read, because %s names another file", s.From), false)
		}
	}
	switch half := s.half(server, c); {
	case c == component.Installer:
	case unknown && !alone:
		l.add(OriginShared, s.path(), main, join(half, note), true)
	case main.User != "" && !alone && !reads && own.User == "":
		l.add(OriginShared, s.path(), main, half, true)
	case main.User != "":
		l.add(OriginShared, s.path(), main, "only for components without an account", false)
	}
	r := Resolved{Resolution: resolution.Resolve(string(c), server, l.sources...), Component: c, Empty: reads && empty(c, inFile) != ""}
	switch {
	case r.Step == OriginNone && !alone:
		r.Why = s.half(server, c)
	case r.Step == OriginNone:
		r.Why = note
	default:
		r.Account = l.accounts[r.Step]
	}
	if c != component.Installer || form != ComponentScoped { // else there is no main account
		r.Conflicts = l.conflicts(r)
		r.Unread = c == component.Installer && filed &&
			(r.Account.User == "" || slices.Contains(r.Conflicts, s.From))
	}
	return r
}

// optIn resolves a component unknown to openshift-install: only the credentials file may have it.
func (s Sources) optIn(server string, c component.Name) Resolved {
	var l ladder
	if a, ok := s.File.Get(server, c); ok {
		l.add(s.From, s.File.Path(), a,
			"openshift-install does not know this component: use 'secrets emit' or 'identity emit'", true)
	}
	r := Resolved{Resolution: resolution.Resolve(string(c), server, l.sources...), Component: c}
	r.Account = l.accounts[r.Step]
	return r
}

// ladder are the sources of a component by precedence, and their accounts.
type ladder struct {
	sources  []resolution.Source
	accounts map[Origin]credfile.Account
}

func (l *ladder) add(from Origin, path string, a credfile.Account, why string, takes bool) {
	if l.accounts == nil {
		l.accounts = map[Origin]credfile.Account{}
	}
	l.accounts[from] = a
	l.sources = append(l.sources, resolution.Source{
		Candidate: resolution.Candidate{Step: from, From: path, User: a.User, Why: why},
		Takes:     takes,
	})
}

// conflicts are the steps with another account than the used one, except the shared one.
func (l *ladder) conflicts(r Resolved) []Origin {
	var steps []Origin
	for _, o := range r.Overridden {
		a := l.accounts[o.Step]
		if o.Step != OriginShared && a.User != "" && r.Account.User != "" &&
			!(strings.EqualFold(a.User, r.Account.User) && a.Password.Equal(r.Account.Password)) {
			steps = append(steps, o.Step)
		}
	}
	return steps
}

func (s Sources) unread(c component.Name, form AccountFormat, typed bool) string {
	switch {
	case c == component.Installer:
		return credfile.MainUnread
	case s.Config == nil && form == Passthrough:
		return "released installers do not read a credentials file"
	case typed || form == ComponentScoped:
		return "installers with credentialType do not read a credentials file"
	}
	return "the install-config takes precedence"
}

func (s Sources) path() string {
	if s.Config == nil {
		return ""
	}
	return s.Config.Name()
}

// config is the account that stands in the install-config itself.
func (s Sources) config(server string, c component.Name) credfile.Account {
	if s.Config == nil {
		return credfile.Account{}
	}
	return s.Config.Accounts()[server][c]
}

func (s Sources) inherited(server string, c component.Name) string {
	if from := s.File.Inherited(server, c); from != "" {
		return fmt.Sprintf("inherited from section [%s], because ini.v1 treats dots as levels", from)
	}
	return ""
}

// empty names an account's keys without a value, which the installer accepts; "" if none.
func empty(c component.Name, a credfile.Account) string {
	switch user, password := a.User == "", a.Password.Empty(); {
	case user && password:
		return fmt.Sprintf("%s.user and %s.password are empty: the installer takes them as they are", c, c)
	case user:
		return fmt.Sprintf("%s.user is empty: the installer takes it as it is", c)
	case password:
		return fmt.Sprintf("%s.password is empty: the installer takes it as it is", c)
	}
	return ""
}

// half says why an account of the file is dropped without a word, and why a section is not found.
func (s Sources) half(server string, c component.Name) string {
	if key, half := s.File.Half(server, c); half {
		return fmt.Sprintf("%s is set alone in the credentials file, so the installer ignores it", key)
	}
	if section := s.File.OtherCase(server); section != "" {
		return fmt.Sprintf("section [%s] is not read: the installer is case-sensitive", section)
	}
	return ""
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
