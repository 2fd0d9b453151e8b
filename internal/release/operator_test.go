package release

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
)

func cloudCredentialYAML(mode, upgradeableTo string) string {
	text := "---\napiVersion: operator.openshift.io/v1\nkind: CloudCredential\nmetadata:\n  name: cluster\n"
	if upgradeableTo != "" {
		text += "  annotations: {cloudcredential.openshift.io/upgradeable-to: " + upgradeableTo + "}\n"
	}
	return text + "spec: {credentialsMode: " + mode + "}\n"
}

const disabledConfigMap = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: cloud-credential-operator-config, namespace: openshift-cloud-credential-operator}\ndata:\n  disabled: \"true\"\n"

func parsedOperator(t *testing.T, dump string) *Operator {
	t.Helper()
	op, err := ParseOperator("dump.yaml", []byte(dump))
	if err != nil {
		t.Fatal(err)
	}
	return op
}

func TestParseOperator(t *testing.T) {
	t.Parallel()
	secret := "---\n" + objectstest.SecretYAML("kube-system/other", "")
	for name, c := range map[string]struct {
		dump string
		want Operator
	}{
		"nothing of it": {objectstest.SecretYAML("default/vsphere-creds", ""), Operator{Root: NotKnown}},
		"manual":        {cloudCredentialYAML("Manual", "4.21.0"), Operator{Known: true, Mode: "Manual", UpgradeableTo: "4.21.0", Root: NotKnown}},
		"default":       {cloudCredentialYAML(`""`, ""), Operator{Known: true, Root: NotKnown}},
		"named default": {cloudCredentialYAML("Default", ""), Operator{Known: true, Root: NotKnown}},
		"root there":    {"---\n" + objectstest.SecretYAML("kube-system/vsphere-creds", "", "a.username=a", "a.password=b") + secret, Operator{Root: Present}},
		"root missing":  {secret, Operator{Root: Absent}},
		"config map":    {disabledConfigMap, Operator{ConfigMap: true, Disabled: true, Root: NotKnown}},
		"the list": {
			strings.Replace(disabledConfigMap, "  disabled: \"true\"\n", "  reconciledAvailableUpdates: |\n    - version: 4.4.1\n      image: quay.io/openshift-release-dev/ocp-release:4.4.1-x86_64\n", 1),
			Operator{ConfigMap: true, Reconciled: []Ref{{"4.4.1", "quay.io/openshift-release-dev/ocp-release:4.4.1-x86_64"}}, Root: NotKnown},
		},
	} {
		if diff := cmp.Diff(&c.want, parsedOperator(t, c.dump)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for name, c := range map[string]struct{ dump, want string }{
		"another group": {strings.Replace(cloudCredentialYAML("Manual", ""), "operator.openshift.io/v1", "v1", 1), "dump.yaml:2: apiVersion: is not operator.openshift.io/v1"},
		"another name":  {strings.Replace(cloudCredentialYAML("Manual", ""), "name: cluster", "name: mine", 1), "dump.yaml:2: the operator's CloudCredential is named cluster"},
		"a mode":        {cloudCredentialYAML("Manuel", ""), `dump.yaml:6: spec.credentialsMode: "Manuel" is unknown; did you mean "Manual"?`},
		"two":           {cloudCredentialYAML("Manual", "") + cloudCredentialYAML("Manual", ""), "dump.yaml:8: is a second CloudCredential: a cluster has only one"},
		"disabled":      {strings.Replace(disabledConfigMap, `"true"`, "maybe", 1), "dump.yaml:6: data.disabled: is neither true nor false"},
		"list":          {disabledConfigMap + "  reconciledAvailableUpdates: x\n", "dump.yaml:7: data.reconciledAvailableUpdates: is not a list of version and image: reconciledAvailableUpdates:2: not valid YAML, here or below: check the indentation, and put values in single quotes"},
	} {
		if _, err := ParseOperator("dump.yaml", []byte(c.dump)); err == nil || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, c.want)
		}
	}
}

