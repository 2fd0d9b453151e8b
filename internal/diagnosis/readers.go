package diagnosis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
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

// hiveServers are the vCenters that Hive has accounts for.
func (w *explainer) hiveServers() []string {
	all := map[string]bool{}
	for _, s := range w.removers {
		of, _ := s.Hive()
		for server := range of {
			all[server] = true
		}
	}
	delete(all, "")
	return slices.Sorted(maps.Keys(all))
}

// findHive says whom Hive works with.
func (w *explainer) findHive() {
	for _, s := range w.removers {
		all, err := s.Hive()
		if err != nil {
			w.add(finding.SecretMalformed, s, "%v", err)
		}
		for _, server := range slices.Sorted(maps.Keys(all)) {
			a := all[server]
			switch reason := a.Unusable(); {
			case server == "":
				w.add(finding.SecretMalformed, s, "key %q has an account without a vCenter", openshift.HiveKey)
			case reason != "":
				w.add(finding.SecretMalformed, s, "%s: %s", server, reason)
			default:
				w.add(finding.SecretNote, s, "%s: Hive logs in as %s to install the cluster, and to remove it", server, a.User)
			}
		}
	}
}

// elsewhere tells of accounts of the components in secrets that no request leads to: nobody copies them there, and they hold them when
// the components have others.
func (w *explainer) elsewhere() {
	var names []string
	for _, s := range w.relevant {
		for _, a := range s.Accounts {
			if strings.Contains(a.User, "@") && !slices.Contains(names, a.User) {
				names = append(names, a.User)
			}
		}
	}
	for _, h := range w.Holding(cluster.Meant{Names: names, User: func(user string) bool { return component.OfUser(user) != "" }}) {
		s := w.Object(h.At)
		switch {
		case slices.Contains(w.relevant, s) || w.strayed[s] != component.Ref{}:
		case h.At == openshift.DriverConfig():
			w.driverConfig(s, h)
		case h.Form == cluster.FormText:
			w.add(finding.SecretNote, s, "the name %s stands in it: no command of ours renews it", h.User)
		case h.Form == cluster.FormConf, h.Form == cluster.FormProvider, h.Form == cluster.FormKeys, h.Form == cluster.FormNumbered:
			w.add(finding.SecretNote, s, "holds %s too: nothing of OpenShift copies it there", h.User)
		}
	}
}

// driverConfig compares the configuration of the CSI driver, which is what the driver logs in with, with the secret that its operator
// writes it from.
func (w *explainer) driverConfig(s *cluster.Object, h cluster.Holding) {
	own := openshift.SecretOf(component.CSIDriver)
	from := w.Object(own)
	if from == nil || h.Account.Same(from.Held(h.Server)) || from.Held(h.Server).User == "" {
		return
	}
	f := w.add(finding.SecretStale, s, "%s: the CSI driver logs in as %s, and %s has another account: its operator writes this while it is healthy", h.Server, h.User, own)
	f.About(h.Server, component.CSIDriver).Remedies = []string{"oc get clustercsidriver csi.vsphere.vmware.com -o yaml", "oc get clusteroperator storage -o yaml"}
}

// In Manual mode nobody copies: a component has the account that its secret holds, whatever kube-system has for it.

// unread tells of the secrets of kube-system that are meant for a request: an error where the component works with another account.
func (w *explainer) unread(q release.Request) {
	target := w.Object(q.SecretRef)
	meant := w.Annotated(q)
	if s := w.Named(q); s != nil && !slices.Contains(meant, s) {
		meant = append(meant, s)
	}
	for _, s := range meant {
		const why = "in Manual mode nobody reads this secret: "
		if target == nil || w.alike(target, s) {
			w.add(finding.SecretShadowed, s, why+"%s works with what %s holds", cluster.Consumer(q), q.SecretRef)
			continue
		}
		changed, about, _ := w.changes(q, s)
		f := w.add(finding.SecretUnseen, s, why+"%s works with what %s holds, %s", cluster.Consumer(q), q.SecretRef, strings.Join(changed, "; "))
		f.Remedies, f.Accounts = w.emit(q.Component), about
	}
}

// borrows tells that a component whose secret was written by hand works with an account that is there for all, or for several, although
// others have one of their own.
func (w *explainer) borrows(q release.Request) {
	target := w.Object(q.SecretRef)
	if target == nil {
		return
	}
	var users []string
	var about []finding.Account
	for _, server := range w.servers {
		user := w.user(target, server)
		if user == "" || !w.isCommon(q, server) || !slices.ContainsFunc(w.requests, func(other release.Request) bool {
			return isOwn(other) && w.user(w.Object(other.SecretRef), server) != "" && !w.isCommon(other, server)
		}) {
			continue
		}
		users = append(users, server+": "+user)
		about = append(about, finding.Account{Server: server, Component: q.Component, Principal: user})
	}
	if len(users) == 0 {
		return
	}
	f := finding.New(finding.SecretFallback, q.SecretRef.String(), "%s works with an account that is not its own, while others have theirs: %s",
		q.Component, strings.Join(users, "; "))
	f.Accounts, f.Remedies = about, w.emit(q.Component)
	w.meantFallback(f, q)
}

// isCommon reports whether the account in the secret of a component is there for others as well: the administrator of SSO, the account
// of the root secret, which of the components is made for machine-api alone, or one that a second component reads too.
func (w *explainer) isCommon(q release.Request, server string) bool {
	user := w.user(w.Object(q.SecretRef), server)
	switch {
	case isBuiltIn(user):
		return true
	case w.owner(server, user) == q.Component:
		return false
	case cluster.Spelling(user) == cluster.Spelling(w.user(w.Root(), server)) && q.Component != component.MachineAPI:
		return true
	}
	return slices.ContainsFunc(w.requests, func(other release.Request) bool {
		return isOwn(other) && other.Ref != q.Ref && cluster.Spelling(w.user(w.Object(other.SecretRef), server)) == cluster.Spelling(user)
	})
}

// isBuiltIn reports whether a user is the administrator that each SSO domain is made with, and so no component's own account.
func isBuiltIn(user string) bool {
	name, _, _ := strings.Cut(cluster.Spelling(user), "@")
	return name == "administrator"
}
