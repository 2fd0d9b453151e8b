package identity

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// nameLabel is on every namespace, with its name: the API server puts it there.
const nameLabel = "kubernetes.io/metadata.name"

// verdict is what a controller makes of a cluster that names an identity.
type verdict struct {
	refusal   string // in the controller's own words; "" = it is not refused
	undecided string // what the dump would have to hold; "" = it is decided
}

// allows judges a namespace by an identity; of are the labels, known if the dump has the namespace.
//
// VSphereClusterIdentity: not ready, then allowedNamespaces: nil = none, {} = all, else the
// selector, in this order and these words
// (kubernetes-sigs/cluster-api-provider-vsphere@111a1ba9bc52, pkg/identity/identity.go:73-102).
// OpenStackClusterIdentity: namespaceSelector nil = all, else the selector
// (kubernetes-sigs/cluster-api-provider-openstack@e52de58abe6f).
func (c ClusterIdentity) allows(namespace string, of map[string]string, known bool) verdict {
	denied := verdict{refusal: fmt.Sprintf("namespace %s is not allowed to use specified identity", namespace)}
	invalid := verdict{refusal: "failed to build selector"}
	switch {
	case c.Kind == KindOpenStackIdentity && c.Selector == nil:
		return verdict{}
	case c.Kind == KindOpenStackIdentity:
		denied.refusal = fmt.Sprintf("namespace %s not allowed to use cluster identity %s", namespace, c.Name)
		invalid.refusal = "invalid namespace selector"
	case c.Status != nil && !c.Status.Ready:
		return verdict{refusal: "identity isn't ready to be used yet"}
	case c.Closed:
		return verdict{refusal: "allowedNamespaces set to nil, no namespaces are allowed to use this identity"}
	}
	selector, err := metav1.LabelSelectorAsSelector(c.Selector)
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
func (c ClusterIdentity) Allowed() string {
	switch {
	case c.Kind == KindVSphereIdentity && c.Closed:
		return "nobody (allowedNamespaces is not set)"
	case c.Selector == nil:
		return "everybody (namespaceSelector is not set)"
	}
	selector, err := metav1.LabelSelectorAsSelector(c.Selector)
	switch {
	case err != nil:
		return "nobody (the selector is invalid)"
	case selector.Empty():
		return "everybody (the selector is empty)"
	}
	return "namespaces with " + selector.String()
}

// nobody reports whether no namespace in the dump may use it.
func (c ClusterIdentity) nobody(namespaces map[string]map[string]string) bool {
	if strings.HasPrefix(c.Allowed(), "nobody") {
		return true
	}
	c.Status = nil // ready or not, that is another matter
	for name, of := range namespaces {
		if c.allows(name, of, true) == (verdict{}) {
			return false
		}
	}
	return len(namespaces) > 0
}

// malformed is the fault of an identityRef for OpenStack by the shipped rules: type is Secret
// unless it says ClusterIdentity, name and cloudName are required.
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

// status is the controller's verdict on an identity or, before there is one, on a secret that is
// missing or has another owner (kubernetes-sigs/cluster-api-provider-vsphere@111a1ba9bc52,
// controllers/vsphereclusteridentity_controller.go:129-151). Nil = it will be ready.
func (w *checker) status(i ClusterIdentity) *Status {
	at := component.At(w.controller, i.Secret.Name)
	switch {
	case i.Status != nil || i.Kind != KindVSphereIdentity:
		return i.Status
	case w.absent(at):
		return &Status{Reason: "SecretNotAvailable", Message: fmt.Sprintf("secrets %q not found", at.Name)}
	case w.taken(at, i.called()):
		return &Status{Reason: "SecretAlreadyInUse", Message: "secret being used by another Cluster/VSphereIdentity"}
	}
	return nil
}

// taken reports whether CAPV refuses a secret because it has another owner.
func (w *checker) taken(at component.Ref, called string) bool {
	owners := ownersOf(w.at[at])
	return len(owners) > 0 && !slices.Contains(owners, called)
}

// ownersOf are a secret's owners that CAPV looks at, identities and clusters, as findings call them
// (pkg/identity/identity.go, IsOwnedByIdentityOrCluster). A nil secret has none.
func ownersOf(s *corev1.Secret) []string {
	if s == nil {
		return nil
	}
	var all []string
	for _, o := range s.OwnerReferences {
		switch group, _, _ := strings.Cut(o.APIVersion, "/"); {
		case group != infrastructureGroup:
		case o.Kind == KindVSphereIdentity:
			all = append(all, ClusterIdentity{Kind: o.Kind, Name: o.Name}.called())
		case o.Kind == KindVSphereCluster:
			all = append(all, User{Kind: o.Kind, Ref: component.At(s.Namespace, o.Name)}.called())
		}
	}
	return all
}

func (c ClusterIdentity) called() string { return c.Kind + " " + c.Name }
