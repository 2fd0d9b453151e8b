package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

func TestFromServers(t *testing.T) {
	got, err := FromServers([]string{"vc1.example.com", "vc2.example.com:8443", "10.0.0.1", "fd00::2", "[fd00::1]:444"})
	if err != nil {
		t.Fatal(err)
	}
	want := []VCenter{
		{Server: "vc1.example.com", Port: 443},
		{Server: "vc2.example.com", Port: 8443},
		{Server: "10.0.0.1", Port: 443},
		{Server: "fd00::2", Port: 443},
		{Server: "fd00::1", Port: 444},
	}
	if diff := cmp.Diff(want, got.VCenters); diff != "" {
		t.Error(diff)
	}
	if got.Privileges.Matrix != "default" || got.Privileges.RolePrefix != "openshift-" {
		t.Errorf("no defaults: %+v", got.Privileges)
	}
	if err := got.CheckAccounts(); err == nil || err.Error() != "cluster is missing" {
		t.Error(err)
	}
	got.Cluster = "cluster1"
	if err := got.CheckAccounts(); err != nil {
		t.Error(err)
	}
}

func TestFromServersRefuses(t *testing.T) {
	for _, c := range []struct {
		servers []string
		want    string
	}{
		{nil, "no vCenter given"},
		{[]string{""}, "a vCenter name is empty"},
		{[]string{"vc1", "VC1:443"}, `vCenter "VC1" is named twice`},
		{[]string{"vc1:8443", "vc1"}, `vCenter "vc1" is named twice`},
		{[]string{"vc1:0"}, `vCenter "vc1:0": "0" is not a port: 1 to 65535`},
		{[]string{"vc1:"}, `vCenter "vc1:": "" is not a port: 1 to 65535`},
		{[]string{"https://vc1/sdk"}, `vCenter "https://vc1/sdk": is a URL: write only the host name, vc1`},
		{[]string{"https://root:canary@vc1/sdk"}, `vCenter (hidden): is a URL: write only the host name, vc1`},
		{[]string{"root:canary@vc1"}, `vCenter (hidden): contains an @: write only the host name, without a user`},
		{[]string{"vc1/sdk", "vc_2", "-"}, "vCenter \"vc1/sdk\": \"vc1/sdk\" contains a path: write only the host name\n" +
			`vCenter "-": "-" is not a host name: letters, digits, hyphens and dots`},
	} {
		s, err := FromServers(c.servers)
		if err == nil || s != nil {
			t.Errorf("%q: accepted", c.servers)
			continue
		}
		if diff := cmp.Diff(c.want, err.Error()); diff != "" {
			t.Errorf("%q: %s", c.servers, diff)
		}
	}
}

func TestNarrow(t *testing.T) {
	parse := func() *Spec {
		s, err := Parse("spec.yaml", []byte(example))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := parse()
	if err := s.Narrow([]string{"fd00::1", "VCENTER1.example.com:8443"}, []string{"installer", "csi-driver", "installer"}); err != nil {
		t.Fatal(err)
	}
	if len(s.VCenters) != 2 || s.VCenters[0].Server != "vcenter1.example.com" {
		t.Errorf("%+v", s.VCenters)
	}
	if diff := cmp.Diff(map[component.Name]Component{"csi-driver": {}, "installer": {Principal: `CORP\svc-installer`}}, s.Components); diff != "" {
		t.Error(diff)
	}
	if err := s.Narrow([]string{"vcenter1.example.com"}, nil); err != nil || len(s.VCenters) != 1 || len(s.Components) != 2 {
		t.Errorf("%v %+v", err, s)
	}
	s = parse()
	err := s.Narrow([]string{"vcenter1.exmple.com", "", "vcenter1.example.com:443", "fd00::1"}, []string{"csi-diver", "cloud-controller"})
	want := `vCenter "vcenter1.exmple.com" is not in the file; did you mean "vcenter1.example.com"?
a vCenter name is empty
vCenter "vcenter1.example.com" has port 8443 in the file, not 443
component "csi-diver" is unknown; did you mean "csi-driver"?
component "cloud-controller" is not in the file, which names machine-api, csi-driver, diagnostics, installer`
	if err == nil {
		t.Fatal("accepted")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(parse(), s); diff != "" {
		t.Error("changed in spite of the error:", diff)
	}
}

// Components that share somebody's account are narrowed to together: its permissions are for both.
func TestNarrowKeepsSharedAccountsWhole(t *testing.T) {
	s, err := FromServers([]string{"vcenter1.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	s.Components = map[component.Name]Component{
		"machine-api": {Principal: `CORP\svc`}, "csi-driver": {Principal: `corp\SVC`}, "diagnostics": {}, "installer": {Principal: `CORP\other`},
	}
	err = s.Narrow(nil, []string{"csi-driver", "diagnostics"})
	if want := `component "csi-driver" cannot be used without machine-api: both use corp\SVC`; err == nil || err.Error() != want {
		t.Errorf("%v\nis not\n%s", err, want)
	}
	if err := s.Narrow(nil, []string{"csi-driver", "machine-api"}); err != nil || len(s.Components) != 2 {
		t.Errorf("%v %v", err, s.Components)
	}
}
