package openshift

import (
	"errors"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// File names of the installer's manifests.
const (
	rootFile = "99_cloud-creds-secret.yaml"
	roleFile = "99_role-cloud-creds-secret-reader.yaml"
)

// modeKey is the annotation without which cloud-credential-operator copies nothing ("cannot proceed without cloud cred
// secret annotation"); its own annotator sets it to "passthrough" (openshift/cloud-credential-operator@b187feee66f4).
const modeKey = "cloudcredential.openshift.io/mode"

// Extras are the words of [EmitOptions.Extra]: who reads machine-api's account from a secret of its own, on releases
// whose CredentialsRequest for it is there.
func Extras() []string {
	var words []string
	for _, k := range consumers() {
		if k.component == "" {
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
	if err := o.check(); err != nil {
		return nil, err
	}
	var list []sink
	var err error
	p := o.profile()
	switch {
	case p.Shared():
		return []sink{rootSink(component.Installer, true)}, nil
	case p.Requests:
		list, err = o.requested()
	default:
		for _, k := range consumers() {
			if k.component != "" && o.chosen(k.component) {
				list = append(list, p.sink(o, k))
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no component with a secret is chosen: the %s's account is the one that others fall back to", component.Installer)
	}
	for _, k := range consumers() {
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
	for _, c := range o.Components {
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
		return fmt.Errorf("profile %s is the root secret already, with the main account in it", p.Name)
	case len(o.Extra) > 0 && !p.Manual:
		return fmt.Errorf("profile %s has no extra secrets: cloud-credential-operator makes them from %s", p.Name, root)
	case p.Shared() && o.Components != nil && !slices.Contains(o.Components, component.Installer):
		return fmt.Errorf("profile %s has one account, %s, for all components", p.Name, component.Installer)
	case p.Requests && o.Requests == nil:
		return fmt.Errorf("profile %s needs the CredentialsRequests of the release", p.Name)
	}
	return nil
}

// chosen tells whether a component is among those asked for.
func (o EmitOptions) chosen(c component.Name) bool {
	return o.Components == nil || slices.Contains(o.Components, c)
}

// atTarget is the secret that a reader reads.
func (o EmitOptions) atTarget(k consumer) sink {
	s := sink{at: k.Target, file: "99_vsphere-" + k.File + "-credentials.yaml", component: k.component}
	if o.profile().Requests {
		s.file = ccoctlFile(k.Target)
	}
	return s
}

// labelled is the secret that cloud-credential-operator copies from.
func (o EmitOptions) labelled(k consumer) sink {
	s := sink{at: component.At(o.namespace(), k.secret), file: "99_" + k.secret + ".yaml", component: k.component}
	if l := o.label(); l != LabelNone {
		s.labels = map[string]string{requestKey: l}
		s.annotations = map[string]string{requestKey: component.At(requestNamespace, k.Name).String()}
	}
	return s
}

// rootSink is the secret that releases share; operated: cloud-credential-operator works from it.
func rootSink(c component.Name, operated bool) sink {
	s := sink{at: root, file: rootFile, component: c}
	if operated {
		s.annotations = map[string]string{modeKey: "passthrough"}
	}
	return s
}

// requested gives the secrets that the requests of a directory want.
func (o EmitOptions) requested() ([]sink, error) {
	errs := []error{o.Requests.Uncovered()}
	at := map[component.Ref]Request{}
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
				errs = append(errs, fmt.Errorf("%s: CredentialsRequests %s (%s) and %s (%s) want the same secret %s: give both the same account",
					q.File, before.Name, before.Component, q.Name, c, q.SecretRef))
			}
		}
	}
	return list, errors.Join(errs...)
}

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
