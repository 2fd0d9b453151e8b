package kubetest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const fleetNamespace = "vsphere-fleet"

// simulatedVCenters is how many the team has.
const simulatedVCenters = 4

// team is who follows deploy/README.md: a directory with deploy and fleet in it, simulated vCenters, and accounts on them.
type team struct {
	kubelet
	home  string
	specs []string // below fleet
}

// newTeam makes a cluster on each vCenter, and one more that shares the first.
func newTeam(t *testing.T, c *cluster, p programs) *team {
	t.Helper()
	tm := &team{home: t.TempDir(), kubelet: kubelet{
		cluster: c, product: p.product, root: filepath.Join(t.TempDir(), "root"), disks: t.TempDir(), logs: t.TempDir(),
	}}
	serve(t, p.lab, tm.home, simulatedVCenters)
	deploy, err := filepath.Abs("../deploy")
	if err == nil {
		err = os.Symlink(deploy, filepath.Join(tm.home, "deploy"))
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(tm.home, "fleet", "credentials"), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	auditor := "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: audit\ncredentialsFile: auditor.ini\n" +
		"privileges: {matrix: auditor}\ncomponents: {auditor: {}}\nvcenters:\n"
	for i := 1; i <= simulatedVCenters; i++ {
		auditor += site(i, i)
	}
	tm.write(t, "auditor.yaml", auditor)
	tm.write(t, "fleet/specs/common.yaml", tm.read(t, "deploy/base/fleet/common.yaml"))
	for i := 1; i <= simulatedVCenters+1; i++ {
		tm.add(t, i)
	}
	for _, file := range append(tm.specs, "../auditor.yaml") {
		words := []string{"apply", "--yes", "--config", filepath.Join(tm.home, "lab", "config.yaml"), "-f", filepath.Join(tm.home, "fleet", file)}
		if _, stderr, err := run(t, tm.home, nil, nil, p.product, words...); err != nil {
			t.Fatalf("%s: %v\n%s", file, err, stderr)
		}
	}
	tm.write(t, "cluster1.ini", tm.read(t, "fleet/credentials/cluster1"))
	// What a network would do: names lead to addresses.
	addresses := regexp.MustCompile(`vcenter\d+\.example\.com=[\d.:]+`).FindAllString(tm.read(t, "lab/config.yaml"), -1)
	tm.env = []string{"OCP_VSPHERE_ADMIN_CONNECT_TO=" + strings.Join(addresses, ",")}
	tm.write(t, "fleet/ca.pem", tm.read(t, "lab/ca.pem"))
	tm.write(t, "fleet/config.yaml", string(documented(t, "../deploy/README.md", "fleet/config.yaml")))
	tm.choose(t, "overlays/fleet", "event")
	return tm
}

// site is vCenter n in the specification of cluster i.
func site(i, n int) string {
	return fmt.Sprintf("- {server: vcenter%[2]d.example.com, failureDomains: [{name: zone-%[1]d, datacenter: DC%[2]d, computeCluster: /DC%[2]d/host/C%[2]d, "+
		"datastore: /DC%[2]d/datastore/ds%[2]d, networks: [VM Network]}]}\n", i, n)
}

// add writes the specification of another cluster.
func (tm *team) add(t *testing.T, i int) {
	t.Helper()
	file := fmt.Sprintf("specs/cluster%d.yaml", i)
	tm.specs = append(tm.specs, file)
	tm.write(t, "fleet/"+file, fmt.Sprintf("apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: cluster%[1]d\ncommon: common.yaml\nvcenters:\n", i)+site(i, (i-1)%simulatedVCenters+1))
}

// choose writes the kustomization of the guide, for its own specifications and another overlay.
func (tm *team) choose(t *testing.T, overlay string, components ...string) {
	t.Helper()
	mine := string(documented(t, "../deploy/README.md", "fleet/kustomization.yaml"))
	for i, name := range components {
		components[i] = "../deploy/components/" + name
	}
	for old, other := range map[string]string{
		"specs/cluster1.yaml, specs/cluster2.yaml": strings.Join(tm.specs, ", "),
		"../deploy/overlays/fleet":                 "../deploy/" + overlay,
		"../deploy/components/event":               strings.Join(components, ", "),
	} {
		if !strings.Contains(mine, old) {
			t.Fatalf("the guide's kustomization has no %s", old)
		}
		mine = strings.Replace(mine, old, other, 1)
	}
	tm.write(t, "fleet/kustomization.yaml", mine)
}

func (tm *team) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(tm.home, name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (tm *team) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tm.home, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sameResult joins the shards, and compares them with a run of the first pod's container that takes all clusters.
func (tm *team) sameResult(t *testing.T) {
	t.Helper()
	merged, stderr, err := run(t, tm.home, nil, nil, tm.product, "report", "merge", "shard-0.json", "shard-1.json", "shard-2.json", "shard-3.json", "-o", "json")
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	shards := 0
	for i, p := range tm.pods(t, fleetNamespace, "job-name=today") {
		if index := p.Metadata.Annotations["batch.kubernetes.io/job-completion-index"]; index != strconv.Itoa(i) {
			t.Errorf("pod %d has index %s", i, index)
		}
		if clusters := decoded(t, []byte(tm.said(t, p)))["clusters"].([]any); len(clusters) > 0 {
			shards++
		}
		if i > 0 {
			continue
		}
		args, env, there := tm.command(t, p)
		args = slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "--shard") || a == "--event" })
		single, code := tm.start(t, args, env)
		if got, want := timeless(t, merged), timeless(t, []byte(there.Replace(single))); code != 0 || got != want {
			t.Errorf("exit code %d; %s", code, difference(got, want))
		}
	}
	if n := len(decoded(t, merged)["clusters"].([]any)); n != 5 || shards < 2 {
		t.Errorf("%d clusters in %d shards", n, shards)
	}
}

