package openshift

import (
	"errors"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// File names of the installer's manifests.
const (
	rootFile = "99_cloud-creds-secret.yaml"
	roleFile = "99_role-cloud-creds-secret-reader.yaml"
)

// ModeKey is the annotation without which cloud-credential-operator copies nothing ("cannot proceed
// without cloud cred secret annotation"); its annotator sets "passthrough"
// (openshift/cloud-credential-operator@b187feee66f4).
const ModeKey = "cloudcredential.openshift.io/mode"

// Extras are the words of [EmitOptions.Extra]: readers of machine-api's account in a secret of
// their own, on releases with a CredentialsRequest for it.
func Extras() []string {
	var words []string
	for _, k := range release.Consumers() {
		if k.Component.OptIn() {
			words = append(words, k.File)
		}
	}
	return words
}

type sink struct {
	at                  component.Ref
	file                string
	component           component.Name // whose account
	labels, annotations map[string]string
}

func (e EmitOptions) sinks() ([]sink, error) {
	var list []sink
	var err error
	p := e.profile()
	switch {
	case p.Shared():
		return []sink{rootSink(component.Installer, true)}, nil
	case p.Requests:
		list, err = e.requested()
	default:
		for _, k := range release.Consumers() {
			if e.chosen(k.Component) && p.Writes(k.Component) {
				list = append(list, p.sink(e, k))
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if len(list) == 0 && len(e.Components) > 0 && e.Components[0].OptIn() {
		return nil, homeless(p, e.Components[0])
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no component with a secret is selected: the %s's account is only the fallback for others", component.Installer)
	}
	for _, k := range release.Consumers() {
		if p.Manual && p.Homes == nil && slices.Contains(e.Extra, k.File) {
			extra := p.sink(e, k)
			extra.component = component.MachineAPI
			if !slices.ContainsFunc(list, func(s sink) bool { return s.at == extra.at }) {
				list = append(list, extra)
			}
		}
	}
	if e.RootSecret {
		list = append(list, rootSink(e.rootOf(), p.Labelled))
		if p.Requests {
			list[len(list)-1].file = ccoctlFile(root)
		}
	}
	return list, nil
}

// rootOf is whose account those get that read kube-system/vsphere-creds themselves. Where nothing
// copies it, that is machine-config-operator of earlier releases, unless Cluster API needs more.
func (e EmitOptions) rootOf() component.Name {
	if e.profile().Manual && e.chosen(component.MachineConfig) && !e.chosen(component.ClusterAPI) {
		return component.MachineConfig
	}
	return component.MachineAPI
}

// check refuses what does not go together.
func (e EmitOptions) check() error {
	if _, ok := FindProfile(e.Profile); !ok {
		return fmt.Errorf("unknown profile %q: known are %v", e.Profile, ProfileNames())
	}
	if l := e.label(); l != LabelTrue && l != LabelYes && l != LabelNone {
		return fmt.Errorf("unknown value %q for the label of cloud-credential-operator: use %s, %s or %s",
			l, LabelTrue, LabelYes, LabelNone)
	}
	for _, c := range slices.Concat(e.Components, e.MainFor) {
		if !slices.Contains(component.Names(), c) {
			return fmt.Errorf("unknown component %q: known are %s", c, names(component.Names()))
		}
	}
	for _, c := range e.Components {
		if err := e.profile().Lacks(c); err != nil {
			return err
		}
	}
	switch p := e.profile(); {
	case len(e.MainFor) > 0 && (!p.Main || p.Shared()):
		return fmt.Errorf("--main-account-for: profile %s has no account that a component could get in place of its own", p.Name)
	case p.Shared() && e.Components != nil && !slices.Contains(e.Components, component.Installer):
		return fmt.Errorf("profile %s has one account, %s, for all components", p.Name, component.Installer)
	case p.Requests && e.Requests == nil:
		return fmt.Errorf("profile %s needs the CredentialsRequests of the release", p.Name)
	}
	return nil
}

func (e EmitOptions) chosen(c component.Name) bool {
	return e.Components == nil && !c.OptIn() || slices.Contains(e.Components, c)
}

// WithOptIn are the options for a cluster with these accounts: unless components are named, an
// opt-in one counts if it has an account or was assigned a request, and then gets its requests.
func (e EmitOptions) WithOptIn(a Accounts) EmitOptions {
	has := func(c component.Name) bool {
		for _, own := range a {
			if _, ok := own[c]; ok {
				return true
			}
		}
		return e.Requests != nil && slices.ContainsFunc(e.Requests.List,
			func(q release.Request) bool { return q.Component == c })
	}
	if all := slices.DeleteFunc(component.Names(),
		func(c component.Name) bool { return c.OptIn() && !c.InCluster() }); e.Components == nil &&
		slices.ContainsFunc(all, func(c component.Name) bool { return c.OptIn() && has(c) }) {
		e.Components = slices.DeleteFunc(all, func(c component.Name) bool { return c.OptIn() && !has(c) })
	}
	if e.Requests != nil {
		e.Requests = e.Requests.For(e.Components, e.Extra)
	}
	return e
}

func homeless(p Profile, c component.Name) error {
	other := "'secrets emit --profile " + ProfileManual + "' writes that of its CredentialsRequest"
	switch {
	case !c.InCluster():
		return fmt.Errorf("no secret of a cluster is for %s: its account is used outside", c)
	case p.Requests && c == component.ClusterAPI:
		other = identities
	case p.Requests:
		other = "without a request its operator reads " + root.String() + ", which secrets.rootSecret writes"
	}
	if p.Requests {
		return hint.Errorf(other,
			"no CredentialsRequest of the release is for %s, so profile %s has no secret for it", c, p.Name)
	}
	if c == component.ClusterAPI {
		other += ", " + identities
	}
	return hint.Errorf(other, "profile %s has no secret for %s", p.Name, c)
}

const identities = "'identity emit' writes an identity of Cluster API"

func (e EmitOptions) atTarget(k release.Consumer) sink {
	s := sink{at: k.Target, file: "99_vsphere-" + k.File + "-credentials.yaml", component: k.Component}
	if e.profile().Requests {
		s.file = ccoctlFile(k.Target)
	}
	return s
}

// labelled is the secret that cloud-credential-operator copies from.
func (e EmitOptions) labelled(k release.Consumer) sink {
	s := sink{at: component.At(e.namespace(), k.Secret), file: "99_" + k.Secret + ".yaml", component: k.Component}
	if l := e.label(); l != LabelNone {
		s.labels = map[string]string{RequestKey: l}
		s.annotations = map[string]string{RequestKey: component.At(release.RequestNamespace, k.Name).String()}
	}
	return s
}

// rootSink is the secret that releases share; operated: cloud-credential-operator works from it.
func rootSink(c component.Name, operated bool) sink {
	s := sink{at: root, file: rootFile, component: c}
	if operated {
		s.annotations = map[string]string{ModeKey: "passthrough"}
	}
	return s
}

func (e EmitOptions) requested() ([]sink, error) {
	errs := []error{e.Requests.Uncovered()}
	at := map[component.Ref]release.Request{}
	var list []sink
	for _, c := range component.Names() {
		for _, q := range e.Requests.List {
			if q.Component != c || !e.chosen(c) {
				continue
			}
			before, again := at[q.SecretRef]
			at[q.SecretRef] = q
			switch {
			case !again:
				list = append(list, sink{at: q.SecretRef, file: ccoctlFile(q.SecretRef), component: c})
			case before.Component != c:
				errs = append(errs, fmt.Errorf("%s: CredentialsRequests %s (%s) and %s (%s) use the same secret %s: assign the same account to both",
					q.File, before.Name, before.Component, q.Name, c, q.SecretRef))
			}
		}
	}
	return list, errors.Join(errs...)
}

// RequestFile is ccoctl's name of the manifest of a request's secret, below its output directory.
func RequestFile(secret component.Ref) string { return ccoctlFile(secret) }

func ccoctlFile(at component.Ref) string {
	return "manifests/" + at.Namespace + "-" + at.Name + "-credentials.yaml"
}

// readerRole is the Role that the installer writes beside the root secret.
func readerRole() *rbacv1.Role {
	return &rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "Role"},
		ObjectMeta: metav1.ObjectMeta{Namespace: root.Namespace, Name: root.Name + "-secret-reader"},
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{root.Name}, Verbs: []string{"get"},
		}},
	}
}
