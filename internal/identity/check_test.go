package identity_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/identity"
)

const infra = "---\napiVersion: infrastructure.cluster.x-k8s.io/"

// vsphereIdentity is one whose secret has its name; spec and status are what stands below them, on one line.
func vsphereIdentity(name, spec, status string) string {
	text := infra + "v1beta2\nkind: VSphereClusterIdentity\nmetadata: {name: " + name + ", managedFields: [{manager: oc}]}\nspec: {secretName: " + name + spec + "}\n"
	if status != "" {
		text += "status: {" + status + "}\n"
	}
	return text
}

func vsphereCluster(at, spec string) string {
	ns, name, _ := strings.Cut(at, "/")
	return fmt.Sprintf(infra+"v1beta1\nkind: VSphereCluster\nmetadata: {name: %s, namespace: %s}\nspec: {server: vc1.example.com%s}\n", name, ns, spec)
}

func namespace(name, labels string) string {
	return fmt.Sprintf("---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {%s}}\n", name, labels)
}

func capvSecret(at, user, password string) string {
	ns, name, _ := strings.Cut(at, "/")
	return fmt.Sprintf("---\napiVersion: v1\nkind: Secret\nmetadata: {name: %s, namespace: %s}\ndata: {username: %s, password: %s}\n", name, ns,
		base64.StdEncoding.EncodeToString([]byte(user)), base64.StdEncoding.EncodeToString([]byte(password)))
}

// owned is a secret with an owner, as CAPV sets it.
func owned(secret, kind, name string) string {
	return strings.Replace(secret, "metadata: {", "metadata: {ownerReferences: [{apiVersion: apps/v1, kind: VSphereClusterIdentity, name: other}, {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: "+kind+", name: "+name+", uid: x}], ", 1)
}

func checked(t *testing.T, controller string, texts ...string) *identity.Result {
	t.Helper()
	var d identity.Dump
	if err := d.Read("dump.yaml", []byte(strings.Join(texts, ""))); err != nil {
		t.Fatal(err)
	}
	return identity.Check(d, controller)
}

const denied = "failed to get credentials from IdentityRef: "

// By the rules of seed 002 as CAPV ships them, in its own words.
func TestVSphereIdentities(t *testing.T) {
	t.Parallel()
	const ready = "ready: true"
	use := ", identityRef: {kind: VSphereClusterIdentity, name: east}"
	known := namespace("team-a", "kubernetes.io/metadata.name: team-a, tier: prod") + namespace("team-b", "tier: dev") + capvSecret("capv-system/east", "east@d", "pw-east")
	for name, c := range map[string]struct {
		dump                             string
		step, from, user, refusal, undec string
	}{
		"nil is nobody":          {vsphereIdentity("east", "", ready), "identity", "east", "east@d", denied + "allowedNamespaces set to nil, no namespaces are allowed to use this identity", ""},
		"null is nobody":         {vsphereIdentity("east", ", allowedNamespaces: null", ready), "identity", "east", "east@d", denied + "allowedNamespaces set to nil, no namespaces are allowed to use this identity", ""},
		"{} is everybody":        {vsphereIdentity("east", ", allowedNamespaces: {}", ready), "identity", "east", "east@d", "", ""},
		"an empty selector":      {vsphereIdentity("east", ", allowedNamespaces: {selector: {}}", ready), "identity", "east", "east@d", "", ""},
		"labels":                 {vsphereIdentity("east", ", allowedNamespaces: {selector: {matchLabels: {tier: prod}}}", ready), "identity", "east", "east@d", "", ""},
		"other labels":           {vsphereIdentity("east", ", allowedNamespaces: {selector: {matchLabels: {tier: dev}}}", ready), "identity", "east", "east@d", denied + "namespace team-a is not allowed to use specified identity", ""},
		"labels and expressions": {vsphereIdentity("east", ", allowedNamespaces: {selector: {matchLabels: {tier: prod}, matchExpressions: [{key: tier, operator: NotIn, values: [prod]}]}}", ready), "identity", "east", "east@d", denied + "namespace team-a is not allowed to use specified identity", ""},
		"by its name":            {vsphereIdentity("east", ", allowedNamespaces: {selector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [team-a, x]}]}}", ready), "identity", "east", "east@d", "", ""},
		"an invalid selector":    {vsphereIdentity("east", ", allowedNamespaces: {selector: {matchExpressions: [{key: a, operator: Near}]}}", ready), "identity", "east", "east@d", denied + "failed to build selector", ""},
		"not ready goes first":   {vsphereIdentity("east", "", "ready: false, conditions: [{type: Available, status: 'False', reason: SecretAlreadyInUse, message: taken}]"), "identity", "east", "east@d", denied + "identity isn't ready to be used yet", ""},
		"no status yet":          {vsphereIdentity("east", ", allowedNamespaces: {}", ""), "identity", "east", "east@d", "", ""},
		"it is does not exist":   {vsphereIdentity("west", ", allowedNamespaces: {}", ready), "identity", "east", "", denied + `vsphereclusteridentities.infrastructure.cluster.x-k8s.io "east" not found`, ""},
	} {
		got := checked(t, "", known, c.dump, vsphereCluster("team-a/one", use))
		u := got.Clusters[0]
		if u.Step != c.step || u.From != c.from || u.User != c.user || u.Refusal != c.refusal || u.Undecided != c.undec || u.Server != "vc1.example.com" || u.Consumer != "team-a/one" {
			t.Errorf("%s: %+v", name, u)
		}
		if (got.Refused() == 1) != (c.refusal != "") {
			t.Errorf("%s: %d refused", name, got.Refused())
		}
		if len(u.Overridden) != 1 || u.Overridden[0].Step != "controller" {
			t.Errorf("%s: overrides %+v", name, u.Overridden)
		}
	}
}

