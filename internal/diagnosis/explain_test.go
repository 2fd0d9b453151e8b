package diagnosis

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// explained parses a dump and explains it.
func explained(t *testing.T, dump string, o asked) *Explanation {
	t.Helper()
	secrets, err := objects.ParseSecrets("dump.yaml", []byte(dump))
	if err != nil {
		t.Fatal(err)
	}
	e, err := o.explain(secrets...)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v", *e); strings.Contains(text, "pw-") {
		t.Errorf("a password is in %s", text)
	}
	return e
}

// of is one request of an explanation, in words.
func of(e *Explanation, component string) string {
	for _, r := range e.Requests {
		if string(r.Component) == component || strings.HasSuffix(r.Request, "/"+component) {
			text := fmt.Sprintf("%s %s, %s", r.Enhancement.Secret, r.Enhancement.Step, r.Mainline.Step)
			for _, a := range r.Accounts {
				text += fmt.Sprintf("; %s %s %s %s", a.Server, a.Enhancement, a.Mainline, a.Now)
			}
			return text
		}
	}
	return "no such request"
}

// expected is a finding of a code: the end of its subject, and something that its text says.
type expected struct {
	code          finding.Code
	subject, text string
}

func found(e *Explanation, code finding.Code, secret, text string) bool {
	for _, f := range e.Findings {
		if f.Code == code && strings.HasSuffix(f.Subject, secret) && strings.Contains(f.Text, text) {
			return true
		}
	}
	return false
}

func forCSI(label string) string {
	text := "  annotations: {cloudcredential.openshift.io/credentials-request: openshift-cloud-credential-operator/openshift-vmware-vsphere-csi-driver-operator}\n"
	if label != "" {
		text += "  labels: {cloudcredential.openshift.io/credentials-request: \"" + label + "\"}\n"
	}
	return text
}

const passthroughMode = "  annotations: {cloudcredential.openshift.io/mode: passthrough}\n"

