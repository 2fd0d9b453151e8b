package kubetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// pod is what a kubelet needs to know of a pod to run its one container, in so far as the manifests of deploy use it.
type pod struct {
	Metadata struct {
		Namespace, Name, UID string
		Labels, Annotations  map[string]string
	}
	Spec struct {
		NodeName, ServiceAccountName string
		InitContainers, Containers   []container
		Volumes                      []volume
	}
	Status struct{ Phase string }
}

type container struct {
	Args []string
	Env  []struct {
		Name, Value string
		ValueFrom   *struct {
			FieldRef struct{ FieldPath string }
		}
	}
	VolumeMounts []struct{ Name, MountPath string }
}

type volume struct {
	Name                            string
	ConfigMap                       *source
	Projected                       *struct{ DefaultMode, Sources json.RawMessage }
	EmptyDir, PersistentVolumeClaim json.RawMessage
}

// source is a ConfigMap or a Secret of a volume: all its keys become files.
type source struct {
	Name     string
	Optional bool
}

// kubelet does what that of a node does: what the volumes of a pod hold becomes files, what args and env refer to becomes its value,
// and the container a process, whose end it tells the cluster. As there is no image, paths of mounts become those of directories
// on this machine, wherever they are written, and are called by their own names again in logs. Claimed volumes are in disks. One pod
// at a time has its files in root.
type kubelet struct {
	*cluster
	product string
	root    string
	disks   string
	logs    string   // a file for each pod, with what it said on both streams
	env     []string // for all containers: what a network would give them
	killed  func()   // is done to the first try of a pod when it has ended, which fails then; nil = nothing
}

// command is the process that the container would be: its words and its whole environment. there gives the paths of mounts back.
func (k kubelet) command(t *testing.T, p pod) (args, env []string, there *strings.Replacer) {
	t.Helper()
	root := k.root
	if err := errors.Join(os.RemoveAll(root), os.Mkdir(root, 0o755)); err != nil {
		t.Fatal(err)
	}
	c := p.Spec.Containers[0]
	mounts := map[string]string{} // path in the container → directory here
	var paths, back []string
	for _, m := range c.VolumeMounts {
		mounts[m.MountPath] = filepath.Join(root, m.Name)
		if i := slices.IndexFunc(p.Spec.Volumes, func(v volume) bool { return v.Name == m.Name }); p.Spec.Volumes[i].PersistentVolumeClaim != nil {
			mounts[m.MountPath] = filepath.Join(k.disks, m.Name)
		}
		paths, back = append(paths, m.MountPath, mounts[m.MountPath]), append(back, mounts[m.MountPath], m.MountPath)
	}
	here := strings.NewReplacer(paths...)
	for _, v := range p.Spec.Volumes {
		if v.Projected != nil && strings.Contains(string(v.Projected.Sources), "serviceAccountToken") {
			env = append(env, "KUBECONFIG="+k.token(t, root, p)) // the place of the token in a container is a fixed one
			continue
		}
		k.mount(t, p.Metadata.Namespace, filepath.Join(root, v.Name), v, here)
	}
	values := map[string]string{}
	for _, e := range c.Env {
		value := expand(e.Value, values)
		if e.ValueFrom != nil {
			value = p.field(t, e.ValueFrom.FieldRef.FieldPath)
		}
		values[e.Name] = here.Replace(value)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		env = append(env, name+"="+values[name])
	}
	for _, a := range c.Args {
		args = append(args, here.Replace(expand(a, values)))
	}
	return args, env, strings.NewReplacer(back...)
}