// An identity that no controller has looked at yet is ready if the controller will find its secret free.
func TestIdentitiesThatWillNotBeReady(t *testing.T) {
	t.Parallel()
	const notReady = denied + "identity isn't ready to be used yet"
	secret := capvSecret("capv-system/east", "east@d", "pw-east")
	for name, c := range map[string]struct{ secret, status, refusal, why string }{
		"nobody owns the secret":       {secret, "", "", ""},
		"it owns the secret":           {owned(secret, "VSphereClusterIdentity", "east"), "", "", ""},
		"owned by something else":      {owned(secret, "VSphereMachine", "west"), "", "", ""},
		"owned by another identity":    {owned(secret, "VSphereClusterIdentity", "west"), "", notReady, "SecretAlreadyInUse: secret being used by another Cluster/VSphereIdentity"},
		"owned by a cluster":           {owned(secret, "VSphereCluster", "east"), "", notReady, "SecretAlreadyInUse: secret being used by another Cluster/VSphereIdentity"},
		"the secret is missing":        {capvSecret("capv-system/west", "east@d", "pw-east"), "", notReady, `SecretNotAvailable: secrets "east" not found`},
		"the controller says it is":    {owned(secret, "VSphereClusterIdentity", "west"), "ready: true", "", ""},
		"the controller says it isn't": {secret, "ready: false", notReady, "it is not ready"},
	} {
		got := checked(t, "", namespace("team-a", "tier: prod"), c.secret, vsphereIdentity("east", ", allowedNamespaces: {}", c.status),
			vsphereCluster("team-a/one", ", identityRef: {kind: VSphereClusterIdentity, name: east}"))
		u, use := got.Clusters[0], got.Identities[0]
		if u.Refusal != c.refusal || !strings.HasSuffix(u.Why, c.why) || (u.Why == "") != (c.why == "") {
			t.Errorf("%s: %+v", name, u)
		}
		if used := c.refusal == ""; (len(use.Users) == 1) != used || found(got, "in-use", "") != used {
			t.Errorf("%s: %+v, %+v", name, use, got.Findings)
		}
		if found(got, "note", "assumed to be ready") != (c.status == "" && c.refusal == "") {
			t.Errorf("%s: %+v", name, got.Findings)
		}
	}
}

