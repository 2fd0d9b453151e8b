package objects

import (
	"cmp"
	"encoding/base64"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// ParseSecrets reads a stream of YAML or JSON documents: secrets, or lists of them as `oc get secrets -o yaml` prints.
// Other kinds are ignored. stringData is merged into data, as the API server does. name stands for the file in
// errors, which hold no values.
func ParseSecrets(name string, data []byte) ([]corev1.Secret, error) {
	secrets, faults, err := ReadSecrets(name, data)
	if err := cmp.Or(err, errors.Join(faults...)); err != nil {
		return nil, err
	}
	return secrets, nil
}

// NoSecret is the error of a dump without any secret in which somebody looks for accounts. Every cluster has some, so it was made by
// mistake, like one of a project that has none, and would prove that nobody has an account.
func NoSecret(name string, data []byte) error {
	kinds := map[string]bool{}
	New(name).Each(data, func(from Object) { kinds[VisibleKind(from.Kind)] = true })
	only := ""
	if len(kinds) > 0 {
		only = ", only " + strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
	}
	return hint.Errorf("'oc get secrets -A -o yaml' prints them from a cluster", "%s contains no Secret%s", name, only)
}

// ReadSecrets is ParseSecrets for those who only look: a value or an object that is malformed is left out and told in
// faults, and the rest is read all the same. An error is what leaves nothing to look at.
func ReadSecrets(name string, data []byte) (secrets []corev1.Secret, faults []error, err error) {
	o := New(name)
	o.Each(data, func(from Object) {
		if from.Kind != "Secret" {
			return
		}
		if s, ok := o.Secret(from); ok {
			secrets = append(secrets, s)
		}
	})
	if o.Broken() {
		return nil, nil, o.Err()
	}
	return secrets, o.Problems(), nil
}

// Latest keeps of secrets with one name the last, as `oc apply` does, in the order of the first; again names them.
func Latest(secrets []corev1.Secret) (kept []corev1.Secret, again map[component.Ref]bool) {
	again = map[component.Ref]bool{}
	index := map[component.Ref]int{}
	for _, s := range secrets {
		at := component.At(s.Namespace, s.Name)
		i, there := index[at]
		if !there {
			index[at] = len(kept)
			kept = append(kept, s)
			continue
		}
		kept[i], again[at] = s, true
	}
	return kept, again
}

// Secret reads one; ok is false where it is malformed as a whole.
func (o Reader) Secret(from Object) (s corev1.Secret, ok bool) {
	before := o.Count()
	s.Kind, s.APIVersion, s.Type = from.Kind, from.Text("apiVersion").Value, corev1.SecretType(from.Text("type").Value)
	s.ObjectMeta = o.Metadata(from)
	data, plain := from.Object.Object("data"), from.Object.Object("stringData")
	ok = o.Count() == before
	s.Data = o.values(data, unbase64)
	for k, v := range o.values(plain, asText) {
		if s.Data == nil {
			s.Data = map[string][]byte{}
		}
		s.Data[k] = v
	}
	return s, ok
}

// Metadata reads what we look at; an object without a name is refused.
func (o Reader) Metadata(from Object) (meta metav1.ObjectMeta) {
	node := from.Object.Object("metadata", "name", "namespace", "labels", "annotations")
	name := node.Text("name")
	meta.Name, meta.Namespace = name.Value, node.Text("namespace").Value
	switch {
	case !from.Has("metadata"):
		o.Report(from.Line, "a %s without metadata", from.Kind)
	case meta.Name == "" && !name.Bad && !node.Bad:
		o.Report(node.Line, "a %s without a name", from.Kind)
	}
	meta.Labels, meta.Annotations = o.Texts(node.Object("labels")), o.Texts(node.Object("annotations"))
	return meta
}

// Texts are the fields of a mapping of texts; nil where it has none.
func (o Reader) Texts(from yamldoc.Object) map[string]string {
	var all map[string]string
	for k, v := range o.values(from, asText) {
		if all == nil {
			all = map[string]string{}
		}
		all[k] = string(v)
	}
	return all
}

// values are the fields of a mapping, all text; convert makes of each what it stands for.
func (o Reader) values(from yamldoc.Object, convert func(string) ([]byte, error)) map[string][]byte {
	if from.Node == nil {
		return nil
	}
	all := map[string][]byte{}
	for _, key := range from.Names {
		t := from.Text(key)
		value, err := convert(t.Value)
		if err != nil {
			o.At(t.Place, "%v", err)
		}
		if err == nil && !t.Bad {
			all[key] = value
		}
	}
	return all
}

func asText(text string) ([]byte, error) { return []byte(text), nil }

// unbase64 takes the line breaks that YAML leaves in long values.
func unbase64(text string) ([]byte, error) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	value, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errors.New("is not base64 (plain text belongs under stringData)")
	}
	return value, nil
}