func TestExplainSteps(t *testing.T) {
	shared := objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, pair("main@d", "pw-main")...)
	named := objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", pair("named@d", "pw-named")...)
	for name, tt := range map[string]struct {
		dump string
		csi  string
		want []expected // findings
		not  []expected
	}{
		"root": {
			shared, "kube-system/vsphere-creds root, root; " + vc1 + " main@d main@d ",
			[]expected{{finding.SecretNote, "vsphere-creds", "machine-config-operator"}},
			[]expected{{finding.SecretShadowed, "vsphere-creds", ""}, {finding.SecretNote, "vsphere-creds", "has no annotation"}},
		},
		"name before root": {
			shared + named, "kube-system/vsphere-creds-csi-driver name, root; " + vc1 + " named@d main@d ",
			[]expected{{finding.SecretShadowed, "vsphere-creds", "ignores it for openshift-vmware-vsphere-csi-driver-operator;"}},
			nil,
		},
		"annotation before name": {
			shared + named + objectstest.SecretYAML("kube-system/mine", forCSI("yes"), pair("mine@d", "pw-mine")...),
			"kube-system/mine annotation, root; " + vc1 + " mine@d main@d ",
			[]expected{
				{finding.SecretShadowed, "vsphere-creds-csi-driver", "annotation of mine takes precedence"},
				{finding.SecretShadowed, "mine", `rewritten to "true" by cloud-credential-operator; openshift-vmware-vsphere-csi-driver-operator finds kube-system/vsphere-creds-csi-driver after that (name)`},
			},
			nil,
		},
		"annotated, named, yes": {
			objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", forCSI("yes"), pair("named@d", "pw-named")...),
			"kube-system/vsphere-creds-csi-driver annotation, none; " + vc1 + " named@d  ",
			[]expected{{finding.SecretNote, "vsphere-creds-csi-driver", "finds it by its name after that"}, {finding.SecretNote, "vsphere-creds", "is missing"}},
			nil,
		},
		"annotated, named, true": {
			objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", forCSI("true"), pair("named@d", "pw-named")...),
			"kube-system/vsphere-creds-csi-driver name, none; " + vc1 + " named@d  ", nil,
			[]expected{{finding.SecretShadowed, "vsphere-creds-csi-driver", ""}},
		},
		"annotated alone, yes": {
			objectstest.SecretYAML("kube-system/mine", forCSI("yes"), pair("mine@d", "pw-mine")...),
			"kube-system/mine annotation, none; " + vc1 + " mine@d  ",
			[]expected{{finding.SecretShadowed, "mine", "finds nothing after that"}},
			nil,
		},
		"annotated alone, true": {
			shared + objectstest.SecretYAML("kube-system/mine", forCSI("true"), pair("mine@d", "pw-mine")...),
			"kube-system/vsphere-creds root, root; " + vc1 + " main@d main@d ",
			[]expected{{finding.SecretUnseen, "mine", `its label is "true" and the enhancement looks for "yes": kube-system/vsphere-creds is selected (root)`}},
			nil,
		},
		"annotated twice": {
			objectstest.SecretYAML("kube-system/two", forCSI("yes"), pair("two@d", "pw-2")...) + objectstest.SecretYAML("kube-system/one", forCSI("yes"), pair("one@d", "pw-1")...),
			"kube-system/one annotation, none; " + vc1 + " one@d  ",
			[]expected{{finding.SecretMalformed, "two", "undefined"}},
			nil,
		},
		"in another namespace": {
			shared + objectstest.SecretYAML("elsewhere/mine", forCSI("yes"), pair("mine@d", "pw-mine")...),
			"kube-system/vsphere-creds root, root; " + vc1 + " main@d main@d ", nil, nil,
		},
		"strays": {
			shared + objectstest.SecretYAML("kube-system/vsphere-creds-storage", "", pair("x@d", "pw-x")...) +
				objectstest.SecretYAML("kube-system/mine", strings.Replace(forCSI("yes"), "openshift-vmware", "openshift-wmvare", 1), pair("x@d", "pw-x")...),
			"kube-system/vsphere-creds root, root; " + vc1 + " main@d main@d ",
			[]expected{{finding.SecretShadowed, "vsphere-creds-storage", "no CredentialsRequest uses it: it has no annotation, and"}, {finding.SecretUnseen, "mine", "which is not a known CredentialsRequest for vSphere"}},
			nil,
		},
		"nothing but a target": {
			objectstest.SecretYAML(objectstest.CSITarget, "", pair("now@d", "pw-now")...), " none, none; " + vc1 + "   now@d",
			[]expected{{finding.SecretNote, objectstest.CSITarget, "cloud-credential-operator has no secret to copy here, which is right only in Manual mode"}},
			[]expected{{finding.SecretMissing, "", ""}, {finding.SecretNote, objectstest.CapiTarget, ""}},
		},
		"target as copied": {
			shared + named + objectstest.SecretYAML(objectstest.CSITarget, forCSI("true"), pair("named@d", "pw-named")...),
			"kube-system/vsphere-creds-csi-driver name, root; " + vc1 + " named@d main@d named@d", nil,
			[]expected{{finding.SecretDiffers, "", ""}},
		},
		"target as a release copies it": {
			shared + named + objectstest.SecretYAML(objectstest.CSITarget, forCSI("true"), pair("main@d", "pw-main")...),
			"kube-system/vsphere-creds-csi-driver name, root; " + vc1 + " named@d main@d main@d",
			[]expected{{finding.SecretFallback, objectstest.CSITarget, "an operator without the enhancement"}},
			nil,
		},
		"target with another password": {
			named + objectstest.SecretYAML(objectstest.CSITarget, forCSI("true"), pair("named@d", "pw-old")...),
			"kube-system/vsphere-creds-csi-driver name, none; " + vc1 + " named@d  named@d",
			[]expected{{finding.SecretStale, objectstest.CSITarget, vc1 + ": named@d with another password"}},
			nil,
		},
		"target with another user": {
			named + objectstest.SecretYAML(objectstest.CSITarget, forCSI("true"), pair("old@d", "pw-old")...),
			"kube-system/vsphere-creds-csi-driver name, none; " + vc1 + " named@d  old@d",
			[]expected{{finding.SecretStale, objectstest.CSITarget, vc1 + ": old@d instead of named@d"}},
			nil,
		},
		"mode": {
			objectstest.SecretYAML("kube-system/vsphere-creds", strings.Replace(passthroughMode, "passthrough", "insufficient", 1), pair("main@d", "pw-main")...),
			"kube-system/vsphere-creds root, root; " + vc1 + " main@d main@d ",
			[]expected{{finding.SecretNote, "vsphere-creds", `is "insufficient", not "passthrough"`}},
			nil,
		},
	} {
		e := explained(t, tt.dump, asked{})
		if got := of(e, "csi-driver"); got != tt.csi {
			t.Errorf("%s: got %q, want %q", name, got, tt.csi)
		}
		for _, f := range tt.want {
			if !found(e, f.code, f.subject, f.text) {
				t.Errorf("%s: no %q in %+v", name, f, e.Findings)
			}
		}
		for _, f := range tt.not {
			if found(e, f.code, f.subject, f.text) {
				t.Errorf("%s: %q is in %+v", name, f, e.Findings)
			}
		}
	}
}

