package kubetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// logsInByCommand puts the guide's patch to the kustomization. The pod has no login but what the program prints that an init
// container, here the test, leaves in its volume.
func (tm *team) logsInByCommand(t *testing.T) {
	tm.choose(t, "base")
	tm.write(t, "fleet/login.yaml", string(documented(t, "../deploy/README.md", "fleet/login.yaml")))
	tm.write(t, "fleet/kustomization.yaml", tm.read(t, "fleet/kustomization.yaml")+"patches: [{path: login.yaml}]\n")
	tm.do(t, nil, "apply", "-k", filepath.Join(tm.home, "fleet"), "--validate=strict")
	tm.do(t, nil, "create", "job", "command", "-n", fleetNamespace, "--from=cronjob/fleet-verify")
	var pods []pod
	until(t, startLimit, func() string {
		if pods = tm.pods(t, fleetNamespace, "job-name=command"); len(pods) != 1 {
			return "the Job has no pod"
		}
		return ""
	})
	args, env, _ := tm.command(t, pods[0])
	if all := strings.Join(env, " "); strings.Contains(all, "ADMIN_CREDENTIALS") || !strings.Contains(all, "ADMIN_COMMAND="+filepath.Join(tm.root, "login", "vcenter-login")+" kv/vcenter") {
		t.Fatal(all)
	}
	// The store has a login for each vCenter.
	for _, section := range strings.Split(tm.read(t, "auditor.ini"), "[")[1:] {
		server, rest, _ := strings.Cut(section, "]")
		login := map[string]string{"apiVersion": "ocp-vsphere-admin/v1", "kind": "AdministratorCredential"}
		for _, field := range regexp.MustCompile("(?m)^(?:auditor\\.)?(user|password) *= *`?(.*?)`?$").FindAllStringSubmatch(rest, -1) {
			login[field[1]] = field[2]
		}
		text, err := json.Marshal(login)
		if err != nil {
			t.Fatal(err)
		}
		tm.write(t, "store/"+server, string(text))
	}
	program := "#!/bin/sh\n[ \"$1\" = kv/vcenter ] && exec /bin/cat \"" + tm.home + "/store/$OCP_VSPHERE_ADMIN_SERVER\"\n"
	if err := os.WriteFile(filepath.Join(tm.root, "login", "vcenter-login"), []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	if said, code := tm.start(t, args, env); code != 0 || !strings.Contains(said, "5 ok") {
		t.Errorf("exit code %d:\n%s", code, said)
	}
}
