// Package diagnosis says in sentences what is wrong with the accounts of a cluster, or not as it looks, and which command mends it: what
// each consumer gets is said by package cluster.
package diagnosis