func TestExplainMalformed(t *testing.T) {
	for name, tt := range map[string]struct {
		secret string
		keys   []string
		want   expected
	}{
		"unknown key, cloud controller":  {"kube-system/vsphere-creds-cloud-controller", append(pair("a@d", "pw-x"), "note=x"), expected{finding.SecretNote, "cloud-controller", "Unknown secret key"}},
		"unknown key, root":              {"kube-system/vsphere-creds", append(pair("a@d", "pw-x"), "note=x"), expected{finding.SecretNote, "vsphere-creds", "Unknown secret key"}},
		"unknown key, CSI":               {"kube-system/vsphere-creds-csi-driver", append(pair("a@d", "pw-x"), "note=x"), expected{finding.SecretNote, "csi-driver", `key "note" is not part`}},
		"half":                           {"kube-system/vsphere-creds-machine-api", []string{vc1 + ".username=a@d"}, expected{finding.SecretMalformed, "machine-api", `key "` + vc1 + `.username" has no counterpart: machine-api fails, others use an empty value`}},
		"other half":                     {"kube-system/vsphere-creds-machine-api", []string{vc1 + ".password=pw-x"}, expected{finding.SecretMalformed, "machine-api", "machine-api fails, others use an empty value"}},
		"empty":                          {"kube-system/vsphere-creds-machine-api", pair("a@d", ""), expected{finding.SecretMalformed, "machine-api", vc1 + ": the password is empty"}},
		"bare user, CSI":                 {"kube-system/vsphere-creds-csi-driver", pair("admin", "pw-x"), expected{finding.SecretMalformed, "csi-driver", "the CSI driver does not start"}},
		"bare user, root":                {"kube-system/vsphere-creds", pair("admin", "pw-x"), expected{finding.SecretMalformed, "vsphere-creds", "the CSI driver does not start"}},
		"bare user, machine-api":         {"kube-system/vsphere-creds-machine-api", pair("admin", "pw-x"), expected{finding.SecretNote, "machine-api", "UsernameWithoutDomain"}},
		"assisted, left":                 {"kube-system/vsphere-creds", []string{vc1 + ".username=a@d", vc1 + ".password=pw-x", "vcenterplaceholder.username=usernameplaceholder", "vcenterplaceholder.password=passwordplaceholder"}, expected{finding.SecretNote, "", "vcenterplaceholder is a placeholder of the Assisted Installer"}},
		"numbered, CSI":                  {"kube-system/vsphere-creds-csi-driver", []string{"server_0=fd00::1", "username_0=a@d", "password_0=pw-x"}, expected{finding.SecretMalformed, "csi-driver", "only the cloud controller manager reads such keys"}},
		"numbered, cloud controller":     {"kube-system/vsphere-creds-cloud-controller", []string{"server_0=fd00::1", "username_0=a@d", "password_0=pw-x"}, expected{finding.SecretNote, "cloud-controller", "only the cloud"}},
		"numbered beside the usual, CSI": {"kube-system/vsphere-creds-csi-driver", append(pair("a@d", "pw-x"), "server_0=fd00::1"), expected{finding.SecretNote, "csi-driver", "only the cloud controller manager"}},
		"no vCenter":                     {"kube-system/vsphere-creds-csi-driver", []string{"username=a@d", "password=pw-x"}, expected{finding.SecretMalformed, "csi-driver", `nothing reads password and username, which do not say the vCenter: write the keys <vCenter>.username and <vCenter>.password`}},
		"no vCenter, beside others":      {"kube-system/vsphere-creds-cloud-controller", append(pair("a@d", "pw-x"), "username=a@d"), expected{finding.SecretMalformed, "cloud-controller", `nothing reads username, which do not say the vCenter: write the keys ` + vc1 + `.username and ` + vc1 + `.password; the cloud controller manager logs "Unknown secret key" once`}},
		"no key":                         {"kube-system/vsphere-creds-csi-driver", []string{"fd00::1.username=a@d", "fd00::1.password=pw-x"}, expected{finding.SecretMalformed, "csi-driver", "cannot be part of a key"}},
	} {
		e := explained(t, objectstest.SecretYAML(tt.secret, "", tt.keys...), asked{})
		if !found(e, tt.want.code, tt.want.subject, tt.want.text) {
			t.Errorf("%s: got %+v", name, e.Findings)
		}
	}
	newline := "kind: Secret\nmetadata: {namespace: kube-system, name: vsphere-creds-csi-driver}\nstringData:\n  vc.username: \"a@d\"\n  vc.password: \"pw-x\\n\"\n"
	if e := explained(t, newline, asked{}); !found(e, finding.SecretMalformed, "csi-driver", "the password holds a line break") || len(e.Held()) != 0 {
		t.Errorf("got %+v, %d to try", e.Findings, len(e.Held()))
	}
}

