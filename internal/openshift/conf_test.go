package openshift_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/gcfg.v1"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// driverConf is what the CSI driver reads, with the names that it gives the fields
// (kubernetes-sigs/vsphere-csi-driver@bf8090256717, pkg/common/config/types.go).
type driverConf struct {
	Global struct {
		ClusterID string `gcfg:"cluster-id"`
	}
	VirtualCenter map[string]*driverVC
	Labels        struct {
		Topology string `gcfg:"topology-categories"`
	}
}

type driverVC struct {
	User, Password string
	Port           string `gcfg:"port"`
	CAFile         string `gcfg:"ca-file"`
	Thumbprint     string `gcfg:"thumbprint"`
	Datacenters    string `gcfg:"datacenters"`
	Insecure       bool   `gcfg:"insecure-flag"`
}

// emitted are the secrets of profile kubernetes by component.
func emitted(t testing.TB, d openshift.Driver, a openshift.Accounts, servers ...string) map[component.Name]map[string][]byte {
	t.Helper()
	list, _, err := openshift.Manifests(servers, a, openshift.EmitOptions{Profile: openshift.ProfileKubernetes, Driver: d})
	if err != nil {
		t.Fatal(err)
	}
	all := map[component.Name]map[string][]byte{}
	for _, m := range list {
		all[openshift.AtHome(component.At(m.Secret.Namespace, m.Secret.Name))] = m.Secret.Data
	}
	if len(all) != 2 || len(list) != 2 {
		t.Fatalf("%d secrets", len(list))
	}
	return all
}

func ofKubernetes(user, password string) map[component.Name]credfile.Account {
	return map[component.Name]credfile.Account{
		component.CSIDriver:       {User: user, Password: secret.New(password)},
		component.CloudController: {User: "ccm@vsphere.local", Password: secret.New(password)},
	}
}

// The driver's own parser reads what is written, whole.
func TestDriverReadsItsConfiguration(t *testing.T) {
	t.Parallel()
	d := openshift.Driver{
		ClusterID: "cluster1", Topology: []string{"openshift-region", "openshift-zone"},
		Ports:       map[string]int{"b.example.com": 8443},
		Datacenters: map[string][]string{"a.example.com": {"/DC 1", "/f/DC2"}},
		CACerts:     []byte("PEM"), Thumbprints: map[string]string{"b.example.com": "AA:BB"},
	}
	a := openshift.Accounts{
		"a.example.com": ofKubernetes("csi@vsphere.local", `p"a\ss;#%`), "b.example.com": ofKubernetes(`CORP\csi`, `\`),
	}
	data := emitted(t, d, a, "a.example.com", "b.example.com")
	var got, want driverConf
	if err := gcfg.FatalOnly(gcfg.ReadStringInto(&got, string(data[component.CSIDriver][openshift.ConfKey]))); err != nil {
		t.Fatal(err)
	}
	want.Global.ClusterID, want.Labels.Topology = "cluster1", "openshift-region,openshift-zone"
	want.VirtualCenter = map[string]*driverVC{
		"a.example.com": {User: "csi@vsphere.local", Password: `p"a\ss;#%`, Datacenters: "/DC 1,/f/DC2", CAFile: "/etc/cloud/ca.crt"},
		"b.example.com": {User: `CORP\csi`, Password: `\`, Port: "8443", Thumbprint: "AA:BB"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ca := string(data[component.CSIDriver]["ca.crt"]); ca != "PEM" {
		t.Errorf("ca.crt: %q", ca)
	}
	keys := map[string]string{}
	for key, value := range data[component.CloudController] {
		keys[key] = string(value)
	}
	if diff := cmp.Diff(map[string]string{
		"a.example.com.username": "ccm@vsphere.local", "a.example.com.password": `p"a\ss;#%`,
		"b.example.com.username": "ccm@vsphere.local", "b.example.com.password": `\`,
	}, keys); diff != "" {
		t.Errorf("the cloud controller manager's (-want +got):\n%s", diff)
	}
}

// Whatever a password is, the driver gets that or the secret is refused; it is never another.
func TestPasswordsInDriversConfiguration(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		password := rapid.OneOf(rapid.StringN(1, 20, -1), rapid.StringOfN(rapid.SampledFrom([]rune("\"\\;#%=[]' \tn")), 1, 12, -1),
			rapid.SampledFrom([]string{"a\nb", "a\rb", "a\x00b", "\xff", "\ufeff"})).Draw(t, "password")
		a := openshift.Accounts{"a.example.com": ofKubernetes("csi@vsphere.local", password)}
		list, _, err := openshift.Manifests([]string{"a.example.com"}, a,
			openshift.EmitOptions{Profile: openshift.ProfileKubernetes, Components: []component.Name{component.CSIDriver}})
		odd := strings.ContainsAny(password, "\r\n\x00") || strings.ToValidUTF8(password, "") != password
		if err != nil {
			if !odd || strings.Contains(err.Error(), password) {
				t.Fatalf("%q is refused: %v", password, err)
			}
			return
		}
		var got driverConf
		if err := gcfg.FatalOnly(gcfg.ReadStringInto(&got, string(list[0].Secret.Data[openshift.ConfKey]))); err != nil {
			t.Fatalf("%q: %v", password, err)
		}
		if got.VirtualCenter["a.example.com"].Password != password || odd {
			t.Fatalf("%q is read as %q", password, got.VirtualCenter["a.example.com"].Password)
		}
	})
}

func TestDriverWouldNotStart(t *testing.T) {
	t.Parallel()
	one := openshift.Accounts{"a.example.com": ofKubernetes("csi@vsphere.local", "x")}
	two := openshift.Accounts{"a.example.com": one["a.example.com"], "b.example.com": one["a.example.com"]}
	for name, tt := range map[string]struct {
		a    openshift.Accounts
		o    openshift.EmitOptions
		says string
	}{
		"no topology":  {two, openshift.EmitOptions{}, "topology categories for more than one"},
		"cluster ID":   {one, openshift.EmitOptions{Driver: openshift.Driver{ClusterID: strings.Repeat("x", 65)}}, "at most 64 characters"},
		"comma":        {one, openshift.EmitOptions{Driver: openshift.Driver{Datacenters: map[string][]string{"a.example.com": {"/DC,1"}}}}, `"/DC,1" has a comma`},
		"bare user":    {openshift.Accounts{"a.example.com": ofKubernetes("csi", "x")}, openshift.EmitOptions{}, "CSI driver would not start"},
		"OpenShift's":  {one, openshift.EmitOptions{Components: []component.Name{component.MachineAPI}}, "profile kubernetes has no machine-api"},
		"line break":   {openshift.Accounts{"a.example.com": ofKubernetes("csi@vsphere.local", "a\nb")}, openshift.EmitOptions{}, "line break"},
		"main account": {one, openshift.EmitOptions{MainFor: []component.Name{component.CSIDriver}}, "no account that a component could get"},
	} {
		var servers []string
		for _, server := range []string{"a.example.com", "b.example.com"} {
			if tt.a[server] != nil {
				servers = append(servers, server)
			}
		}
		tt.o.Profile = openshift.ProfileKubernetes
		if _, _, err := openshift.Manifests(servers, tt.a, tt.o); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
