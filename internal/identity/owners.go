package identity

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// status is what the controller says of an identity; of one that it has not looked at yet, what it will say if its secret is
// not there or has another owner (kubernetes-sigs/cluster-api-provider-vsphere@111a1ba9bc52,
// controllers/vsphereclusteridentity_controller.go:129-151). Else it is nil: it will be ready.
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

// taken reports whether CAPV refuses a secret to somebody, because it has an owner and that is another one.
func (w *checker) taken(at component.Ref, called string) bool {
	owners := ownersOf(w.at[at])
	return len(owners) > 0 && !slices.Contains(owners, called)
}

// ownersOf are the identities and clusters that own a secret, as they are called in findings: CAPV looks at no other owner
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

// called is what an identity is called in findings.
func (i ClusterIdentity) called() string { return i.Kind + " " + i.Name }
