package secrets_test

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// In Manual mode the annotation that allows the upgrade is printed with the version, where the cluster says that it is a newer one than
// it has completed; where that is not known, it is said, and the command that prints it.
func TestEmitSaysWhatAllowsTheUpgrade(t *testing.T) {
	t.Parallel()
	const at = "/apis/config.openshift.io/v1/clusterversions/version"
	clusterVersion := func(history string) string {
		return `{"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion","metadata":{"name":"version"},"status":{"desired":{"version":"4.20.3","image":"quay.io/a/b:c"},"history":[` + history + `]}}`
	}
	const annotation = `next: oc patch cloudcredential.operator.openshift.io/cluster --type=merge --patch '{"metadata":{"annotations":{"cloudcredential.openshift.io/upgradeable-to":"4.21.0"}}}'`
	for name, tt := range map[string]struct {
		answers map[string]string // nil = no cluster is named
		ready   string
		want    string
		not     string
	}{
		"ready":         {map[string]string{at: clusterVersion(`{"state":"Completed","version":"4.20.3"}`)}, "4.21.0", "once these secrets are applied, for the newest release that is recorded as reconciled:\n" + annotation, "not known"},
		"not newer":     {map[string]string{at: clusterVersion(`{"state":"Completed","version":"4.21.0"}`)}, "4.21.0", "no new minor release after 4.21.0, which the cluster has completed, is recorded as reconciled", "oc patch"},
		"none recorded": {map[string]string{at: clusterVersion(`{"state":"Completed","version":"4.20.3"}`)}, "", "no new minor release after 4.20.3, which the cluster has completed, is recorded as reconciled", "oc patch"},
		"none complete": {map[string]string{at: clusterVersion(`{"state":"Partial","version":"4.20.3"}`)}, "4.21.0", "which release the cluster has completed is not known (its ClusterVersion has no completed release)", "oc patch"},
		"forbidden":     {map[string]string{at: ""}, "4.21.0", "may not read clusterversions.config.openshift.io/version", "oc patch"},
		"no cluster":    {nil, "4.21.0", "which release the cluster has completed is not known here; this prints the command, with the version:\nnext: oc get clusterversion version -o yaml | ocp-vsphere-admin reconcile status --cluster-version - ", "oc patch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := clitest.SmallSpec + "profile: manual\ncomponents: {csi-driver: {}}\n"
			if tt.ready != "" {
				text += "reconciledAvailableUpdates: [{version: " + tt.ready + ", image: \"quay.io/a/b:c\"}]\n"
			}
			requests := objectstest.Release(t, map[string]string{"a.yaml": objectstest.RequestYAML("openshift-vmware-vsphere-csi-driver-operator", "openshift-cluster-csi-drivers/vmware-vsphere-cloud-credentials", objectstest.Provider)})
			words := []string{"secrets", "emit", "-f", clitest.WriteFile(t, "spec.yaml", text, 0o600), "--credentials-file", clitest.WriteFile(t, "credentials", emitFile, 0o600), "--credentials-requests", requests}
			kubeconfig := ""
			if tt.answers != nil {
				kubeconfig = clitest.Cluster(t, tt.answers)
				words = append(words, "--kubeconfig", kubeconfig)
			}
			code, stdout, stderr := program.Run(t, termtest.NewFake(), words...)
			if code != command.ExitDone || !strings.Contains(stdout, "kind: Secret") || !strings.Contains(stderr, tt.want) || strings.Contains(stderr, tt.not) {
				t.Errorf("%d: %s", code, stderr)
			}
			if kubeconfig != "" && name != "ready" && !strings.Contains(stderr, "next: ocp-vsphere-admin reconcile status --kubeconfig "+kubeconfig) {
				t.Error(stderr)
			}
		})
	}
}
