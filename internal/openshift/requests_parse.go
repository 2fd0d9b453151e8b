package openshift

import (
	"strings"

	"gopkg.in/yaml.v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// request reads one CredentialsRequest.
func (o *objects) request(from object) (r Request, meta metav1.ObjectMeta, provider string, err error) {
	version, err := o.textField(from.node, "apiVersion")
	if err != nil {
		return r, meta, "", err
	}
	if group, _, _ := strings.Cut(version, "/"); group != "cloudcredential.openshift.io" {
		return r, meta, "", o.at(from.node, "a CredentialsRequest of cloudcredential.openshift.io is expected, not of %q", version)
	}
	if meta, err = o.metadata(from); err != nil {
		return r, meta, "", err
	}
	if len(validation.IsDNS1123Subdomain(meta.Name)) > 0 {
		return r, meta, "", o.at(from.node, "CredentialsRequest: metadata.name %q is no name", meta.Name)
	}
	spec, err := o.mapping(from.node, "spec")
	if err != nil {
		return r, meta, "", err
	}
	if spec == nil {
		return r, meta, "", o.at(from.node, "CredentialsRequest %s has no spec", meta.Name)
	}
	if cloud, err := o.mapping(spec, "providerSpec"); err != nil {
		return r, meta, "", err
	} else if cloud != nil {
		if provider, err = o.textField(cloud, "kind"); err != nil {
			return r, meta, "", err
		}
	}
	if provider == "" {
		return r, meta, "", o.at(spec, "CredentialsRequest %s does not say for which cloud: spec.providerSpec.kind is missing", meta.Name)
	}
	if provider != providerKind {
		return r, meta, provider, nil
	}
	if r.SecretRef, err = o.secretRef(spec, meta.Name); err != nil {
		return r, meta, "", err
	}
	r.Ref, r.File = component.At(meta.Namespace, meta.Name), o.name
	if r.Namespace == "" {
		r.Namespace = requestNamespace
	}
	r.FeatureSet, r.FeatureGate = meta.Annotations[featureSetAnnotation], meta.Annotations[featureGateAnnotation]
	if known, ok := consumerNamed(meta.Name); ok {
		r.Component = known.component
	}
	return r, meta, provider, nil
}

// secretRef is where the request wants its secret. Its names become those of files, so they must be names.
func (o *objects) secretRef(spec *yaml.Node, request string) (component.Ref, error) {
	node, err := o.mapping(spec, "secretRef")
	if err != nil {
		return component.Ref{}, err
	}
	if node == nil {
		return component.Ref{}, o.at(spec, "CredentialsRequest %s has no spec.secretRef", request)
	}
	var at component.Ref
	if at.Namespace, err = o.textField(node, "namespace"); err != nil {
		return component.Ref{}, err
	}
	if at.Name, err = o.textField(node, "name"); err != nil {
		return component.Ref{}, err
	}
	if len(validation.IsDNS1123Label(at.Namespace)) > 0 || len(validation.IsDNS1123Subdomain(at.Name)) > 0 {
		return component.Ref{}, o.at(node, "CredentialsRequest %s: spec.secretRef %q is not namespace/name of a secret", request, at)
	}
	return at, nil
}
