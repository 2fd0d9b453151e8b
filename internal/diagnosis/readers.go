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

// rootOfAnother reports that direct readers of the root secret get no account that suits them.
func (e *explainer) rootOfAnother() {
	s := e.Root()
	if s == nil || e.foreign {
		return
	}
	fit := []component.Name{"", component.MachineAPI, component.Installer}
	if !e.operated {
		fit = append(fit, component.MachineConfig)
	}
	var gets []string
	var about []finding.Account
	for _, server := range e.servers {
		user := e.user(s, server)
		of := e.owner(server, user)
		if user == "" || slices.Contains(fit, of) {
			continue
		}
		gets = lists.AppendNew(gets, fmt.Sprintf("%s's account, %s", of, user))
		about = append(about, finding.Account{Server: server, Principal: user})
	}
	if len(about) == 0 {
		return
	}
	f := e.add(finding.SecretOfAnother, s,
		"%s get %s: they read this secret directly, and need machine-api's account",
		strings.Join(cluster.Direct(), " and "), strings.Join(gets, "; "))
	f.Accounts, f.Remedies = about, []string{e.emitField("rootSecret: true", e.profile())}
}

// rootSecret says who looks at kube-system/vsphere-creds and who does not.
func (e *explainer) rootSecret() {
	s := e.Root()
	if e.Plain() {
		return
	}
	if s == nil {
		why := "; a release without the enhancement copies nothing and, except in Manual mode, refuses upgrades"
		if e.IsManual() {
			why = ""
		}
		e.say(finding.SecretNote, root, "is missing: %s, and get nothing%s", e.direct(), why)
		return
	}
	var past []string
	for _, q := range e.requests {
		if c := e.Enhancement(q); c.Step == cluster.StepAnnotation || c.Step == cluster.StepName {
			past = append(past, q.Name)
		}
	}
	if len(past) > 0 {
		e.add(finding.SecretShadowed, s, "the enhancement ignores it for %s; a release without the enhancement gives it to all components", strings.Join(past, ", "))
	}
	switch mode := s.Annotations[openshift.ModeKey]; {
	case mode == "passthrough", e.IsManual():
	case mode == "":
		e.add(finding.SecretNote, s, "has no annotation %s: cloud-credential-operator sets it before it copies anything, but not in Manual mode", openshift.ModeKey)
	default:
		e.add(finding.SecretNote, s,
			"annotation %s is %q, not \"passthrough\": cloud-credential-operator copies nothing",
			openshift.ModeKey, mode)
	}
	e.add(finding.SecretNote, s, "%s", e.direct())
}

// direct says who reads the root secret, whatever it holds.
func (e *explainer) direct() string {
	return openshift.DirectReaders(e.Object(openshift.SecretOf(component.MachineConfig)) != nil)
}

// hiveServers are the vCenters that Hive has accounts for.
func (e *explainer) hiveServers() []string {
	all := map[string]bool{}
	for _, s := range e.removers {
		of, _ := s.Hive()
		for server := range of {
			all[server] = true
		}
	}
	delete(all, "")
	return slices.Sorted(maps.Keys(all))
}

// findHive says whom Hive works with.
func (e *explainer) findHive() {
	for _, s := range e.removers {
		all, err := s.Hive()
		if err != nil {
			e.add(finding.SecretMalformed, s, "%v", err)
		}
		for _, server := range slices.Sorted(maps.Keys(all)) {
			a := all[server]
			switch reason := a.Unusable(); {
			case server == "":
				e.add(finding.SecretMalformed, s, "key %q has an account without a vCenter", openshift.HiveKey)
			case reason != "":
				e.add(finding.SecretMalformed, s, "%s: %s", server, reason)
			default:
				e.add(finding.SecretNote, s, "%s: Hive logs in as %s to install the cluster, and to remove it",
					server, a.User)
			}
		}
	}
}

