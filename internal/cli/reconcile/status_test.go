package reconcile

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

func image(letter string) string {
	return "quay.io/openshift-release-dev/ocp-release@sha256:" + strings.Repeat(letter, 64)
}

// statusOf is the view of a cluster at 4.20.3, and its commands.
func statusOf(reconciled []release.Ref, op *release.Operator, updates ...release.Update) *statusView {
	o := &StatusOptions{Factory: &command.Factory{}}
	cv := &release.ClusterVersion{Version: "4.20.3", Image: image("3"), Desired: release.Ref{Version: "4.20.3", Image: image("3")}, Updates: updates}
	return newStatusView(&spec.Spec{Cluster: "cluster1", ReconciledUpdates: reconciled}, cv, op, o.commandsFor)
}

// The table fits a terminal of 80 columns, whatever is in it, and names no image: it would break.
func TestReconcileStatusFits(t *testing.T) {
	t.Parallel()
	view := statusOf([]release.Ref{{Version: "4.20.5", Image: image("5")}, {Version: "4.21.0", Image: image("9")}}, &release.Operator{},
		release.Update{Ref: release.Ref{Version: "4.20.5", Image: image("5")}},
		release.Update{Ref: release.Ref{Version: "4.21.0", Image: image("a")}},
		release.Update{Ref: release.Ref{Version: "4.21.1", Image: image("b")}, Conditional: true, Recommended: "False", Why: "SlowDisks: " + strings.Repeat("disks are slow ", 30)})
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
	patch, minor, next := release.Ref{Version: "4.20.5", Image: image("5")}, release.Ref{Version: "4.21.0", Image: image("a")}, release.Ref{Version: "4.21.10", Image: image("b")}
	manual := &release.Operator{Known: true, Mode: release.ModeManual}
	updates := []release.Update{{Ref: patch}, {Ref: minor}, {Ref: next}, {Ref: release.Ref{Version: "4.22.0", Image: image("c")}, Conditional: true}}
	for name, c := range map[string]struct {
		reconciled []release.Ref
		op         *release.Operator
		want       []string // how the commands begin, or what they hold
	}{
		"nothing": {nil, manual, []string{
			"--to=4.20.3 ", "--to=4.20.5 ", "--to=4.21.0 ", "--to=4.21.10 ",
			"reconcile --from 4.20.3 --to 4.20.5 --release 4.20.5 --image " + image("5") + " --to 4.21.0 --release 4.21.0 --image " + image("a") + " --to 4.21.10 --release 4.21.10 --image " + image("b"),
		}},
		"a patch":             {[]release.Ref{patch}, manual, []string{"--to=4.20.3 ", "--to=4.21.0 ", "--to=4.21.10 ", " --to 4.21.10 --release 4.21.10 ", "oc patch configmap/"}},
		"all":                 {[]release.Ref{next, minor, patch}, manual, []string{"oc patch configmap/", `upgradeable-to":"4.21.10"`}},
		"all, mode not known": {[]release.Ref{next, minor, patch}, &release.Operator{}, []string{"oc patch configmap/", `upgradeable-to":"4.21.10"`}},
		"all, and annotated":  {[]release.Ref{next, minor, patch}, &release.Operator{Known: true, Mode: release.ModeManual, UpgradeableTo: "4.21"}, []string{"oc patch configmap/"}},
		"taken back, and the cluster still says so": {
			[]release.Ref{patch},
			&release.Operator{Known: true, Mode: release.ModeManual, UpgradeableTo: "4.21.0", ConfigMap: true, Reconciled: []release.Ref{minor}},
			[]string{`upgradeable-to":null`, "--to=4.20.3 ", "--to=4.21.0 ", "--to=4.21.10 ", "--release 4.21.10 ", `"- version: 4.20.5`},
		},
		"taken back altogether": {
			nil, &release.Operator{Known: true, Mode: release.ModeManual, UpgradeableTo: "4.21.0", ConfigMap: true, Reconciled: []release.Ref{minor}},
			[]string{`upgradeable-to":null`, `{"reconciledAvailableUpdates":null}`, "--to=4.20.3 ", "--to=4.20.5 ", "--to=4.21.0 ", "--to=4.21.10 ", "--release 4.21.10 "},
		},
		"annotated with one beyond those": {[]release.Ref{next, minor, patch}, &release.Operator{Known: true, Mode: release.ModeManual, UpgradeableTo: "4.22.0"}, []string{"oc patch configmap/", `upgradeable-to":"4.21.10"`}},
		"all, but no root secret":         {[]release.Ref{next, minor, patch}, &release.Operator{Known: true, Root: release.Absent}, []string{"oc patch configmap/"}},
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
	a, b := release.Ref{Version: "4.20.5", Image: image("5")}, release.Ref{Version: "4.21.0", Image: image("a")}
	view := statusOf([]release.Ref{a, b}, &release.Operator{ConfigMap: true, Reconciled: []release.Ref{a}}, release.Update{Ref: a}, release.Update{Ref: b})
	if got := strings.Join(view.Notes, "\n"); got != "not yet in the operator's config map: 4.21.0" {
		t.Error(got)
	}
	view = statusOf([]release.Ref{a}, &release.Operator{Known: true, Mode: release.ModeManual, UpgradeableTo: "4.21.0", ConfigMap: true, Reconciled: []release.Ref{a, b}}, release.Update{Ref: a})
	if got := strings.Join(view.Notes, "\n"); got != "in the operator's config map, but not recorded as reconciled: 4.21.0\n"+
		"annotation upgradeable-to is 4.21.0, but no release of that minor version is recorded as reconciled: the operator allows an upgrade that is not prepared" {
		t.Error(got)
	}
	retrieved := &release.ClusterVersion{Version: "4.20.3", Retrieved: &release.Condition{Status: release.False, Reason: "RemoteFailed"}, Updates: []release.Update{{Ref: a}}}
	if got := statusNotes(view, retrieved, &release.Operator{}, release.Stale{}); len(got) == 0 || got[0] != "the cluster could not retrieve its updates (RemoteFailed); these may be out of date" {
		t.Errorf("%q", got)
	}
}

// Where the cluster is read itself, one command prepares for all of its updates. Without a completed release nothing says that a
// version may be named to the operator: that is said instead.
func TestReconcileStatusOfACluster(t *testing.T) {
	t.Parallel()
	minor := release.Ref{Version: "4.21.0", Image: image("a")}
	o := &StatusOptions{Factory: &command.Factory{}, Cluster: command.ClusterFlags{Kubeconfig: "k", Context: "c"}}
	cv := &release.ClusterVersion{Version: "4.20.3", Desired: release.Ref{Version: "4.20.3", Image: image("3")}, Updates: []release.Update{{Ref: minor}}}
	view := newStatusView(&spec.Spec{}, cv, &release.Operator{}, o.commandsFor)
	if got := strings.Join(view.Commands, "; "); got != "ocp-vsphere-admin reconcile --kubeconfig k --context c --available-updates" {
		t.Error(got)
	}
	cv.Version = ""
	view = newStatusView(&spec.Spec{ReconciledUpdates: []release.Ref{minor}}, cv, &release.Operator{Known: true, Mode: release.ModeManual}, o.commandsFor)
	if got := strings.Join(view.Commands, "; "); !strings.HasPrefix(got, "oc patch configmap/") || strings.Contains(got, "upgradeable-to") {
		t.Error(got)
	}
	if got := strings.Join(view.Notes, "; "); !strings.HasPrefix(got, "which release the cluster has completed is not known") {
		t.Error(got)
	}
	cv.Updates, cv.Version = []release.Update{{Ref: minor}}, "4.20.3"
	o.Cluster, cv.Image = command.ClusterFlags{}, ""
	view = newStatusView(&spec.Spec{}, cv, &release.Operator{}, o.commandsFor)
	if got := view.Commands[len(view.Commands)-1]; !strings.Contains(got, "reconcile --from RUNNING --to 4.21.0 ") {
		t.Errorf("%q", view.Commands)
	}
}
