package vcsimtests

import (
	"os"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// cmdSecret looks for one secret in the last output, or in a file, and holds it against the credentials file.
//
//	secret [-in MANIFEST] FILE NAMESPACE/NAME COMPONENT   with the accounts of that component, and no other key
//
// ! secret says that it is not there. Everything in the output is valid as the API's own types see it.
func cmdSecret(ts *testscript.TestScript, neg bool, args []string) {
	from := "stdout"
	if args[0] == "-in" {
		from, args = args[1], args[2:]
	}
	file, err := credfile.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	s := secretNamed(ts, ts.ReadFile(from), args[1])
	if neg {
		if s != nil {
			ts.Fatalf("%s has secret %s", from, args[1])
		}
		return
	}
	if s == nil {
		ts.Fatalf("%s has no secret %s", from, args[1])
	}
	want := map[string][]byte{}
	for _, server := range file.Servers() {
		a, ok := file.Get(server, component.Name(args[2]))
		if !ok {
			ts.Fatalf("%s has no account of %s on %s", args[0], args[2], server)
		}
		want[server+".username"], want[server+".password"] = []byte(a.User), []byte(a.Password.Reveal())
	}
	if !cmp.Equal(want, s.Data) {
		ts.Fatalf("secret %s does not hold exactly the accounts of %s", args[1], args[2])
	}
}

// secretNamed reads a stream of Secrets and Roles strictly.
func secretNamed(ts *testscript.TestScript, text, name string) *corev1.Secret {
	var found *corev1.Secret
	for _, doc := range strings.Split("\n"+text, "\n---\n")[1:] {
		if strings.Contains("\n"+doc, "\nkind: Role\n") {
			ts.Check(yaml.UnmarshalStrict([]byte(doc), &rbacv1.Role{}))
			continue
		}
		var s corev1.Secret
		ts.Check(yaml.UnmarshalStrict([]byte(doc), &s))
		if s.Kind != "Secret" || s.APIVersion != "v1" || s.Type != corev1.SecretTypeOpaque || len(s.StringData) > 0 {
			ts.Fatalf("%s is not a secret as the API server stores it", s.Name)
		}
		if s.Namespace+"/"+s.Name == name {
			found = &s
		}
	}
	return found
}

// cmdWhole makes secrets what `oc get secrets,infrastructures -A` prints of a cluster on vSphere: it has some in every namespace, and an
// Infrastructure, which names no vCenter here. whole FILE [CLUSTER].
func cmdWhole(ts *testscript.TestScript, _ bool, args []string) {
	name := "cluster1"
	if len(args) > 1 {
		name = args[1]
	}
	text := ts.ReadFile(args[0])
	for _, namespace := range everyNamespace() {
		text += "\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: certificates, namespace: " + namespace + "}\n"
	}
	if !strings.Contains(text, "kind: Infrastructure") {
		text += vSphereCluster(name)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

func vSphereCluster(name string) string {
	return "---\napiVersion: config.openshift.io/v1\nkind: Infrastructure\nmetadata: {name: cluster}\nspec: {platformSpec: {type: VSphere}}\n" +
		"status: {infrastructureName: " + name + "-x7k2p, platformStatus: {type: VSphere}}\n"
}

// everyNamespace are the namespaces of every cluster on vSphere in which components find their accounts, and one that has nothing to do
// with vSphere.
func everyNamespace() []string {
	return append(openshift.Profiles()[0].ReadFrom(), cluster.ControllerNamespace, "openshift-etcd")
}
