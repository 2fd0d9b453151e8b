package kubetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// overlays are the directories of deploy that are applied as they are, and what of them makes pods.
var overlays = map[string]string{
	"base": "cronjob/fleet-verify", "overlays/fleet": "cronjob/fleet-verify", "overlays/drift": "cronjob/fleet-plan",
	"overlays/exporter": "deployment/fleet-exporter", "overlays/argocd": "cronjob/fleet-verify",
}

const restricted = "pod-security.kubernetes.io/enforce=restricted pod-security.kubernetes.io/warn=restricted"

// TestDeploy keeps this promise: an API server takes the manifests of deploy in a namespace with restricted Pod Security and has no
// warning for them, with each component and without; its controllers make Jobs and pods of them, which may be scheduled; the
// account has no right there, or with the component event that to create Events. Who follows deploy/README.md gets from the shards
// of an Indexed Job what one run over all clusters finds, and an Event of each.
func TestDeploy(t *testing.T) {
	p := need(t, controllerManager, scheduler)
	c := start(t, p)
	c.controllers(t, p)
	c.namespace(t, "every-minute")
	// The CronJob's own clock takes up to a minute: it runs meanwhile.
	c.applyKustomization(t, "every-minute", "base", nil, `
patches:
- target: {kind: CronJob}
  patch: '[{"op": "replace", "path": "/spec/schedule", "value": "* * * * *"}]'
`)
	t.Run("manifests", c.takesManifests)
	t.Run("rights", c.givesRights)
	t.Run("same pods", c.samePods)
	tm := newTeam(t, c, p)
	if !t.Run("guide", tm.follow) {
		return
	}
	t.Run("differs", tm.differs)
	t.Run("drifts", tm.drifts)
	t.Run("resumes", tm.resumes)
	t.Run("exports", tm.exports)
	t.Run("admin-command", tm.logsInByCommand)
	t.Run("argocd", tm.asks)
	t.Run("cronjob", c.runsByItself)
}

// namespace makes a namespace with restricted Pod Security.
func (c *cluster) namespace(t *testing.T, name string) {
	t.Helper()
	c.do(t, nil, "create", "namespace", name)
	c.do(t, nil, append([]string{"label", "namespace", name}, strings.Fields(restricted)...)...)
}

// kustomization writes one that puts an overlay with components into a namespace, and gives its directory.
func (c *cluster) kustomization(t *testing.T, namespace, overlay string, components []string, more string) string {
	t.Helper()
	dir := t.TempDir()
	deploy, err := filepath.Abs("../deploy")
	if err == nil {
		err = os.Symlink(deploy, filepath.Join(dir, "deploy"))
	}
	var paths []string
	for _, name := range components {
		paths = append(paths, "../deploy/components/"+name)
	}
	text := fmt.Sprintf("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: %s\nresources: [../deploy/%s]\ncomponents: [%s]\n%s",
		namespace, overlay, strings.Join(paths, ", "), more)
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "mine"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "mine", "kustomization.yaml"), []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "mine")
}

func (c *cluster) applyKustomization(t *testing.T, namespace, overlay string, components []string, more string, words ...string) {
	t.Helper()
	c.do(t, nil, append([]string{"apply", "-k", c.kustomization(t, namespace, overlay, components, more)}, words...)...)
}

