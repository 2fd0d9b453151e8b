package kubetest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// lab is a simulated vCenter, a specification of it, and a cluster that has nothing to do with it but the accounts.
type lab struct {
	*testing.T
	*cluster
	product string
	home    string
	env     []string
}

// newLab serves a simulated vCenter until the test ends.
func newLab(t *testing.T, components string) *lab {
	t.Helper()
	p := need(t)
	c := start(t, p)
	c.resources(t)
	home := t.TempDir()
	l := &lab{T: t, cluster: c, product: p.product, home: home, env: []string{
		"OCP_VSPHERE_ADMIN_CONFIG=" + filepath.Join(home, "lab", "config.yaml"), "VSPHERE_CREDENTIALS_FILE=" + filepath.Join(home, "lab", "credentials"),
	}}
	serve(t, p.lab, home, 1)
	text, err := os.ReadFile(filepath.Join(home, "lab", "provisioning.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l.write("spec.yaml", string(text)+components)
	return l
}

// serve serves so many simulated vCenters until the test ends, with their files in home/lab.
func serve(t *testing.T, program, home string, vcenters int) {
	t.Helper()
	ready := filepath.Join(home, "ready")
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "serve", "--vcenters", strconv.Itoa(vcenters), "--dir", "lab", "--ready-file", ready)
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	tick, late := time.NewTicker(50*time.Millisecond), time.After(startLimit)
	defer tick.Stop()
	for {
		if _, err := os.Stat(ready); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ended:
			t.Fatal("it ended before it was ready")
		case <-late:
			t.Fatal("it is not ready")
		}
	}
}

func (l *lab) write(name, text string) string {
	l.Helper()
	path := filepath.Join(l.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		l.Fatal(err)
	}
	return path
}

// runs runs the product, which has to end with code; "" is success. KUBECONFIG in the words stands for that of the cluster.
func (l *lab) runs(code string, words ...string) (stdout []byte, stderr string) {
	l.Helper()
	for i, w := range words {
		if w == "KUBECONFIG" {
			words[i] = filepath.Join(l.dir, "kubeconfig")
		}
	}
	stdout, stderr, err := run(l.T, l.home, l.env, nil, l.product, words...)
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != code {
		l.Fatalf("%s: %q, want %q:\n%s%s", strings.Join(words, " "), got, code, stdout, stderr)
	}
	return stdout, stderr
}

// applied gives the cluster what the product printed.
func (l *lab) applied(manifests []byte) {
	l.Helper()
	l.do(l.T, manifests, "apply", "--server-side", "--validate=strict", "-f", "-")
}

// users are the accounts that identity check finds for clusters, or "refused".
func (l *lab) users(code string) map[string]string {
	l.Helper()
	stdout, _ := l.runs(code, "identity", "check", "--kubeconfig", "KUBECONFIG", "-o", "json")
	var v struct {
		Clusters []struct{ Consumer, User, Refusal string }
	}
	if err := json.Unmarshal(stdout, &v); err != nil {
		l.Fatalf("%v: %s", err, stdout)
	}
	found := map[string]string{}
	for _, c := range v.Clusters {
		found[c.Consumer] = c.User
		if c.Refusal != "" {
			found[c.Consumer] = "refused"
		}
	}
	return found
}

// TestClusterIdentities keeps this promise: an API server takes the identities that `identity emit` writes, in both versions, and over
// what is there; `identity check --kubeconfig` says who gets the account and who is refused; after a rotation the same objects
// hold the new account, and `rotate finish` looks into the cluster before it removes the old one. A name that the tool refuses
// the API server refuses as well.
func TestClusterIdentities(t *testing.T) {
	l := newLab(t, "components: {cluster-api: {}}\n")
	for _, ns := range []string{"capv-system", "team-a", "team-b"} {
		l.do(t, nil, "create", "namespace", ns)
	}
	l.runs("", "apply", "-f", "spec.yaml", "--yes")
	emit := func(version string) []byte {
		stdout, _ := l.runs("", "identity", "emit", "-f", "spec.yaml", "--namespaces", "names=team-a", "--name", "east", "--api-version", version)
		return stdout
	}
	l.applied(emit("v1beta1"))
	l.applied(emit("v1beta2"))
	for _, ns := range []string{"team-a", "team-b"} {
		l.applied([]byte("apiVersion: infrastructure.cluster.x-k8s.io/v1beta2\nkind: VSphereCluster\nmetadata: {name: web, namespace: " + ns +
			"}\nspec: {server: vcenter1.example.com}\n"))
		l.do(t, nil, "patch", "vspherecluster", "web", "-n", ns, "--type=merge", "-p", `{"spec":{"identityRef":{"kind":"VSphereClusterIdentity","name":"east"}}}`)
	}
	users := l.users("exit status 2")
	account := users["team-a/web"]
	if !strings.Contains(account, "cluster-api@") || users["team-b/web"] != "refused" || len(users) != 2 {
		t.Fatalf("%v", users)
	}

	l.runs("", "rotate", "-f", "spec.yaml", "--components", "cluster-api", "--yes")
	_, stderr := l.runs("exit status 1", "rotate", "finish", "-f", "spec.yaml", "--kubeconfig", "KUBECONFIG", "--grace", "0s", "--yes")
	if !strings.Contains(stderr, "capv-system/east") {
		t.Errorf("finish while the cluster has the old account: %s", stderr)
	}
	l.applied(emit("v1beta2"))
	if now := l.users("exit status 2")["team-a/web"]; now == account || !strings.Contains(now, "cluster-api-2@") {
		t.Errorf("after the rotation: %s, before %s", now, account)
	}
	l.runs("", "rotate", "finish", "-f", "spec.yaml", "--kubeconfig", "KUBECONFIG", "--grace", "0s", "--yes")

	if _, stderr := l.runs("exit status 1", "identity", "emit", "-f", "spec.yaml", "--namespaces", "none", "--name", "East_1"); !strings.Contains(stderr, "--name") {
		t.Errorf("%s", stderr)
	}
	wrong := strings.ReplaceAll(string(emit("v1beta2")), "name: east", "name: East_1")
	if _, stderr, err := l.try(t, []byte(wrong), "apply", "-f", "-"); err == nil || !strings.Contains(stderr, "Invalid value") {
		t.Errorf("%v: %s", err, stderr)
	}
}

