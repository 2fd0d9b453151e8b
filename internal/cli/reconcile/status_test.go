package reconcile

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

func image(letter string) string {
	return "quay.io/openshift-release-dev/ocp-release@sha256:" + strings.Repeat(letter, 64)
}

// statusOf is the view of a cluster at 4.20.3, and its commands.
func statusOf(reconciled []openshift.Release, op *openshift.Operator, updates ...openshift.Update) *statusView {
	o := &StatusOptions{Factory: &command.Factory{}}
	cv := &openshift.ClusterVersion{Version: "4.20.3", Desired: openshift.Release{Version: "4.20.3", Image: image("3")}, Updates: updates}
	return newStatusView(&spec.Spec{Cluster: "cluster1", ReconciledUpdates: reconciled}, cv, op, o.commandsFor)
}

// The table fits a terminal of 80 columns, whatever is in it, and names no image: it would break.
func TestReconcileStatusFits(t *testing.T) {
	t.Parallel()
	view := statusOf([]openshift.Release{{Version: "4.20.5", Image: image("5")}, {Version: "4.21.0", Image: image("9")}}, &openshift.Operator{},
		openshift.Update{Release: openshift.Release{Version: "4.20.5", Image: image("5")}},
		openshift.Update{Release: openshift.Release{Version: "4.21.0", Image: image("a")}},
		openshift.Update{Release: openshift.Release{Version: "4.21.1", Image: image("b")}, Conditional: true, Recommended: "False", Why: "SlowDisks: " + strings.Repeat("disks are slow ", 30)})
	var b bytes.Buffer
	if err := view.print(&b, 80); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if strings.Contains(b.String(), "sha256") {
		t.Error(b.String())
	}
}

// What is not reconciled comes first; the annotation names the highest minor release that is, and only where it is missing.
func TestReconcileStatusCommands(t *testing.T) {
	t.Parallel()
	patch, minor, next := openshift.Release{Version: "4.20.5", Image: image("5")}, openshift.Release{Version: "4.21.0", Image: image("a")}, openshift.Release{Version: "4.21.10", Image: image("b")}
	manual := &openshift.Operator{Known: true, Mode: openshift.ModeManual}
	updates := []openshift.Update{{Release: patch}, {Release: minor}, {Release: next}, {Release: openshift.Release{Version: "4.22.0", Image: image("c")}, Conditional: true}}
	for name, c := range map[string]struct {
		reconciled []openshift.Release
		op         *openshift.Operator
		want       []string // how the commands begin, or what they hold
	}{
		"nothing": {nil, manual, []string{
			"--to=4.20.5 ", "reconcile --from RUNNING --to 4.20.5 --release 4.20.5 --image ", "--to=4.21.0 ", "--release 4.21.0 ", "--to=4.21.10 ", "--release 4.21.10 ",
		}},
		"a patch":             {[]openshift.Release{patch}, manual, []string{"--to=4.21.0 ", "--release 4.21.0 ", "--to=4.21.10 ", "--release 4.21.10 ", "oc patch configmap/"}},
		"all":                 {[]openshift.Release{next, minor, patch}, manual, []string{"oc patch configmap/", `upgradeable-to":"4.21.10"`}},
		"all, mode not known": {[]openshift.Release{next, minor, patch}, &openshift.Operator{}, []string{"oc patch configmap/", `upgradeable-to":"4.21.10"`}},
		"all, and annotated":  {[]openshift.Release{next, minor, patch}, &openshift.Operator{Known: true, Mode: openshift.ModeManual, UpgradeableTo: "4.21"}, []string{"oc patch configmap/"}},
		"taken back, and the cluster still says so": {
			[]openshift.Release{patch},
			&openshift.Operator{Known: true, Mode: openshift.ModeManual, UpgradeableTo: "4.21.0", ConfigMap: true, Reconciled: []openshift.Release{minor}},
			[]string{`upgradeable-to":null`, "--to=4.21.0 ", "--release 4.21.0 ", "--to=4.21.10 ", "--release 4.21.10 ", `"- version: 4.20.5`},
		},
		"taken back altogether": {
			nil, &openshift.Operator{Known: true, Mode: openshift.ModeManual, UpgradeableTo: "4.21.0", ConfigMap: true, Reconciled: []openshift.Release{minor}},
			[]string{`upgradeable-to":null`, `{"reconciledAvailableUpdates":null}`, "--to=4.20.5 ", "--release 4.20.5 ", "--to=4.21.0 ", "--release 4.21.0 ", "--to=4.21.10 ", "--release 4.21.10 "},
		},
		"annotated with one beyond those": {[]openshift.Release{next, minor, patch}, &openshift.Operator{Known: true, Mode: openshift.ModeManual, UpgradeableTo: "4.22.0"}, []string{"oc patch configmap/", `upgradeable-to":"4.21.10"`}},
		"all, but no root secret":         {[]openshift.Release{next, minor, patch}, &openshift.Operator{Known: true, Root: openshift.Absent}, []string{"oc patch configmap/"}},
	} {
		view := statusOf(c.reconciled, c.op, updates...)
		if len(view.Commands) != len(c.want) {
			t.Errorf("%s: %q", name, view.Commands)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(view.Commands[i], want) {
				t.Errorf("%s: %q does not hold %q", name, view.Commands[i], want)
			}
		}
		if got, want := view.Summary.Available, 3; got != want {
			t.Errorf("%s: %d available updates; conditional ones are none of them", name, got)
		}
	}
}

// The operator's config map says which releases it was told of, and what is behind is named.
func TestReconcileStatusNotes(t *testing.T) {
	t.Parallel()
	a, b := openshift.Release{Version: "4.20.5", Image: image("5")}, openshift.Release{Version: "4.21.0", Image: image("a")}
	view := statusOf([]openshift.Release{a, b}, &openshift.Operator{ConfigMap: true, Reconciled: []openshift.Release{a}}, openshift.Update{Release: a}, openshift.Update{Release: b})
	if got := strings.Join(view.Notes, "\n"); got != "not yet in the operator's config map: 4.21.0" {
		t.Error(got)
	}
	view = statusOf([]openshift.Release{a}, &openshift.Operator{Known: true, Mode: openshift.ModeManual, UpgradeableTo: "4.21.0", ConfigMap: true, Reconciled: []openshift.Release{a, b}}, openshift.Update{Release: a})
	if got := strings.Join(view.Notes, "\n"); got != "in the operator's config map, but not recorded as reconciled: 4.21.0\n"+
		"annotation upgradeable-to is 4.21.0, but no release of that minor version is recorded as reconciled: the operator allows an upgrade that is not prepared" {
		t.Error(got)
	}
	retrieved := &openshift.ClusterVersion{Version: "4.20.3", Retrieved: &openshift.Condition{Status: openshift.False, Reason: "RemoteFailed"}, Updates: []openshift.Update{{Release: a}}}
	if got := statusNotes(view, retrieved, &openshift.Operator{}, openshift.Stale{}); len(got) == 0 || got[0] != "the cluster could not retrieve its updates (RemoteFailed); these may be out of date" {
		t.Errorf("%q", got)
	}
}
