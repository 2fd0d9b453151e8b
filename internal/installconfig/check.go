package installconfig

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// maxVCenters is the most that the installer's validation accepts.
const maxVCenters = 3

// Check says what openshift-install, or the CSI driver at its start, would refuse about vCenters and accounts, each with
// file, line and remedy. Everything else in the file is the installer's own business. Sources: openshift/installer,
// pkg/types/vsphere/validation; openshift/installer#10895 for the component-scoped form;
// openshift/vmware-vsphere-csi-driver, pkg/common/config/config.go for user names.
func (f *File) Check() error {
	r := &reader{name: f.name}
	if len(f.entries) > maxVCenters {
		r.at(f.entries[maxVCenters].place, "is vCenter %d: the installer accepts at most %d", maxVCenters+1, maxVCenters)
	}
	f.checkDomains(r)
	f.checkType(r)
	for _, e := range f.entries {
		if f.form == ComponentScoped {
			e.checkScoped(r)
		} else {
			e.checkMain(r, f.form)
		}
		for _, m := range f.form.members() {
			if a, ok := e.components[m.name]; ok {
				a.check(r, e.credentials.where(m.name), m.component)
			}
		}
	}
	return r.err()
}

func (f *File) checkDomains(r *reader) {
	servers := f.Servers()
	for _, d := range f.domains {
		known := false
		for _, s := range servers {
			known = known || s == d.server
		}
		switch {
		case known:
		case d.server == "":
			r.at(d.place, "is missing: name one of vcenters")
		default:
			near := ""
			if n := privileges.Nearest(d.server, servers); n != "" {
				near = ", did you mean " + n + "?"
			}
			r.at(d.place, "%q is no server of vcenters: the names must be equal to the letter%s", d.server, near)
		}
	}
}

func (f *File) checkType(r *reader) {
	at := f.vsphere.where(credentialTypeField)
	switch {
	case f.kind != "" && f.kind != typeGlobal && f.kind != typeScoped:
		r.at(at, "must be %s or %s", typeGlobal, typeScoped)
	case f.form == KubeSystem && f.kind == typeGlobal:
		r.at(at, "componentCredentials must not be set when credentialType is global: remove the line, the installer of this form does not know it")
	case f.form == ComponentScoped && f.kind != typeScoped:
		r.at(at, "must be %s, or componentCredentials of this form are refused", typeScoped)
	}
	if f.form == ComponentScoped && f.mode != "" && f.mode != modeManual {
		r.at(f.top.where(modeField), "is %q: credentialType %s needs credentialsMode: %s", f.mode, typeScoped, modeManual)
	}
}

// checkMain wants a main account: the installer works with it, and components without one of their own get it.
func (e entry) checkMain(r *reader, f Form) {
	if !e.main.given() {
		r.at(e.where(userField), "is missing, and so is password: openshift-install needs the main account of %s", e.server)
		return
	}
	main := component.Installer
	if _, own := e.components[f.name(component.CSIDriver)]; !own {
		main = component.CSIDriver // it works with the main account
	}
	e.main.check(r, e.where(userField), main)
}

func (e entry) checkScoped(r *reader) {
	for _, name := range []string{userField, passwordField} {
		if e.has(name) {
			r.at(e.where(name), "must not be set when credentialType is %s: remove it", typeScoped)
		}
	}
	for _, m := range ComponentScoped.members() {
		if _, ok := e.components[m.name]; !ok {
			r.at(e.credentials.field(m.name), "is missing: credentialType %s needs the accounts of all components on %s", typeScoped, e.server)
		}
	}
}

// check looks at one account; at is where it stands, or should.
func (a account) check(r *reader, at place, c component.Name) {
	for _, name := range []string{userField, passwordField} {
		empty := name == userField && a.user == "" || name == passwordField && a.password.Empty()
		if !empty {
			continue
		}
		p := a.where(name)
		if p.line == 0 {
			p.line = at.line
		}
		if a.has(name) {
			r.at(p, "is empty: fill it in")
		} else {
			r.at(p, "is missing: an account has user and password")
		}
	}
	if a.user == "" || c != component.CSIDriver {
		return
	}
	if err := credfile.CheckUser(a.user); err != nil {
		p := a.where(userField)
		if p.line == 0 {
			p.line = at.line
		}
		r.at(p, "%s, so the CSI driver would not start: use another account", strings.TrimSpace(err.Error()))
	}
}