// The other ways to an account: a secret beside the cluster, and the controller's own.
func TestVSphereFallbacks(t *testing.T) {
	t.Parallel()
	const taken = "another cluster has set the OwnerRef for Secret team-a/mine"
	own := "---\napiVersion: v1\nkind: Secret\nmetadata: {name: capv-manager-bootstrap-credentials, namespace: capv-system}\nstringData: {credentials.yaml: \"username: 'main@d'\\npassword: 'pw-main'\\n\"}\n"
	mine := ", identityRef: {kind: Secret, name: mine}"
	for name, c := range map[string]struct {
		dump                      string
		step, from, user, refusal string
	}{
		"nothing named":          {own + vsphereCluster("team-a/one", ""), "controller", "capv-system/capv-manager-bootstrap-credentials", "main@d", ""},
		"an empty reference":     {own + vsphereCluster("team-a/one", ", identityRef: {}"), "controller", "capv-system/capv-manager-bootstrap-credentials", "main@d", ""},
		"nothing in the dump":    {vsphereCluster("team-a/one", ""), "controller", "/etc/capv/credentials.yaml", "", ""},
		"OpenShift's own":        {strings.Replace(own, "stringData: {credentials.yaml: \"username: 'main@d'\\npassword: 'pw-main'\\n\"}", "stringData: {vc1.example.com.username: ocp@d, vc1.example.com.password: pw}", 1) + vsphereCluster("team-a/one", ""), "controller", "capv-system/capv-manager-bootstrap-credentials", "ocp@d", ""},
		"its own secret":         {own + capvSecret("team-a/mine", "mine@d", "pw") + vsphereCluster("team-a/one", mine), "secret", "team-a/mine", "mine@d", ""},
		"of another namespace":   {own + capvSecret("team-b/mine", "mine@d", "pw") + vsphereCluster("team-a/one", mine), "secret", "team-a/mine", "", denied + `secrets "mine" not found`},
		"no secret in the dump":  {vsphereCluster("team-a/one", mine), "secret", "team-a/mine", "", ""},
		"owned by it":            {owned(capvSecret("team-a/mine", "mine@d", "pw"), "VSphereCluster", "one") + vsphereCluster("team-a/one", mine), "secret", "team-a/mine", "mine@d", ""},
		"another cluster's":      {owned(capvSecret("team-a/mine", "mine@d", "pw"), "VSphereCluster", "two") + vsphereCluster("team-a/one", mine), "secret", "team-a/mine", "mine@d", taken},
		"an identity's":          {owned(capvSecret("team-a/mine", "mine@d", "pw"), "VSphereClusterIdentity", "one") + vsphereCluster("team-a/one", mine), "secret", "team-a/mine", "mine@d", taken},
		"a kind that is unknown": {own + vsphereCluster("team-a/one", ", identityRef: {kind: ConfigMap, name: mine}"), "identity", "mine", "", denied + "unknown type ConfigMap used for Identity"},
	} {
		u := checked(t, "", c.dump).Clusters[0]
		if u.Step != c.step || u.From != c.from || u.User != c.user || u.Refusal != c.refusal {
			t.Errorf("%s: %+v", name, u)
		}
	}
}