// A release gives the root secret to everybody, so its keys count even where the enhancement passes it over.
func TestExplainRootThatIsPassedOver(t *testing.T) {
	dump := objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, append(pair("a@d", "pw-x"), "note=x")...)
	for _, k := range release.Consumers() {
		if k.Secret != "" {
			dump += objectstest.SecretYAML("kube-system/"+k.Secret, "", pair("a@d", "pw-x")...)
		}
	}
	if e := explained(t, dump, asked{}); !found(e, finding.SecretNote, "/vsphere-creds", "Unknown secret key") {
		t.Errorf("got %+v", e.Findings)
	}
	numbered := objectstest.SecretYAML("kube-system/vsphere-creds-cloud-controller", "", "server_0=fd00::1", "username_0=a@d", "password_0=pw-x") +
		objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", pair("csi@d", "pw-c")...)
	if e := explained(t, numbered, asked{}); found(e, finding.SecretMissing, "vsphere-creds-cloud-controller", "") {
		t.Errorf("got %+v", e.Findings)
	}
}

// Numbered keys are an account for the cloud controller manager, and for nobody else; half of them are none.
func TestNumberedKeysResolve(t *testing.T) {
	const server = "fd00::1"
	whole := []string{"server_0=" + server, "username_0=cpi@d", "password_0=pw-x"}
	dump := objectstest.SecretYAML("openshift-cloud-controller-manager/vsphere-cloud-credentials", "", whole...) +
		objectstest.SecretYAML(objectstest.CSITarget, "", whole...) +
		objectstest.SecretYAML("kube-system/vsphere-creds", "", append(whole[:2:2], pair("main@d", "pw-m")...)...)
	secrets, err := objects.ParseSecrets("dump.yaml", []byte(dump))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range cluster.Of(secrets...).Resolve([]string{server}) {
		if r.User != "" {
			got[r.By+" "+r.Consumer] = r.User
		}
	}
	if want := map[string]string{"now cloud-controller": "cpi@d"}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestExplainTargetOfTwoMinds(t *testing.T) {
	both := func(one, two string) []string {
		return append(pair(one, "pw-1"), "vc2.username="+two, "vc2.password=pw-2")
	}
	dump := objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, both("main@d", "main@d")...) +
		objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", both("csi@d", "csi@d")...) + objectstest.SecretYAML(objectstest.CSITarget, "", both("main@d", "old@d")...)
	e := explained(t, dump, asked{})
	if !found(e, finding.SecretStale, objectstest.CSITarget, "vc2: old@d instead of csi@d; "+vc1+": main@d instead of csi@d") {
		t.Errorf("got %+v", e.Findings)
	}
}

