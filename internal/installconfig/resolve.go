package installconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

// Origin is where an account comes from.
type Origin string

// The origins by precedence. Which credentials file is read is one decision for all accounts: there is no fallback from
// the variable's to the other (openshift/installer@0f58e82ecf15, pkg/asset/installconfig/vsphere/credentials.go).
const (
	OriginConfig   Origin = "install-config"
	OriginFlag     Origin = "--credentials-file" // in the place of the variable
	OriginVariable Origin = credfile.Variable
	OriginSpec     Origin = "credentialsFile" // of the specification, in the place of the variable
	OriginDefault  Origin = "~/.vsphere/credentials"
	OriginShared   Origin = "shared account" // user and password of the vCenter in the install-config
	OriginNone     Origin = "none"
)

// Sources are what the installer may read.
type Sources struct {
	Config *File          // nil = there is none at hand: the shared account is not known
	File   *credfile.File // the credentials file that is read, perhaps an empty one
	From   Origin         // which one that is
	Form   Form           // that of the profile, where there is no Config; "" = KubeSystem
	Unread *credfile.File // ~/.vsphere/credentials where another one is read; nil = nothing in it
}

// Candidate is an account that is not used.
type Candidate struct {
	Origin Origin
	User   string
	Why    string
}

// Resolved is what one component gets on one vCenter.
type Resolved struct {
	Server     string
	Component  component.Name
	Account    credfile.Account // without a user if it is not known, or there is none
	Origin     Origin
	Overridden []Candidate // by precedence
	Note       string
}

// Servers lists the vCenters that the installer would ask for: those of the install-config, else all sections.
func (s Sources) Servers() []string {
	if s.Config != nil {
		return s.Config.Servers()
	}
	return s.File.Servers()
}

// Resolve tells for a component on a vCenter which account the installer takes, and from where.
func (s Sources) Resolve(server string, c component.Name) Resolved {
	r := Resolved{Server: server, Component: c, Origin: OriginNone}
	form := cmp.Or(s.Form, KubeSystem)
	typed := form != KubeSystem // typed: the installer is one that knows credentialType, or one of a release, and no credentials file
	if s.Config != nil {
		form, typed = s.Config.form, s.Config.kind != ""
	}
	own, main := s.config(server, c), s.config(server, component.Installer)
	inFile, ok := s.File.Get(server, c)
	switch {
	case c == component.Installer && form == ComponentScoped:
		r.take(OriginConfig, s.config(server, component.MachineAPI), "openshift-install works with machineManagement")
	case c == component.Installer:
		r.take(OriginConfig, main, "")
	case own.User != "" || form == ComponentScoped:
		r.take(OriginConfig, own, "")
	case ok && !typed:
		r.take(s.From, inFile, s.inherited(server, c))
	default:
		r.take(OriginShared, main, s.half(server, c))
	}
	if s.Config == nil && r.Account.User == "" {
		r.Note = join(r.Note, "the install-config was not given, which has it")
		r.Origin = OriginShared
		if c == component.Installer || form == ComponentScoped {
			r.Origin = OriginConfig
		}
	}
	switch {
	case !ok || r.Origin == s.From:
	case c == component.Installer:
		r.pass(s.From, inFile, "openshift-install reads no user and password of a section")
	case s.Config == nil && form == Passthrough:
		r.pass(s.From, inFile, "the installer of a release reads no credentials file")
	case typed || form == ComponentScoped:
		r.pass(s.From, inFile, "an installer that knows credentialType reads no credentials file")
	default:
		r.pass(s.From, inFile, "the install-config goes before it")
	}
	if s.Unread != nil {
		if a, there := s.Unread.Get(server, c); there {
			r.pass(OriginDefault, a, fmt.Sprintf("not read, because %s names another file", s.From))
		}
	}
	if c != component.Installer && r.Origin != OriginShared && main.User != "" {
		r.pass(OriginShared, main, "for components without an account only")
	}
	return r
}

// config is the account that stands in the install-config itself.
func (s Sources) config(server string, c component.Name) credfile.Account {
	if s.Config == nil {
		return credfile.Account{}
	}
	return s.Config.Accounts()[server][c]
}

func (r *Resolved) take(from Origin, a credfile.Account, note string) {
	if a.User != "" {
		r.Origin, r.Account = from, a
	}
	r.Note = note
}

func (r *Resolved) pass(from Origin, a credfile.Account, why string) {
	r.Overridden = append(r.Overridden, Candidate{from, a.User, why})
}

func (s Sources) inherited(server string, c component.Name) string {
	if from := s.File.Inherited(server, c); from != "" {
		return fmt.Sprintf("taken from section [%s], because ini.v1 hands keys down along dots", from)
	}
	return ""
}

// half says why an account of the file is dropped without a word, and why a section is not found.
func (s Sources) half(server string, c component.Name) string {
	if key, half := s.File.Half(server, c); half {
		return fmt.Sprintf("%s stands alone in the credentials file, so the installer drops it", key)
	}
	sections := s.File.Servers()
	if i := slices.IndexFunc(sections, func(n string) bool { return strings.EqualFold(n, server) && n != server }); i >= 0 {
		return fmt.Sprintf("section [%s] is not read: the installer tells upper from lower case", sections[i])
	}
	return ""
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
