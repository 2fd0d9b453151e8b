package installconfig

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// maxVCenters is the most that the installer's validation accepts.
const maxVCenters = 3

// Check reports what openshift-install, or the CSI driver at its start, would refuse about vCenters
// and accounts, with file, line and remedy. It ignores all else. Sources: openshift/installer,
// pkg/types/vsphere/validation; openshift/installer#10895 for the component-scoped form;
// openshift/vmware-vsphere-csi-driver, pkg/common/config/config.go for user names.
func (f *File) Check() error { return f.reader(f.check).Err() }

// Validate is Check with what openshift-install refuses of the topology.
func (f *File) Validate() error { return f.reader(f.check, f.checkPlaces).Err() }

// CheckTopology is Validate without accounts.
func (f *File) CheckTopology() error { return f.reader(f.checkServers, f.checkPlaces).Err() }

// reader has what some checks report.
func (f *File) reader(checks ...func(*yamldoc.Reader)) *yamldoc.Reader {
	r := newReader(f.name)
	for _, check := range checks {
		check(r)
	}
	return r
}

func (f *File) check(r *yamldoc.Reader) {
	if f.flat && f.form != Passthrough {
		r.At(f.vsphere.Where(vcentersField), "is missing: vCenter, username and password hold the installer's account only, and those of components need the list")
	}
	f.checkServers(r)
	f.checkType(r)
	for _, e := range f.entries {
		if f.form == ComponentScoped {
			e.checkScoped(r)
		} else {
			e.checkMain(r, f.form)
		}
		for _, m := range f.form.members() {
			if a, ok := e.components[m.name]; ok {
				a.check(r, e.credentials.Where(m.name), m.component)
			}
		}
	}
}

func (f *File) checkServers(r *yamldoc.Reader) {
	if len(f.entries) > maxVCenters {
		r.At(f.entries[maxVCenters].Place, "is vCenter %d: the installer accepts at most %d",
			maxVCenters+1, maxVCenters)
	}
	for _, e := range f.entries {
		if upper := openshift.UpperCase(e.server); upper != "" {
			r.At(e.Where(e.main.field(serverField)), "%s: %s", hint.Quote(e.server), upper)
		}
		if strings.Count(e.server, ":") > 1 { // openshift-install takes it, and no secret could hold its account
			if err := openshift.CheckServer(e.server); err != nil {
				r.At(e.Where(e.main.field(serverField)), "%v", err)
			}
		}
	}
	for _, d := range f.domains {
		f.checkServer(r, d.Text(serverField))
	}
}

// clusterName is what openshift-install takes on vSphere (pkg/validate, OnPremClusterName).
var clusterName = pattern.Of(`^[a-z0-9]([a-z0-9-]{0,52}[a-z0-9])?$`)