func TestExplainMissing(t *testing.T) {
	dump := objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, append(pair("main@d", "pw-m"), "vc2.username=main@d", "vc2.password=pw-m")...) +
		objectstest.SecretYAML("kube-system/vsphere-creds-csi-driver", "", pair("csi@d", "pw-c")...)
	e := explained(t, dump, asked{})
	if !found(e, finding.SecretMissing, "csi-driver", "no account for vc2, which CredentialsRequest openshift-vmware-vsphere-csi-driver-operator needs") {
		t.Errorf("got %+v", e.Findings)
	}
	if shared := explained(t, objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, pair("main@d", "pw-m")...), asked{Servers: []string{vc1, "vc2"}}); !slices.ContainsFunc(shared.Findings, func(f *finding.Finding) bool {
		return f.Code == finding.SecretMissing && slices.Equal(f.Remedies, []string{"ocp-vsphere-admin secrets emit --profile passthrough --vcenters " + vc1 + ",vc2 | oc apply -f -"})
	}) {
		t.Errorf("got %+v", shared.Findings)
	}
	if e := explained(t, dump, asked{Servers: []string{vc1}}); found(e, finding.SecretMissing, "", "") {
		t.Errorf("got %+v", e.Findings)
	}
	if e := explained(t, dump, asked{Servers: []string{vc1, "vc2", "vc3"}}); !found(e, finding.SecretMissing, "/vsphere-creds", "no account for vc3, which CredentialsRequest openshift-machine-api-vsphere needs") {
		t.Errorf("got %+v", e.Findings)
	}
	for _, text := range []string{"", "kind: Secret\nmetadata: {name: x, namespace: y}\n", "kind: ConfigMap\n"} {
		secrets, err := objects.ParseSecrets("dump.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (asked{}).explain(secrets...); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestExplainRequestsOfADirectory(t *testing.T) {
	r, err := release.ReadRequests(objectstest.Release(t, map[string]string{"a.yaml": objectstest.MapiRequest() + objectstest.CapiRequest()}), false)
	if err != nil {
		t.Fatal(err)
	}
	e := explained(t, objectstest.SecretYAML("kube-system/vsphere-creds-machine-api", "", pair("mapi@d", "pw-m")...), asked{Requests: r})
	if len(e.Requests) != 2 || of(e, "openshift-cluster-api-vsphere") != " none, none; "+vc1+"   " {
		t.Errorf("got %+v", e.Requests)
	}
	if !found(e, finding.SecretNote, objectstest.CapiTarget, "gets nothing") || found(e, finding.SecretMissing, "", "") {
		t.Errorf("got %+v", e.Findings)
	}
}

// One login per account and vCenter, with all secrets that hold it.
func TestHeld(t *testing.T) {
	dump := objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, pair("main@d", "pw-m")...) +
		objectstest.SecretYAML("kube-system/vsphere-creds-machine-api", "", pair("main@d", "pw-m")...) +
		objectstest.SecretYAML(objectstest.MapiTarget, "", pair("main@d", "pw-old")...) + objectstest.SecretYAML("elsewhere/x", "", pair("x@d", "pw-x")...)
	two := objectstest.SecretYAML("kube-system/vsphere-creds", passthroughMode, append(pair("main@d", "pw-m"), "vc2.username=main@d", "vc2.password=pw-m")...)
	if held := explained(t, two, asked{}).Held(); len(held) != 2 {
		t.Errorf("%d accounts to try on two vCenters", len(held))
	}
	var got []string
	for _, h := range explained(t, dump, asked{}).Held() {
		got = append(got, h.Server+" "+h.Account.User+" "+strings.Join(h.Secrets, ","))
	}
	want := vc1 + " main@d kube-system/vsphere-creds-machine-api,kube-system/vsphere-creds\n" + vc1 + " main@d " + objectstest.MapiTarget
	if strings.Join(got, "\n") != want {
		t.Errorf("got %q", got)
	}
}
