// Package objects reads objects of Kubernetes from a stream of YAML or JSON documents, as `oc get -o yaml` prints them.
package objects

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// MaxNodes bounds how many values are looked at. The secrets of a whole cluster are a few hundred thousand.
const MaxNodes = 5_000_000

// Object is one Kubernetes object of a stream of YAML or JSON documents; the items of lists are objects of their own.
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
func (o Reader) Each(data []byte, f func(Object)) {
	if bytes.ContainsRune(data, '\t') && json.Valid(data) { // YAML takes JSON, but no tabs
		var compact bytes.Buffer
		if json.Compact(&compact, data) == nil {
			data = compact.Bytes()
		}
	}
	for _, doc := range o.Documents(data) {
		o.walk(doc, yamldoc.Place{Line: doc.Line}, 0, f)
	}
}

// walk gives one object, or those of a list.
func (o Reader) walk(n *yaml.Node, p yamldoc.Place, depth int, f func(Object)) {
	target := o.Resolve(n)
	if yamldoc.IsNull(target) {
		return
	}
	if target.Kind != yaml.MappingNode || depth > 10 {
		o.Report(n.Line, "is not a Kubernetes object")
		return
	}
	from := o.Object(n, p, "apiVersion", "kind", "metadata", "items", "type", "data", "stringData", "spec", "status")
	switch kind := from.Text("kind"); {
	case kind.Bad:
	case kind.Value == "":
		o.Report(n.Line, "is not a Kubernetes object: it has no kind")
	case !strings.HasSuffix(kind.Value, "List"):
		f(Object{kind.Value, from})
	default:
		items, _ := from.List("items")
		for _, item := range items {
			o.walk(item.Node, item.Place, depth+1, f)
		}
	}
}

// VisibleKind keeps a kind in an error short: it is a word of somebody's file.
func VisibleKind(kind string) string {
	const most = 64
	for _, c := range kind {
		if c < '0' || c > 'z' || len(kind) > most {
			return "strange kind"
		}
	}
	return kind
}
