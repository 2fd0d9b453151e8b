// Package installconfig reads and writes the accounts of an install-config.yaml.
//
// The file belongs to the administrator: only lines with set values change; order, comments, empty
// lines and quotes of all else keep their bytes. Two unmerged designs say where components'
// accounts stand: see [AccountFormat]. Each change is read back and compared before it is returned.
package installconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// The names of what is read (openshift/installer, pkg/types/vsphere).
const (
	platformField       = "platform"
	vsphereField        = "vsphere"
	vcentersField       = "vcenters"
	failureDomainsField = "failureDomains"
	credentialTypeField = "credentialType" //nolint:gosec // the name of a field
	credentialsField    = "componentCredentials"
	modeField           = "credentialsMode"
	serverField         = "server"
	datacentersField    = "datacenters"
	regionField         = "region"
	zoneField           = "zone"
	topologyField       = "topology"
	networksField       = "networks"
	networkField        = "network"
	userField           = "user"
	passwordField       = "password"

	typeGlobal = "global"
	typeScoped = "component-scoped"
	modeManual = "Manual"
)

// deprecated are the names of a vCenter's fields where openshift-install converts them: in vsphere
// itself, instead of vcenters.
var deprecated = map[string]string{serverField: "vCenter", userField: "username"}

// File is an install-config as read. Formatting shows only its name: its text holds passwords.
type File struct {
	name    string
	data    []byte
	root    *yaml.Node
	top     yamldoc.Object
	vsphere yamldoc.Object
	mode    string // credentialsMode
	kind    string // credentialType
	entries []entry
	domains []yamldoc.Object
	form    AccountFormat
	flat    bool // vsphere is the only entry, with deprecated names
}

type entry struct {
	yamldoc.Object
	server      string
	main        account
	credentials yamldoc.Object     // componentCredentials
	components  map[string]account // by the name in componentCredentials
}

// account is a user and a password, each perhaps missing, where they stand.
type account struct {
	yamldoc.Object
	user     string
	password secret.Secret
	names    map[string]string // of fields that have others here
}

// field is the name of a field here.
func (a account) field(name string) string { return cmp.Or(a.names[name], name) }

func (a account) given() bool {
	return a.Has(a.field(userField)) || a.Has(passwordField) || a.user != "" || !a.password.Empty()
}

func (a account) whole() bool { return a.user != "" && !a.password.Empty() }

