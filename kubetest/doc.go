// Package kubetest applies what `secrets emit` prints to a real Kubernetes API server with kubectl and reads it back.
//
// It is a module of its own, because kube-apiserver and kubectl are built from it (see go.mod; the tests need the
// standard library alone). `make kube` builds them and unpacks Debian's etcd into bin/kube, `make kube-test` runs the
// tests. Without the three programs the tests are skipped, unless KUBETEST=required.
package kubetest
