package kubetest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGitOps keeps the promises of docs/gitops.md that need a cluster or a secret store: an API server takes its manifests, and
// those of External Secrets as its definitions have them; the script for hubs writes the kubeconfig of each cluster that Hive
// installed, readable by its owner alone; the one for Vault hands over each component's account and nothing else, with no
// password in the words of a program or in a file.
func TestGitOps(t *testing.T) {
	p := need(t)
	c := start(t, p)
	c.resources(t)
	t.Run("manifests", c.takesStores)
	jq, err := exec.LookPath("jq")
	if err != nil {
		t.Skip("the scripts need jq")
	}
	bin := t.TempDir()
	for name, path := range map[string]string{"oc": c.kubectl, "jq": jq, "ocp-vsphere-admin": p.product} {
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("hub", func(t *testing.T) { c.hasKubeconfigs(t, bin) })
	t.Run("vault", func(t *testing.T) { storesInVault(t, p, bin) })
}

func (c *cluster) takesStores(t *testing.T) {
	for _, name := range []string{"externalsecret.yaml", "pushsecret.yaml"} {
		manifest := documented(t, "gitops.md", name)
		c.do(t, manifest, "apply", "-f", "-", "--dry-run=server", "--validate=strict", "-n", "kube-system")
		misspelt := strings.NewReplacer("remoteKey", "remotekey", "extract", "extracts").Replace(string(manifest))
		if _, stderr, err := c.try(t, []byte(misspelt), "apply", "-f", "-", "--dry-run=server", "--validate=strict"); err == nil || !strings.Contains(stderr, "unknown field") {
			t.Errorf("%s: %v, %s", name, err, stderr)
		}
	}
}

// script runs one of the page's scripts in a directory.
func script(t *testing.T, name, home, bin string, env ...string) (stderr string, err error) {
	t.Helper()
	text, err := os.ReadFile("../docs/gitops.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, there := strings.Cut(string(text), "<!-- file: "+name+" -->\n```sh\n")
	body, _, ended := strings.Cut(rest, "```\n")
	if !there || !ended {
		t.Fatalf("docs/gitops.md has no %s", name)
	}
	_, stderr, err = run(t, home, append(env, "PATH="+bin+":"+os.Getenv("PATH")), nil, "bash", "-ec", body)
	return stderr, err
}

func (c *cluster) hasKubeconfigs(t *testing.T, bin string) {
	const text = `apiVersion: v1
kind: Namespace
metadata: {name: NAME}
---
apiVersion: v1
kind: Secret
metadata: {name: NAME-admin-kubeconfig, namespace: NAME}
stringData: {kubeconfig: "the kubeconfig of NAME\n", raw-kubeconfig: another}
---
apiVersion: hive.openshift.io/v1
kind: ClusterDeployment
metadata: {name: NAME-deployment, namespace: NAME}
spec:
  baseDomain: example.com
  clusterName: NAME
  installed: INSTALLED
  clusterMetadata: {clusterID: i, infraID: NAME-x, adminKubeconfigSecretRef: {name: NAME-admin-kubeconfig}}
  platform: {vsphere: {credentialsSecretRef: {name: NAME-vsphere-creds}, certificatesSecretRef: {name: NAME-certs}}}
`
	for name, installed := range map[string]string{"site1": "true", "site2": "true", "site3": "false"} {
		c.do(t, []byte(strings.NewReplacer("NAME", name, "INSTALLED", installed).Replace(text)), "apply", "--validate=strict", "-f", "-")
	}
	home := t.TempDir()
	if stderr, err := script(t, "hub.sh", home, bin, "KUBECONFIG="+filepath.Join(c.dir, "kubeconfig")); err != nil || stderr != "" {
		t.Fatalf("%v\n%s", err, stderr)
	}
	var names []string
	entries, err := os.ReadDir(filepath.Join(home, "kubeconfigs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
		path := filepath.Join(home, "kubeconfigs", e.Name())
		data, err := os.ReadFile(path)
		if info, statErr := os.Stat(path); err != nil || statErr != nil || info.Mode().Perm() != 0o600 || string(data) != "the kubeconfig of "+e.Name()+"\n" {
			t.Errorf("%s: %v, %v: %q", path, err, info.Mode(), data)
		}
	}
	if !slices.Equal(names, []string{"site1", "site2"}) {
		t.Errorf("the kubeconfigs of %q", names)
	}
}

// storesInVault runs the script with a stand-in that takes what Vault's CLI takes: `kv put -mount=MOUNT PATH -` reads one JSON
// object from stdin. The words of all programs of the pipe are kept, those of the product too.
func storesInVault(t *testing.T, p programs, bin string) {
	home, store := t.TempDir(), t.TempDir()
	serve(t, p.lab, home, 1)
	lab := "OCP_VSPHERE_ADMIN_CONFIG=" + filepath.Join(home, "lab", "config.yaml")
	spec := "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: site1\ncredentialsFile: ../credentials\nvcenters:\n" + site(1, 1)
	err := os.MkdirAll(filepath.Join(home, "clusters"), 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(home, "clusters", "site1.yaml"), []byte(spec), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, stderr, err := run(t, home, []string{lab}, nil, p.product, "apply", "-f", "clusters/site1.yaml", "--yes"); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	logged := t.TempDir()
	for _, name := range []string{"oc", "jq", "ocp-vsphere-admin"} {
		wrap(t, logged, name, `echo "$0 $*" >>"$STORE/words"; exec `+filepath.Join(bin, name)+` "$@"`)
	}
	wrap(t, logged, "vault", `echo "$0 $*" >>"$STORE/words"
[ "$1 $2 $3 $5 $#" = "kv put -mount=kv - 5" ] || exit 1
mkdir -p "$STORE/$(dirname "$4")" && cat >"$STORE/$4" && [ -s "$STORE/$4" ]`)
	before := below(t, home)
	if stderr, err := script(t, "vault.sh", home, logged, lab, "STORE="+store); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if after := below(t, home); !slices.Equal(before, after) {
		t.Errorf("files were %q, and are %q", before, after)
	}
	words, err := os.ReadFile(filepath.Join(store, "words"))
	if err != nil || strings.Count(string(words), "vault kv put") != 4 {
		t.Fatalf("%v: %s", err, words)
	}
	file, err := os.ReadFile(filepath.Join(home, "credentials"))
	if err != nil {
		t.Fatal(err)
	}
	for _, component := range []string{"machine-api", "csi-driver", "cloud-controller", "diagnostics"} {
		var stored map[string]string
		data, err := os.ReadFile(filepath.Join(store, "clusters", "site1", component))
		if err == nil {
			err = json.Unmarshal(data, &stored) // one object, and nothing behind it
		}
		if err != nil {
			t.Fatalf("%s: %v: %s", component, err, data)
		}
		want := map[string]string{}
		for _, field := range []string{"user", "password"} {
			m := regexp.MustCompile("(?m)^" + component + "\\." + field + " *= *`?(.*?)`?$").FindStringSubmatch(string(file))
			if m == nil {
				t.Fatalf("the credentials file has no %s of %s", field, component)
			}
			want["vcenter1.example.com."+map[string]string{"user": "username", "password": "password"}[field]] = m[1]
		}
		if got := indented(t, stored); got != indented(t, want) {
			t.Errorf("%s: another account than in the credentials file, or other keys: %d keys", component, len(stored))
		}
		if strings.Contains(string(words), want["vcenter1.example.com.password"]) {
			t.Errorf("the password of %s is an argument", component)
		}
	}
	// What fails before vault leaves nothing in it.
	if err := os.Remove(filepath.Join(home, "credentials")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(store, "clusters")); err != nil {
		t.Fatal(err)
	}
	if stderr, err := script(t, "vault.sh", home, logged, lab, "STORE="+store); err == nil || !strings.Contains(stderr, "ocp-vsphere-admin: ") {
		t.Errorf("%v: %s", err, stderr)
	}
	if data, err := os.ReadFile(filepath.Join(store, "clusters", "site1", "machine-api")); len(data) > 0 {
		t.Errorf("%v: %d bytes were stored", err, len(data))
	}
}

func wrap(t *testing.T, dir, name, body string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// below are the files of a directory.
func below(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
