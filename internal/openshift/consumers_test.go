package openshift_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// Every component that is in the cluster has a reader, every reader a source, a way to let go, and the secret that a
// CredentialsRequest fills or the root secret.
func TestReadersAreComplete(t *testing.T) {
	t.Parallel()
	targets := map[component.Ref]component.Name{component.At("kube-system", "vsphere-creds"): component.MachineAPI}
	for _, c := range component.All() {
		if c.InCluster == nil {
			continue
		}
		targets[c.InCluster.Request.Target] = c.Name
		if p, _ := openshift.FindProfile(openshift.ProfileKubernetes); p.Writes(c.Name) {
			targets[p.Homes[c.Name]] = c.Name
			if len(p.Readers([]component.Name{c.Name})) == 0 {
				t.Errorf("%s: nobody reads its account in Kubernetes", c.Name)
			}
		}
		if !slices.ContainsFunc(openshift.Readers(), func(r openshift.Reader) bool { return r.Component == c.Name }) {
			t.Errorf("%s: nobody reads its account", c.Name)
		}
	}
	plain, _ := openshift.FindProfile(openshift.ProfileKubernetes)
	for _, r := range append(openshift.Readers(), plain.Readers(component.Names())...) {
		if targets[r.Secret] != r.Component {
			t.Errorf("%s reads %s, which is not of %s", r.Name, r.Secret, r.Component)
		}
		if r.Every <= 0 || r.Retry.Logins < 1 || r.Retry.Wait <= 0 || r.Retry.Factor < 1 || r.Source == "" || r.Account.Does == "" || r.Password.Does == "" {
			t.Errorf("%s: %+v", r.Name, r)
		}
		if strings.HasPrefix(r.Restart, "kubectl ") {
			if plain.Homes[r.Component] != r.Secret || !strings.HasSuffix(r.Restart, " -n "+r.Secret.Namespace) {
				t.Errorf("%s: %q does not say what to restart, and where", r.Name, r.Restart)
			}
		} else if !strings.HasPrefix(r.Restart, "oc ") || !strings.Contains(r.Restart, " -n openshift-") {
			t.Errorf("%s: %q does not say what to restart, and where", r.Name, r.Restart)
		}
	}
}

func TestReadersOfAProfile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		components []component.Name
		want       []string
	}{
		{[]component.Name{component.CSIDriver}, []string{"vmware-vsphere-csi-driver-controller", "vmware-vsphere-csi-driver-operator"}},
		{[]component.Name{component.MachineAPI}, []string{"machine-api-controllers", "machine-config-controller", "cluster-capi-operator"}},
		{[]component.Name{component.Installer}, nil},
	} {
		var got []string
		for _, r := range openshift.Profiles()[0].Readers(c.components) {
			got = append(got, r.Name)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.components, diff)
		}
	}
}

func TestRetryRefusals(t *testing.T) {
	t.Parallel()
	s := time.Second
	for name, c := range map[string]struct {
		retry openshift.Retry
		want  []time.Duration
	}{
		"one login, a growing wait": {openshift.Retry{Logins: 1, Wait: 60 * s, Factor: 2, Cap: 150 * s}, []time.Duration{0, 60 * s, 180 * s, 330 * s, 480 * s}},
		"two at once":               {openshift.Retry{Logins: 2, Wait: 10 * s, Factor: 1}, []time.Duration{0, 0, 10 * s, 10 * s, 20 * s}},
		"pairs":                     {openshift.Retry{Logins: 6, Apart: s, Pairs: true, Wait: 60 * s, Factor: 1}, []time.Duration{0, 0, s, s, 2 * s}},
	} {
		if diff := cmp.Diff(c.want, c.retry.Refusals(time.Hour, 5)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if got := (openshift.Retry{Logins: 1, Wait: s, Factor: 1}).Refusals(3*s, 100); len(got) != 3 {
		t.Errorf("%v: not before the end alone", got)
	}
}

// With SSO's defaults each reader but the patient one locks its account by itself.
func TestRetryLocks(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, r := range openshift.Readers() {
		got[r.Name] = "never"
		if after, locks := r.Retry.Locks(5, 180*time.Second); locks {
			got[r.Name] = after.String()
		}
	}
	want := map[string]string{
		"machine-api-controllers":              "75ms",
		"vmware-vsphere-csi-driver-controller": "30s",
		"vmware-vsphere-csi-driver-operator":   "never",
		"vsphere-cloud-controller-manager":     "2s",
		"vsphere-problem-detector-operator":    "never",
		"machine-config-controller":            "75ms",
		"cluster-capi-operator":                "75ms",
		"capv-controller-manager":              "75ms",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	patient := openshift.Retry{Logins: 1, Wait: time.Minute, Factor: 2, Cap: time.Hour}
	if after, locks := patient.Locks(3, 180*time.Second); !locks || after != 3*time.Minute {
		t.Errorf("3 failures within 3 minutes: %s %t", after, locks)
	}
	if after, locks := patient.Locks(3, 179*time.Second); locks {
		t.Errorf("3 failures within less: %s", after)
	}
	if _, locks := (openshift.Retry{Logins: 1, Wait: 1, Factor: 1}).Locks(0, time.Hour); locks {
		t.Error("a policy that never locks did")
	}
}
