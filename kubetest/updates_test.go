package kubetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUpdatesOfACluster keeps this promise: the ClusterRole that the guide prints is enough for `reconcile --available-updates` and
// `reconcile status`, and who has it may do nothing else. Each available update is extracted, prepared for and recorded; the command that
// allows the upgrade sets the annotation with the newest of them, and leaves the other annotations as they are.
func TestUpdatesOfACluster(t *testing.T) {
	l := newLab(t, "")
	l.do(t, nil, "create", "namespace", "openshift-cloud-credential-operator")
	l.do(t, nil, "create", "namespace", "vsphere-admin")
	l.do(t, nil, "create", "serviceaccount", "reader", "-n", "vsphere-admin")
	running := requestOf("openshift-machine-api-vsphere", "openshift-machine-api", "vsphere-cloud-credentials", "VirtualMachine.Interact.PowerOn")
	l.do(t, []byte(running), "apply", "--validate=strict", "-f", "-")
	const patch = "5555555555555555555555555555555555555555555555555555555555555555"
	l.do(t, []byte(clusterVersion+`  - {version: 4.20.5, image: "quay.io/openshift-release-dev/ocp-release@sha256:`+patch+`"}`+"\n"), "apply", "-f", "-")
	l.do(t, []byte("apiVersion: operator.openshift.io/v1\nkind: CloudCredential\nmetadata: {name: cluster, annotations: {team: a}}\nspec: {credentialsMode: Manual}\n"), "apply", "-f", "-")
	l.runs("", "apply", "-f", "spec.yaml", "--yes")
	reader := l.write("reader", l.kubeconfigOf(t, "vsphere-admin", "reader"))
	l.write("patch/a.yaml", running)
	l.write("minor/a.yaml", strings.ReplaceAll(running, "VirtualMachine.Interact.PowerOn", "VirtualMachine.Interact.PowerOn, VirtualMachine.Interact.Suspend"))
	asked := filepath.Join(l.home, "asked")
	oc := l.write("oc", "#!/bin/sh\necho \"$*\" >>'"+asked+"'\ncase $* in *:555*) cat patch/a.yaml;; *:444*) cat minor/a.yaml;; esac >\"${6#--to=}/a.yaml\"\n")
	if err := os.Chmod(oc, 0o700); err != nil {
		t.Fatal(err)
	}
	words := []string{"reconcile", "-f", "spec.yaml", "--kubeconfig", reader, "--available-updates", "--oc", oc, "--yes"}

	if _, stderr := l.runs("exit status 1", words...); !strings.Contains(stderr, "may not read clusterversions.config.openshift.io/version") || !strings.Contains(stderr, "oc auth can-i get clusterversions.config.openshift.io") {
		t.Errorf("without the role: %s", stderr)
	}
	if text, err := os.ReadFile(asked); err == nil {
		t.Errorf("without the role oc is run: %s", text)
	}
	l.do(t, documented(t, "upgrade.md", "updates-reader.yaml"), "apply", "--validate=strict", "-f", "-")
	l.do(t, nil, "create", "clusterrolebinding", "reader", "--clusterrole=updates-reader", "--serviceaccount=vsphere-admin:reader")
	_, stderr := l.runs("", words...)
	for _, version := range []string{"4.20.5", "4.21.0"} {
		if !strings.Contains(stderr, "spec.state.yaml records "+version+" as reconciled") {
			t.Errorf("%s: %s", version, stderr)
		}
	}
	text, err := os.ReadFile(asked)
	if err != nil || strings.Count(string(text), "adm release extract --credentials-requests --cloud=vsphere --to=") != 2 || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%v: %s", err, text)
	}

	stdout, _ := l.runs("", "reconcile", "status", "-f", "spec.yaml", "--kubeconfig", reader, "-o", "json")
	var s state
	if err := json.Unmarshal(stdout, &s); err != nil || s.Summary.Available != 2 || s.Summary.NotReconciled != 0 || s.Upgradeable.Operator.Reason != "MissingUpgradeableAnnotation" {
		t.Fatalf("%v: %s", err, stdout)
	}
	set := s.Commands[len(s.Commands)-1]
	command, ok := strings.CutPrefix(set, "oc ")
	if !ok || !strings.Contains(set, `upgradeable-to":"4.21.0"`) {
		t.Fatalf("%q", s.Commands)
	}
	if stdout, stderr, err := run(t, l.dir, []string{"KUBECONFIG=" + filepath.Join(l.dir, "kubeconfig")}, nil, "sh", "-c", l.kubectl+" "+command); err != nil {
		t.Fatalf("%s: %v: %s%s", set, err, stdout, stderr)
	}
	if all := string(l.do(t, nil, "get", "cloudcredential", "cluster", "-o", "jsonpath={.metadata.annotations}")); !strings.Contains(all, `"team":"a"`) || !strings.Contains(all, `upgradeable-to":"4.21.0"`) {
		t.Error(all)
	}

	for _, words := range []string{
		"list clusterversions", "watch clusterversions", "get clusterversions/other", "patch clusterversions/version", "update clusterversions/version --subresource=status",
		"get credentialsrequests -n openshift-cloud-credential-operator", "watch credentialsrequests -A", "create credentialsrequests -n openshift-cloud-credential-operator",
		"list cloudcredentials", "get cloudcredentials/other", "patch cloudcredentials/cluster", "get secrets -n kube-system", "list secrets -A",
		"get configmaps -n openshift-cloud-credential-operator", "get infrastructures/cluster", "list nodes", "create pods -n vsphere-admin", "impersonate users",
	} {
		args := append([]string{"auth", "can-i"}, strings.Fields(words)...)
		if stdout, _, err := l.try(t, nil, append(args, "--as=system:serviceaccount:vsphere-admin:reader")...); err == nil || !strings.HasPrefix(string(stdout), "no") {
			t.Errorf("%s: %v, %s", words, err, stdout)
		}
	}
}