func (c *cluster) takesManifests(t *testing.T) {
	c.namespace(t, "manifests")
	for overlay := range overlays {
		for _, components := range [][]string{nil, {"kubernetes"}, {"event"}, {"kubernetes", "event"}, {"kubernetes", "event", "resume"}} {
			c.applyKustomization(t, "manifests", overlay, components, "", "--dry-run=server", "--validate=strict")
		}
		// Without the profile of system calls there is a warning: so there was none before.
		path := "/spec/jobTemplate/spec/template/spec/securityContext/seccompProfile"
		if strings.HasPrefix(overlays[overlay], "deployment") {
			path = "/spec/template/spec/securityContext/seccompProfile"
		}
		lax := c.kustomization(t, "manifests", overlay, nil, "patches:\n- target: {kind: CronJob|Deployment}\n  patch: '[{\"op\": \"remove\", \"path\": \""+path+"\"}]'\n")
		if _, stderr, err := c.try(t, nil, "apply", "-k", lax, "--dry-run=server"); err != nil || !strings.Contains(stderr, `would violate PodSecurity "restricted:latest": seccompProfile`) {
			t.Errorf("%s: %v, %s", overlay, err, stderr)
		}
	}
	const privileged = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "manifests"},
		"spec": {"containers": [{"name": "c", "image": "i", "securityContext": {"privileged": true}}]}}`
	if _, stderr, err := c.try(t, []byte(privileged), "apply", "-f", "-"); err == nil || !strings.Contains(stderr, `violates PodSecurity "restricted:latest": privileged`) {
		t.Errorf("%v, %s", err, stderr)
	}
}

// givesRights compares the account's rights with those that every account has.
func (c *cluster) givesRights(t *testing.T) {
	c.namespace(t, "rights")
	list := func(account string) string {
		return string(c.do(t, nil, "auth", "can-i", "--list", "-n", "rights", "--as=system:serviceaccount:rights:"+account))
	}
	c.applyKustomization(t, "rights", "overlays/fleet", nil, "")
	anybody := list("somebody")
	if got := list("ocp-vsphere-admin"); got != anybody {
		t.Errorf("the account may do\n%s, and anybody\n%s", got, anybody)
	}
	c.applyKustomization(t, "rights", "overlays/fleet", []string{"event"}, "")
	var more []string
	for line := range strings.Lines(list("ocp-vsphere-admin")) {
		if !strings.Contains(anybody, line) {
			more = append(more, strings.Join(strings.Fields(line), " "))
		}
	}
	if len(more) != 1 || more[0] != "events.events.k8s.io [] [] [create]" {
		t.Errorf("with the component event it may %q", more)
	}
}

// runsByItself waits for the Job that the CronJob makes every minute, and for its pod.
func (c *cluster) runsByItself(t *testing.T) {
	until(t, 2*time.Minute, func() string {
		if owner := string(c.do(t, nil, "get", "jobs", "-n", "every-minute", "-o", "jsonpath={.items[*].metadata.ownerReferences[*].name}")); !strings.HasPrefix(owner, "fleet-verify") {
			return "no Job of the CronJob: " + owner
		}
		pods := c.pods(t, "every-minute", "app.kubernetes.io/name=ocp-vsphere-admin")
		if len(pods) == 0 || pods[0].Spec.NodeName != "worker" {
			return fmt.Sprintf("no pod on the node: %+v", pods)
		}
		return ""
	})
}

// samePods compares the pods of the Deployment with those of the CronJob, but for what they run.
func (c *cluster) samePods(t *testing.T) {
	c.namespace(t, "same")
	c.applyKustomization(t, "same", "base", nil, "")
	c.applyKustomization(t, "same", "overlays/exporter", nil, "")
	specs := map[string]map[string]any{}
	for kind, path := range map[string]string{"cronjob": ".spec.jobTemplate.spec.template.spec", "deployment": ".spec.template.spec"} {
		spec := decoded(t, c.do(t, nil, "get", kind, "-n", "same", "-o", "jsonpath={.items[0]"+path+"}"))
		delete(spec, "restartPolicy")
		containers := spec["containers"].([]any)
		for _, c := range containers {
			fleet := c.(map[string]any)
			for _, field := range []string{"name", "args", "ports", "readinessProbe", "livenessProbe"} {
				delete(fleet, field)
			}
			fleet["env"] = slices.DeleteFunc(fleet["env"].([]any), func(e any) bool { return e.(map[string]any)["valueFrom"] != nil }) // for Events
			if got, want := indented(t, fleet), indented(t, containers[0]); got != want {
				t.Errorf("%s: a container is not as the first: %s", kind, difference(got, want))
			}
		}
		spec["containers"] = containers[:1]
		specs[kind] = spec
	}
	for _, wants := range []string{"name: drift\n    port: 9091", "kind: ServiceMonitor", "- interval: 1m\n    port: drift", "kind: PrometheusRule", "namespace: same"} {
		if text := c.do(t, nil, "kustomize", "--load-restrictor=LoadRestrictionsNone", c.kustomization(t, "same", "overlays/exporter", []string{"prometheus-operator"}, "")); !strings.Contains(string(text), wants) {
			t.Errorf("overlays/exporter with prometheus-operator lacks %q:\n%s", wants, text)
		}
	}
	if got, want := indented(t, specs["deployment"]), indented(t, specs["cronjob"]); got != want {
		t.Errorf("overlays/exporter is not as base: %s", difference(got, want))
	}
}
