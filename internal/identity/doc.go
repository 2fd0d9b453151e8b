// Package identity is about the cluster identities of Cluster API, by which clusters share accounts of vCenters: it writes
// them, and says of a management cluster which account each of its clusters gets.
package identity
