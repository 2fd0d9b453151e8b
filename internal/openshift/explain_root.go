package openshift

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// rootOfAnother tells that those who read the root secret directly get an account that is made for another component: of the
// components' accounts only machine-api's can do their work.
func (w *explainer) rootOfAnother() {
	s := w.at[root]
	if s == nil || w.foreign {
		return
	}
	fit := []component.Name{"", component.MachineAPI, component.Installer}
	var gets []string
	var about []finding.Account
	for _, server := range w.servers {
		user := w.user(s, server)
		of := w.owner(server, user)
		if user == "" || slices.Contains(fit, of) {
			continue
		}
		gets = lists.AppendNew(gets, fmt.Sprintf("%s's account, %s", of, user))
		about = append(about, finding.Account{Server: server, Principal: user})
	}
	if len(about) == 0 {
		return
	}
	f := w.add(finding.SecretOfAnother, s, "%s get %s: they read this secret directly, and need machine-api's account",
		strings.Join(directNames(), " and "), strings.Join(gets, "; "))
	f.Accounts, f.Remedies = about, []string{w.emitRoot()}
}

// rootSecret says who looks at kube-system/vsphere-creds and who does not.
func (w *explainer) rootSecret() {
	s := w.at[root]
	if s == nil {
		why := "; a release without the enhancement copies nothing and, except in Manual mode, refuses upgrades"
		if w.manual() {
			why = ""
		}
		w.say(finding.SecretNote, root, "is missing: %s, and get nothing%s", directReaders, why)
		return
	}
	var past []string
	for _, q := range w.requests {
		if c := w.enhancement(q, false); c.Step == StepAnnotation || c.Step == StepName {
			past = append(past, q.Name)
		}
	}
	if len(past) > 0 {
		w.add(finding.SecretShadowed, s, "the enhancement ignores it for %s; a release without the enhancement gives it to all components", strings.Join(past, ", "))
	}
	switch mode := s.Annotations[modeKey]; {
	case mode == "passthrough", w.manual():
	case mode == "":
		w.add(finding.SecretNote, s, "has no annotation %s: cloud-credential-operator sets it before it copies anything, but not in Manual mode", modeKey)
	default:
		w.add(finding.SecretNote, s, "annotation %s is %q, not \"passthrough\": cloud-credential-operator copies nothing", modeKey, mode)
	}
	w.add(finding.SecretNote, s, "%s", directReaders)
}