// By the rules of seed 003 as CAPO ships them.
func TestOpenStackIdentities(t *testing.T) {
	t.Parallel()
	secret := func(at string) string {
		ns, name, _ := strings.Cut(at, "/")
		return fmt.Sprintf("---\napiVersion: v1\nkind: Secret\nmetadata: {name: %s, namespace: %s}\nstringData: {clouds.yaml: 'clouds: {o: {auth: {auth_url: https://keystone, username: u-%s, password: pw-o}}}'}\n", name, ns, ns)
	}
	identity := func(more string) string {
		return infra + "v1alpha1\nkind: OpenStackClusterIdentity\nmetadata: {name: prod}\nspec: {secretRef: {name: s, namespace: capo-system}" + more + "}\n"
	}
	cluster := func(kind, ref string) string {
		return infra + "v1beta1\nkind: " + kind + "\nmetadata: {name: one, namespace: team-a}\nspec: {identityRef: {" + ref + "}}\n"
	}
	const shared = "type: ClusterIdentity, name: prod, cloudName: o"
	around := secret("team-a/s") + secret("capo-system/s") + namespace("team-a", "environment: development")
	for name, c := range map[string]struct {
		dump                      string
		step, from, user, refusal string
	}{
		"no type is Secret":     {cluster("OpenStackCluster", "name: s, cloudName: o"), "secret", "team-a/s", "u-team-a", ""},
		"Secret":                {cluster("OpenStackServer", "type: Secret, name: s, cloudName: o"), "secret", "team-a/s", "u-team-a", ""},
		"nil is everybody":      {identity("") + cluster("OpenStackCluster", shared), "identity", "prod", "u-capo-system", ""},
		"{} is everybody":       {identity(", namespaceSelector: {}") + cluster("OpenStackMachine", shared), "identity", "prod", "u-capo-system", ""},
		"labels":                {identity(", namespaceSelector: {matchLabels: {environment: development}}") + cluster("OpenStackCluster", shared), "identity", "prod", "u-capo-system", ""},
		"by name":               {identity(", namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [team-b]}]}") + cluster("OpenStackCluster", shared), "identity", "prod", "u-capo-system", "namespace team-a not allowed to use cluster identity prod"},
		"an invalid selector":   {identity(", namespaceSelector: {matchExpressions: [{key: a, operator: In}]}") + cluster("OpenStackCluster", shared), "identity", "prod", "u-capo-system", "invalid namespace selector"},
		"an unsupported type":   {cluster("OpenStackCluster", "type: Vault, name: s, cloudName: o"), "secret", "s", "", "unsupported identity type: Vault"},
		"no name":               {cluster("OpenStackCluster", "type: Secret, cloudName: o"), "secret", "", "", "name is required"},
		"no cloudName":          {cluster("OpenStackCluster", "name: s"), "secret", "s", "", "cloudName is required"},
		"the seed's own form":   {identity("") + cluster("OpenStackCluster", "type: ClusterIdentity, name: prod"), "secret", "prod", "", "cloudName is required (releases require it for both types, the proposal forbids it for ClusterIdentity)"},
		"it is does not exist":  {cluster("OpenStackCluster", "type: ClusterIdentity, name: prod, cloudName: o"), "identity", "prod", "", `openstackclusteridentities.infrastructure.cluster.x-k8s.io "prod" not found`},
		"the cluster's":         {infra + "v1beta1\nkind: OpenStackMachine\nmetadata: {name: one, namespace: team-a}\nspec: {flavor: m1}\n", "cluster", "", "", ""},
		"nothing where it must": {infra + "v1beta1\nkind: OpenStackCluster\nmetadata: {name: one, namespace: team-a}\nspec: {}\n", "none", "", "", "identityRef is required"},
	} {
		u := checked(t, "", around, c.dump).Clusters[0]
		if u.Step != c.step || u.From != c.from || u.User != c.user || u.Refusal != c.refusal {
			t.Errorf("%s: %+v", name, u)
		}
		if want := map[bool]string{true: "https://keystone"}[c.user != ""]; u.Server != want {
			t.Errorf("%s: server %q", name, u.Server)
		}
	}
	empty := checked(t, "", "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: team-a}\nstringData: {clouds.yaml: ''}\n", cluster("OpenStackCluster", "name: s, cloudName: o"))
	if !found(empty, "malformed", `clouds.yaml has no cloud "o": it has none`) {
		t.Errorf("%+v", empty.Findings)
	}
	got := checked(t, "", around, identity(""), cluster("OpenStackCluster", shared))
	if !found(got, "differs", "the proposal forbids it") || !found(got, "everybody", "it is for everybody (namespaceSelector is not set)") || !found(got, "in-use", "OpenStackCluster team-a/one") {
		t.Errorf("%+v", got.Findings)
	}
}

func found(c *identity.Result, kind, message string) bool {
	return slices.ContainsFunc(c.Findings, func(f *finding.Finding) bool {
		return f.Code == finding.Code("identity-"+kind) && strings.Contains(f.Subject+" "+f.Text, message)
	})
}

