package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// rootOfAnother tells that those who read the root secret directly get an account that is made for another component: of the
// components' accounts only machine-api's can do their work.
func (w *explainer) rootOfAnother() {
	s := w.Root()
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
		strings.Join(cluster.Direct(), " and "), strings.Join(gets, "; "))
	f.Accounts, f.Remedies = about, []string{w.emitRoot()}
}

// rootSecret says who looks at kube-system/vsphere-creds and who does not.
func (w *explainer) rootSecret() {
	s := w.Root()
	if s == nil {
		why := "; a release without the enhancement copies nothing and, except in Manual mode, refuses upgrades"
		if w.IsManual() {
			why = ""
		}
		w.say(finding.SecretNote, root, "is missing: %s, and get nothing%s", openshift.DirectReaders, why)
		return
	}
	var past []string
	for _, q := range w.requests {
		if c := w.Enhancement(q); c.Step == cluster.StepAnnotation || c.Step == cluster.StepName {
			past = append(past, q.Name)
		}
	}
	if len(past) > 0 {
		w.add(finding.SecretShadowed, s, "the enhancement ignores it for %s; a release without the enhancement gives it to all components", strings.Join(past, ", "))
	}
	switch mode := s.Annotations[openshift.ModeKey]; {
	case mode == "passthrough", w.IsManual():
	case mode == "":
		w.add(finding.SecretNote, s, "has no annotation %s: cloud-credential-operator sets it before it copies anything, but not in Manual mode", openshift.ModeKey)
	default:
		w.add(finding.SecretNote, s, "annotation %s is %q, not \"passthrough\": cloud-credential-operator copies nothing", openshift.ModeKey, mode)
	}
	w.add(finding.SecretNote, s, "%s", openshift.DirectReaders)
}
