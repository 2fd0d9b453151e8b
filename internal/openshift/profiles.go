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

// ModeKey is the annotation without which cloud-credential-operator copies nothing ("cannot proceed without cloud cred
// secret annotation"); its own annotator sets it to "passthrough" (openshift/cloud-credential-operator@b187feee66f4).
const ModeKey = "cloudcredential.openshift.io/mode"

// Extras are the words of [EmitOptions.Extra]: who reads machine-api's account from a secret of its own, on releases
// whose CredentialsRequest for it is there, and has none that is its own.
func Extras() []string {
	var words []string
	for _, k := range release.Consumers() {
		if k.Component == "" || k.Component.OptIn() {
			words = append(words, k.File)
		}
	}
	return words
}

// sink is a secret to be written.
type sink struct {
	at                  component.Ref
	file                string
	component           component.Name // whose account
	labels, annotations map[string]string
}

// sinks says what a profile writes.
func (o EmitOptions) sinks() ([]sink, error) {
	var list []sink
	var err error
	p := o.profile()
	switch {
	case p.Shared():
		return []sink{rootSink(component.Installer, true)}, nil
	case p.Requests:
		list, err = o.requested()
	default:
		for _, k := range release.Consumers() {
			if k.Component != "" && o.chosen(k.Component) && p.Writes(k.Component) {
				list = append(list, p.sink(o, k))
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if len(list) == 0 && len(o.Components) > 0 && o.Components[0].OptIn() {
		return nil, homeless(p, o.Components[0])
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no component with a secret is selected: the %s's account is only the fallback for others", component.Installer)
	}
	for _, k := range release.Consumers() {
		if slices.Contains(o.Extra, k.File) {
			extra := p.sink(o, k)
			extra.component = component.MachineAPI
			if !slices.ContainsFunc(list, func(s sink) bool { return s.at == extra.at }) {
				list = append(list, extra)
			}
		}
	}
	if o.RootSecret {
		list = append(list, rootSink(component.MachineAPI, p.Labelled))
		if p.Requests {
			list[len(list)-1].file = ccoctlFile(root)
		}
	}
	return list, nil
}

// check refuses what does not go together.
func (o EmitOptions) check() error {
	if _, ok := FindProfile(o.Profile); !ok {
		return fmt.Errorf("unknown profile %q: known are %v", o.Profile, ProfileNames())
	}
	if l := o.label(); l != LabelTrue && l != LabelYes && l != LabelNone {
		return fmt.Errorf("unknown value %q for the label of cloud-credential-operator: use %s, %s or %s", l, LabelTrue, LabelYes, LabelNone)
	}
	for _, c := range slices.Concat(o.Components, o.MainFor) {
		if !slices.Contains(component.Names(), c) {
			return fmt.Errorf("unknown component %q: known are %s", c, names(component.Names()))
		}
	}
	for _, word := range o.Extra {
		if !slices.Contains(Extras(), word) {
			return fmt.Errorf("unknown extra secret %q: known are %v", word, Extras())
		}
	}
	switch p := o.profile(); {
	case p.Shared() && o.RootSecret:
		return fmt.Errorf("profile %s already writes the root secret, with the main account", p.Name)
	case len(o.Extra) > 0 && !p.Manual:
		return fmt.Errorf("profile %s has no extra secrets: cloud-credential-operator makes them from %s", p.Name, root)
	case len(o.MainFor) > 0 && (!p.Main || p.Shared()):
		return fmt.Errorf("--main-account-for: profile %s has no account that a component could get in place of its own", p.Name)
	case p.Shared() && o.Components != nil && !slices.Contains(o.Components, component.Installer):
		return fmt.Errorf("profile %s has one account, %s, for all components", p.Name, component.Installer)
	case p.Requests && o.Requests == nil:
		return fmt.Errorf("profile %s needs the CredentialsRequests of the release", p.Name)
	}
	return nil
}

// chosen reports whether a component is among those asked for.
func (o EmitOptions) chosen(c component.Name) bool {
	return o.Components == nil && !c.OptIn() || slices.Contains(o.Components, c)
}

// WithOptIn are the options for a cluster whose accounts are these: where no component is named, one that is opt-in is there
// if it has an account. Requests of such components are theirs then.
func (o EmitOptions) WithOptIn(a Accounts) EmitOptions {
	has := func(c component.Name) bool {
		for _, own := range a {
			if _, ok := own[c]; ok {
				return true
			}
		}
		return false
	}
	if all := slices.DeleteFunc(component.Names(), func(c component.Name) bool { return c.OptIn() && !c.InCluster() }); o.Components == nil && slices.ContainsFunc(all, func(c component.Name) bool { return c.OptIn() && has(c) }) {
		o.Components = slices.DeleteFunc(all, func(c component.Name) bool { return c.OptIn() && !has(c) })
	}
	if o.Requests != nil {
		o.Requests = o.Requests.For(o.Components)
	}
	return o
}

// homeless says that a profile has no secret for a component.
func homeless(p Profile, c component.Name) error {
	switch {
	case !c.InCluster():
		return fmt.Errorf("no secret of a cluster is for %s: its account is used outside", c)
	case p.Requests:
		return hint.Errorf("'identity emit' writes an identity of Cluster API", "no CredentialsRequest of the release is for %s, so profile %s has no secret for it", c, p.Name)
	}
	return hint.Errorf("'secrets emit --profile "+ProfileManual+"' writes the secret of its CredentialsRequest, 'identity emit' an identity of Cluster API",
		"profile %s has no secret for %s", p.Name, c)
}

// atTarget is the secret that a reader reads.
func (o EmitOptions) atTarget(k release.Consumer) sink {
	s := sink{at: k.Target, file: "99_vsphere-" + k.File + "-credentials.yaml", component: k.Component}
	if o.profile().Requests {
		s.file = ccoctlFile(k.Target)
	}
	return s
}

// labelled is the secret that cloud-credential-operator copies from.
func (o EmitOptions) labelled(k release.Consumer) sink {
	s := sink{at: component.At(o.namespace(), k.Secret), file: "99_" + k.Secret + ".yaml", component: k.Component}
	if l := o.label(); l != LabelNone {
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

// requested gives the secrets that the requests of a directory want.
func (o EmitOptions) requested() ([]sink, error) {
	errs := []error{o.Requests.Uncovered()}
	at := map[component.Ref]release.Request{}
	var list []sink
	for _, c := range component.Names() {
		for _, q := range o.Requests.List {
			if q.Component != c || !o.chosen(c) {
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

// RequestFile is the name that ccoctl gives the manifest of a request's secret, below its output directory.
func RequestFile(secret component.Ref) string { return ccoctlFile(secret) }

// ccoctlFile is the name that ccoctl gives the manifest of a secret.
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
