package release

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
)

func releaseImage(letter string) string {
	return "quay.io/openshift-release-dev/ocp-release@sha256:" + strings.Repeat(letter, 64)
}

// clusterVersionYAML is a ClusterVersion at 4.20.3; more is what its status has beside that.
func clusterVersionYAML(more string) string {
	return fmt.Sprintf(`apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata: {name: version}
spec: {channel: stable-4.20, clusterID: 6d3d3b1c-0f3a-4c7b-9b53-1f6f0f9d8a77}
status:
  desired: {version: 4.20.3, image: %q, channels: [stable-4.20]}
  history:
  - {state: Completed, version: 4.20.3, image: %q}
  - {state: Completed, version: 4.19.9, image: %q}
%s`, releaseImage("3"), releaseImage("3"), releaseImage("9"), more)
}

const noUpdates = "  availableUpdates: null\n"

func updatesYAML() string {
	return fmt.Sprintf(`  availableUpdates:
  - {version: 4.20.5, image: %q, url: https://access.redhat.com/errata/x}
  - {version: 4.21.0, image: %q}
  conditionalUpdates:
  - release: {version: 4.21.1, image: %q}
    risks: [{name: X, url: "https://x", message: m, matchingRules: [{type: Always}]}]
    conditions:
    - {type: Recommended, status: "False", reason: SlowDisks, message: "Disks are slow. https://x"}
  conditions:
  - {type: RetrievedUpdates, status: "True"}
  - {type: Upgradeable, status: "False", reason: MissingUpgradeableAnnotation, message: "Cluster operator cloud-credential should not be upgraded"}
`, releaseImage("5"), releaseImage("a"), releaseImage("b"))
}

