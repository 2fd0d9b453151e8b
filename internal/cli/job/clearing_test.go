package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// clearedImage is that of a release.
const clearedImage = "quay.io/a/b@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// undoer is a run about a file that records releases, or none.
func undoer(t *testing.T, path string, updates ...release.Ref) (*Run, *termtest.Fake) {
	t.Helper()
	streams := termtest.NewFake()
	o := &Options{Factory: command.NewFactory(streams.Streams, command.Build{})}
	o.Connection.Source.File = path
	return &Run{Options: o, Wanted: &spec.Spec{Cluster: "c1", ReconciledUpdates: updates}}, streams
}

// Only what takes accounts or their permissions away for good clears the list, and only where there is one.
func TestUndoing(t *testing.T) {
	t.Parallel()
	updates := []release.Ref{{Version: "4.21.0", Image: clearedImage}}
	revokes, prunes := Change{Revokes: true}, Change{}
	for name, tt := range map[string]struct {
		Change  plan.Change
		of      Change
		updates []release.Ref
		want    bool
	}{
		"an account":             {plan.Change{Verb: plan.Delete, Kind: plan.User}, prunes, updates, true},
		"a permission":           {plan.Change{Verb: plan.Delete, Kind: plan.Permission}, prunes, updates, true},
		"another permission":     {plan.Change{Verb: plan.Update, Kind: plan.Permission}, prunes, updates, false},
		"what it displaced":      {plan.Change{Verb: plan.Update, Kind: plan.Permission}, revokes, updates, true},
		"a role nobody uses":     {plan.Change{Verb: plan.Delete, Kind: plan.Role}, revokes, updates, false},
		"nothing was prepared":   {plan.Change{Verb: plan.Delete, Kind: plan.User}, revokes, nil, false},
		"an account is restored": {plan.Change{Verb: plan.Create, Kind: plan.User}, revokes, updates, false},
		"another one is there":   {plan.Change{Verb: plan.Delete, Kind: plan.User}, Change{Replaced: func() []provision.Replacement { return nil }}, updates, false},
		"whatever its plan is":   {plan.Change{}, Change{ClearsReleases: true}, updates, true},
		"a prune of roles":       {plan.Change{Verb: plan.Update, Kind: plan.Role}, Change{ClearsReleases: true}, nil, true},
		"a prune of nothing":     {plan.Change{}, Change{ClearsReleases: true}, nil, false},
	} {
		w, _ := undoer(t, "p.yaml", tt.updates...)
		w.steering.Prune = !tt.of.Revokes
		p := plan.New("c1")
		p.Add("vc1.example.com", nil, nil)
		if p.Add("vc2.example.com", nil, nil); tt.Change.Verb != "" {
			p.Add("vc3.example.com", []*plan.Change{&tt.Change}, nil)
		}
		if got := w.undoing(p, tt.of) != nil; got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// A file that is not there any more is an error before any vCenter is changed; one that says it already is only spoken of.
func TestClearingWrites(t *testing.T) {
	t.Parallel()
	update := release.Ref{Version: "4.21.0", Image: clearedImage}
	path := filepath.Join(t.TempDir(), "p.yaml")
	w, streams := undoer(t, path, update)
	if err := w.clearing().Record(); err == nil || !strings.Contains(err.Error(), "p.yaml") || streams.Stderr.String() != "" {
		t.Errorf("%v, %q", err, streams.Stderr.String())
	}
	const plain = "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\nvcenters: [{server: vc1.example.com}]\n"
	if err := os.WriteFile(path, []byte(plain), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.clearing().Record(); err != nil {
		t.Error(err)
	}
	if got := streams.Stderr.String(); !strings.HasPrefix(got, spec.StatePath(path)+" no longer records 4.21.0 as reconciled\n") || strings.Count(got, "\nnext: oc patch ") != 2 {
		t.Errorf("%q", got)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != plain {
		t.Errorf("%v, %q", err, got)
	}
}