// checkPlaces looks at what vCenter has, and accounts do not need, or find without its whole path.
func (f *File) checkPlaces(r *yamldoc.Reader) {
	name := f.top.Object("metadata", "name").Text("name")
	if name.Value != "" && !clusterName().MatchString(name.Value) {
		r.At(name.Place, "%s is no name for openshift-install: lower-case letters, digits and hyphens, at most 54, with a letter or a digit at both ends",
			hint.Quote(name.Value))
	}
	for _, e := range f.entries {
		if names, _ := e.Texts(datacentersField); len(names) == 0 && !f.flat {
			r.At(e.Where(datacentersField), "is missing: openshift-install wants the vCenter's datacenters")
		}
	}
	networks := []yamldoc.Text{f.vsphere.Text(networkField)}
	for _, d := range f.domains {
		for _, name := range []string{regionField, zoneField} {
			if t := d.Text(name); t.Value == "" {
				r.At(t.Place, "is missing: openshift-install wants the name of a tag")
			}
		}
		topology := d.Object(topologyField, networksField, "datacenter", "computeCluster", "datastore", "folder", "resourcePool")
		named, _ := topology.Texts(networksField)
		if networks = append(networks, named...); len(named) == 0 {
			r.At(topology.Where(networksField), "is missing: openshift-install wants a network")
		}
		dc := path.Join("/", topology.Text("datacenter").Value)
		for _, of := range []struct{ name, in string }{
			{"computeCluster", "/host"},
			{"datastore", "/datastore"},
			{"folder", "/vm"},
			{"resourcePool", "/host/" + path.Base(topology.Text("computeCluster").Value) + "/Resources"},
		} {
			t, kind := topology.Text(of.name), strings.Split(of.in, "/")[1]
			if t.Value != "" && (t.Value[0] != '/' || !strings.Contains(t.Value, "/"+kind+"/")) {
				full := path.Join(dc, of.in, t.Value)
				if strings.HasSuffix(t.Value, "/"+kind) { // the directory itself
					full = path.Join(t.Value, "NAME")
				}
				r.At(t.Place, "%s is no full path, which openshift-install wants: write %s", hint.Quote(t.Value), hint.Quote(full))
			}
		}
	}
	for _, n := range networks {
		if strings.Contains(n.Value, "/") {
			r.At(n.Place, "%s is a path, and openshift-install looks for a network of that name: write %s",
				hint.Quote(n.Value), hint.Quote(path.Base(n.Value)))
		}
	}
}

func (f *File) checkServer(r *yamldoc.Reader, server yamldoc.Text) {
	servers := f.Servers()
	switch {
	case server.Bad, slices.Contains(servers, server.Value), f.flat && server.Value == "":
	case server.Value == "":
		r.At(server.Place, "is missing: use one of vcenters")
	default:
		r.NotListed(server, "a server", f.vsphere.Where(vcentersField), servers)
	}
}

func (f *File) checkType(r *yamldoc.Reader) {
	at := f.vsphere.Where(credentialTypeField)
	switch {
	case f.kind != "" && f.kind != typeGlobal && f.kind != typeScoped:
		r.At(at, "must be %s or %s", typeGlobal, typeScoped)
	case f.form == KubeSystem && f.kind == typeGlobal:
		r.At(at, "componentCredentials must not be set when credentialType is global: remove the line, which this installer does not know")
	case f.form == ComponentScoped && f.kind != typeScoped:
		r.At(at, "must be %s, or componentCredentials of this form are refused", typeScoped)
	}
	if f.form == ComponentScoped && f.mode != "" && f.mode != modeManual {
		r.At(f.top.Where(modeField), "is %q: credentialType %s needs credentialsMode: %s", f.mode,
			typeScoped, modeManual)
	}
}

func (e entry) checkMain(r *yamldoc.Reader, f AccountFormat) {
	if !e.main.given() {
		r.At(e.Where(e.main.field(userField)), "is missing, and so is password: openshift-install needs the main account of %s", e.server)
		return
	}
	main := component.Installer
	if _, own := e.components[f.name(component.CSIDriver)]; !own {
		main = component.CSIDriver // it works with the main account
	}
	e.main.check(r, e.Where(e.main.field(userField)), main)
}

func (e entry) checkScoped(r *yamldoc.Reader) {
	for _, name := range []string{userField, passwordField} {
		if e.Has(name) {
			r.At(e.Where(name), "must not be set when credentialType is %s: remove it", typeScoped)
		}
	}
	for _, m := range ComponentScoped.members() {
		if _, ok := e.components[m.name]; !ok {
			r.At(e.credentials.Field(m.name),
				"is missing: credentialType %s needs the accounts of all components on %s", typeScoped,
				e.server)
		}
	}
}

