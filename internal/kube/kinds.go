package kube

import "strings"

// Kind is a row of the table below.
type Kind struct {
	group    string // of the API, "" = the core
	resource string // plural, lower case
}

const capi = "infrastructure.cluster.x-k8s.io"

// The kinds that commands read. Those of Cluster API are from two repositories of
// kubernetes-sigs: cluster-api-provider-vsphere@111a1ba9bc52 and -openstack@e52de58abe6f.
var (
	ConfigMaps                 = Kind{"", "configmaps"}
	Namespaces                 = Kind{"", "namespaces"}
	PersistentVolumes          = Kind{"", "persistentvolumes"}
	Secrets                    = Kind{"", "secrets"}
	ClusterOperators           = Kind{"config.openshift.io", "clusteroperators"}
	ClusterVersions            = Kind{"config.openshift.io", "clusterversions"}
	Infrastructures            = Kind{"config.openshift.io", "infrastructures"}
	CloudCredentials           = Kind{"operator.openshift.io", "cloudcredentials"}
	CredentialsRequests        = Kind{"cloudcredential.openshift.io", "credentialsrequests"}
	VSphereClusterIdentities   = Kind{capi, "vsphereclusteridentities"}
	VSphereClusters            = Kind{capi, "vsphereclusters"}
	VSphereDeploymentZones     = Kind{capi, "vspheredeploymentzones"}
	VSphereFailureDomains      = Kind{capi, "vspherefailuredomains"}
	OpenStackClusterIdentities = Kind{capi, "openstackclusteridentities"}
	OpenStackClusters          = Kind{capi, "openstackclusters"}
	OpenStackMachines          = Kind{capi, "openstackmachines"}
	OpenStackServers           = Kind{capi, "openstackservers"}
)

// String is what `oc auth can-i` calls them.
func (k Kind) String() string { return strings.TrimSuffix(k.resource+"."+k.group, ".") }
