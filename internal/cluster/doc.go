// Package cluster is what the objects of a cluster say about accounts, as one value: which account is in which secret, in whatever form,
// who reads it and by which step, what an apply of manifests changes for whom, and whether that is proof that an account may go. It reads
// no cluster, changes none, prints nothing and judges nothing but proof: sentences are made by those who ask.
//
// A secret in a new shape is one [Form]; a new reader is a row of openshift.Readers.
package cluster
