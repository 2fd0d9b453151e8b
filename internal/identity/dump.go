package identity

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

type reader struct{ objects.Reader }

const infrastructureGroup = "infrastructure.cluster.x-k8s.io"

// The kinds of cluster identities, and of what refers to them.
const (
	KindVSphereIdentity   = "VSphereClusterIdentity"
	KindSecret            = "Secret"
	KindVSphereCluster    = "VSphereCluster"
	KindVSphereZone       = "VSphereDeploymentZone"
	KindVSphereDomain     = "VSphereFailureDomain"
	KindOpenStackIdentity = "OpenStackClusterIdentity"
	KindOpenStackCluster  = "OpenStackCluster"
	KindOpenStackMachine  = "OpenStackMachine"
	KindOpenStackServer   = "OpenStackServer"
)

// ClusterIdentity is a VSphereClusterIdentity
// (kubernetes-sigs/cluster-api-provider-vsphere@111a1ba9bc52, api/govmomi) or an
// OpenStackClusterIdentity (kubernetes-sigs/cluster-api-provider-openstack@e52de58abe6f,
// api/v1alpha1).
type ClusterIdentity struct {
	Kind     string
	Name     string
	Secret   component.Ref         // without a namespace: that of the controller
	Closed   bool                  // no allowedNamespaces: none in vSphere
	Selector *metav1.LabelSelector // nil for OpenStackClusterIdentity = everybody
	Status   *Status               // nil = no controller has looked at it yet
}

// Status is what the controller says of an identity.
type Status struct {
	Ready   bool
	Reason  string // of the condition that is not true, "" where there is none
	Message string
}

// User is an object that works with an account by its identityRef.
type User struct {
	Kind string
	component.Ref
	Server   string // of the vCenter; "" for OpenStack, where the secret says it
	Identity *Reference
	Zones    *metav1.LabelSelector // failureDomainSelector of a VSphereCluster; nil = no zone
}

// Reference is an identityRef: kind and name for vSphere, type, name and cloudName for OpenStack.
type Reference struct {
	Kind, Name, CloudName string
}

// Dump are the objects of a management cluster that decide who works with which account.
type Dump struct {
	Identities []ClusterIdentity
	Users      []User
	Secrets    []corev1.Secret
	Namespaces map[string]map[string]string // labels by name
	Zones      []Zone
	Domains    map[string]string // datacenters of VSphereFailureDomains, by their names
}

// Read adds the objects of a stream of YAML or JSON documents, as `oc get -o yaml` prints it. It
// ignores unrelated kinds and fields; the last object of a name counts. name stands for the file in
// errors, which hold no values of secrets.
func (d *Dump) Read(name string, data []byte) error {
	o := reader{objects.New(name)}
	o.Each(data, func(from objects.Object) {
		switch from.Kind {
		case KindSecret:
			if s, ok := o.Secret(from); ok {
				s.OwnerReferences = o.owners(from)
				d.Secrets = append(d.Secrets, s)
			}
		case "Namespace":
			meta := o.Metadata(from)
			if d.Namespaces == nil {
				d.Namespaces = map[string]map[string]string{}
			}
			d.Namespaces[meta.Name] = meta.Labels
		case KindVSphereIdentity, KindOpenStackIdentity:
			if i, ok := o.identity(from); ok {
				d.Identities = put(d.Identities, i,
					func(other ClusterIdentity) bool { return other.Kind == i.Kind && other.Name == i.Name })
			}
		case KindVSphereZone:
			if z, ok := o.zone(from); ok {
				d.Zones = put(d.Zones, z, func(other Zone) bool { return other.Name == z.Name })
			}
		case KindVSphereDomain:
			if name, datacenter, ok := o.failureDomain(from); ok {
				if d.Domains == nil {
					d.Domains = map[string]string{}
				}
				d.Domains[name] = datacenter
			}
		case KindVSphereCluster, KindOpenStackCluster, KindOpenStackMachine, KindOpenStackServer:
			if u, ok := o.identityUser(from); ok {
				d.Users = put(d.Users, u, func(other User) bool { return other.Kind == u.Kind && other.Ref == u.Ref })
			}
		}
	})
	d.Secrets, _ = objects.Latest(d.Secrets)
	return o.Err()
}

func (r reader) owners(from objects.Object) []metav1.OwnerReference {
	var all []metav1.OwnerReference
	list, _ := from.Object.Object("metadata", "ownerReferences").List("ownerReferences")
	for _, item := range list {
		owner := item.Object("apiVersion", "kind", "name")
		all = append(all, metav1.OwnerReference{APIVersion: owner.Text("apiVersion").Value, Kind: owner.Text("kind").Value, Name: owner.Text("name").Value})
	}
	return all
}

func put[T any](list []T, e T, same func(T) bool) []T {
	for i, other := range list {
		if same(other) {
			list[i] = e
			return list
		}
	}
	return append(list, e)
}

