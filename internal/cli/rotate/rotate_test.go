package rotate_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/kit"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

// applied runs the program on a lab whose accounts are made, by its provisioning file.
func applied(t *testing.T) (run func(fake *termtest.Fake, words ...string) (code int, stdout, stderr string), spec string) {
	t.Helper()
	lab, err := vcsim.Start(vcsim.Options{VCenters: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	dir := t.TempDir()
	files, err := kit.Write(lab, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	run = func(fake *termtest.Fake, words ...string) (code int, stdout, stderr string) {
		fake.Env["OCP_VSPHERE_ADMIN_CONFIG"], fake.Env["VSPHERE_CREDENTIALS_FILE"] = files.Settings, filepath.Join(dir, "credentials")
		return program.Run(t, fake, words...)
	}
	if code, _, stderr := run(termtest.NewFake(), "apply", "-f", files.Spec, "--yes"); code != command.ExitDone {
		t.Fatal(stderr)
	}
	return run, files.Spec
}

// A hub has the account of the installer alone: it gets a command of its own, whoever else is rotated.
func TestHubHasACommandOfItsOwn(t *testing.T) {
	t.Parallel()
	run, spec := applied(t)
	for _, words := range []string{
		"--components installer --in-place --dry-run",
		"--components csi-driver,installer --vcenters vcenter1.example.com --yes", // also where only some are rotated
	} {
		_, _, stderr := run(termtest.NewFake(), append(strings.Fields("rotate -f "+spec), strings.Fields(words)...)...)
		clitest.WantText(t, words, stderr, "if Hive removes this cluster, run this on its hub: oc get secrets,infrastructures -A -o yaml | "+
			command.Program+" secrets renew --against - -f "+spec+" --components installer --verify | oc apply -f -\n")
	}
}

// Who else may have the accounts is said before the question, and not again after it.
func TestElsewhereIsSaidOnce(t *testing.T) {
	t.Parallel()
	run, spec := applied(t)
	code, _, stderr := run(termtest.NewFake().WithTerminal(100, 40).WithAnswers("y"), "rotate", "--in-place", "-f", spec)
	if code != command.ExitDone || strings.Count(stderr, "if Hive removes this cluster") != 1 || strings.Count(stderr, "secrets renew") != 3 {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// With kubeconfigs, the proof of each of many clusters is read from its own, and so are the accounts that are verified.
func TestWavesReadEachCluster(t *testing.T) {
	t.Parallel()
	run, path := applied(t)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`(?m)^cluster: (\S+)`).FindSubmatch(text)[1]
	there := func() (kubeconfigs string) { // a cluster that has the secrets of the credentials file
		code, secrets, stderr := run(termtest.NewFake(), "secrets", "emit", "-f", path)
		if code != command.ExitDone {
			t.Fatal(stderr)
		}
		var items []any
		for _, one := range strings.Split("\n"+secrets, "\n---\n") {
			var item map[string]any
			if err := yaml.Unmarshal([]byte(one), &item); err != nil {
				t.Fatal(err)
			}
			if item == nil {
				continue
			}
			items = append(items, item)
			if item["metadata"].(map[string]any)["name"] == "vsphere-creds-csi-driver" { // the operator hands it on
				handed := maps.Clone(item)
				handed["metadata"] = map[string]any{"name": "vmware-vsphere-cloud-credentials", "namespace": "openshift-cluster-csi-drivers"}
				items = append(items, handed)
			}
		}
		for _, namespace := range []string{"openshift-cloud-controller-manager", "openshift-cluster-storage-operator", "openshift-machine-api"} {
			items = append(items, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "other", "namespace": namespace}})
		}
		list, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "SecretList", "metadata": map[string]any{}, "items": items})
		if err != nil {
			t.Fatal(err)
		}
		file := clitest.Cluster(t, map[string]string{"/api/v1/secrets": string(list)})
		if err := os.Rename(file, filepath.Join(filepath.Dir(file), string(name)+".kubeconfig")); err != nil {
			t.Fatal(err)
		}
		return filepath.Dir(file)
	}
	before := there()
	words := func(verb, kubeconfigs string) []string {
		return append(strings.Fields(verb), "-f", path, "--components", "csi-driver", "--canary", "1", "--yes", "--kubeconfig-dir", kubeconfigs)
	}
	if code, _, stderr := run(termtest.NewFake(), words("rotate", before)...); code != command.ExitDone {
		t.Fatal(stderr)
	}
	code, _, stderr := run(termtest.NewFake(), append(words("rotate finish", before), "--grace", "0s")...)
	if code != command.ExitFailed {
		t.Errorf("exit code %d", code)
	}
	clitest.WantText(t, "stderr", stderr, "csi-driver@vsphere.local is still in kube-system/vsphere-creds-csi-driver")
	code, stdout, stderr := run(termtest.NewFake(), append(words("rotate finish", there()), "--grace", "0s")...)
	if code != command.ExitDone {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	clitest.WantText(t, "stdout", stdout, "1     ok")
	code, stdout, _ = run(termtest.NewFake(), words("rotate", before)...) // where the cluster has accounts that are gone
	if code != command.ExitPartly {
		t.Errorf("exit code %d", code)
	}
	clitest.WantText(t, "stdout", stdout, "1     different")
}
