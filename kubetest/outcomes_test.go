package kubetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// job makes a Job of a CronJob of the chosen kustomization and runs its pods to the end. It gives the phases of the pods, and the
// reason of the Job's failure, "" = none.
func (tm *team) job(t *testing.T, cronjob, name string) (phases map[string]int, reason string) {
	t.Helper()
	tm.do(t, nil, "apply", "-k", filepath.Join(tm.home, "fleet"))
	tm.do(t, nil, "create", "job", name, "-n", fleetNamespace, "--from=cronjob/"+cronjob)
	tm.finish(t, fleetNamespace, name)
	phases = map[string]int{}
	for _, p := range tm.pods(t, fleetNamespace, "job-name="+name) {
		phases[p.Status.Phase]++
	}
	return phases, string(tm.do(t, nil, "get", "job", name, "-n", fleetNamespace, "-o", `jsonpath={.status.conditions[?(@.type=="Failed")].reason}`))
}

// differs adds a cluster that has no accounts on its vCenter: its shard fails at the first try, the others are complete, and an
// Event says so.
func (tm *team) differs(t *testing.T) {
	tm.add(t, simulatedVCenters+2)
	tm.choose(t, "overlays/fleet", "event")
	if phases, reason := tm.job(t, "fleet-verify", "differs"); reason != "FailedIndexes" || !maps.Equal(phases, map[string]int{"Succeeded": 3, "Failed": 1}) {
		t.Errorf("%v, %q", phases, reason)
	}
	selector := "--field-selector=type=Warning,involvedObject.name=differs,reason=FleetVerifyDifferent"
	if events := string(tm.do(t, nil, "get", "events", "-n", fleetNamespace, selector, "-o", "name")); strings.Count(events, "event/") != 1 {
		t.Error(events)
	}
}

// drifts plans the same clusters: one pod, which is not tried again.
func (tm *team) drifts(t *testing.T) {
	tm.choose(t, "overlays/drift")
	if phases, reason := tm.job(t, "fleet-plan", "drifts"); reason != "PodFailurePolicy" || !maps.Equal(phases, map[string]int{"Failed": 1}) {
		t.Errorf("%v, %q", phases, reason)
	}
}

// resumes kills pods when all but the result is written: those that replace them have nothing left to look at.
func (tm *team) resumes(t *testing.T) {
	tm.specs = tm.specs[:simulatedVCenters+1]
	tm.choose(t, "overlays/fleet", "resume")
	tm.do(t, []byte(`{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "results"}, "spec": {"capacity": {"storage": "1Gi"},
		"accessModes": ["ReadWriteMany"], "hostPath": {"path": "/results"}}}`), "apply", "-f", "-")
	tm.killed = func() {
		results, err := filepath.Glob(filepath.Join(tm.disks, "results", "*", "result.json"))
		if err != nil || len(results) != 1 {
			t.Errorf("%v, %v", results, err)
		}
		for _, path := range results {
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
		}
	}
	phases, reason := tm.job(t, "fleet-verify", "resumes")
	tm.killed = nil
	if reason != "" || !maps.Equal(phases, map[string]int{"Succeeded": 4, "Failed": 4}) {
		t.Errorf("%v, %q", phases, reason)
	}
	ended := map[string][]string{} // by shard
	for _, p := range tm.pods(t, fleetNamespace, "job-name=resumes") {
		var r struct {
			Clusters []struct{ Cluster, Ended string }
		}
		if err := json.Unmarshal([]byte(tm.said(t, p)), &r); err != nil {
			t.Fatal(err)
		}
		index := p.Metadata.Annotations["batch.kubernetes.io/job-completion-index"]
		for _, c := range r.Clusters {
			if at := c.Cluster + " " + c.Ended; !slices.Contains(ended[index], at) {
				ended[index] = append(ended[index], at)
			}
		}
	}
	if n := len(slices.Concat(slices.Collect(maps.Values(ended))...)); n != simulatedVCenters+1 {
		t.Errorf("clusters were looked at more than once: %v", ended)
	}
}

// exports runs the pod of the Deployment until it is ready, as its probes ask, and reads its metrics.
func (tm *team) exports(t *testing.T) {
	tm.choose(t, "overlays/exporter")
	tm.do(t, nil, "apply", "-k", filepath.Join(tm.home, "fleet"))
	var pods []pod
	until(t, startLimit, func() string {
		pods = slices.DeleteFunc(tm.pods(t, fleetNamespace, "pod-template-hash"), func(p pod) bool { return p.Spec.NodeName == "" })
		if len(pods) != 1 {
			return fmt.Sprintf("the Deployment has %d pods", len(pods))
		}
		return ""
	})
	tm.scrape(t, pods[0], ":9090", `missing_privileges{cluster="cluster5"`)
	pods[0].Spec.Containers = pods[0].Spec.Containers[1:]
	tm.scrape(t, pods[0], ":9091", `pending_changes{action="create",cluster="cluster5"`)
}

// scrape runs the first container of a pod until it is ready, and looks for want in what it exports at an address.
func (tm *team) scrape(t *testing.T, p pod, address, want string) {
	t.Helper()
	args, env, _ := tm.command(t, p)
	port, err := freePort(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range args {
		if a == "--listen="+address {
			args[i] = "--listen=127.0.0.1:" + port
		}
	}
	var said strings.Builder
	exporter := exec.CommandContext(t.Context(), tm.product, args...)
	exporter.Env, exporter.Dir, exporter.Stderr = slices.Concat(env, tm.env), "/", &said
	if err := exporter.Start(); err != nil {
		t.Fatal(err)
	}
	get := func(path string) (string, error) {
		return answer(t.Context(), http.DefaultClient, "http://127.0.0.1:"+port+path)
	}
	until(t, time.Minute, func() string {
		if _, err := get("/readyz"); err != nil {
			return err.Error()
		}
		return ""
	})
	if _, err := get("/healthz"); err != nil {
		t.Error(err)
	}
	if text, err := get("/metrics"); err != nil || !strings.Contains(text, want) {
		t.Errorf("%v\n%s", err, text)
	}
	if err := errors.Join(exporter.Process.Signal(syscall.SIGTERM), exporter.Wait()); err != nil {
		t.Errorf("a rollout ends it with %v\n%s", err, said.String())
	}
}
