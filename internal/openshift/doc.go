// Package openshift writes what OpenShift reads, the secrets of each profile: those of the enhancement "vSphere
// multi-account credential management" (openshift/enhancements#1931), those of openshift/installer#10895, those that the
// CredentialsRequests of a release want (package release), and the shared one. Package cluster reads them.
//
// The readers of these secrets are stricter than Kubernetes: the cloud controller manager refuses any key that it
// does not know, the CSI driver and the problem detector refuse user names without a domain, and all of them look up
// `<vCenter>.username` and `<vCenter>.password` by the server name that the cluster was installed with. What one of
// them would reject is refused here, where the administrator still sees why.
package openshift
