package openshift

import (
	"encoding/base64"
	"errors"
	"strings"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// ParseSecrets reads a stream of YAML or JSON documents: secrets, or lists of them as `oc get secrets -o yaml` prints.
// Other kinds are passed over. stringData is merged into data, as the API server does. name stands for the file in
// errors, which hold no values.
func ParseSecrets(name string, data []byte) ([]corev1.Secret, error) {
	return parseSecrets(&objects{name: name}, data)
}

// ReadSecrets is ParseSecrets for those who only look: a value or an object that is malformed is left out and told in
// faults, and the rest is read all the same. An error is what leaves nothing to look at.
func ReadSecrets(name string, data []byte) (secrets []corev1.Secret, faults []error, err error) {
	r := &objects{name: name, told: func(err error) { faults = append(faults, err) }}
	secrets, err = parseSecrets(r, data)
	return secrets, faults, err
}

func parseSecrets(r *objects, data []byte) ([]corev1.Secret, error) {
	var secrets []corev1.Secret
	err := r.each(data, func(o object) error {
		if o.kind != "Secret" {
			return nil
		}
		s, err := r.secret(o)
		if err == nil {
			secrets = append(secrets, s)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return secrets, nil
}

// latest keeps of secrets with one name the last, as `oc apply` does, in the order of the first; again names them.
func latest(secrets []corev1.Secret) (kept []corev1.Secret, again map[component.Ref]bool) {
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

func (o *objects) secret(from object) (corev1.Secret, error) {
	s := corev1.Secret{TypeMeta: metav1.TypeMeta{Kind: from.kind}}
	var err error
	fail := func(e error) {
		if err == nil {
			err = e
		}
	}
	text := func(of *string, name string) {
		value, e := o.textField(from.node, name)
		fail(e)
		*of = value
	}
	text(&s.APIVersion, "apiVersion")
	var kind string
	text(&kind, "type")
	s.Type = corev1.SecretType(kind)
	meta, e := o.metadata(from)
	fail(e)
	s.ObjectMeta = meta
	data, e := o.texts(from.node, "data", unbase64)
	fail(e)
	plain, e := o.texts(from.node, "stringData", func(text string) ([]byte, error) { return []byte(text), nil })
	fail(e)
	s.Data = data
	for k, v := range plain {
		if s.Data == nil {
			s.Data = map[string][]byte{}
		}
		s.Data[k] = v
	}
	return s, err
}

// metadata reads what we look at; an object without a name is refused.
func (o *objects) metadata(from object) (meta metav1.ObjectMeta, err error) {
	node, err := o.mapping(from.node, "metadata")
	if err != nil {
		return meta, err
	}
	if node == nil {
		return meta, o.at(from.node, "a %s without metadata", from.kind)
	}
	if meta.Name, err = o.textField(node, "name"); err != nil {
		return meta, err
	}
	if meta.Name == "" {
		return meta, o.at(node, "a %s without a name", from.kind)
	}
	if meta.Namespace, err = o.textField(node, "namespace"); err != nil {
		return meta, err
	}
	for name, to := range map[string]*map[string]string{"labels": &meta.Labels, "annotations": &meta.Annotations} {
		values, err := o.texts(node, name, func(text string) ([]byte, error) { return []byte(text), nil })
		if err != nil {
			return meta, err
		}
		for k, v := range values {
			if *to == nil {
				*to = map[string]string{}
			}
			(*to)[k] = string(v)
		}
	}
	return meta, nil
}

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