// The rule of the operator as it ships, case by case as its own code decides.
func TestUpgradeableByOperator(t *testing.T) {
	t.Parallel()
	root, other := "---\n"+objectstest.SecretYAML("kube-system/vsphere-creds", ""), "---\n"+objectstest.SecretYAML("kube-system/other", "")
	for name, c := range map[string]struct {
		dump         string
		status, word string
	}{
		"nothing known":                 {other, Unknown, reasonNotInDump},
		"manual":                        {cloudCredentialYAML("Manual", "") + root, False, reasonAnnotation},
		"manual, this minor release":    {cloudCredentialYAML("Manual", "4.20.99"), False, reasonAnnotation},
		"manual, an earlier one":        {cloudCredentialYAML("Manual", "4.9.0"), False, reasonAnnotation},
		"manual, the next":              {cloudCredentialYAML("Manual", "4.21.0"), True, reasonAsExpected},
		"manual, the next in short":     {cloudCredentialYAML("Manual", "v4.21"), True, reasonAsExpected},
		"disabled by the config map":    {cloudCredentialYAML(`""`, "") + disabledConfigMap + root, False, reasonAnnotation},
		"disabled, and another mode":    {cloudCredentialYAML("Mint", "") + disabledConfigMap + root, Unknown, reasonDisabledConflicts},
		"default with the root secret":  {cloudCredentialYAML(`""`, "") + root, True, reasonAsExpected},
		"default without":               {cloudCredentialYAML(`""`, "") + other, False, ReasonRoot},
		"default, annotated, without":   {cloudCredentialYAML(`""`, "4.21") + other, True, reasonAsExpected},
		"passthrough without":           {cloudCredentialYAML("Passthrough", "") + other, False, ReasonRoot},
		"default, no secret is dumped":  {cloudCredentialYAML(`""`, ""), Unknown, reasonNotInDump},
		"an annotation that is nothing": {cloudCredentialYAML("Manual", "soon"), False, reasonAnnotation},
	} {
		cv := &ClusterVersion{Version: "4.20.3"}
		if got := UpgradeableByOperator(cv, parsedOperator(t, c.dump)); got.Status != c.status || got.Reason != c.word || got.Message == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := UpgradeableByOperator(&ClusterVersion{Desired: Ref{Version: "4.20.3"}}, &Operator{Known: true, Mode: ModeManual}); got.Status != True {
		t.Errorf("a cluster that is being installed: %+v", got)
	}
}

// The seed's rule: any available update that is not among those reconciled, by version and image, is False.
func TestUpgradeableByDesign(t *testing.T) {
	t.Parallel()
	a, b := Ref{"4.20.5", releaseImage("5")}, Ref{"4.21.0", releaseImage("a")}
	moved := Ref{b.Version, releaseImage("c")}
	cv := &ClusterVersion{Version: "4.20.3", Updates: []Update{{Ref: a}, {Ref: b}, {Ref: Ref{"4.22.0", releaseImage("d")}, Conditional: true}}}
	manual, enabled := &Operator{Known: true, Mode: ModeManual}, &Operator{Known: true, Mode: "Mint"}
	for name, c := range map[string]struct {
		cv         *ClusterVersion
		reconciled []Ref
		op         *Operator
		status     string
		message    string
	}{
		"all":               {cv, []Ref{b, a}, manual, True, "every available update is reconciled"},
		"all, mode unknown": {cv, []Ref{b, a}, &Operator{}, True, "every available update is reconciled"},
		"one":               {cv, []Ref{a}, manual, False, "not reconciled: 4.21.0"},
		"none":              {cv, nil, &Operator{}, False, "not reconciled: 4.20.5, 4.21.0"},
		"another image":     {cv, []Ref{a, moved}, manual, False, "not reconciled: 4.21.0"},
		"no update":         {&ClusterVersion{Version: "4.20.3"}, nil, manual, True, "no update is available"},
		"enabled":           {cv, nil, enabled, True, "the operator is not in Manual mode, so it ignores the list"},
	} {
		if got := UpgradeableByDesign(c.cv, c.reconciled, c.op); got.Status != c.status || got.Message != c.message {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if !cv.Minor(b) || cv.Minor(a) {
		t.Error("4.21.0 is another minor release than 4.20.3, and 4.20.5 is not")
	}
}

// The patch for the design's config map gives the list back when it is read, whatever is in it.
func TestReconciledPatch(t *testing.T) {
	t.Parallel()
	list := []Ref{{"4.20.5", releaseImage("5")}, {"4.21.0-rc.1+x", "[fd00::1]:5000/a/b:x"}}
	command := ReconciledPatch(list)
	_, patch, _ := strings.Cut(command, "--patch '")
	var object struct{ Data map[string]string }
	if err := json.Unmarshal([]byte(strings.TrimSuffix(patch, "'")), &object); err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	back, err := parseReconciled([]byte(object.Data["reconciledAvailableUpdates"]))
	if err != nil || !slices.Equal(back, list) {
		t.Errorf("%v, %v", back, err)
	}
	if got := ReconciledPatch(nil); !strings.HasSuffix(got, `--patch '{"data":{"reconciledAvailableUpdates":null}}'`) {
		t.Error(got)
	}
	if got := NoUpgradeableTo(); got != `oc patch cloudcredential.operator.openshift.io/cluster --type=merge --patch '{"metadata":{"annotations":{"cloudcredential.openshift.io/upgradeable-to":null}}}'` {
		t.Error(got)
	}
}

// The annotation is set after the checks of ccoctl: a version, newer than the release that the cluster has completed. Of several
// releases that are ready it is the newest, and only one of another minor release.
func TestUpgradeableTo(t *testing.T) {
	t.Parallel()
	cv := &ClusterVersion{Version: "4.20.3", Desired: Ref{Version: "4.21.0"}}
	got, err := cv.UpgradeableTo("4.21.0")
	if err != nil || got != `oc patch cloudcredential.operator.openshift.io/cluster --type=merge --patch '{"metadata":{"annotations":{"cloudcredential.openshift.io/upgradeable-to":"4.21.0"}}}'` {
		t.Errorf("%s, %v", got, err)
	}
	for version, want := range map[string]string{
		"4.20.3": "4.20.3 is not newer than 4.20.3, which the cluster has completed", "4.20.2": "is not newer than", "4.19.9": "is not newer than", "4.20.3-rc.1": "is not newer than",
		"4.21": "is not a release version", "": "is not a release version", "v4.21.0": "is not a release version", "4.21.0'; x": "is not a release version",
	} {
		if got, err := cv.UpgradeableTo(version); err == nil || got != "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v", version, got, err)
		}
	}
	if got, err := (&ClusterVersion{Desired: Ref{Version: "4.20.3"}}).UpgradeableTo("4.21.0"); err == nil || got != "" || !strings.Contains(err.Error(), "its ClusterVersion has no completed release") {
		t.Errorf("%s, %v", got, err)
	}
	for want, reconciled := range map[string][]string{"": {"4.20.3", "4.20.9", "4.19.1"}, "4.21.10": {"4.21.9", "4.21.10", "4.20.4"}, "4.21.0-rc.1": {"4.21.0-rc.1"}} {
		var refs []Ref
		for _, version := range reconciled {
			refs = append(refs, Ref{Version: version, Image: releaseImage("a")})
		}
		if got := cv.Ready(refs); got != want {
			t.Errorf("%q: got %q, want %q", reconciled, got, want)
		}
	}
}

// What the cluster still says of a release that is not reconciled is found: the annotation by its minor release, as the operator
// reads it, and the list by version and image.
func TestStaleIn(t *testing.T) {
	t.Parallel()
	a, moved, b := Ref{"4.21.0", releaseImage("a")}, Ref{"4.21.0", releaseImage("c")}, Ref{"4.21.3", releaseImage("b")}
	for name, c := range map[string]struct {
		op         Operator
		reconciled []Ref
		want       Stale
	}{
		"nothing":                     {Operator{}, nil, Stale{}},
		"both are backed":             {Operator{UpgradeableTo: "4.21.0", Reconciled: []Ref{a}}, []Ref{a}, Stale{}},
		"another patch release of it": {Operator{UpgradeableTo: "v4.21"}, []Ref{b}, Stale{}},
		"neither is":                  {Operator{UpgradeableTo: "4.21.0", Reconciled: []Ref{a}}, nil, Stale{true, []string{"4.21.0"}}},
		"another minor release":       {Operator{UpgradeableTo: "4.22.0"}, []Ref{a}, Stale{UpgradeableTo: true}},
		"another image":               {Operator{Reconciled: []Ref{moved, b}}, []Ref{a, b}, Stale{Listed: []string{"4.21.0"}}},
		"what runs allows nothing":    {Operator{UpgradeableTo: "4.20.9"}, nil, Stale{}},
		"what is no version does not": {Operator{UpgradeableTo: "soon"}, nil, Stale{}},
	} {
		if diff := cmp.Diff(c.want, StaleIn(&ClusterVersion{Version: "4.20.3"}, c.reconciled, &c.op)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Any text is something of the operator or errors, a line each, that name the file; what parses can be judged.
func FuzzOperatorDump(f *testing.F) {
	f.Add([]byte(cloudCredentialYAML("Manual", "4.21") + disabledConfigMap + "  reconciledAvailableUpdates: |\n    - {version: 4.4.1, image: a.b/c:d}\n"))
	f.Add([]byte("---\n" + objectstest.SecretYAML("kube-system/vsphere-creds", "", "a.username=a", "a.password=b")))
	f.Add([]byte("kind: ConfigMap\nmetadata: {name: cloud-credential-operator-config, namespace: openshift-cloud-credential-operator}\ndata: {reconciledAvailableUpdates: \"- &a [*a]\"}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		op, err := ParseOperator("dump.yaml", data)
		objectstest.Told(t, err, "dump.yaml")
		if err != nil {
			return
		}
		for _, r := range op.Reconciled {
			if err := r.Check(); err != nil {
				t.Error(err)
			}
		}
		if c := UpgradeableByOperator(&ClusterVersion{Version: "4.20.3"}, op); !slices.Contains([]string{True, False, Unknown}, c.Status) || !op.Known && c.Status != Unknown {
			t.Errorf("%+v of %+v", c, op)
		}
	})
}