// toldOf looks for the Events of a Job: one from each pod.
func (tm *team) toldOf(t *testing.T, job string) {
	t.Helper()
	var events struct {
		Items []struct {
			Type, Reason, Note  string
			ReportingController string
			Regarding, Related  struct{ Kind, Name, UID string }
		}
	}
	selector := "--field-selector=reportingController=ocp-vsphere-admin"
	if err := json.Unmarshal(tm.do(t, nil, "get", "events.v1.events.k8s.io", "-n", fleetNamespace, selector, "-o", "json"), &events); err != nil {
		t.Fatal(err)
	}
	uid := string(tm.do(t, nil, "get", "job", job, "-n", fleetNamespace, "-o", "jsonpath={.metadata.uid}"))
	if len(events.Items) != 4 {
		t.Errorf("%d events", len(events.Items))
	}
	for _, e := range events.Items {
		if e.Type != "Normal" || e.Reason != "FleetVerifyOK" || e.Regarding.Kind != "Job" || e.Regarding.Name != job || e.Regarding.UID != uid ||
			e.Related.Kind != "Pod" || !strings.Contains(e.Note, " 0 failed") {
			t.Errorf("%+v", e)
		}
	}
	if described := string(tm.do(t, nil, "describe", "job", job, "-n", fleetNamespace)); !strings.Contains(described, "FleetVerifyOK") {
		t.Errorf("kubectl describe does not show them:\n%s", described)
	}
}

// difference is where two texts part.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			from := max(0, i-3)
			return fmt.Sprintf("got\n%s\nwant\n%s", strings.Join(g[from:i+1], "\n"), strings.Join(w[from:i+1], "\n"))
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(g), len(w))
}

// timeless is a result without what differs from run to run.
func timeless(t *testing.T, text []byte) string {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var clean func(any)
	clean = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range []string{"began", "ended", "seconds", "requests", "shard"} {
				delete(v, name)
			}
			for _, field := range v {
				clean(field)
			}
		case []any:
			for _, e := range v {
				clean(e)
			}
		}
	}
	clean(o)
	return indented(t, o)
}
