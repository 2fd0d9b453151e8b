package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// A cluster is read where the command line names it, and what does not go together is refused before anything is read. The guard of
// users disable comes before any vCenter is asked.
func TestClusterWords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "provisioning.yaml")
	text := "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\nvcenters:\n- server: 127.0.0.1\n  port: 1\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	dump := filepath.Join(dir, "dump.yaml")
	if err := os.WriteFile(dump, []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	blind := filepath.Join(dir, "blind")
	text = `{"apiVersion": "v1", "kind": "Config", "current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "a"}}],
		"clusters": [{"name": "a", "cluster": {"server": "https://127.0.0.1:1", "insecure-skip-tls-verify": true}}]}`
	if err := os.WriteFile(blind, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "kubeconfig")
	for words, want := range map[string]string{
		"rotate status --kubeconfig " + missing:                        "kubeconfig " + missing + ": open",
		"rotate status --context admin":                                "--context requires --kubeconfig",
		"rotate status --kubeconfig x --secrets " + dump:               "--kubeconfig and --secrets exclude each other",
		"rotate finish --kubeconfig x --applied":                       "--applied and --kubeconfig exclude each other",
		"rotate undo --context admin":                                  "--context requires --kubeconfig",
		"reconcile --yes --kubeconfig " + missing:                      "kubeconfig " + missing + ": open",
		"reconcile --yes --to x --context admin":                       "--context requires --kubeconfig",
		"reconcile --from x --to x --kubeconfig x":                     "--from and --kubeconfig exclude each other",
		"reconcile --requests x --kubeconfig x":                        "--kubeconfig and --requests exclude each other",
		"secrets release --held . --kubeconfig " + missing:             "kubeconfig " + missing + ": open",
		"secrets release --held . --kubeconfig x --namespaces x":       "--kubeconfig and --namespaces exclude each other",
		"rotate status --context admin --secrets " + dump:              "--context and --secrets exclude each other",
		"secrets release --held . --context admin --namespaces x":      "--context and --namespaces exclude each other",
		"secrets release --held . --kubeconfig " + blind:               "warning: the certificate of https://127.0.0.1:1 is not checked (insecure-skip-tls-verify in " + blind + ")",
		"reconcile status --kubeconfig " + missing:                     "kubeconfig " + missing + ": open",
		"reconcile status --kubeconfig x --dump x":                     "--dump and --kubeconfig exclude each other",
		"secrets explain --kubeconfig " + missing:                      "kubeconfig " + missing + ": open",
		"secrets diff --kubeconfig " + missing:                         "kubeconfig " + missing + ": open",
		"secrets emit --kubeconfig " + missing:                         "kubeconfig " + missing + ": open",
		"secrets emit --against x --kubeconfig x":                      "--against and --kubeconfig exclude each other",
		"apply --prune --kubeconfig " + missing:                        "kubeconfig " + missing + ": open",
		"plan --infrastructure kubeconfig:" + missing:                  "--infrastructure: kubeconfig " + missing + ": open",
		"identity check --kubeconfig " + missing:                       "kubeconfig " + missing + ": open",
		"users disable --components installer --kubeconfig " + missing: "kubeconfig " + missing + ": open",
	} {
		fake := termtest.NewFake()
		fake.Home = dir
		if !strings.HasPrefix(words, "secrets explain") && !strings.HasPrefix(words, "identity") && !strings.HasPrefix(words, "plan") {
			words += " -f " + file
		}
		fake.Getenv = func(name string) string {
			return map[string]string{"KUBECONFIG": "/never", "OCP_VSPHERE_ADMIN_KUBECONFIG": "/never", "OCP_VSPHERE_ADMIN_INFRASTRUCTURE": "kubeconfig:/never", command.EnvAdminUser: "a@vsphere.local", "OCP_VSPHERE_ADMIN_PASSWORD": "x"}[name]
		}
		code, stdout, stderr := program.Run(t, fake, strings.Fields(words)...)
		if code != command.ExitFailed || stdout != "" || !strings.Contains(stderr, want) || strings.Contains(stderr, "/never") {
			t.Errorf("%s: %d, %s%s", words, code, stdout, stderr)
		}
	}
}
