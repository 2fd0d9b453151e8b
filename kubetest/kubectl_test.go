package kubetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// writeKubeconfig lets kubectl log in with the administrator's certificate: nothing secret is in its words.
func (c *cluster) writeKubeconfig(t *testing.T) {
	t.Helper()
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q, certificate-authority: ca.crt}}]
users: [{name: u, user: {client-certificate: admin.crt, client-key: admin.key}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`, c.url)
	if err := os.WriteFile(filepath.Join(c.dir, "kubeconfig"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// try runs kubectl with stdin and gives what it printed.
func (c *cluster) try(t *testing.T, stdin []byte, args ...string) (stdout []byte, stderr string, err error) {
	t.Helper()
	return run(t, c.dir, []string{"KUBECONFIG=" + filepath.Join(c.dir, "kubeconfig")}, stdin, c.kubectl, args...)
}

// do is try for what has to succeed without a warning.
func (c *cluster) do(t *testing.T, stdin []byte, args ...string) []byte {
	t.Helper()
	stdout, stderr, err := c.try(t, stdin, args...)
	if err != nil || stderr != "" {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, stderr)
	}
	return stdout
}

// object is what the tests look at in a Secret or Role. Data is base64 in JSON, as []byte is.
type object struct {
	Kind     string            `json:"kind"`
	Metadata metadata          `json:"metadata"`
	Type     string            `json:"type"`
	Data     map[string][]byte `json:"data"`
	Rules    []rule            `json:"rules"`
}

type metadata struct {
	Namespace       string            `json:"namespace"`
	Name            string            `json:"name"`
	ResourceVersion string            `json:"resourceVersion"`
	Labels          map[string]string `json:"labels"`
	Annotations     map[string]string `json:"annotations"`
}

type rule struct {
	APIGroups     []string `json:"apiGroups"`
	Resources     []string `json:"resources"`
	ResourceNames []string `json:"resourceNames"`
	Verbs         []string `json:"verbs"`
}

// get reads the objects of a kind in all namespaces, by namespace/name.
func (c *cluster) get(t *testing.T, kind string) map[string]object {
	t.Helper()
	var list struct {
		Items []object `json:"items"`
	}
	if err := json.Unmarshal(c.do(t, nil, "get", kind, "--all-namespaces", "-o", "json"), &list); err != nil {
		t.Fatal(err)
	}
	found := map[string]object{}
	for _, o := range list.Items {
		found[o.Metadata.Namespace+"/"+o.Metadata.Name] = o
	}
	return found
}

// run runs a program with its own home directory, so that no settings of this user reach it.
func run(t *testing.T, home string, env []string, stdin []byte, path string, args ...string) (stdout []byte, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, env...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = home, bytes.NewReader(stdin), &out, &errs
	err = cmd.Run()
	return out.Bytes(), errs.String(), err
}

// decoded is an object that kubectl printed as JSON.
func decoded(t *testing.T, text []byte) (o map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return o
}

// indented is for comparing, and for people.
func indented(t *testing.T, o any) string {
	t.Helper()
	text, err := json.MarshalIndent(o, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