// provider refuses an object of another API group that has the same kind.
func (r reader) provider(from objects.Object) bool {
	version := from.Text("apiVersion")
	if group, _, _ := strings.Cut(version.Value, "/"); group != infrastructureGroup && !version.Bad {
		r.Report(from.Line, "expected a %s of %s, not of %q", from.Kind, infrastructureGroup, version.Value)
		return false
	}
	return true
}

func (r reader) identity(from objects.Object) (i ClusterIdentity, ok bool) {
	before := r.Count()
	i.Kind = from.Kind
	provided := r.provider(from)
	i.Name = r.Metadata(from).Name
	spec := from.Object.Object("spec", "secretName", "allowedNamespaces", "secretRef", "namespaceSelector")
	switch {
	case !provided || r.Count() > before:
	case i.Kind == KindVSphereIdentity:
		i.Secret.Name = spec.Text("secretName").Value
		if i.Secret.Name == "" && r.Count() == before {
			seeds := ""
			if spec.Has("secretRef") {
				seeds = " (secretRef is only proposed and in no release)"
			}
			r.Report(from.Line, "%s %s: spec.secretName is missing%s", i.Kind, i.Name, seeds)
		}
		i.Closed = !spec.Has("allowedNamespaces")
		i.Selector = r.selector(spec.Object("allowedNamespaces", "selector").Object("selector", "matchLabels", "matchExpressions"))
	default:
		ref := spec.Object("secretRef", "name", "namespace")
		i.Secret = component.At(ref.Text("namespace").Value, ref.Text("name").Value)
		if (i.Secret.Name == "" || i.Secret.Namespace == "") && r.Count() == before {
			r.Report(from.Line, "%s %s: spec.secretRef must have the name and namespace of a secret", i.Kind, i.Name)
		}
		if spec.Has("namespaceSelector") {
			i.Selector = r.selector(spec.Object("namespaceSelector", "matchLabels", "matchExpressions"))
		}
	}
	if from.Has("status") {
		i.Status = r.identityStatus(from.Object.Object("status", "ready", "conditions", "v1beta2"))
	}
	return i, r.Count() == before
}

// identityStatus reads whether an identity is ready, and the condition that says why not. In
// v1beta1, Kubernetes conditions are under v1beta2; in v1beta2 they take their place.
func (r reader) identityStatus(from yamldoc.Object) *Status {
	s := &Status{Ready: from.Truth("ready")}
	for _, at := range []yamldoc.Object{from, from.Object("v1beta2", "conditions")} {
		list, _ := at.List("conditions")
		for _, item := range list {
			c := item.Object("type", "status", "reason", "message")
			if c.Text("status").Value != "True" && s.Reason == "" {
				s.Reason, s.Message = c.Text("reason").Value, c.Text("message").Value
			}
		}
	}
	return s
}

// selector reads a label selector without judging it.
func (r reader) selector(from yamldoc.Object) *metav1.LabelSelector {
	s := &metav1.LabelSelector{MatchLabels: r.Texts(from.Object("matchLabels"))}
	list, _ := from.List("matchExpressions")
	for _, item := range list {
		e := item.Object("key", "operator", "values")
		requirement := metav1.LabelSelectorRequirement{Key: e.Text("key").Value, Operator: metav1.LabelSelectorOperator(e.Text("operator").Value)}
		values, _ := e.List("values")
		for _, v := range values {
			requirement.Values = append(requirement.Values, v.Text().Value)
		}
		s.MatchExpressions = append(s.MatchExpressions, requirement)
	}
	return s
}

func (r reader) identityUser(from objects.Object) (u User, ok bool) {
	before := r.Count()
	provided := r.provider(from)
	meta := r.Metadata(from)
	u.Kind, u.Ref = from.Kind, component.At(meta.Namespace, meta.Name)
	if !provided || r.Count() > before {
		return u, false
	}
	if meta.Namespace == "" {
		r.Report(from.Line, "%s %s has no namespace, which decides which identities it may use",
			from.Kind, meta.Name)
		return u, false
	}
	spec := from.Object.Object("spec", "server", "identityRef", "failureDomainSelector")
	u.Server = spec.Text("server").Value
	ref := spec.Object("identityRef", "kind", "type", "name", "cloudName")
	of := Reference{ref.Text("kind").Value, ref.Text("name").Value, ref.Text("cloudName").Value}
	if u.Kind != KindVSphereCluster {
		of.Kind = ref.Text("type").Value
	}
	if of != (Reference{}) || u.Kind != KindVSphereCluster && spec.Has("identityRef") {
		u.Identity = &of
	}
	if u.Kind == KindVSphereCluster && spec.Has("failureDomainSelector") {
		u.Zones = r.selector(spec.Object("failureDomainSelector", "matchLabels", "matchExpressions"))
	}
	return u, r.Count() == before
}
