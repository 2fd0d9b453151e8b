package kubetest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// asks applies the kustomization of docs/gitops.md, as Argo CD does in the phase of its hook. The Job's pod is that of the CronJob but
// for what it plans; it leaves the change request where the container behind it, which has no login to a vCenter, takes it from.
func (tm *team) asks(t *testing.T) {
	tm.choose(t, "overlays/argocd") // leaves the specifications and settings of the team
	mine := string(documented(t, "gitops.md", "fleet/argocd.yaml"))
	const some = "specs/cluster1.yaml, specs/cluster2.yaml"
	if !strings.Contains(mine, some) {
		t.Fatalf("the guide's kustomization has no %s", some)
	}
	tm.write(t, "fleet/kustomization.yaml", strings.Replace(mine, some, strings.Join(tm.specs, ", "), 1))
	tm.do(t, nil, "apply", "-k", filepath.Join(tm.home, "fleet"), "--validate=strict")
	const job = "fleet-change-request"
	for key, want := range map[string]string{"hook": "Sync", "sync-wave": "1", "hook-delete-policy": "BeforeHookCreation"} {
		path := `jsonpath={.metadata.annotations.argocd\.argoproj\.io/` + key + "}"
		if got := string(tm.do(t, nil, "get", "job", job, "-n", fleetNamespace, "-o", path)); got != want {
			t.Errorf("%s is %q", key, got)
		}
	}
	tm.samePodOf(t, job)
	var pods []pod
	until(t, startLimit, func() string {
		if pods = tm.pods(t, fleetNamespace, "job-name="+job); len(pods) != 1 {
			return "the Job has no pod"
		}
		return ""
	})
	post := pods[0].Spec.Containers[0]
	pods[0].Spec.Containers = pods[0].Spec.InitContainers
	args, env, _ := tm.command(t, pods[0])
	if said, code := tm.start(t, args, env); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, said)
	}
	page, err := os.ReadFile(filepath.Join(tm.root, "change", "change.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range tm.specs {
		name := strings.TrimSuffix(filepath.Base(spec), ".yaml")
		if !strings.Contains(string(page), `<a id="cluster-`+name+`" name="cluster-`+name+`"></a>`) {
			t.Errorf("%s is not in\n%s", name, page)
		}
	}
	for _, m := range post.VolumeMounts {
		if m.Name == "auditor" || m.Name == "credentials" {
			t.Errorf("what posts has %s", m.Name)
		}
	}
	if !slices.Contains(post.Args, "--body-file=/request/change.md") || !slices.Contains(post.Args, "--repo=our/clusters") {
		t.Errorf("it posts with %q", post.Args)
	}
}

// samePodOf compares what plans in a Job with what verifies in the CronJob beside it.
func (tm *team) samePodOf(t *testing.T, job string) {
	t.Helper()
	named := func(all any, names ...string) []any {
		return slices.DeleteFunc(slices.Clone(all.([]any)), func(v any) bool { return slices.Contains(names, v.(map[string]any)["name"].(string)) })
	}
	pod := func(kind, name, path string) (spec, fleet map[string]any) {
		spec = decoded(t, tm.do(t, nil, "get", kind, name, "-n", fleetNamespace, "-o", "jsonpath={"+path+"}"))
		containers := spec["containers"].([]any)
		if first, there := spec["initContainers"]; there {
			containers = first.([]any)
		}
		fleet = containers[0].(map[string]any)
		delete(spec, "containers")
		delete(spec, "initContainers")
		delete(fleet, "args")
		spec["volumes"], fleet["volumeMounts"] = named(spec["volumes"], "change"), named(fleet["volumeMounts"], "change")
		fleet["env"] = slices.DeleteFunc(fleet["env"].([]any), func(e any) bool { return e.(map[string]any)["valueFrom"] != nil }) // for Events
		return spec, fleet
	}
	spec, fleet := pod("job", job, ".spec.template.spec")
	wantSpec, wantFleet := pod("cronjob", "fleet-verify", ".spec.jobTemplate.spec.template.spec")
	if got, want := indented(t, spec), indented(t, wantSpec); got != want {
		t.Errorf("overlays/argocd is not as base: %s", difference(got, want))
	}
	if got, want := indented(t, fleet), indented(t, wantFleet); got != want {
		t.Errorf("what plans is not as what verifies: %s", difference(got, want))
	}
}