func TestParseClusterVersion(t *testing.T) {
	t.Parallel()
	got, err := ParseClusterVersion("cv.yaml", []byte(clusterVersionYAML(updatesYAML())))
	if err != nil {
		t.Fatal(err)
	}
	want := &ClusterVersion{
		ID: "6d3d3b1c-0f3a-4c7b-9b53-1f6f0f9d8a77", Channel: "stable-4.20", Version: "4.20.3", Image: releaseImage("3"), Desired: Ref{"4.20.3", releaseImage("3")},
		Updates: []Update{
			{Ref: Ref{"4.20.5", releaseImage("5")}},
			{Ref: Ref{"4.21.0", releaseImage("a")}},
			{Ref: Ref{"4.21.1", releaseImage("b")}, Conditional: true, Recommended: "False", Why: "SlowDisks: Disks are slow. https://x"},
		},
		Retrieved:   &Condition{Status: "True"},
		Upgradeable: &Condition{"False", "MissingUpgradeableAnnotation", "Cluster operator cloud-credential should not be upgraded"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := got.Available(); !slices.Equal(got, []Ref{want.Updates[0].Ref, want.Updates[1].Ref}) {
		t.Errorf("conditional updates are not available ones: %v", got)
	}
}

// On its way to another release a cluster runs the last one that was completed; while it is installed it has none.
func TestRunningVersion(t *testing.T) {
	t.Parallel()
	partial := strings.NewReplacer("{state: Completed, version: 4.20.3", "{state: Partial, version: 4.20.3").Replace(clusterVersionYAML(noUpdates))
	c, err := ParseClusterVersion("cv.yaml", []byte(partial))
	if err != nil || c.Version != "4.19.9" || c.Running() != "4.19.9" || !c.NoUpdates {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = ParseClusterVersion("cv.yaml", []byte(strings.ReplaceAll(clusterVersionYAML(noUpdates), "Completed", "Partial")))
	if err != nil || c.Version != "" || c.Running() != "4.20.3" {
		t.Errorf("%+v, %v", c, err)
	}
	list := "kind: ClusterVersionList\napiVersion: config.openshift.io/v1\nitems:\n- " + strings.ReplaceAll(clusterVersionYAML(noUpdates), "\n", "\n  ")
	if c, err = ParseClusterVersion("cv.yaml", []byte(list)); err != nil || c.Version != "4.20.3" {
		t.Errorf("a list: %+v, %v", c, err)
	}
}

func TestParseClusterVersionRefuses(t *testing.T) {
	t.Parallel()
	whole := clusterVersionYAML(noUpdates)
	bare, _, _ := strings.Cut(whole, "status:")
	for name, c := range map[string]struct{ text, want string }{
		"nothing":        {"", "cv.yaml: contains no ClusterVersion: 'oc get clusterversion version -o yaml' prints it"},
		"another kind":   {objectstest.SecretYAML("a/b", ""), "cv.yaml:2: is a Secret, not a ClusterVersion: 'oc get clusterversion version -o yaml' prints it"},
		"beside it":      {whole + "---\n" + objectstest.SecretYAML("a/b", ""), "cv.yaml:13: is a Secret, not a ClusterVersion: 'oc get clusterversion version -o yaml' prints it"},
		"two":            {whole + "---\n" + whole, "cv.yaml:12: is a second ClusterVersion: a cluster has only one"},
		"another group":  {strings.Replace(whole, "config.openshift.io/v1", "managed.openshift.io/v1", 1), "cv.yaml:1: apiVersion: is not config.openshift.io/v1"},
		"another name":   {strings.Replace(whole, "name: version", "name: mine", 1), "cv.yaml:1: a cluster's ClusterVersion is named version"},
		"no status":      {bare, "cv.yaml:1: ClusterVersion has no status, which the cluster writes"},
		"no list":        {clusterVersionYAML("  availableUpdates: {}\n"), "cv.yaml:10: status.availableUpdates: must be a list, not fields"},
		"no image":       {clusterVersionYAML("  availableUpdates: [{version: 4.20.5}]\n"), "cv.yaml:10: status.availableUpdates[0]: has no image"},
		"no version":     {clusterVersionYAML("  availableUpdates: [{image: a.b/c:d}]\n"), "cv.yaml:10: status.availableUpdates[0]: has no version"},
		"a strange one":  {clusterVersionYAML("  availableUpdates: [{version: \"4.20\", image: a.b/c:d}]\n"), "cv.yaml:10: status.availableUpdates[0].version: is not a release version: use x.y.z, such as 4.20.3 or 4.21.0-rc.1"},
		"a strange kind": {"kind: \"a b\\n\"\n", "cv.yaml:1: is a strange kind, not a ClusterVersion: 'oc get clusterversion version -o yaml' prints it"},
	} {
		if _, err := ParseClusterVersion("cv.yaml", []byte(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, c.want)
		}
	}
}

// Any text is a ClusterVersion or errors, a line each, that name the file; what parses can be judged.
func FuzzClusterVersion(f *testing.F) {
	f.Add([]byte(clusterVersionYAML(updatesYAML())))
	f.Add([]byte(clusterVersionYAML(noUpdates)))
	f.Add([]byte(`{"kind":"ClusterVersion","apiVersion":"config.openshift.io/v1","metadata":{"name":"version"},"status":{"desired":{"version":"4.4.0-0.nightly-1","image":"a:5000/b:c"},"availableUpdates":[]}}`))
	f.Add([]byte("kind: ClusterVersion\nstatus: &a {conditions: [*a], history: [[]], desired: 1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseClusterVersion("cv.yaml", data)
		objectstest.Told(t, err, "cv.yaml")
		if err != nil {
			return
		}
		if c.Running() == "" {
			t.Errorf("no version: %+v", c)
		}
		for _, u := range c.Updates {
			if err := u.Check(); err != nil {
				t.Errorf("%+v: %v", u, err)
			}
		}
		if design := UpgradeableByDesign(c, c.Available(), &Operator{}); design.Status != True {
			t.Errorf("%+v", design)
		}
		if len(c.Available()) > 0 && UpgradeableByDesign(c, c.Available()[1:], &Operator{}).Status == True && !slices.Contains(c.Available()[1:], c.Available()[0]) {
			t.Error("an update that is not reconciled is passed over")
		}
		if list, err := parseReconciled([]byte(strings.Join(reconciledLines(c.Available()), "\n"))); err != nil && len(c.Available()) == len(slices.Compact(slices.SortedFunc(slices.Values(c.Available()), Ref.Compare))) {
			t.Errorf("%v: %v", list, err)
		}
	})
}

func reconciledLines(list []Ref) (lines []string) {
	for _, r := range list {
		lines = append(lines, "- version: "+r.Version, fmt.Sprintf("  image: %q", r.Image))
	}
	return lines
}

// The image of the release that runs is that of the history, or where that has none, of the release that the cluster wants, if it is
// that. An update whose known risks do not apply is in both lists, and available.
func TestRunningImage(t *testing.T) {
	t.Parallel()
	for history, want := range map[string]string{
		"[{state: Completed, version: 4.20.3, image: %q}]":                                    releaseImage("3"),
		"[{state: Completed, version: 4.20.3}]":                                               releaseImage("c"),
		"[{state: Completed, version: 4.20.3, image: ''}]":                                    releaseImage("c"),
		"[{state: Completed, version: 4.20.2}]":                                               "",
		"[{state: Partial, version: 4.20.3}, {state: Completed, version: 4.20.2, image: %q}]": releaseImage("3"),
		"[]": "",
	} {
		text := "apiVersion: config.openshift.io/v1\nkind: ClusterVersion\nmetadata: {name: version}\nstatus:\n  desired: {version: 4.20.3, image: " + releaseImage("c") + "}\n  history: " +
			strings.ReplaceAll(history, "%q", releaseImage("3")) + "\n  availableUpdates: [{version: 4.21.0, image: " + releaseImage("a") + "}]\n" +
			"  conditionalUpdates: [{release: {version: 4.21.0, image: " + releaseImage("a") + "}, conditions: [{type: Recommended, status: 'True'}]}]\n"
		got, err := ParseClusterVersion("cv.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got.Image != want || len(got.Updates) != 1 || got.Updates[0].Conditional {
			t.Errorf("%s: %+v", history, got)
		}
	}
}
