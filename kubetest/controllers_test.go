package kubetest

import (
	"testing"
	"time"
)

// The programs besides the API server that make pods of Jobs and Deployments.
const (
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
)

// controllers starts what makes pods and binds them to a node. Nothing runs there: the node is an object that says it is ready.
func (c *cluster) controllers(t *testing.T, p programs) {
	t.Helper()
	launch(t, c.dir, p.dir+"/"+controllerManager, "--kubeconfig=kubeconfig", "--leader-elect=false", "--secure-port=0",
		"--service-account-private-key-file=accounts.key", "--root-ca-file=ca.crt",
		"--controllers=cronjob-controller,job-controller,deployment-controller,replicaset-controller,serviceaccount-controller,"+
			"root-ca-certificate-publisher-controller,garbage-collector-controller,persistentvolume-binder-controller")
	launch(t, c.dir, p.dir+"/"+scheduler, "--kubeconfig=kubeconfig", "--leader-elect=false", "--secure-port=0")
	c.do(t, []byte(`{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker"}}`), "create", "-f", "-")
	c.do(t, nil, "patch", "node", "worker", "--subresource=status", "--type=merge", "-p", `{"status": {
		"allocatable": {"cpu": "64", "memory": "256Gi", "pods": "200", "ephemeral-storage": "100Gi"},
		"capacity": {"cpu": "64", "memory": "256Gi", "pods": "200", "ephemeral-storage": "100Gi"},
		"conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}}`)
	// What takes this taint from nodes that are ready looks for a kubelet first.
	c.do(t, nil, "patch", "node", "worker", "--type=merge", "-p", `{"spec": {"taints": null}}`)
}

// until waits for what the controllers do: done says what is missing, "" = nothing.
func until(t *testing.T, limit time.Duration, done func() string) {
	t.Helper()
	tick, late := time.NewTicker(200*time.Millisecond), time.After(limit)
	defer tick.Stop()
	for {
		missing := done()
		if missing == "" {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("after %s: %s", limit, missing)
		}
	}
}