func TestIdentityFindings(t *testing.T) {
	t.Parallel()
	const ready, all = "ready: true", ", allowedNamespaces: {}"
	use := func(name string) string { return ", identityRef: {kind: VSphereClusterIdentity, name: " + name + "}" }
	east := vsphereIdentity("east", all, ready)
	secret := capvSecret("capv-system/east", "east@d", "pw-east")
	for name, c := range map[string]struct {
		dump, kind, message string
		bad                 bool
	}{
		"no secret":                      {east + capvSecret("capv-system/other", "o@d", "pw"), "missing", "VSphereClusterIdentity east its secret capv-system/east does not exist", true},
		"a secret elsewhere":             {east + capvSecret("team-a/east", "o@d", "pw"), "missing", "one with that name is in team-a: the controller reads only its own namespace", true},
		"the cluster's elsewhere":        {vsphereCluster("team-a/one", ", identityRef: {kind: Secret, name: east}") + secret, "missing", "one with that name is in capv-system: the secret must be in the cluster's own", true},
		"no identity":                    {vsphereCluster("team-a/one", use("west")) + secret, "missing", "VSphereCluster team-a/one refers to VSphereClusterIdentity west, which does not exist", true},
		"two identities, one secret":     {east + strings.Replace(strings.Replace(east, "name: east,", "name: west,", 1), "secretName: west", "secretName: east", 1) + secret, "shared", "capv-system/east is the secret of VSphereClusterIdentity east and VSphereClusterIdentity west", true},
		"two clusters, one secret":       {vsphereCluster("a/one", ", identityRef: {kind: Secret, name: s}") + vsphereCluster("a/two", ", identityRef: {kind: Secret, name: s}") + capvSecret("a/s", "u", "p"), "shared", "a/s is the secret of VSphereCluster a/one and VSphereCluster a/two: only one can own it", true},
		"one secret, one is its owner":   {vsphereCluster("a/one", ", identityRef: {kind: Secret, name: s}") + owned(capvSecret("a/s", "u", "p"), "VSphereCluster", "two"), "shared", "a/s is the secret of VSphereCluster a/one and VSphereCluster a/two, and VSphereCluster a/two owns it: the controller refuses", true},
		"nobody":                         {vsphereIdentity("east", "", ready) + secret, "nobody", "no namespace may use it: it is for nobody", false},
		"nobody of those there":          {vsphereIdentity("east", ", allowedNamespaces: {selector: {matchLabels: {a: b}}}", ready) + secret + namespace("x", "a: c"), "nobody", "namespaces with a=b", false},
		"everybody":                      {east + secret, "everybody", "it is for everybody (the selector is empty)", false},
		"in use":                         {east + secret + vsphereCluster("a/one", use("east")) + vsphereCluster("b/two", use("east")), "in-use", "deleting it takes the account from VSphereCluster a/one, VSphereCluster b/two, without a warning; its secret", false},
		"two vCenters":                   {east + secret + vsphereCluster("a/one", use("east")) + strings.Replace(vsphereCluster("b/two", use("east")), "vc1", "vc2", 1), "note", "used on vc1.example.com, vc2.example.com", false},
		"no password":                    {east + strings.Replace(secret, "password:", "passwd:", 1), "malformed", "has no key password: the controller reads it as empty", true},
		"an empty password":              {east + capvSecret("capv-system/east", "u", ""), "malformed", "key password is empty", true},
		"a line break":                   {east + capvSecret("capv-system/east", "u", "pw\n"), "malformed", "key password holds a line break", true},
		"labels that are does not exist": {vsphereIdentity("east", ", allowedNamespaces: {selector: {matchLabels: {a: b}}}", ready) + secret + vsphereCluster("a/one", use("east")), "undecided", "namespace a is not in the dump, but its labels decide: a=b", true},
		"no secret in the dump":          {east, "note", "the dump has no secrets: neither the accounts nor whether the secrets exist are known", false},
		"no status":                      {vsphereIdentity("east", all, "") + secret, "note", "it is assumed to be ready", false},
	} {
		got := checked(t, "", c.dump)
		if !found(got, c.kind, c.message) {
			t.Errorf("%s: %+v", name, got.Findings)
		}
		for _, f := range got.Findings {
			if f.Code == finding.Code("identity-"+c.kind) && (f.Severity == finding.Error) != c.bad {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
	clean := checked(t, "mine", vsphereIdentity("east", ", allowedNamespaces: {selector: {matchLabels: {a: b}}}", ready), capvSecret("mine/east", "u", "p"), namespace("a", "a: b"))
	if len(clean.Findings) != 0 || clean.Identities[0].Secret != "mine/east" || clean.Identities[0].Allowed != "namespaces with a=b" {
		t.Errorf("%+v", clean)
	}
}

// What cannot be an object of these kinds is one error with its place.
func TestIdentitiesRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ dump, want string }{
		"another group":  {"apiVersion: example.com/v1\nkind: VSphereClusterIdentity\nmetadata: {name: a}\n", `dump.yaml:1: expected a VSphereClusterIdentity of infrastructure.cluster.x-k8s.io, not of "example.com/v1"`},
		"the seed's":     {"apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: VSphereClusterIdentity\nmetadata: {name: a}\nspec: {secretRef: {name: x}}\n", "spec.secretName is missing (secretRef is only proposed and in no release)"},
		"no secret":      {"apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1\nkind: OpenStackClusterIdentity\nmetadata: {name: a}\nspec: {secretRef: {name: x}}\n", "spec.secretRef must have the name and namespace of a secret"},
		"no namespace":   {"apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: VSphereCluster\nmetadata: {name: a}\nspec: {}\n", "VSphereCluster a has no namespace"},
		"labels as list": {"apiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: VSphereClusterIdentity\nmetadata: {name: a}\nspec: {secretName: s, allowedNamespaces: {selector: {matchLabels: [a]}}}\n", "dump.yaml:4:"},
		"no object":      {"[1, 2]\n", "is not a Kubernetes object"},
	} {
		var d identity.Dump
		if err := d.Read("dump.yaml", []byte(c.dump)); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Objects may come from several dumps, as lists or one by one; the last of two counts.
func TestIdentitiesOfSeveralDumps(t *testing.T) {
	t.Parallel()
	var d identity.Dump
	for _, text := range []string{
		"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}\n- {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: VSphereClusterIdentity, metadata: {name: a}, spec: {secretName: old}}\n",
		vsphereIdentity("a", "", ""),
		`{"apiVersion":"infrastructure.cluster.x-k8s.io/v1beta2","kind":"VSphereClusterList","items":[{"apiVersion":"infrastructure.cluster.x-k8s.io/v1beta2","kind":"VSphereCluster","metadata":{"name":"c","namespace":"n"},"spec":{"server":"vc"}}]}`,
	} {
		if err := d.Read("dump.yaml", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if len(d.Identities) != 1 || d.Identities[0].Secret.Name != "a" || len(d.Users) != 1 {
		t.Errorf("%+v", d)
	}
	if diff := cmp.Diff("n/c", identity.Check(d, "").Clusters[0].Consumer); diff != "" {
		t.Error(diff)
	}
}

// Any text is objects or errors, a line each, that name the file; what is read can be checked, and no answer holds a password.
func FuzzIdentities(f *testing.F) {
	f.Add([]byte(vsphereIdentity("east", ", allowedNamespaces: {selector: {matchExpressions: [{key: a, operator: In, values: [b]}]}}", "ready: true") +
		capvSecret("capv-system/east", "u@d", "pw-6617-canary") + namespace("team-a", "a: b") + vsphereCluster("team-a/one", ", identityRef: {kind: VSphereClusterIdentity, name: east}")))
	f.Add([]byte(infra + "v1alpha1\nkind: OpenStackClusterIdentity\nmetadata: {name: p}\nspec: {secretRef: {name: s, namespace: n}, namespaceSelector: {}}\n" +
		infra + "v1beta1\nkind: OpenStackMachine\nmetadata: {name: m, namespace: n}\nspec: {identityRef: {type: ClusterIdentity, name: p, cloudName: c}}\n---\nkind: Secret\nmetadata: {name: s, namespace: n}\nstringData: {clouds.yaml: 'clouds: {c: {auth: {username: u}}}'}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d identity.Dump
		err := d.Read("dump.yaml", data)
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				if !strings.HasPrefix(line, "dump.yaml:") {
					t.Errorf("got %q", line)
				}
			}
			return
		}
		got := identity.Check(d, "")
		if len(got.Clusters) != len(d.Users) || len(got.Identities) != len(d.Identities) {
			t.Errorf("%d of %d, %d of %d", len(got.Clusters), len(d.Users), len(got.Identities), len(d.Identities))
		}
		if strings.Contains(fmt.Sprintf("%+v", got), "6617-canary") && strings.Contains(string(data), base64.StdEncoding.EncodeToString([]byte("pw-6617-canary"))) && !strings.Contains(string(data), "6617-canary") {
			t.Error("the answer holds a password")
		}
	})
}