// TestIdentitiesWithTheLeast keeps this promise: the ClusterRole that the guide prints is enough for `identity check --kubeconfig`,
// where the cluster does not serve OpenStack's kinds, and changes nothing; the zones of the guide for tenants are what an API
// server takes, and the check names the one that another tenant's account can look at.
func TestIdentitiesWithTheLeast(t *testing.T) {
	p := need(t)
	c := start(t, p)
	c.resources(t)
	for _, kind := range []string{"openstackclusteridentities", "openstackclusters", "openstackmachines", "openstackservers"} {
		c.do(t, nil, "delete", "crd", "--ignore-not-found", kind+".infrastructure.cluster.x-k8s.io")
	}
	for _, ns := range []string{"vsphere-admin", "team-a", "team-b"} {
		c.do(t, nil, "create", "namespace", ns)
	}
	c.do(t, nil, "create", "serviceaccount", "reader", "-n", "vsphere-admin")
	c.do(t, documented(t, "tenants.md", "clusters.yaml"), "apply", "--validate=strict", "-f", "-")
	for team, user := range map[string]string{"team-a": "a@vsphere.local", "team-b": "b@vsphere.local"} {
		c.do(t, nil, "create", "secret", "generic", team+"-vcenter1.example.com", "-n", team, "--from-literal=username="+user, "--from-literal=password=pw-"+team)
	}
	home := t.TempDir()
	reader := filepath.Join(home, "reader")
	if err := os.WriteFile(reader, []byte(c.kubeconfigOf(t, "vsphere-admin", "reader")), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func() (stdout, stderr string, err error) {
		t.Helper()
		out, stderr, err := run(t, home, nil, nil, p.product, "identity", "check", "--kubeconfig", reader)
		return string(out), stderr, err
	}

	if _, stderr, err := check(); err == nil || err.Error() != "exit status 1" || !strings.Contains(stderr, "may not") {
		t.Errorf("without the role: %v: %s", err, stderr)
	}
	c.do(t, documented(t, "cluster-api.md", "identity-reader.yaml"), "apply", "--validate=strict", "-f", "-")
	c.do(t, nil, "create", "clusterrolebinding", "reader", "--clusterrole=identity-reader", "--serviceaccount=vsphere-admin:reader")
	stdout, stderr, err := check()
	if err == nil || err.Error() != "exit status 2" || !strings.Contains(stdout, "a@vsphere.local or b@vsphere.local") || !strings.Contains(stdout, "identity-zone  VSphereDeploymentZone zone-a") || strings.Contains(stdout+stderr, "pw-") {
		t.Errorf("%v: %s%s", err, stdout, stderr)
	}
	for _, words := range []string{"create secrets -n team-a", "update secrets -n team-a", "delete secrets -n team-a", "patch vsphereclusters -n team-a", "delete vspheredeploymentzones", "list nodes"} {
		args := append([]string{"auth", "can-i"}, strings.Fields(words)...)
		if stdout, _, err := c.try(t, nil, append(args, "--as=system:serviceaccount:vsphere-admin:reader")...); err == nil || !strings.HasPrefix(string(stdout), "no") {
			t.Errorf("%s: %v, %s", words, err, stdout)
		}
	}
}

const request = `apiVersion: cloudcredential.openshift.io/v1
kind: CredentialsRequest
metadata: {name: NAME, namespace: openshift-cloud-credential-operator}
spec:
  secretRef: {name: SECRET, namespace: NAMESPACE}
  serviceAccountNames: [operator]
  providerSpec: {apiVersion: cloudcredential.openshift.io/v1, kind: VSphereProviderSpec, permissions: [{privileges: [PRIVILEGE]}]}
`

func requestOf(name, namespace, secret, privilege string) string {
	return strings.NewReplacer("NAMESPACE", namespace, "NAME", name, "SECRET", secret, "PRIVILEGE", privilege).Replace(request)
}

// TestReconcileWithACluster keeps this promise: `reconcile --kubeconfig` compares with the CredentialsRequests that the cluster has,
// a secret of the next release is handed out when the cluster has its namespace and not before, the API server takes it, and
// once the cluster has it it is held no more. What `secrets emit` writes for the cluster is compared with what it has.
func TestReconcileWithACluster(t *testing.T) {
	l := newLab(t, "")
	l.do(t, nil, "create", "namespace", "openshift-cloud-credential-operator")
	l.runs("", "apply", "-f", "spec.yaml", "--yes")
	running := requestOf("openshift-machine-api-vsphere", "openshift-machine-api", "vsphere-cloud-credentials", "VirtualMachine.Interact.PowerOn")
	l.do(t, []byte(running), "apply", "--validate=strict", "-f", "-")
	l.write("next/machine-api.yaml", running)
	l.write("next/audit.yaml", requestOf("openshift-audit", "openshift-audit", "vcenter", "Datastore.Rename"))

	l.runs("", "reconcile", "-f", "spec.yaml", "--kubeconfig", "KUBECONFIG", "--dry-run", "--exit-code")
	next := []string{"reconcile", "-f", "spec.yaml", "--kubeconfig", "KUBECONFIG", "--to", "next", "--assign", "openshift-audit=diagnostics", "--held", "held", "--yes"}
	l.runs("exit status 2", append(next[:len(next)-3:len(next)-3], "--dry-run", "--exit-code")...)
	l.runs("", next...)
	text, err := os.ReadFile(filepath.Join(l.home, "spec.state.yaml"))
	if err != nil || !strings.Contains(string(text), "Datastore.Rename") {
		t.Errorf("%v: the specification does not keep what was added:\n%s", err, text)
	}

	release := []string{"secrets", "release", "-f", "spec.yaml", "--held", "held", "--requests", "next", "--assign", "openshift-audit=diagnostics", "--kubeconfig", "KUBECONFIG"}
	if stdout, stderr := l.runs("", release...); strings.Contains(string(stdout), "kind: Secret") || !strings.Contains(stderr, "openshift-audit") {
		t.Errorf("before the namespace is there: %s%s", stdout, stderr)
	}
	l.do(t, nil, "create", "namespace", "openshift-audit")
	stdout, _ := l.runs("", release...)
	l.applied(stdout)
	held := l.get(t, "secrets")["openshift-audit/vcenter"]
	if user := string(held.Data["vcenter1.example.com.username"]); !strings.Contains(user, "diagnostics@") {
		t.Errorf("the secret has %q", user)
	}
	l.runs("", release...)
	if _, err := os.Stat(filepath.Join(l.home, "held", "openshift-audit-vcenter-credentials.yaml")); err == nil {
		t.Error("the secret is still held")
	}

	l.runs("exit status 2", "secrets", "diff", "-f", "spec.yaml", "--kubeconfig", "KUBECONFIG")
	stdout, _ = l.runs("", "secrets", "emit", "-f", "spec.yaml", "--kubeconfig", "KUBECONFIG")
	l.applied(stdout)
	l.runs("", "secrets", "diff", "-f", "spec.yaml", "--kubeconfig", "KUBECONFIG")
}

// TestCreateAll keeps this promise: with a kubeconfig, create-all is the whole way from vCenter to a cluster that works with the
// accounts; the second time it changes nothing. Server-side apply and its answers need a real API server.
func TestCreateAll(t *testing.T) {
	l := newLab(t, "")
	create := []string{"create-all", "-f", "spec.yaml", "--kubeconfig", "KUBECONFIG", "--yes"}
	stdout, stderr := l.runs("", create...)
	if !strings.Contains(string(stdout), "objects written to https://") ||
		!strings.Contains(stderr, "\nnext: ocp-vsphere-admin verify --kubeconfig ") {
		t.Errorf("%s%s", stdout, stderr)
	}
	l.runs("", "secrets", "diff", "-f", "spec.yaml", "--kubeconfig", "KUBECONFIG")
	of := l.get(t, "secrets")["kube-system/vsphere-creds-machine-api"]
	if user := string(of.Data["vcenter1.example.com.username"]); !strings.Contains(user, "machine-api@") {
		t.Errorf("the cluster has %q", of.Data)
	}
	stdout, _ = l.runs("", append(create, "-o", "json")...)
	var doc struct {
		Kind    string
		Applied struct {
			Summary struct{ Create, Update, Delete int }
		}
		Secrets struct {
			Kind    string
			Objects []struct{ Change string }
		}
	}
	if err := json.Unmarshal(stdout, &doc); err != nil {
		t.Fatal(err)
	}
	changed := slices.ContainsFunc(doc.Secrets.Objects, func(o struct{ Change string }) bool { return o.Change != "same" })
	if s := doc.Applied.Summary; doc.Kind != "Created" || doc.Secrets.Kind != "SecretsSync" || changed || s.Create+s.Update+s.Delete > 0 {
		t.Errorf("%s", stdout)
	}
}
