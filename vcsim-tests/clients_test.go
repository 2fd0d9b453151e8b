package vcsimtests

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestClients runs clients that are not ours against the simulated vCenters, as they are: Debian's pyVmomi, zeep and
// Ansible and npm's node-vsphere-soap, which `make clients` unpacks into bin/clients (CLIENTSBIN says otherwise), and govmomi's govc. They take their time, so that make test
// leaves them out: TEST_CLIENTS=run runs what is there, TEST_CLIENTS=required fails for what is not.
func TestClients(t *testing.T) {
	t.Parallel()
	mode := os.Getenv("TEST_CLIENTS")
	if mode == "" {
		t.Skip("'make clients-test' runs them")
	}
	dir, err := clientsDir()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for name, path := range map[string]string{
		"pyvmomi": "usr/lib/python3/dist-packages/pyVmomi", "zeep": "usr/lib/python3/dist-packages/zeep",
		"ansible": "usr/bin/ansible-playbook", "node": "node/node_modules/node-vsphere-soap",
	} {
		_, err := os.Stat(filepath.Join(dir, path))
		have[name] = err == nil
	}
	if _, err := wideGovcIn(t); err == nil {
		have["govc"] = true
	} else if mode == "required" {
		t.Error(err)
	}
	files, err := filepath.Glob(filepath.Join("testdata", "clients", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var run []string
	for _, file := range files {
		client, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), "-")
		switch {
		case have[client]:
			run = append(run, file)
		case mode == "required" && client != "node": // npm is not everywhere
			t.Errorf("no %s in %s: 'make clients' puts it there", client, dir)
		default:
			t.Logf("skipped %s: no %s in %s: 'make clients' puts it there", file, client, dir)
		}
	}
	if len(run) == 0 {
		t.Skip("no client is there")
	}
	cmds := maps.Clone(commands())
	cmds["govc"] = cmdWideGovc
	testscript.Run(t, testscript.Params{
		Files: run,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PYTHON", filepath.Join(dir, "python"))
			env.Setenv("NODE_PATH", filepath.Join(dir, "node", "node_modules"))
			env.Setenv("ANSIBLE", filepath.Join(dir, "usr", "bin", "ansible-playbook"))
			env.Setenv("LC_ALL", "C.UTF-8") // Ansible refuses others
			return setup(env)
		},
		Condition:           condition,
		Cmds:                cmds,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// wideGovcIn builds govc where it goes when the test ends.
func wideGovcIn(t *testing.T) (string, error) {
	t.Helper()
	if govcDir == "" {
		govcDir = t.TempDir()
	}
	return wideGovc()
}
