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