// token gives a pod's account a kubeconfig, for what the API server has the token mounted for.
func (k kubelet) token(t *testing.T, root string, p pod) string {
	t.Helper()
	path := filepath.Join(root, "kubeconfig")
	if err := os.WriteFile(path, []byte(k.kubeconfigOf(t, p.Metadata.Namespace, p.Spec.ServiceAccountName)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var reference = regexp.MustCompile(`\$\$|\$\([-._a-zA-Z0-9]+\)`)

// expand puts values in for $(NAME); $$ is a dollar, and names that nobody knows stay as they are.
func expand(text string, values map[string]string) string {
	return reference.ReplaceAllStringFunc(text, func(r string) string {
		if r == "$$" {
			return "$"
		}
		if value, ok := values[r[2:len(r)-1]]; ok {
			return value
		}
		return r
	})
}

var subscript = regexp.MustCompile(`^metadata\.(labels|annotations)\['(.*)'\]$`)

// field is what the downward API says.
func (p pod) field(t *testing.T, path string) string {
	t.Helper()
	m := p.Metadata
	if s := subscript.FindStringSubmatch(path); s != nil {
		return map[string]map[string]string{"labels": m.Labels, "annotations": m.Annotations}[s[1]][s[2]]
	}
	value, ok := map[string]string{"metadata.name": m.Name, "metadata.namespace": m.Namespace, "metadata.uid": m.UID}[path]
	if !ok {
		t.Fatalf("this kubelet does not know %s", path)
	}
	return value
}

// mount makes the files of a volume.
func (k kubelet) mount(t *testing.T, namespace, dir string, v volume, here *strings.Replacer) {
	t.Helper()
	switch {
	case v.ConfigMap != nil:
		k.publish(t, dir, 0o644, k.data(t, namespace, "configmap", *v.ConfigMap, func(text string) []byte { return []byte(here.Replace(text)) }))
	case v.Projected != nil:
		var sources []struct{ Secret *source }
		var mode os.FileMode
		if err := json.Unmarshal(v.Projected.Sources, &sources); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(v.Projected.DefaultMode, &mode); err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, s := range sources {
			if s.Secret == nil {
				t.Fatalf("this kubelet does not know all sources of the volume %s", v.Name)
			}
			maps.Copy(files, k.data(t, namespace, "secret", *s.Secret, func(text string) []byte {
				var data []byte
				if err := json.Unmarshal([]byte(`"`+text+`"`), &data); err != nil { // base64
					t.Fatal(err)
				}
				return data
			}))
		}
		k.publish(t, dir, mode, files)
	case v.EmptyDir != nil:
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	case v.PersistentVolumeClaim == nil:
		t.Fatalf("this kubelet does not know the volume %s", v.Name)
	}
}

// data is what a ConfigMap or Secret holds.
func (k kubelet) data(t *testing.T, namespace, kind string, s source, decode func(string) []byte) map[string][]byte {
	t.Helper()
	stdout, stderr, err := k.try(t, nil, "get", kind, s.Name, "-n", namespace, "-o", "json")
	if err != nil {
		if s.Optional {
			return nil
		}
		t.Fatalf("%s %s: the pod would wait for it: %s", kind, s.Name, stderr)
	}
	var o struct{ Data map[string]string }
	if err := json.Unmarshal(stdout, &o); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for key, text := range o.Data {
		files[key] = decode(text)
	}
	return files
}

// publish writes files as a kubelet does: in a directory with a date, to which ..data leads, to which the names lead.
func (k kubelet) publish(t *testing.T, dir string, mode os.FileMode, files map[string][]byte) {
	t.Helper()
	const dated = "..2026_11_26_02_17_00.123456789"
	err := os.MkdirAll(filepath.Join(dir, dated), 0o755)
	for name, data := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, dated, name), data, mode)
		}
		if err == nil {
			err = os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name))
		}
	}
	if err == nil {
		err = os.Symlink(dated, filepath.Join(dir, "..data"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a pod's container as a process, and tells the cluster how it ended.
func (k kubelet) run(t *testing.T, p pod) {
	t.Helper()
	args, env, there := k.command(t, p)
	said, code := k.start(t, args, env)
	if err := os.WriteFile(filepath.Join(k.logs, p.Metadata.Name), []byte(there.Replace(said)), 0o600); err != nil {
		t.Fatal(err)
	}
	if k.killed != nil && p.Metadata.Annotations["batch.kubernetes.io/job-index-failure-count"] == "0" {
		k.killed()
		code = 137
	}
	phase := map[bool]string{true: "Succeeded", false: "Failed"}[code == 0]
	k.do(t, nil, "patch", "pod", p.Metadata.Name, "-n", p.Metadata.Namespace, "--subresource=status", "--type=merge", "-p", fmt.Sprintf(
		`{"status": {"phase": %q, "containerStatuses": [{"name": "fleet", "image": "", "imageID": "", "ready": false, "restartCount": 0,
		"state": {"terminated": {"exitCode": %d, "reason": "Completed"}}}]}}`, phase, code))
}

// said is the log of a pod that has ended.
func (k kubelet) said(t *testing.T, p pod) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(k.logs, p.Metadata.Name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// start gives what a process said on both streams, as `kubectl logs` does.
func (k kubelet) start(t *testing.T, args, env []string) (said string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), k.product, args...)
	cmd.Dir, cmd.Env = "/", slices.Concat(env, k.env)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// finish runs the pods of a Job as they are bound to the node, until the Job has ended.
func (k kubelet) finish(t *testing.T, namespace, job string) {
	t.Helper()
	until(t, 2*time.Minute, func() string {
		for _, p := range k.pods(t, namespace, "job-name="+job) {
			if p.Status.Phase == "Pending" && p.Spec.NodeName != "" {
				k.run(t, p)
			}
		}
		status := string(k.do(t, nil, "get", "job", job, "-n", namespace, "-o", "jsonpath={.status.conditions[*].type}"))
		if strings.Contains(status, "Complete") || strings.Contains(status, "Failed") {
			return ""
		}
		return "the Job has not ended: " + status
	})
}

// pods are those of a Job, by the order of their names.
func (c *cluster) pods(t *testing.T, namespace, selector string) []pod {
	t.Helper()
	var list struct{ Items []pod }
	if err := json.Unmarshal(c.do(t, nil, "get", "pods", "-n", namespace, "-l", selector, "-o", "json"), &list); err != nil {
		t.Fatal(err)
	}
	return list.Items
}
