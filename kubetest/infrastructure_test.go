package kubetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// clusterObject is what the cluster of clusterSpec says of itself, but for its status.
const clusterObject = `apiVersion: config.openshift.io/v1
kind: Infrastructure
metadata: {name: cluster}
spec:
  platformSpec:
    type: VSphere
    vsphere:
      vcenters: [{server: vcenter1.example.com, port: 443, datacenters: [DC1]}]
      failureDomains:
      - name: zone-a
        region: r
        zone: a
        server: vcenter1.example.com
        topology: {datacenter: DC1, computeCluster: /DC1/host/C1, datastore: /DC1/datastore/ds1, networks: [VM Network], template: /DC1/vm/cluster1-x7k2p-rhcos-zone-a}
`

const clusterStatus = `{"status": {"infrastructureName": "cluster1-x7k2p", "apiServerURL": "https://api.cluster1.example.com:6443"}}`

const clusterSpec = `apiVersion: ocp-vsphere-admin/v1
kind: Provisioning
cluster: cluster1
vcenters:
- server: vcenter1.example.com
  failureDomains:
  - {name: zone-a, datacenter: DC1, computeCluster: /DC1/host/C1, datastore: /DC1/datastore/ds1, networks: [VM Network]}
`

// documented is the file that a guide in docs writes under this name.
func documented(t *testing.T, page, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, there := strings.Cut(string(text), "<!-- file: "+name+" -->\n```yaml\n")
	block, _, ended := strings.Cut(rest, "```\n")
	if !there || !ended {
		t.Fatalf("docs/%s has no %s", page, name)
	}
	return []byte(block)
}

// TestInfrastructureOfACluster keeps this promise: the ClusterRole that the guide prints is enough to read a running cluster's
// Infrastructure with --infrastructure kubeconfig:FILE, and who has it may do nothing else: the cluster is not changed.
func TestInfrastructureOfACluster(t *testing.T) {
	p := need(t)
	c := start(t, p)
	c.resources(t)
	c.do(t, []byte(clusterObject), "apply", "--validate=strict", "-f", "-")
	c.do(t, nil, "patch", "infrastructure", "cluster", "--subresource=status", "--type=merge", "-p", clusterStatus)
	c.do(t, nil, "create", "namespace", "vsphere-admin")
	c.do(t, nil, "create", "serviceaccount", "reader", "-n", "vsphere-admin")
	home := t.TempDir()
	file, reader := filepath.Join(home, "provisioning.yaml"), filepath.Join(home, "reader")
	for path, text := range map[string]string{file: clusterSpec, reader: c.kubeconfigOf(t, "vsphere-admin", "reader")} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	diff := func(kubeconfig string) (stdout, stderr, code string) {
		t.Helper()
		out, stderr, err := run(t, home, nil, nil, p.product, "spec", "diff", "-f", file, "--infrastructure", "kubeconfig:"+kubeconfig)
		if err != nil {
			code = err.Error()
		}
		return string(out), stderr, code
	}

	if _, stderr, code := diff(reader); code != "exit status 1" || !strings.Contains(stderr, "may not read infrastructures.config.openshift.io/cluster") ||
		!strings.Contains(stderr, "oc auth can-i get infrastructures.config.openshift.io") {
		t.Errorf("without the role: %s: %s", code, stderr)
	}
	role := documented(t, "cluster-admin.md", "infrastructure-reader.yaml")
	c.do(t, role, "apply", "--validate=strict", "-f", "-")
	c.do(t, nil, "create", "clusterrolebinding", "reader", "--clusterrole=infrastructure-reader", "--serviceaccount=vsphere-admin:reader")
	for _, from := range []string{reader, reader + "#x", filepath.Join(c.dir, "kubeconfig")} {
		if stdout, stderr, code := diff(from); code != "" || !strings.Contains(stderr, "no differences") {
			t.Errorf("%s: %s: %s%s", from, code, stdout, stderr)
		}
	}

	// a failure domain more, and the file follows
	_, zone, _ := strings.Cut(clusterObject, "      - name: zone-a")
	grown := clusterObject + "      - name: zone-b" + strings.ReplaceAll(zone, "zone-a", "zone-b")
	c.do(t, []byte(grown), "apply", "--validate=strict", "-f", "-")
	if stdout, stderr, code := diff(reader); code != "exit status 2" || !strings.Contains(stdout, "zone-b") {
		t.Errorf("%s: %s%s", code, stdout, stderr)
	}
	if stdout, stderr, err := run(t, home, nil, nil, p.product, "spec", "update", "-f", file, "--infrastructure", "kubeconfig:"+reader); err != nil {
		t.Errorf("%v: %s%s", err, stdout, stderr)
	}
	if stdout, stderr, code := diff(reader); code != "" {
		t.Errorf("%s: %s%s", code, stdout, stderr)
	}

	for _, words := range []string{
		"list infrastructures", "watch infrastructures", "get infrastructures/other", "patch infrastructures/cluster", "update infrastructures/cluster",
		"delete infrastructures/cluster", "create infrastructures", "get infrastructures/cluster --subresource=status", "update infrastructures/cluster --subresource=status",
		"get secrets -n kube-system", "list secrets -A", "get configmaps -n kube-system", "get clusterversions", "list nodes", "create pods -n vsphere-admin", "impersonate users",
	} {
		args := append([]string{"auth", "can-i"}, strings.Fields(words)...)
		if stdout, _, err := c.try(t, nil, append(args, "--as=system:serviceaccount:vsphere-admin:reader")...); err == nil || !strings.HasPrefix(string(stdout), "no") {
			t.Errorf("%s: %v, %s", words, err, stdout)
		}
	}
}

// kubeconfigOf lets a service account log in with a token.
func (c *cluster) kubeconfigOf(t *testing.T, namespace, name string) string {
	t.Helper()
	token := c.do(t, nil, "create", "token", name, "-n", namespace)
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: u, user: {token: %q}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`, c.url, filepath.Join(c.dir, "ca.crt"), strings.TrimSpace(string(token)))
}
