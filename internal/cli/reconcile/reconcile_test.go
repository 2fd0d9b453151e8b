package reconcile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// The words of reconcile.
func TestReconcileWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]releaseFlags{
		"--from a --to b --release 4.23.0":                         {From: "a", To: []string{"b"}, Versions: []string{"4.23.0"}},
		"--from a --to b --to c --release 4.23.0 --release 4.24.0": {From: "a", To: []string{"b", "c"}, Versions: []string{"4.23.0", "4.24.0"}},
		"--available-updates --kubeconfig k --oc bin/oc --registry-config pull.json": {
			Updates: availableFlags{All: true, OC: "bin/oc", RegistryConfig: "pull.json"}, Cluster: command.ClusterFlags{Kubeconfig: "k"},
		},
		"--available-updates --cluster-version cv.yaml --from a": {From: "a", Updates: availableFlags{All: true, ClusterVersion: "cv.yaml"}},
		"--requests a --enable-tech-preview --assign x=csi-driver --assign y=none --place A.B=folder,cluster": {
			Dir: "a", Preview: true, Assign: []string{"x=csi-driver", "y=none"}, Place: []string{"A.B=folder,cluster"},
		},
		"--matrix-to documented --matrix-from enhancement": {MatrixTo: "documented", MatrixFrom: "enhancement"},
	} {
		var got *Options
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		cmd := NewCmd(f, func(o *Options) error {
			got = o
			return nil
		})
		cmd.SetArgs(strings.Fields(words))
		if err := cmd.Execute(); err != nil {
			t.Errorf("%s: %v", words, err)
			continue
		}
		if diff := cmp.Diff(want, got.Releases); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
		var again *Options
		cmd = NewCmd(f, func(o *Options) error {
			again = o
			return nil
		})
		cmd.SetArgs(want.words())
		if err := cmd.Execute(); err != nil {
			t.Errorf("%q: %v", want.words(), err)
			continue
		}
		want.MatrixFrom = "" // it only shows more
		if diff := cmp.Diff(want, again.Releases); diff != "" {
			t.Errorf("%s: the next command names other releases: %s", words, diff)
		}
	}
	for words, want := range map[string]string{
		"":                                "no release is given",
		"--from a":                        "--from: --to is required",
		"--to a --matrix-from documented": "--matrix-from: --matrix-to is required",
		"--matrix-to documented --place A=folder":                          "--assign and --place require requests",
		"--to a --release 4":                                               `--release: "4" is not a release version`,
		"--to a --to a":                                                    "--to: a is given twice",
		"--to a --to b --release 4.23.0":                                   "--release: 1 version for 2 releases",
		"--to a --to b --release 4.23.0 --release 4.23.0":                  "--release: 4.23.0 is given twice",
		"--to a --to b --release 4.23.0 --release 4.24.0 --image q.io/a:b": "--image: 1 image for 2 releases",
		"--to a --image q.io/a:b":                                          "--image: --release is required",
		"--to a --release 4.23.0 --image a":                                "--image: is not a pull spec",
		"--requests a --release 4.23.0 --release 4.24.0":                   "--release: 2 versions for 1 release",
		"--oc x --to a":                                                    "--oc: --available-updates is required",
		"--registry-config x --to a":                                       "--registry-config: --available-updates is required",
		"--available-updates":                                              "--available-updates requires --kubeconfig FILE or --cluster-version FILE",
		"--available-updates --to a":                                       "[available-updates to]",
		"--available-updates --release 4.23.0":                             "[available-updates release]",
		"--available-updates --kubeconfig k --cluster-version cv.yaml":     "[cluster-version kubeconfig]",
		"prune --to a --available-updates":                                 "unknown flag: --available-updates",
		"--to a --exit-code":                                               "--exit-code: add --dry-run",
		"--to a -f x.yaml --matrix documented":                             "--matrix: the provisioning file does not contain this",
		"--to a -f x.yaml --conditions vsan-file":                          "--conditions: the provisioning file does not contain this",
		"--to a -f x.yaml --profile kube-system":                           "--profile: the provisioning file does not contain this",
	} {
		cmd := NewCmd(command.NewFactory(termtest.NewFake().Streams, command.Build{}), func(*Options) error { return nil })
		cmd.SetArgs(strings.Fields(words))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", words, err, want)
		}
	}
}