// check looks at one account; at is where it stands, or should.
func (a account) check(r *yamldoc.Reader, at yamldoc.Place, c component.Name) {
	where := func(name string) yamldoc.Place {
		p := a.Where(a.field(name))
		p.Line = cmp.Or(p.Line, at.Line)
		return p
	}
	for _, name := range []string{userField, passwordField} {
		switch {
		case name == userField && a.user != "", name == passwordField && !a.password.Empty():
		case a.Has(a.field(name)):
			r.At(where(name), "is empty: fill it in")
		default:
			r.At(where(name), "is missing: an account has user and password")
		}
	}
	if a.user == "" || c != component.CSIDriver {
		return
	}
	if err := credfile.CheckUser(a.user); err != nil {
		r.At(where(userField), "%s, so the CSI driver would not start: use another account",
			strings.TrimSpace(err.Error()))
	}
}

// CheckFilled refuses placeholders in accounts of this file as [File.Accounts] returns them.
func (f *File) CheckFilled(accounts openshift.Accounts) error {
	return credfile.CheckFilled(accounts, func(server string, c component.Name, part string) (place, field string) {
		at := yamldoc.Place{}
		for _, e := range f.entries {
			if e.server != server {
				continue
			}
			a, own := e.components[f.form.name(c)]
			if !own {
				a = e.main
			}
			at = a.Where(a.field(part))
		}
		return fmt.Sprintf("%s:%d", f.name, at.Line), at.Path
	})
}

func (f *File) differences(planned *File, accounts openshift.Accounts) []string {
	var w []string
	for i, now := range f.entries {
		then := planned.entries[i]
		switch {
		case planned.form == ComponentScoped && now.main.given():
			w = append(w, fmt.Sprintf("%s: user %s and its password are removed: credentialType %s allows no main account", now.server, now.main.user, typeScoped))
		case now.main.user != "" && now.main.user != then.main.user && planned.form != ComponentScoped:
			w = append(w, fmt.Sprintf("%s: user %s is replaced by %s", now.server, now.main.user, then.main.user))
		}
		for _, m := range planned.form.members() {
			was, is := now.components[m.name], then.components[m.name]
			if was.user != "" && was.user != is.user {
				w = append(w, fmt.Sprintf("%s: %s: user %s is replaced by %s", now.server, m.name, was.user, is.user))
			}
		}
		if a, ok := accounts[now.server][component.Installer]; ok && planned.form == ComponentScoped {
			if machine := then.components[planned.form.name(component.MachineAPI)]; !strings.EqualFold(machine.user, a.User) {
				w = append(w, fmt.Sprintf("%s: the installer's account %s cannot be written in this form: openshift-install uses machineManagement (%s), "+
					"which also needs the installer's privileges", now.server, a.User, machine.user))
			}
		}
	}
	return w
}

func (f *File) notes() []string {
	var w []string
	if f.form != ComponentScoped && f.mode != "" {
		w = append(w, fmt.Sprintf("credentialsMode: %s: released installers refuse it on vSphere; that of openshift/enhancements#1931 writes no component secrets in Manual mode", f.mode))
	}
	switch f.form {
	case KubeSystem:
		for _, e := range f.entries {
			var missing []string
			for _, m := range KubeSystem.members() {
				if _, ok := e.components[m.name]; !ok {
					missing = append(missing, m.name)
				}
			}
			if len(missing) > 0 {
				w = append(w, fmt.Sprintf("%s: no account of its own for %s: the main account %s is used instead", e.server, strings.Join(missing, ", "), e.main.user))
			}
		}
		w = append(w, "componentCredentials of this form need an installer with openshift/enhancements#1931, which is in no release")
	case ComponentScoped:
		if f.mode == "" {
			w = append(w, "credentialsMode is not set: this form needs the line 'credentialsMode: Manual' at the top level")
		}
		w = append(w, "credentialType: component-scoped needs an installer with openshift/installer#10895, which is in no release, and there featureSet: CustomNoUpgrade with featureGates: [VSpherePerComponentScopedCreds=true]; others refuse credentialsMode on vSphere")
	case Passthrough:
	}
	return w
}