// Parse reads an install-config; name stands for its path in errors. It refuses what leaves an
// account's owner unclear: each problem is a line of the error, with file, line and remedy, without
// passwords. [File.Check] reports what else the installer refuses.
func Parse(name string, data []byte) (*File, error) {
	r := newReader(name)
	f := &File{name: name, data: data}
	if f.root = r.Document(data); f.root != nil {
		f.read(r)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// newReader reads as the installer does: with encoding/json, which does not mind the case of names.
func newReader(name string) *yamldoc.Reader {
	return yamldoc.New(name, yamldoc.Rules{FoldCase: true})
}

// Format implements fmt.Formatter.
func (f *File) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprintf(state, "install-config %s", f.name)
}

// Name is the name that Parse was given.
func (f *File) Name() string { return f.name }

// Form is the form in which the file holds accounts. Without an account of a component it is
// [Passthrough], unless it says credentialType: component-scoped.
func (f *File) Form() AccountFormat { return f.form }

// FormFor is the form of a profile, or of the file, which may be nil, for ""; with manual,
// openshift-install has no account but its own.
func (f *File) FormFor(profile string) AccountFormat {
	if p, ok := openshift.FindProfile(profile); ok && profile != "" {
		return AccountFormat(p.Form)
	}
	if f.Form() == ComponentScoped {
		return ComponentScoped
	}
	return KubeSystem
}

// Servers lists the vCenters in the order of the file.
func (f *File) Servers() []string {
	all := make([]string, len(f.entries))
	for i, e := range f.entries {
		all[i] = e.server
	}
	return all
}

// Accounts are the accounts by server and component; "installer" is the main account. It skips
// accounts without a user name or password.
func (f *File) Accounts() openshift.Accounts {
	all := openshift.Accounts{}
	for _, e := range f.entries {
		all[e.server] = map[component.Name]credfile.Account{}
		if e.main.whole() {
			all[e.server][component.Installer] = credfile.Account{User: e.main.user, Password: e.main.password}
		}
		for _, m := range f.form.members() {
			if a := e.components[m.name]; a.whole() {
				all[e.server][m.component] = credfile.Account{User: a.user, Password: a.password}
			}
		}
	}
	return all
}

func (f *File) read(r *yamldoc.Reader) {
	f.top = r.Object(f.root, yamldoc.Place{Line: f.root.Line}, platformField, modeField, "kind", "metadata", vcentersField)
	if f.top.Has(vcentersField) && f.top.Has("kind") {
		r.At(yamldoc.Place{Line: f.root.Line}, "is a provisioning file, not an install-config: it has no accounts")
		return
	}
	if openshift.IsMicroShift(f.root) {
		r.At(yamldoc.Place{Line: f.root.Line}, "%s", openshift.NotForMicroShift)
		return
	}
	platform := f.top.Object(platformField, vsphereField)
	if !platform.Has(vsphereField) {
		r.At(yamldoc.Place{Line: max(platform.Line, 1)},
			"platform.vsphere is missing: this install-config is not for vSphere")
		return
	}
	f.mode = f.top.Text(modeField).Value
	f.vsphere = platform.Object(vsphereField, vcentersField, failureDomainsField, credentialTypeField,
		deprecated[serverField], deprecated[userField], passwordField, networkField)
	f.kind = f.vsphere.Text(credentialTypeField).Value
	list, _ := f.vsphere.List(vcentersField)
	if len(list) == 0 && r.Count() == 0 {
		if f.form, f.flat = Passthrough, f.vsphere.Has(deprecated[serverField]); !f.flat {
			r.At(f.vsphere.Where(vcentersField), "is missing: list each vCenter with server, user and password there")
			return
		}
		f.entries = []entry{f.entry(r, f.vsphere, deprecated)}
	}
	first := map[string]yamldoc.Place{}
	for _, item := range list {
		e := f.entry(r, item.Object(serverField, userField, passwordField, credentialsField, datacentersField), nil)
		if before, twice := first[e.server]; twice && e.server != "" {
			r.At(e.Where(serverField), "%q is listed twice, first on line %d: remove one", e.server, before.Line)
		}
		first[e.server] = e.Where(serverField)
		f.entries = append(f.entries, e)
	}
	domains, _ := f.vsphere.List(failureDomainsField)
	for _, item := range domains {
		f.domains = append(f.domains, item.Object(serverField, regionField, zoneField, topologyField))
	}
	f.form = f.settle(r)
}

func (f *File) entry(r *yamldoc.Reader, o yamldoc.Object, names map[string]string) entry {
	e := entry{Object: o, main: accountIn(o, names), components: map[string]account{}}
	server := e.Text(e.main.field(serverField))
	if e.server = server.Value; e.server == "" && !server.Bad {
		r.At(server.Place, "is missing: each vCenter needs its host name or address")
	}
	e.credentials = e.Object.Object(credentialsField, memberNames()...)
	for _, name := range e.credentials.Names {
		if formOf(name) == "" {
			r.At(e.credentials.Where(name), "is not a component: %s, or with credentialType: component-scoped %s",
				strings.Join(KubeSystem.names(), ", "), strings.Join(ComponentScoped.names(), ", "))
			continue
		}
		o := e.credentials.Object(name, userField, passwordField)
		for _, n := range o.Names {
			if n != userField && n != passwordField {
				r.At(o.Where(n), "is unknown: an account has user and password")
			}
		}
		e.components[name] = accountIn(o, nil)
	}
	return e
}

func accountIn(o yamldoc.Object, names map[string]string) account {
	a := account{Object: o, password: secret.New(o.Text(passwordField).Value), names: names}
	a.user = o.Text(a.field(userField)).Value
	return a
}

// settle finds the form and refuses a mixture, in which an account's owner is unclear.
func (f *File) settle(r *yamldoc.Reader) AccountFormat {
	var first yamldoc.Place
	form := AccountFormat("")
	if f.kind == typeScoped {
		form, first = ComponentScoped, f.vsphere.Where(credentialTypeField)
	}
	for _, e := range f.entries {
		for _, name := range e.credentials.Names {
			switch of := formOf(name); {
			case of == "":
			case form == "":
				form, first = of, e.credentials.Where(name)
			case of != form:
				r.At(e.credentials.Where(name),
					"mixes the form %s with the form %s of line %d: use the names of one form", of, form,
					first.Line)
			}
		}
	}
	return cmp.Or(form, Passthrough)
}

// name of a component in the form, "" for one without a place there.
func (a AccountFormat) name(c component.Name) string {
	if i := slices.IndexFunc(a.members(), func(m member) bool { return m.component == c }); i >= 0 {
		return a.members()[i].name
	}
	return ""
}
