package openshift

import (
	"errors"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// The profiles: where the secrets are, and who puts them where they are read.
const (
	ProfileKubeSystem      = "kube-system"      // openshift/enhancements#1931: in kube-system, copied by cloud-credential-operator
	ProfileComponentScoped = "component-scoped" // openshift/installer#10895: where the four components read them
	ProfileManual          = "manual"           // where the CredentialsRequests of a release want them
	ProfilePassthrough     = "passthrough"      // the one that releases have: kube-system/vsphere-creds
)

// profiles lists them.
func profiles() []string {
	return []string{ProfileKubeSystem, ProfileComponentScoped, ProfileManual, ProfilePassthrough}
}

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
	switch o.profile() {
	case ProfilePassthrough:
		return []sink{rootSink(component.Installer, true)}, nil
	case ProfileManual:
		list, err = o.requested()
	default:
		for _, k := range consumers() {
			if k.component != "" && o.chosen(k.component) {
				list = append(list, o.sink(k))
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
			extra := sink{at: k.Target, file: "99_vsphere-" + k.File + "-credentials.yaml", component: component.MachineAPI}
			if o.profile() == ProfileManual {
				extra.file = ccoctlFile(k.Target)
			}
			if !slices.ContainsFunc(list, func(s sink) bool { return s.at == extra.at }) {
				list = append(list, extra)
			}
		}
	}
	if o.RootSecret {
		list = append(list, rootSink(component.MachineAPI, o.profile() == ProfileKubeSystem))
		if o.profile() == ProfileManual {
			list[len(list)-1].file = ccoctlFile(root)
		}
	}
	return list, nil
}

// check refuses what does not go together.
func (o EmitOptions) check() error {
	if p := o.profile(); !slices.Contains(profiles(), p) {
		return fmt.Errorf("unknown profile %q: known are %v", p, profiles())
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
	case p == ProfilePassthrough && o.RootSecret:
		return errors.New("profile passthrough is the root secret already, with the main account in it")
	case len(o.Extra) > 0 && (p == ProfilePassthrough || p == ProfileKubeSystem):
		return fmt.Errorf("profile %s has no extra secrets: cloud-credential-operator makes them from %s", p, root)
	case p == ProfilePassthrough && o.Components != nil && !slices.Contains(o.Components, component.Installer):
		return fmt.Errorf("profile passthrough has one account, %s, for all components", component.Installer)
	case p == ProfileManual && o.Requests == nil:
		return errors.New("profile manual needs the CredentialsRequests of the release")
	}
	return nil
}

// chosen tells whether a component is among those asked for.
func (o EmitOptions) chosen(c component.Name) bool {
	return o.Components == nil || slices.Contains(o.Components, c)
}

// sink is where a component's account goes in the profiles that know where.
func (o EmitOptions) sink(k consumer) sink {
	if o.profile() == ProfileComponentScoped {
		return sink{at: k.Target, file: "99_vsphere-" + k.File + "-credentials.yaml", component: k.component}
	}
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
