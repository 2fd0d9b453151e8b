package openshift

import (
	"cmp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// request reads one CredentialsRequest, for vSphere where provider says so; ok is false where it is malformed.
func (o objects) request(from object) (r Request, meta metav1.ObjectMeta, provider string, ok bool) {
	before := o.Count()
	version := from.Text("apiVersion").Value
	meta = o.metadata(from)
	spec := from.Object.Object("spec", "providerSpec", "secretRef")
	provider = spec.Object("providerSpec", "kind").Text("kind").Value
	if o.Count() > before {
		return r, meta, provider, false
	}
	switch {
	case !strings.HasPrefix(version, "cloudcredential.openshift.io/"):
		o.Report(from.Line, "a CredentialsRequest of cloudcredential.openshift.io is expected, not of %q", version)
	case len(validation.IsDNS1123Subdomain(meta.Name)) > 0:
		o.Report(from.Line, "CredentialsRequest: metadata.name %q is no name", meta.Name)
	case !from.Has("spec"):
		o.Report(from.Line, "CredentialsRequest %s has no spec", meta.Name)
	case provider == "":
		o.Report(spec.Line, "CredentialsRequest %s does not say for which cloud: spec.providerSpec.kind is missing", meta.Name)
	case provider == providerKind:
		r.SecretRef = o.secretRef(spec, meta.Name)
	}
	if o.Count() > before || provider != providerKind {
		return r, meta, provider, o.Count() == before
	}
	r.Ref, r.File = component.At(cmp.Or(meta.Namespace, requestNamespace), meta.Name), o.File()
	r.FeatureSet, r.FeatureGate = meta.Annotations[featureSetAnnotation], meta.Annotations[featureGateAnnotation]
	if known, ok := consumerNamed(meta.Name); ok {
		r.Component = known.component
	}
	return r, meta, provider, true
}

// secretRef is where the request wants its secret. Its names become those of files, so they must be names.
func (o objects) secretRef(spec yamldoc.Object, request string) component.Ref {
	node := spec.Object("secretRef", "namespace", "name")
	at := component.At(node.Text("namespace").Value, node.Text("name").Value)
	switch {
	case !spec.Has("secretRef"):
		o.Report(spec.Line, "CredentialsRequest %s has no spec.secretRef", request)
	case len(validation.IsDNS1123Label(at.Namespace)) > 0 || len(validation.IsDNS1123Subdomain(at.Name)) > 0:
		o.Report(node.Line, "CredentialsRequest %s: spec.secretRef %q is not namespace/name of a secret", request, at)
	}
	return at
}