// Where a privilege goes is read strictly.
func TestPlaceFlag(t *testing.T) {
	t.Parallel()
	r := releaseFlags{Place: []string{"A.B=folder,cluster", "C.D=vcenter"}}
	got, err := r.places()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]privileges.Scope{"A.B": {privileges.ScopeFolder, privileges.ScopeCluster}, "C.D": {privileges.ScopeVCenter}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for word, want := range map[string]string{
		"A.B": "must be privilege=scope", "A.B=": "must be privilege=scope", "A B=folder": "has the character ' '", "A.B=attic": `scope "attic"`, "A.B=folder,": `scope ""`,
	} {
		if _, err := (&releaseFlags{Place: []string{word}}).places(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", word, err, want)
		}
	}
}

// With the running cluster in place of --from, the prune reads the requests of today from a directory: after the upgrade the
// cluster has those of the next release.
func TestNextPrune(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		releases releaseFlags
		want     []string
	}{
		"directories": {releaseFlags{From: "now", To: []string{"next"}}, []string{"after the upgrade: oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin reconcile prune --from now --to next --secrets -"}},
		"a cluster": {releaseFlags{To: []string{"next"}, Cluster: command.ClusterFlags{Kubeconfig: "k"}}, []string{
			"before the upgrade, with the image of the running release: oc adm release extract --credentials-requests --cloud=vsphere --to=RUNNING IMAGE",
			"after the upgrade: oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin reconcile prune --from RUNNING --to next --secrets -",
		}},
		"several": {releaseFlags{From: "now", To: []string{"b", "a"}, Versions: []string{"4.24.0", "4.23.0"}}, []string{
			"after the upgrade to 4.23.0: oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin reconcile prune --from now --to a --release 4.23.0 --secrets -",
			"after the upgrade to 4.24.0: oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin reconcile prune --from now --to b --release 4.24.0 --secrets -",
		}},
		"updates of a cluster": {releaseFlags{Updates: availableFlags{All: true, OC: "x"}, Cluster: command.ClusterFlags{Kubeconfig: "k"}}, []string{
			"before the upgrade, with the image of the running release: oc adm release extract --credentials-requests --cloud=vsphere --to=RUNNING IMAGE",
			"after the upgrade: ocp-vsphere-admin reconcile prune --from RUNNING --kubeconfig k",
		}},
		"updates of a file": {releaseFlags{From: "now", Updates: availableFlags{All: true, ClusterVersion: "cv.yaml"}}, []string{
			"after the upgrade, with the image of its release: oc adm release extract --credentials-requests --cloud=vsphere --to=NEXT IMAGE",
			"after the upgrade: oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin reconcile prune --from now --to NEXT --secrets -",
		}},
		"a cluster alone": {releaseFlags{Cluster: command.ClusterFlags{Kubeconfig: "k"}}, []string{"after the upgrade: ocp-vsphere-admin reconcile prune --kubeconfig k"}},
	} {
		streams := termtest.NewFake()
		r := &reconciling{Options: &Options{Options: job.Options{Factory: command.NewFactory(streams.Streams, command.Build{})}, Releases: tt.releases}, Result: &reconcile.Result{}, compared: &compared{}}
		for i, dir := range tt.releases.To {
			n := &next{to: &release.Requests{Dir: dir}}
			if tt.releases.Versions != nil {
				n.Version = tt.releases.Versions[i]
			}
			r.next = append(r.next, n)
		}
		slices.SortFunc(r.next, func(a, b *next) int { return a.Compare(b.Ref) })
		r.nextPrune()
		lines := strings.Split(strings.TrimSpace(streams.Stderr.String()), "\n")
		if len(lines) != len(tt.want) {
			t.Errorf("%s: %q", name, lines)
			continue
		}
		for i, want := range tt.want {
			if !strings.HasPrefix(lines[i], want) {
				t.Errorf("%s: %s, want %s", name, lines[i], want)
			}
		}
	}
}

// The write before the vCenters takes out the list of releases, too: killed after it, no file calls the accounts ready.
func TestPruneClearsTheListFirst(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "spec.yaml")
	const plain = "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\nvcenters: [{server: vc1.example.com}]\n"
	const listed = plain + "reconciledAvailableUpdates:\n- {version: 4.21.0, image: quay.io/a/b:c}\n"
	if err := os.WriteFile(path, []byte(listed), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, prune := range []bool{false, true} {
		o := &Options{}
		o.Factory, o.Prune, o.Connection.Source.File = command.NewFactory(termtest.NewFake().Streams, command.Build{}), prune, path
		state := (&reconciling{Options: o, Result: &reconcile.Result{}}).becomes(&spec.Spec{})
		if err := errors.Join(state.Look(), state.Write()); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Load(path)
		if err != nil || (s.ReconciledUpdates == nil) != prune {
			t.Errorf("prune %t: %v, %v", prune, err, s)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != listed {
		t.Errorf("%v\n%s", err, got)
	}
}
