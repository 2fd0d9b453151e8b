package diagnosis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// A cluster works with what the components' secrets hold now; where the dump does not show one, with what would be copied there.
// Each account is there once, and that of the root secret is the installer's only where no component works with it.
func TestInUse(t *testing.T) {
	t.Parallel()
	const server = "vc1"
	root := holding("kube-system", "vsphere-creds", server, "main@sso", "x")
	for name, c := range map[string]struct {
		secrets []corev1.Secret
		want    []string
	}{
		"one for all": {[]corev1.Secret{root}, []string{"main@sso: machine-api, csi-driver, cloud-controller, diagnostics: kube-system/vsphere-creds"}},
		"its own, and a main one": {
			[]corev1.Secret{
				root, holding("kube-system", "vsphere-creds-machine-api", server, "machine@sso", "x"),
				holding("openshift-machine-api", "vsphere-cloud-credentials", server, "old@sso", "x"),
				holding("kube-system", "vsphere-creds-csi-driver", server, "csi@sso", "x"),
				holding("kube-system", "vsphere-creds-cloud-controller", server, "cc@sso", "x"),
				holding("kube-system", "vsphere-creds-diagnostics", server, "diag@sso", "x"),
			},
			[]string{
				"old@sso: machine-api: openshift-machine-api/vsphere-cloud-credentials", "csi@sso: csi-driver: kube-system/vsphere-creds-csi-driver",
				"cc@sso: cloud-controller: kube-system/vsphere-creds-cloud-controller", "diag@sso: diagnostics: kube-system/vsphere-creds-diagnostics",
				"main@sso: installer: kube-system/vsphere-creds",
			},
		},
		"machine-api's for who reads the root secret, and a stale copy": {
			[]corev1.Secret{
				holding("kube-system", "vsphere-creds", server, "ocp-c1-machine-api@sso", "x"), holding("openshift-machine-api", "vsphere-cloud-credentials", server, "ocp-c1-machine-api@sso", "old"),
				holding("kube-system", "vsphere-creds-csi-driver", server, "csi@sso", "x"),
				holding("kube-system", "vsphere-creds-cloud-controller", server, "cc@sso", "x"), holding("kube-system", "vsphere-creds-diagnostics", server, "diag@sso", "x"),
			},
			[]string{
				"ocp-c1-machine-api@sso: machine-api: openshift-machine-api/vsphere-cloud-credentials", "csi@sso: csi-driver: kube-system/vsphere-creds-csi-driver",
				"cc@sso: cloud-controller: kube-system/vsphere-creds-cloud-controller", "diag@sso: diagnostics: kube-system/vsphere-creds-diagnostics",
				"ocp-c1-machine-api@sso: machine-api: kube-system/vsphere-creds",
			},
		},
		"another's for who reads the root secret": {
			[]corev1.Secret{
				holding("kube-system", "vsphere-creds", server, "ocp-c1-csi-driver@sso", "x"), holding("kube-system", "vsphere-creds-machine-api", server, "m@sso", "x"),
				holding("kube-system", "vsphere-creds-csi-driver", server, "csi@sso", "x"),
				holding("kube-system", "vsphere-creds-cloud-controller", server, "cc@sso", "x"), holding("kube-system", "vsphere-creds-diagnostics", server, "diag@sso", "x"),
			},
			[]string{
				"m@sso: machine-api: kube-system/vsphere-creds-machine-api", "csi@sso: csi-driver: kube-system/vsphere-creds-csi-driver",
				"cc@sso: cloud-controller: kube-system/vsphere-creds-cloud-controller", "diag@sso: diagnostics: kube-system/vsphere-creds-diagnostics",
				"ocp-c1-csi-driver@sso: machine-api: kube-system/vsphere-creds",
			},
		},
		"another password is another account": {
			[]corev1.Secret{
				holding("kube-system", "vsphere-creds-machine-api", server, "one@sso", "x"), holding("kube-system", "vsphere-creds-csi-driver", server, "one@sso", "y"),
				holding("kube-system", "vsphere-creds-diagnostics", server, "one@sso", ""),
			},
			[]string{"one@sso: machine-api: kube-system/vsphere-creds-machine-api", "one@sso: csi-driver: kube-system/vsphere-creds-csi-driver"},
		},
	} {
		e, err := (asked{Servers: []string{server}}).explain(c.secrets...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range e.InUse() {
			got = append(got, fmt.Sprintf("%s: %s: %s", u.Account.User, strings.Join(component.Words(u.Components), ", "), strings.Join(u.Secrets, ", ")))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// An account stays another component's where its use is meant: apply gives it nothing more.
func TestStrangeIsNoMatterOfWhatIsMeant(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string][]component.Name{"not meant": nil, "meant": {component.CSIDriver}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := enhanced(t)
			delete(d, csiDedicated)
			_, e := d.explain(t, asked{AllowFallback: allowed})
			for c, want := range map[component.Name]bool{component.CSIDriver: true, component.MachineAPI: false, component.Diagnostics: false} {
				if got := e.Strange(vc1, "ocp-cluster1-machine-api@vsphere.local", c); got != want {
					t.Errorf("machine-api's account is strange for %s: %t, want %t", c, got, want)
				}
			}
		})
	}
}
