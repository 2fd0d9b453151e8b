//go:build unix

package reconcile

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// What a running cluster answers of its release and its requests.
const (
	versionPath  = "/apis/config.openshift.io/v1/clusterversions/version"
	requestsPath = "/apis/cloudcredential.openshift.io/v1/credentialsrequests"
	request      = `{"apiVersion":"cloudcredential.openshift.io/v1","kind":"CredentialsRequest","metadata":{"name":"openshift-machine-api-vsphere","namespace":"openshift-cloud-credential-operator"},` +
		`"spec":{"secretRef":{"name":"vsphere-cloud-credentials","namespace":"openshift-machine-api"},"providerSpec":{"apiVersion":"cloudcredential.openshift.io/v1","kind":"VSphereProviderSpec"}}}`
	requestsList = `{"apiVersion":"cloudcredential.openshift.io/v1","kind":"CredentialsRequestList","metadata":{},"items":[` + request + `]}`
)

// versionOf is the ClusterVersion of a cluster at 4.20.3, with more in its status.
func versionOf(more string) string {
	return `{"apiVersion":"config.openshift.io/v1","kind":"ClusterVersion","metadata":{"name":"version"},"status":{"desired":{"version":"4.20.3","image":"` + image("3") + `"},` +
		`"history":[{"state":"Completed","version":"4.20.3","image":"` + image("3") + `"}],` + more + `}}`
}

// updatesOf lists updates: a version, and the letter of its image.
func updatesOf(t *testing.T, versions ...string) string {
	t.Helper()
	list := []release.Ref{}
	for _, v := range versions {
		version, letter, _ := strings.Cut(v, "=")
		list = append(list, release.Ref{Version: version, Image: image(letter)})
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return `"availableUpdates":` + string(text)
}

// fakeOC writes a request into the directory that it is given, unless the image is e's, and keeps the images that it was asked for.
func fakeOC(t *testing.T) (path string, asked func() string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "oc")
	text := "#!/bin/sh\nto=${6#--to=}\nfor image; do :; done\necho \"$image\" >>" + dir + "/asked\ncase $image in *:ee*) echo 'error: no such image' >&2; exit 1;; esac\ncat >\"$to/a.yaml\" <<'E'\n" + request + "\nE\n"
	syscall.ForkLock.RLock() // a process that begins meanwhile would have the file open, and it could not be run
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path, func() string {
		text, _ := os.ReadFile(filepath.Join(dir, "asked"))
		return string(text)
	}
}