// elsewhere reports components' accounts in secrets without a request, which become outdated.
func (e *explainer) elsewhere() {
	var names []string
	for _, s := range e.relevant {
		for _, a := range s.Accounts {
			if strings.Contains(a.User, "@") && !slices.Contains(names, a.User) {
				names = append(names, a.User)
			}
		}
	}
	for _, h := range e.Holding(cluster.Meant{Names: names, User: func(user string) bool { return component.OfUser(user) != "" }}) {
		s := e.Object(h.At)
		switch {
		case slices.Contains(e.relevant, s) || e.strayed[s] != component.Ref{}:
		case h.At == openshift.DriverConfig():
			e.driverConfig(s, h)
		case h.Form == cluster.FormText:
			e.add(finding.SecretNote, s, "the name %s stands in it: no command of ours renews it", h.User)
		case h.Form == cluster.FormConf, h.Form == cluster.FormProvider, h.Form == cluster.FormKeys,
			h.Form == cluster.FormNumbered:
			e.add(finding.SecretNote, s, "holds %s too: nothing of OpenShift copies it there", h.User)
		}
	}
}

// driverConfig compares the CSI driver's configuration with the secret that its operator reads.
func (e *explainer) driverConfig(s *cluster.Object, h cluster.Holding) {
	own := openshift.SecretOf(component.CSIDriver)
	from := e.Object(own)
	if from == nil || h.Account.Same(from.Held(h.Server)) || from.Held(h.Server).User == "" {
		return
	}
	f := e.add(finding.SecretStale, s, "%s: the CSI driver logs in as %s, and %s has another account: its operator writes this while it is healthy", h.Server, h.User, own)
	f.About(h.Server, component.CSIDriver).Remedies = []string{"oc get clustercsidriver csi.vsphere.vmware.com -o yaml", "oc get clusteroperator storage -o yaml"}
}

// In Manual mode nothing copies: a component has its own secret's account.

// unread reports kube-system's secrets for a request: an error if the component uses others.
func (e *explainer) unread(q release.Request) {
	target := e.Object(q.SecretRef)
	meant := e.Annotated(q)
	if s := e.Named(q); s != nil && !slices.Contains(meant, s) {
		meant = append(meant, s)
	}
	for _, s := range meant {
		const why = "in Manual mode nobody reads this secret: "
		if target == nil || e.alike(target, s) {
			e.add(finding.SecretShadowed, s, why+"%s works with what %s holds", cluster.Consumer(q), q.SecretRef)
			continue
		}
		changed, about, _ := e.changes(q, s)
		f := e.add(finding.SecretUnseen, s, why+"%s works with what %s holds, %s", cluster.Consumer(q),
			q.SecretRef, strings.Join(changed, "; "))
		f.Remedies, f.Accounts = e.emit(q.Component), about
	}
}

// borrows reports a component with the shared account by hand, although others have their own.
func (e *explainer) borrows(q release.Request) {
	target := e.Object(q.SecretRef)
	if target == nil {
		return
	}
	var users []string
	var about []finding.Account
	for _, server := range e.servers {
		user := e.user(target, server)
		if user == "" || !e.isCommon(q, server) || !slices.ContainsFunc(e.requests, func(other release.Request) bool {
			return isOwn(other) && e.user(e.Object(other.SecretRef), server) != "" && !e.isCommon(other, server)
		}) {
			continue
		}
		users = append(users, server+": "+user)
		about = append(about, finding.Account{Server: server, Component: q.Component, Principal: user})
	}
	if len(users) == 0 {
		return
	}
	f := finding.New(finding.SecretFallback, q.SecretRef.String(),
		"%s works with an account that is not its own, while others have theirs: %s",
		q.Component, strings.Join(users, "; "))
	f.Accounts, f.Remedies = about, e.emit(q.Component)
	e.meantFallback(f, q)
}

// isCommon reports whether the account in a component's secret is shared: the SSO administrator,
// the root secret's account (made for machine-api alone), or one that another component reads too.
func (e *explainer) isCommon(q release.Request, server string) bool {
	user := e.user(e.Object(q.SecretRef), server)
	switch {
	case isBuiltIn(user):
		return true
	case e.owner(server, user) == q.Component:
		return false
	case cluster.Spelling(user) == cluster.Spelling(e.user(e.Root(), server)) &&
		q.Component != component.MachineAPI:
		return true
	}
	return slices.ContainsFunc(e.requests, func(other release.Request) bool {
		return isOwn(other) && other.Ref != q.Ref &&
			cluster.Spelling(e.user(e.Object(other.SecretRef), server)) == cluster.Spelling(user)
	})
}

// isBuiltIn reports whether a user is the administrator of an SSO domain by default.
func isBuiltIn(user string) bool {
	name, _, _ := strings.Cut(cluster.Spelling(user), "@")
	return name == "administrator"
}
