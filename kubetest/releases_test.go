package kubetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The cluster of these tests runs 4.20.3 and may go to 4.21.0.
const clusterVersion = `apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata: {name: version}
spec: {clusterID: 2a6f4cf5-0b6c-4d0c-9a53-6f7b0b7f1c11, channel: stable-4.21}
status:
  desired: {version: 4.20.3, image: "quay.io/openshift-release-dev/ocp-release@sha256:` + digest3 + `"}
  history: [{state: Completed, version: 4.20.3, image: "quay.io/openshift-release-dev/ocp-release@sha256:` + digest3 + `", startedTime: "2026-09-01T00:00:00Z", completionTime: "2026-09-01T01:00:00Z", verified: true}]
  availableUpdates:
  - {version: 4.21.0, image: "quay.io/openshift-release-dev/ocp-release@sha256:` + digest4 + `"}
`

// Digests of the images of 4.20.3 and 4.21.0.
const (
	digest3 = "3333333333333333333333333333333333333333333333333333333333333333"
	digest4 = "4444444444444444444444444444444444444444444444444444444444444444"
)

// TestReconcileStatus keeps this promise: what `reconcile status` reads through a kubeconfig from a running cluster is what it
// reads from dumps of it, and the commands that it prints are ones that the cluster takes, after which it finds nothing left to do.
func TestReconcileStatus(t *testing.T) {
	p := need(t)
	c := start(t, p)
	c.resources(t)
	c.do(t, nil, "create", "namespace", "openshift-cloud-credential-operator")
	c.do(t, nil, "create", "configmap", "cloud-credential-operator-config", "-n", "openshift-cloud-credential-operator", "--from-literal=disabled=true")
	c.do(t, []byte(clusterVersion), "apply", "-f", "-")
	c.do(t, []byte("apiVersion: operator.openshift.io/v1\nkind: CloudCredential\nmetadata: {name: cluster}\nspec: {credentialsMode: Manual}\n"), "apply", "-f", "-")

	home := t.TempDir()
	wanted := "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\nvcenters: [{server: vcenter1.example.com}]\n"
	file := filepath.Join(home, "provisioning.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(wanted)
	kubeconfig := filepath.Join(c.dir, "kubeconfig")
	status := func(words ...string) (s state, code string) {
		t.Helper()
		stdout, stderr, err := run(t, home, nil, nil, p.product, append([]string{"reconcile", "status", "-f", file, "-o", "json"}, words...)...)
		if err != nil {
			code = err.Error()
		}
		if err := json.Unmarshal(stdout, &s); err != nil {
			t.Fatalf("%v: %s%s", err, stdout, stderr)
		}
		return s, code
	}

	live, code := status("--kubeconfig", kubeconfig)
	if code != "exit status 2" || live.Summary.NotReconciled != 1 || live.Upgradeable.Design.Status != "False" || live.Upgradeable.Operator.Reason != "MissingUpgradeableAnnotation" {
		t.Errorf("%s: %+v", code, live)
	}
	version, dump := filepath.Join(home, "cv.yaml"), filepath.Join(home, "dump.yaml")
	for path, words := range map[string][]string{
		version: {"get", "clusterversion", "version", "-o", "yaml"},
		dump:    {"get", "cloudcredentials,secrets,configmaps", "-A", "-o", "yaml"},
	} {
		if err := os.WriteFile(path, c.do(t, nil, words...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if dumped, _ := status("--cluster-version", version, "--dump", dump); dumped.Summary != live.Summary || dumped.Upgradeable != live.Upgradeable {
		t.Errorf("from dumps %+v, from the cluster %+v", dumped, live)
	}

	write(wanted + "reconciledAvailableUpdates:\n- version: 4.21.0\n  image: quay.io/openshift-release-dev/ocp-release@sha256:" + digest4 + "\n")
	ready, code := status("--kubeconfig", kubeconfig)
	if code != "" || ready.Summary.NotReconciled != 0 || ready.Upgradeable.Design.Status != "True" {
		t.Errorf("%s: %+v", code, ready)
	}
	patched := 0
	for _, command := range ready.Commands {
		words, ok := strings.CutPrefix(command, "oc ")
		if !ok {
			t.Errorf("not for oc: %s", command)
			continue
		}
		patched++
		// A shell takes the words apart, as it would for a person.
		if stdout, stderr, err := run(t, c.dir, []string{"KUBECONFIG=" + kubeconfig}, nil, "sh", "-c", c.kubectl+" "+words); err != nil {
			t.Errorf("%s: %v: %s%s", command, err, stdout, stderr)
		}
	}
	if patched == 0 {
		t.Error("no command to tell the operator that the accounts are ready")
	}
	after, _ := status("--kubeconfig", kubeconfig)
	if after.Upgradeable.Operator.Status != "True" || after.Upgradeable.Design.Status != "True" {
		t.Errorf("after %q: %+v", ready.Commands, after)
	}
}

// state is what the tests look at in a ReconcileStatus.
type state struct {
	Upgradeable struct {
		Design, Operator struct{ Status, Reason, Message string }
	}
	Summary  struct{ Available, NotReconciled int }
	Commands []string
}
