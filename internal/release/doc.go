// Package release is about releases of OpenShift: the CredentialsRequests that they bring, the updates that a cluster is offered,
// and what it says of those that are prepared for.
package release