// The available updates of a running cluster are extracted, in order, and nothing else is: what the cluster has itself is read from it.
// Where it may not be read, or has no update, no oc is run.
func TestAvailableUpdatesOfACluster(t *testing.T) {
	t.Parallel()
	conditional := `,"conditionalUpdates":[{"release":{"version":"4.21.1","image":"` + image("b") + `"},"conditions":[{"type":"Recommended","status":"False"}]}]`
	for name, tt := range map[string]struct {
		answers map[string]string
		want    []string // that are prepared for
		failed  string
		says    string
		err     string
		asked   int
	}{
		"two, and a conditional one": {
			map[string]string{versionPath: versionOf(updatesOf(t, "4.21.0=a", "4.20.5=5") + conditional), requestsPath: requestsList},
			[]string{"4.20.5", "4.21.0"},
			"", "not recommended for this cluster, and not prepared: 4.21.1", "", 2,
		},
		"one that fails": {
			map[string]string{versionPath: versionOf(updatesOf(t, "4.21.0=a", "4.22.0=e")), requestsPath: requestsList},
			[]string{"4.21.0"},
			"4.22.0 is not prepared: its CredentialsRequests could not be extracted: ", "warning: 4.22.0 is not prepared: ", "", 2,
		},
		"all fail": {
			map[string]string{versionPath: versionOf(updatesOf(t, "4.22.0=e")), requestsPath: requestsList}, nil, "", "", "exit status 1: error: no such image", 1,
		},
		"null": {map[string]string{versionPath: versionOf(`"availableUpdates":null`), requestsPath: requestsList}, nil, "", "no update of 4.20.3 is available: nothing was done", "", 0},
		"not retrieved": {
			map[string]string{versionPath: versionOf(`"availableUpdates":null,"conditions":[{"type":"RetrievedUpdates","status":"False","reason":"NoChannel"}]`), requestsPath: requestsList},
			nil, "", "", "could not retrieve its updates (NoChannel)", 0,
		},
		"out of date": {
			map[string]string{versionPath: versionOf(updatesOf(t, "4.21.0=a") + `,"conditions":[{"type":"RetrievedUpdates","status":"False","reason":"RemoteFailed"}]`), requestsPath: requestsList},
			[]string{"4.21.0"},
			"", "(RemoteFailed); these may be out of date", "", 1,
		},
		"the version may not be read":  {map[string]string{versionPath: "", requestsPath: requestsList}, nil, "", "", "may not read clusterversions.config.openshift.io/version", 0},
		"the requests may not be read": {map[string]string{versionPath: versionOf(updatesOf(t, "4.21.0=a")), requestsPath: ""}, nil, "", "", "may not read credentialsrequests.cloudcredential.openshift.io", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, asked := fakeOC(t)
			fake := termtest.NewFake()
			r := &releaseFlags{Updates: availableFlags{All: true, OC: path}, Cluster: command.ClusterFlags{Kubeconfig: clitest.Cluster(t, tt.answers)}}
			c, err := r.read(t.Context(), command.NewFactory(fake.Streams, command.Build{}))
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("got %v, want %q", err, tt.err)
			}
			if n := strings.Count(asked(), "\n"); n != tt.asked {
				t.Errorf("%d images were asked for: %s", n, asked())
			}
			if err != nil {
				return
			}
			var versions []string
			for _, n := range c.next {
				if n.Version != "" {
					versions = append(versions, n.Version)
				}
			}
			if diff := cmp.Diff(tt.want, versions); diff != "" {
				t.Error(diff)
			}
			if len(tt.want) > 0 && (c.from == nil || len(c.from.List) != 1 || c.next[0].to.Dir != tt.want[0] || c.next[0].to.List[0].File != tt.want[0]+"/a.yaml") {
				t.Errorf("%+v", c)
			}
			if failed := c.failure(); (failed == nil) != (tt.failed == "") || failed != nil && !strings.HasPrefix(failed.Error(), tt.failed) {
				t.Errorf("got %v, want %q", failed, tt.failed)
			}
			if !strings.Contains(fake.Stderr.String(), tt.says) {
				t.Error(fake.Stderr.String())
			}
		})
	}
}

// Who may read no more of a cluster than its ClusterVersion learns of its updates, and of the operator that it is not known; who may
// read a secret that is not there learns that.
func TestStatusWithTheLeastRights(t *testing.T) {
	t.Parallel()
	const operator, config, root = "/apis/operator.openshift.io/v1/cloudcredentials/cluster", "/api/v1/namespaces/openshift-cloud-credential-operator/configmaps/cloud-credential-operator-config", "/api/v1/namespaces/kube-system/secrets/vsphere-creds"
	const defaultMode = `{"apiVersion":"operator.openshift.io/v1","kind":"CloudCredential","metadata":{"name":"cluster"},"spec":{"credentialsMode":""}}`
	for name, tt := range map[string]struct {
		more map[string]string
		want string
	}{
		"nothing else":             {map[string]string{operator: "", config: "", root: ""}, "Unknown"},
		"the mode":                 {map[string]string{operator: defaultMode, config: "", root: ""}, "Unknown"},
		"the mode, and no secret":  {map[string]string{operator: defaultMode, config: ""}, "False"},
		"the mode, and the secret": {map[string]string{operator: defaultMode, root: `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"vsphere-creds","namespace":"kube-system"}}`}, "True"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := map[string]string{versionPath: versionOf(updatesOf(t, "4.21.0=a"))}
			maps.Copy(answers, tt.more)
			fake := termtest.NewFake()
			o := &StatusOptions{Factory: command.NewFactory(fake.Streams, command.Build{}), Cluster: command.ClusterFlags{Kubeconfig: clitest.Cluster(t, answers)}}
			o.Output = term.FormatJSON
			if err := statusRun(t.Context(), o); err == nil || !strings.Contains(err.Error(), "exit code 2") {
				t.Fatal(err)
			}
			var got struct {
				Upgradeable struct{ Operator release.Condition }
				Summary     updatesSummary
			}
			if err := json.Unmarshal(fake.Stdout.Bytes(), &got); err != nil || got.Upgradeable.Operator.Status != tt.want || got.Summary.NotReconciled != 1 {
				t.Errorf("%v: %s", err, fake.Stdout.String())
			}
		})
	}
}
