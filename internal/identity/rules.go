package identity

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// nameLabel is on every namespace, with its name: the API server puts it there.
const nameLabel = "kubernetes.io/metadata.name"

// verdict is what a controller makes of a cluster that names an identity.
type verdict struct {
	refusal   string // in the controller's own words; "" = it is not refused
	undecided string // what the dump would have to hold; "" = it is decided
}

// allows judges a namespace by an identity; labels are those of the namespace, known reports whether the dump has it.
//
// VSphereClusterIdentity: not ready, then allowedNamespaces: nil = nobody, {} = everybody, else the selector, in this order and
// in these words (kubernetes-sigs/cluster-api-provider-vsphere@111a1ba9bc52, pkg/identity/identity.go:73-102).
// OpenStackClusterIdentity: namespaceSelector nil = everybody, else the selector
// (kubernetes-sigs/cluster-api-provider-openstack@e52de58abe6f).
func (i ClusterIdentity) allows(namespace string, of map[string]string, known bool) verdict {
	denied := verdict{refusal: fmt.Sprintf("namespace %s is not allowed to use specified identity", namespace)}
	invalid := verdict{refusal: "failed to build selector"}
	switch {
	case i.Kind == KindOpenStackIdentity && i.Selector == nil:
		return verdict{}
	case i.Kind == KindOpenStackIdentity:
		denied.refusal = fmt.Sprintf("namespace %s not allowed to use cluster identity %s", namespace, i.Name)
		invalid.refusal = "invalid namespace selector"
	case i.Status != nil && !i.Status.Ready:
		return verdict{refusal: "identity isn't ready to be used yet"}
	case i.Closed:
		return verdict{refusal: "allowedNamespaces set to nil, no namespaces are allowed to use this identity"}
	}
	selector, err := metav1.LabelSelectorAsSelector(i.Selector)
	if err != nil {
		return invalid
	}
	all := labels.Merge(labels.Set{nameLabel: namespace}, of)
	requirements, selectable := selector.Requirements()
	if !selectable {
		return denied
	}
	undecided := false
	for _, r := range requirements {
		switch {
		case !known && r.Key() != nameLabel:
			undecided = true
		case !r.Matches(all):
			return denied
		}
	}
	if undecided {
		return verdict{undecided: fmt.Sprintf("namespace %s is not in the dump, but its labels decide: %s", namespace, selector)}
	}
	return verdict{}
}

// Allowed says in words which namespaces may use an identity.
func (i ClusterIdentity) Allowed() string {
	switch {
	case i.Kind == KindVSphereIdentity && i.Closed:
		return "nobody (allowedNamespaces is not set)"
	case i.Selector == nil:
		return "everybody (namespaceSelector is not set)"
	}
	selector, err := metav1.LabelSelectorAsSelector(i.Selector)
	switch {
	case err != nil:
		return "nobody (the selector is invalid)"
	case selector.Empty():
		return "everybody (the selector is empty)"
	}
	return "namespaces with " + selector.String()
}

// open reports whether every namespace may use it.
func (i ClusterIdentity) open() bool { return strings.HasPrefix(i.Allowed(), "everybody") }

// nobody reports whether no namespace may use it: of those in the dump, where it has any.
func (i ClusterIdentity) nobody(namespaces map[string]map[string]string) bool {
	if strings.HasPrefix(i.Allowed(), "nobody") {
		return true
	}
	i.Status = nil // ready or not, that is another matter
	for name, of := range namespaces {
		if i.allows(name, of, true) == (verdict{}) {
			return false
		}
	}
	return len(namespaces) > 0
}

// malformed says what is wrong with an identityRef for OpenStack, by the shipped rules: type is Secret unless it says
// ClusterIdentity, name and cloudName are required for both.
func (r Reference) malformed() string {
	switch {
	case r.Kind != "" && r.Kind != KindSecret && r.Kind != "ClusterIdentity":
		return "unsupported identity type: " + r.Kind
	case r.Name == "":
		return "name is required"
	case r.CloudName == "":
		if r.Kind == "ClusterIdentity" {
			return "cloudName is required (releases require it for both types, the proposal forbids it for ClusterIdentity)"
		}
		return "cloudName is required"
	}
	return ""
}
