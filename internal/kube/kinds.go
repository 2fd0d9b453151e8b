package kube

import (
	"cmp"
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is a row of the table below. Discovery would bring all types of Kubernetes into the binary.
type Kind struct {
	group    string // of the API, "" = the core
	resource string // plural, lower case
	versions string // newest first; the first that the server has is read
}

const capi = "infrastructure.cluster.x-k8s.io"

// The kinds that commands read or apply. Those of Cluster API are from two repositories of
// kubernetes-sigs: cluster-api-provider-vsphere@111a1ba9bc52 and -openstack@e52de58abe6f.
var (
	ConfigMaps                 = Kind{"", "configmaps", "v1"}
	Namespaces                 = Kind{"", "namespaces", "v1"}
	PersistentVolumes          = Kind{"", "persistentvolumes", "v1"}
	Secrets                    = Kind{"", "secrets", "v1"}
	ClusterOperators           = Kind{"config.openshift.io", "clusteroperators", "v1"}
	ClusterVersions            = Kind{"config.openshift.io", "clusterversions", "v1"}
	Infrastructures            = Kind{"config.openshift.io", "infrastructures", "v1"}
	Roles                      = Kind{"rbac.authorization.k8s.io", "roles", "v1"}
	CloudCredentials           = Kind{"operator.openshift.io", "cloudcredentials", "v1"}
	CredentialsRequests        = Kind{"cloudcredential.openshift.io", "credentialsrequests", "v1"}
	VSphereClusterIdentities   = Kind{capi, "vsphereclusteridentities", "v1beta2 v1beta1"}
	VSphereClusters            = Kind{capi, "vsphereclusters", "v1beta2 v1beta1"}
	VSphereDeploymentZones     = Kind{capi, "vspheredeploymentzones", "v1beta2 v1beta1"}
	VSphereFailureDomains      = Kind{capi, "vspherefailuredomains", "v1beta2 v1beta1"}
	OpenStackClusterIdentities = Kind{capi, "openstackclusteridentities", "v1alpha1"}
	OpenStackClusters          = Kind{capi, "openstackclusters", "v1beta2 v1beta1"}
	OpenStackMachines          = Kind{capi, "openstackmachines", "v1beta2 v1beta1"}
	OpenStackServers           = Kind{capi, "openstackservers", "v1alpha1"}
)

// applied are the kinds that [Cluster.Apply] takes.
var applied = map[schema.GroupVersionKind]schema.GroupVersionResource{
	{Version: "v1", Kind: "Secret"}:                                   Secrets.in("v1"),
	{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"}: Roles.in("v1"),
}

// String is what `oc auth can-i` calls them.
func (k Kind) String() string { return strings.TrimSuffix(k.resource+"."+k.group, ".") }

func (k Kind) in(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: k.group, Version: version, Resource: k.resource}
}

// served is the version of a kind that the server prefers. The error is NotFound where it has none.
// Kubernetes lets all who are logged in ask that.
func (c *Cluster) served(ctx context.Context, k Kind) (string, error) {
	var group metav1.APIGroup
	err := c.rest.Get().AbsPath("apis", k.group).Do(ctx).Into(&group)
	for _, v := range group.Versions {
		var list metav1.APIResourceList
		err = c.rest.Get().AbsPath("apis", v.GroupVersion).Do(ctx).Into(&list)
		if err != nil {
			return "", err
		}
		named := func(r metav1.APIResource) bool { return r.Name == k.resource }
		if slices.ContainsFunc(list.APIResources, named) {
			return v.Version, nil
		}
	}
	return "", cmp.Or[error](err, apierrors.NewNotFound(k.in("").GroupResource(), ""))
}
