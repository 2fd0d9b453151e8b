// Package objects reads Kubernetes objects from YAML or JSON documents, as of `oc get -o yaml`.
package objects

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// MaxNodes bounds the values read; a whole cluster's secrets are a few hundred thousand.
const MaxNodes = 5_000_000

// Object is one Kubernetes object of a stream; items of lists are objects of their own.
type Object struct {
	Kind string
	yamldoc.Object
}

// Reader reads a stream.
type Reader struct{ *yamldoc.Reader }

// New reads as an API server does: the case of names counts, fields that it has no use for do not.
func New(name string) Reader {
	return Reader{yamldoc.New(name, yamldoc.Rules{Scalars: true, MaxNodes: MaxNodes})}
}

// Each calls f for every object that can be read.
func (r Reader) Each(data []byte, f func(Object)) {
	if bytes.ContainsRune(data, '\t') && json.Valid(data) { // YAML takes JSON, but no tabs
		var compact bytes.Buffer
		if json.Compact(&compact, data) == nil {
			data = compact.Bytes()
		}
	}
	for _, doc := range r.Documents(data) {
		r.walk(doc, yamldoc.Place{Line: doc.Line}, 0, f)
	}
}

func (r Reader) walk(n *yaml.Node, p yamldoc.Place, depth int, f func(Object)) {
	target := r.Resolve(n)
	if yamldoc.IsNull(target) {
		return
	}
	if target.Kind != yaml.MappingNode || depth > 10 {
		r.Report(n.Line, "is not a Kubernetes object")
		return
	}
	from := r.Object(n, p, "apiVersion", "kind", "metadata", "items", "type", "data", "stringData",
		"spec", "status")
	switch kind := from.Text("kind"); {
	case kind.Bad:
	case kind.Value == "":
		r.Report(n.Line, "is not a Kubernetes object: it has no kind")
	case !strings.HasSuffix(kind.Value, "List"):
		f(Object{kind.Value, from})
	default:
		items, _ := from.List("items")
		for _, item := range items {
			r.walk(item.Node, item.Place, depth+1, f)
		}
	}
}

// VisibleKind shortens a kind, which is foreign text, for errors.
func VisibleKind(kind string) string {
	const most = 64
	for _, c := range kind {
		if c < '0' || c > 'z' || len(kind) > most {
			return "strange kind"
		}
	}
	return kind
}

// ParseSecrets reads a stream of YAML or JSON documents: secrets, or lists of them as `oc get
// secrets -o yaml` prints. It ignores other kinds, and merges stringData into data like the API
// server. name stands for the file in errors, which hold no values.
func ParseSecrets(name string, data []byte) ([]corev1.Secret, error) {
	secrets, faults, err := ReadSecrets(name, data)
	if err := cmp.Or(err, errors.Join(faults...)); err != nil {
		return nil, err
	}
	return secrets, nil
}

// NoSecret is the error of a dump without any secret. Every cluster has some, so it is a mistake,
// like a dump of a project without any, and would wrongly prove that accounts are unused.
func NoSecret(name string, data []byte) error {
	kinds := map[string]bool{}
	New(name).Each(data, func(from Object) { kinds[VisibleKind(from.Kind)] = true })
	only := ""
	if len(kinds) > 0 {
		only = ", only " + strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
	}
	return hint.Errorf("'oc get secrets -A -o yaml' prints them from a cluster",
		"%s contains no Secret%s", name, only)
}

// ReadSecrets is ParseSecrets for reading only: malformed values and objects are skipped and
// reported in faults. An error leaves nothing to look at.
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

// Latest keeps the last of secrets with one name, as `oc apply` does, in the order of the first;
// again names them.
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
func (r Reader) Secret(from Object) (s corev1.Secret, ok bool) {
	before := r.Count()
	s.Kind, s.APIVersion, s.Type = from.Kind, from.Text("apiVersion").Value,
		corev1.SecretType(from.Text("type").Value)
	s.ObjectMeta = r.Metadata(from)
	data, plain := from.Object.Object("data"), from.Object.Object("stringData")
	ok = r.Count() == before
	s.Data = r.values(data, unbase64)
	for k, v := range r.values(plain, asText) {
		if s.Data == nil {
			s.Data = map[string][]byte{}
		}
		s.Data[k] = v
	}
	return s, ok
}

// Metadata reads what we look at; an object without a name is refused.
func (r Reader) Metadata(from Object) (meta metav1.ObjectMeta) {
	node := from.Object.Object("metadata", "name", "namespace", "labels", "annotations")
	name := node.Text("name")
	meta.Name, meta.Namespace = name.Value, node.Text("namespace").Value
	switch {
	case !from.Has("metadata"):
		r.Report(from.Line, "a %s without metadata", from.Kind)
	case meta.Name == "" && !name.Bad && !node.Bad:
		r.Report(node.Line, "a %s without a name", from.Kind)
	}
	meta.Labels, meta.Annotations = r.Texts(node.Object("labels")), r.Texts(node.Object("annotations"))
	return meta
}

// Texts are the fields of a mapping of texts; nil where it has none.
func (r Reader) Texts(from yamldoc.Object) map[string]string {
	var all map[string]string
	for k, v := range r.values(from, asText) {
		if all == nil {
			all = map[string]string{}
		}
		all[k] = string(v)
	}
	return all
}

// values are the fields of a mapping, all text; convert makes of each what it stands for.
func (r Reader) values(from yamldoc.Object, convert func(string) ([]byte, error)) map[string][]byte {
	if from.Node == nil {
		return nil
	}
	all := map[string][]byte{}
	for _, key := range from.Names {
		t := from.Text(key)
		value, err := convert(t.Value)
		if err != nil {
			r.At(t.Place, "%v", err)
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
