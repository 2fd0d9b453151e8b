// Package kubetest applies what `secrets emit` prints to a real Kubernetes API server with kubectl and reads it back. The manifests
// of deploy it applies as well, with the controllers and the scheduler, and runs the pods that they make as processes.
//
// It is a module of its own, because the programs of Kubernetes are built from it (see go.mod; the tests need the
// standard library alone). `make kube` builds them and unpacks Debian's etcd into bin/kube, `make kube-test` runs the
// tests. Without these programs the tests are skipped, unless KUBETEST=required.
package kubetest
