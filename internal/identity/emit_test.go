package identity_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/identity"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

func allow(t interface{ Fatal(...any) }, text string) identity.Allowance {
	a, err := identity.ParseAllowance(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestWriteIdentities(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	err := identity.Emit(&b, []identity.Manifest{{Server: "vc1", Name: "east", Account: credfile.Account{User: "u@d", Password: secret.New("pw")}}},
		identity.Options{Allow: allow(t, "names=team-a, team-b"), Move: true})
	if err != nil {
		t.Fatal(err)
	}
	want := "# Cluster identities for `oc apply -f -`. Apply over those that are there; do not delete and recreate them.\n" + `---
apiVersion: v1
data:
  password: cHc=
  username: dUBk
kind: Secret
metadata:
  name: east
  namespace: capv-system
type: Opaque
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: VSphereClusterIdentity
metadata:
  labels:
    clusterctl.cluster.x-k8s.io/move-hierarchy: ""
  name: east
# namespaces that may use it: kubernetes.io/metadata.name in (team-a,team-b)
spec:
  allowedNamespaces:
    selector:
      matchExpressions:
      - key: kubernetes.io/metadata.name
        operator: In
        values:
        - team-a
        - team-b
  secretName: east
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// The empty forms mean opposite things, so they are said in words and written apart.
func TestAllowances(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct{ yaml, comment, refuses string }{
		"none":                             {"spec:\n  secretName: east\n", "no namespace may use it", "team-a"},
		"all":                              {"  allowedNamespaces:\n    selector: {}\n", "every namespace may use it", ""},
		"names=team-b":                     {"        - team-b\n", "kubernetes.io/metadata.name in (team-b)", "team-a"},
		"selector=tier=prod,env!=x":        {"        operator: NotIn\n        values:\n        - x\n      matchLabels:\n        tier: prod\n", "env notin (x),tier=prod", ""},
		"selector=tier=prod,zone in (a,b)": {"      matchLabels:\n        tier: prod\n", "tier=prod,zone in (a,b)", ""},
	} {
		var b strings.Builder
		a := allow(t, text)
		err := identity.Emit(&b, []identity.Manifest{{Server: "vc1", Name: "east", Account: credfile.Account{User: "u@d", Password: secret.New("pw")}}},
			identity.Options{Allow: a, Version: identity.V1Beta1, Namespace: "openshift-cluster-api"})
		if err != nil || !strings.Contains(b.String(), c.yaml) || !strings.Contains(b.String(), "# ") || !strings.Contains(b.String(), c.comment) ||
			!strings.Contains(b.String(), "namespace: openshift-cluster-api") || !strings.Contains(b.String(), "cluster.x-k8s.io/v1beta1\n") {
			t.Errorf("%s: %v\n%s", text, err, b.String())
		}
		if got := a.Refuses("team-a"); (got != "") != (c.refuses != "") {
			t.Errorf("%s: team-a: %q", text, got)
		}
	}
	for _, text := range []string{"", "everybody", "names=", "names=A_b", "names=a,,b", "selector=", "selector=a in", "selector=a>1", "none=1"} {
		if _, err := identity.ParseAllowance(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestIdentitiesThatAreNotWritten(t *testing.T) {
	t.Parallel()
	good := identity.Manifest{Server: "vc1", Name: "east", Account: credfile.Account{User: "u@d", Password: secret.New("canary-pw")}}
	with := func(change func(*identity.Manifest)) identity.Manifest {
		i := good
		change(&i)
		return i
	}
	all := identity.Options{Allow: allow(t, "all")}
	for name, c := range map[string]struct {
		identities []identity.Manifest
		o          identity.Options
		want       string
	}{
		"nobody said who":  {[]identity.Manifest{good}, identity.Options{}, "the namespaces that may use the identity are not set"},
		"none":             {nil, all, "no account"},
		"a version":        {[]identity.Manifest{good}, identity.Options{Allow: all.Allow, Version: "v1"}, `unknown version "v1"`},
		"a namespace":      {[]identity.Manifest{good}, identity.Options{Allow: all.Allow, Namespace: "A"}, `"A" is not the name of a namespace`},
		"a name":           {[]identity.Manifest{with(func(i *identity.Manifest) { i.Name = "East_1" })}, all, `"East_1" is not a valid identity name`},
		"too long":         {[]identity.Manifest{with(func(i *identity.Manifest) { i.Name = strings.Repeat("a", 254) })}, all, "no more than 253"},
		"twice":            {[]identity.Manifest{good, with(func(i *identity.Manifest) { i.Server = "vc2" })}, all, `vc2: identity "east" is already used for vc1`},
		"no password":      {[]identity.Manifest{with(func(i *identity.Manifest) { i.Account.Password = secret.New("") })}, all, "vc1: the password is empty"},
		"a broken account": {[]identity.Manifest{with(func(i *identity.Manifest) { i.Account.User = "a\nb" })}, all, "vc1: the user name holds a line break"},
	} {
		var b strings.Builder
		err := identity.Emit(&b, c.identities, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || b.Len() > 0 || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is written is read back: the account to the byte, one secret per identity, and the same verdict for every namespace.
func TestIdentitiesRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		allowed := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3, rapid.ID).Draw(t, "namespaces")
		form := rapid.SampledFrom([]string{"none", "all", "names=" + strings.Join(allowed, ",")}).Draw(t, "allow")
		servers := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-z0-9]([A-Za-z0-9.-]{0,20}[A-Za-z0-9])?`), 1, 3, strings.ToLower).Draw(t, "servers")
		var identities []identity.Manifest
		for i, server := range servers {
			identities = append(identities, identity.Manifest{Server: server, Name: strings.Repeat("x", i+1), Account: credfile.Account{
				User:     rapid.StringMatching(`[a-z]{1,8}@[a-z.]{1,8}`).Draw(t, "user"),
				Password: secret.New(rapid.StringN(1, 30, -1).Filter(func(s string) bool { return !strings.ContainsAny(s, "\r\n") }).Draw(t, "password")),
			}})
		}
		var b strings.Builder
		if err := identity.Emit(&b, identities, identity.Options{Allow: allow(t, form), Version: rapid.SampledFrom(identity.Versions()).Draw(t, "version")}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		for _, ns := range []string{"a", "b", "c"} {
			text += namespace(ns, "") + vsphereCluster(ns+"/one", ", identityRef: {kind: VSphereClusterIdentity, name: x}")
		}
		var d identity.Dump
		if err := d.Read("dump", []byte(text)); err != nil {
			t.Fatal(err)
		}
		got := identity.Check(d, "")
		for i, s := range d.Secrets {
			if string(s.Data["username"]) != identities[i].Account.User || string(s.Data["password"]) != identities[i].Account.Password.Reveal() || len(s.Data) != 2 {
				t.Fatalf("%s is not %s's", s.Name, identities[i].Server)
			}
		}
		for _, u := range got.Clusters {
			ns, _, _ := strings.Cut(u.Consumer, "/")
			may := form == "all" || strings.HasPrefix(form, "names=") && strings.Contains(form[len("names="):], ns)
			if (u.Refusal == "") != may || u.User != identities[0].Account.User {
				t.Fatalf("%s with %s: %+v", ns, form, u)
			}
		}
		for _, f := range got.Findings {
			if f.Severity == finding.Error {
				t.Fatalf("%+v", f)
			}
		}
		for _, doc := range strings.Split(b.String(), "\n---\n")[1:] {
			if strings.Contains(doc, "kind: Secret\n") {
				if err := yaml.UnmarshalStrict([]byte(doc), &corev1.Secret{}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestIdentityName(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"cluster1", "vcenter1.example.com", "cluster1-vcenter1.example.com"},
		{"", "VC1.example.com", "vc1.example.com"},
		{"My_Cluster", "vc.", "my-cluster-vc"},
		{"c", "fd00::1", "c-fd00--1"},
	} {
		if got := identity.DefaultName(c[0], c[1]); got != c[2] {
			t.Errorf("%s on %s: %q", c[0], c[1], got)
		}
	}
}
