package installconfig

import (
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// differences says which accounts of the file give way.
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

// notes says what is true of the form.
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
