package release

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// request reads one CredentialsRequest, for vSphere where provider says so; ok is false where it is malformed.
func (o reader) request(from objects.Object) (r Request, meta metav1.ObjectMeta, provider string, ok bool) {
	before := o.Count()
	version := from.Text("apiVersion").Value
	meta = o.Metadata(from)
	spec := from.Object.Object("spec", "providerSpec", "secretRef", "serviceAccountNames")
	asks := spec.Object("providerSpec", "kind", "permissions")
	provider = asks.Text("kind").Value
	if o.Count() > before {
		return r, meta, provider, false
	}
	switch {
	case !strings.HasPrefix(version, "cloudcredential.openshift.io/"):
		o.Report(from.Line, "expected a CredentialsRequest of cloudcredential.openshift.io, not of %q", version)
	case len(validation.IsDNS1123Subdomain(meta.Name)) > 0:
		o.Report(from.Line, "CredentialsRequest: metadata.name %q is not a valid name", meta.Name)
	case !from.Has("spec"):
		o.Report(from.Line, "CredentialsRequest %s has no spec", meta.Name)
	case provider == "":
		o.Report(spec.Line, "CredentialsRequest %s does not say for which cloud: spec.providerSpec.kind is missing", meta.Name)
	case provider == providerKind:
		r.SecretRef = o.secretRef(spec, meta.Name)
		r.Privileges = o.permissions(asks, meta.Name)
		r.ServiceAccounts = o.serviceAccounts(spec, meta.Name)
	}
	if o.Count() > before || provider != providerKind {
		return r, meta, provider, o.Count() == before
	}
	r.Ref, r.File = component.At(cmp.Or(meta.Namespace, RequestNamespace), meta.Name), o.File()
	r.FeatureSet, r.FeatureGate = meta.Annotations[featureSetAnnotation], meta.Annotations[featureGateAnnotation]
	if known, ok := ConsumerNamed(meta.Name); ok && !known.Component.OptIn() {
		r.Component = known.Component
	}
	return r, meta, provider, true
}

// secretRef is where the request wants its secret. Its names become those of files, so they must be names.
func (o reader) secretRef(spec yamldoc.Object, request string) component.Ref {
	node := spec.Object("secretRef", "namespace", "name")
	at := component.At(node.Text("namespace").Value, node.Text("name").Value)
	switch {
	case !spec.Has("secretRef"):
		o.Report(spec.Line, "CredentialsRequest %s has no spec.secretRef", request)
	case len(validation.IsDNS1123Label(at.Namespace)) > 0 || len(validation.IsDNS1123Subdomain(at.Name)) > 0:
		o.Report(node.Line, "CredentialsRequest %s: spec.secretRef %q is not a valid namespace/name of a secret", request, at)
	}
	return at
}

// permissions are the privileges that a request asks for, sorted, each once. The field is a list of groups, and a group says nothing
// of where (openshift/cloud-credential-operator@e939ccfc7093, pkg/apis/cloudcredential/v1/types_vsphere.go): a group that does
// is of a later release, and what it means is not known here.
func (o reader) permissions(asks yamldoc.Object, request string) []string {
	var ids []string
	groups, _ := asks.List("permissions")
	for _, item := range groups {
		group := item.Object("privileges")
		for _, name := range group.Names {
			if name != "privileges" && group.Node != nil {
				o.Report(group.Where(name).Line, "CredentialsRequest %s: spec.providerSpec.permissions has the unknown field %s", request, name)
			}
		}
		list, ok := group.Texts("privileges")
		if ok && len(list) == 0 && group.Node != nil {
			o.Report(group.Line, "CredentialsRequest %s: a group of spec.providerSpec.permissions has no privileges", request)
		}
		for _, t := range list {
			if t.Bad {
				continue
			}
			if err := privileges.CheckID(t.Value); err != nil {
				o.Report(t.Line, "CredentialsRequest %s: %v", request, err)
			}
			ids = append(ids, t.Value)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// serviceAccounts are those that a request is for, sorted, each once.
func (o reader) serviceAccounts(spec yamldoc.Object, request string) []string {
	var all []string
	list, _ := spec.Texts("serviceAccountNames")
	for _, t := range list {
		if !t.Bad && len(validation.IsDNS1123Subdomain(t.Value)) > 0 {
			o.Report(t.Line, "CredentialsRequest %s: %q of spec.serviceAccountNames is not a valid name", request, t.Value)
		}
		all = append(all, t.Value)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
