package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// infrastructure is what openshift-install makes of installConfig (openshift/installer, pkg/asset/manifests/vsphere): paths are
// completed, and a template that it imports itself has a name of its own.
const infrastructure = `apiVersion: config.openshift.io/v1
kind: Infrastructure
metadata:
  name: cluster
  uid: 00000000-0000-0000-0000-000000000000
spec:
  cloudConfig: {key: config, name: cloud-provider-config}
  platformSpec:
    type: VSphere
    vsphere:
      apiServerInternalIPs: [192.0.2.1]
      vcenters:
      - server: vcenter1.example.com
        port: 443
        datacenters: [DC1]
      - server: vcenter2.example.com
        port: 8443
        datacenters: [DC2]
      failureDomains:
      - name: zone-b
        region: r
        zone: b
        server: vcenter2.example.com
        regionAffinity: {type: ComputeCluster}
        zoneAffinity:
          type: HostGroup
          hostGroup: {hostGroup: group-b, vmGroup: cluster1-x7k2p-zone-b, vmHostRule: cluster1-x7k2p-zone-b}
        topology:
          datacenter: DC2
          computeCluster: /DC2/host/C2
          datastore: /DC2/datastore/ds2
          networks: [VM Network]
          folder: /DC2/vm/cluster1
          resourcePool: /DC2/host/C2/Resources/openshift
          template: /DC2/vm/templates/rhcos
      - name: zone-a
        region: r
        zone: a
        server: vcenter1.example.com
        topology:
          datacenter: DC1
          computeCluster: /DC1/host/C1
          datastore: /DC1/datastore/ds1
          networks: [ocp-net]
          folder: /DC1/vm/openshift/cluster1
          resourcePool: /DC1/host/C1/Resources
          template: /DC1/vm/cluster1-x7k2p-rhcos-r-a
status:
  apiServerInternalURI: https://api-int.cluster1.example.com:6443
  apiServerURL: https://api.cluster1.example.com:6443
  infrastructureName: cluster1-x7k2p
  platform: VSphere
  platformStatus: {type: VSphere, vsphere: {}}
`

// asList is the object as `oc get infrastructure -o yaml` prints it.
func asList(object string) string {
	return "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSuffix(object, "\n"), "\n", "\n  ") + "\n"
}

func asJSON(t *testing.T, object string) string {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(object), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(v, "", "    ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// A cluster says the same of itself as the install-config that it was installed from, whichever way its object is printed.
func TestInfrastructureIsTheInstallConfig(t *testing.T) {
	t.Parallel()
	want, err := ParseInstallConfig("install-config.yaml", []byte(installConfig))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"yaml": infrastructure, "list": asList(infrastructure), "json": asJSON(t, infrastructure), "json list": asJSON(t, asList(infrastructure)),
		"among others": "kind: Secret\nmetadata: {name: x}\n---\n" + infrastructure,
	} {
		got, err := ParseInfrastructure("infrastructure.yaml", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(name, diff)
		}
	}
	servers, err := ParseServers("install-config.yaml", []byte(installConfig))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseInfrastructureServers("i", []byte(strings.Replace(infrastructure, "computeCluster:", "other:", 1)))
	if diff := cmp.Diff(servers, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

// The names of accounts follow from the cluster's, so it has to be the one that the install-config had: the infrastructure name has
// only 21 characters of it, and no dot.
func TestClusterNameOfInfrastructure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ infra, url, want string }{
		{"cluster1-x7k2p", "https://api.cluster1.example.com:6443", "cluster1"},
		{"a-very-long-name-of-a-x7k2p", "https://api.a-very-long-name-of-a-cluster.example.com:6443", "a-very-long-name-of-a-cluster"},
		{"a-name-of-twenty-cha-x7k2p", "https://api.a-name-of-twenty-cha-rs.example.com:6443", "a-name-of-twenty-cha-rs"},
		{"a-name-that-ends-at-h-x7k2p", "https://api.a-name-that-ends-at--here.example.com:6443", "a-name-that-ends-at--here"},
		{"a-b-x7k2p", "https://api.a.b.example.com:6443", "a.b"},
		{"a-x7k2p", "https://api.a.b.example.com:6443", "a"},
		{"cluster1-x7k2p", "https://lb.example.com:6443", ""},
		{"cluster1-x7k2p", "https://api.cluster2.example.com:6443", ""},
		{"cluster1-x7k2p", "", ""},
		{"cluster1", "https://api.cluster1.example.com:6443", ""},
		{"-x7k2p", "https://api..example.com", ""},
		{"cluster1-x7k2p", "://", ""},
	} {
		if got := installedAs(c.infra, c.url); got != c.want {
			t.Errorf("%s at %s: %q, want %q", c.infra, c.url, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z0-9]([a-z0-9-]{0,60}[a-z0-9])?`).Draw(t, "name")
		domain := rapid.StringMatching(`[a-z0-9]{1,8}(\.[a-z0-9]{1,8}){0,3}`).Draw(t, "domain")
		infra := infraBase(name) + "-" + rapid.StringMatching(`[bcdfghjklmnpqrstvwxz2456789]{5}`).Draw(t, "suffix")
		if got := installedAs(infra, "https://api."+name+"."+domain+":6443"); got != name {
			t.Errorf("%s of %s: %q", infra, name, got)
		}
	})
}

// What cannot be used says where, and what to give instead.
func TestInfrastructureRefused(t *testing.T) {
	t.Parallel()
	without := func(from, to string) string {
		before, rest, _ := strings.Cut(infrastructure, from)
		_, after, _ := strings.Cut(rest, to)
		return before + to + after
	}
	change := func(from, to string) string { return strings.Replace(infrastructure, from, to, 1) }
	const none = ""
	for name, c := range map[string]struct {
		text string
		want string
		hint string
	}{
		"install-config":       {installConfig, "i.yaml: is an install-config, not an Infrastructure: pass it with --install-config", none},
		"provisioning file":    {least, "i.yaml: is a provisioning file, not an Infrastructure: pass it with --file", none},
		"secrets":              {"kind: List\nitems:\n- kind: Secret\n- kind: Secret\n", "i.yaml contains no Infrastructure, only Secret", printInfrastructure},
		"nothing":              {"", "i.yaml contains no Infrastructure", printInfrastructure},
		"no object":            {"status: {}\n", "i.yaml:1: is not a Kubernetes object: it has no kind", printInfrastructure},
		"text":                 {"NAME   AGE\ncluster  3d\n", "i.yaml:1: is not a Kubernetes object", printInfrastructure},
		"another group":        {change("config.openshift.io/v1", "example.com/v1"), `i.yaml:1: apiVersion: is not of config.openshift.io: expected an Infrastructure of OpenShift`, printInfrastructure},
		"two clusters":         {infrastructure + "---\n" + infrastructure, "i.yaml:55: is a second Infrastructure, the first is on line 1: give that of one cluster", printInfrastructure},
		"of AWS":               {change("type: VSphere", "type: AWS"), `i.yaml:9: spec.platformSpec.type: this cluster runs on "AWS", not on vSphere`, none},
		"no platform":          {without("    type: VSphere", "status:"), "i.yaml:8: spec.platformSpec.type is missing", printInfrastructure},
		"older":                {without("    vsphere:\n", "status:"), "spec.platformSpec.vsphere: has no vCenter: clusters of releases before 4.13 have none there", installedConfig},
		"older, empty":         {strings.Replace(without("    vsphere:\n", "status:"), "status:", "    vsphere: {}\nstatus:", 1), "i.yaml:10: spec.platformSpec.vsphere: has no vCenter", installedConfig},
		"no domains":           {without("      failureDomains:", "status:"), "spec.platformSpec.vsphere.failureDomains is missing", installedConfig},
		"status only":          {without("spec:\n", "status:"), "i.yaml:1: spec is missing", printInfrastructure},
		"spec only":            {without("status:\n", "~"), "i.yaml:1: status is missing", printInfrastructure},
		"an unusual name":      {change("https://api.cluster1", "https://lb"), "i.yaml:50: status.apiServerURL: does not tell the name of the cluster, which status.infrastructureName shortens", installedConfig},
		"an unknown server":    {change("server: vcenter2.example.com\n        regionAffinity", "server: VCENTER2.example.com\n        regionAffinity"), `i.yaml:23: spec.platformSpec.vsphere.failureDomains[0].server: "VCENTER2.example.com" is not a server of spec.platformSpec.vsphere.vcenters; did you mean "vcenter2.example.com"?`, installedConfig},
		"not configured yet":   {strings.ReplaceAll(strings.ReplaceAll(infrastructure, "vcenter1.example.com", "vcenterplaceholder"), "vcenter2.example.com", "vcenterplaceholder"), "vcenters[0].server: " + credfile.ErrNotConnected.Error(), credfile.Connects},
		"without a datacenter": {change("datacenter: DC2", "other: DC2"), "spec.platformSpec.vsphere.failureDomains[0].topology.datacenter is missing", installedConfig},
		"malformed":            {change("topology:\n", "topology: [x]\n        other:\n"), "i.yaml:28: spec.platformSpec.vsphere.failureDomains[0].topology: must be fields, not a list", installedConfig},
	} {
		s, err := ParseInfrastructure("i.yaml", []byte(strings.TrimSuffix(c.text, "~")))
		if err == nil || s != nil {
			t.Errorf("%s: no error, %v", name, s)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q in:\n%v", name, c.want, err)
		}
		got := none
		if hinted, ok := errors.AsType[*hint.Error](err); ok {
			got = strings.Join(hinted.Hints(), "\n")
		}
		if got != c.hint {
			t.Errorf("%s: hints %q, want %q", name, got, c.hint)
		}
	}
}

// An Infrastructure that is given where another file belongs names its own flag.
func TestInfrastructureInTheWrongPlace(t *testing.T) {
	t.Parallel()
	for _, text := range []string{infrastructure, asList(infrastructure), asJSON(t, asList(infrastructure))} {
		for what, parse := range map[string]func(string, []byte) (*Spec, error){"an install-config": ParseInstallConfig, "a provisioning file": Parse} {
			want := "is the Infrastructure of a cluster, not " + what + ": pass it with --infrastructure"
			if _, err := parse("x", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("want %q in: %v", want, err)
			}
		}
	}
}

// Where only names matter, a failure domain may lack anything but its vCenter: accounts there would be left out without a word.
func TestFailureDomainOfNoVCenter(t *testing.T) {
	t.Parallel()
	for name, parse := range map[string]func(string, []byte) (*Spec, error){"infrastructure": ParseInfrastructureServers, "install-config": ParseServers} {
		text := map[string]string{"infrastructure": infrastructure, "install-config": installConfig}[name]
		i := strings.Index(text, "failureDomains:")
		domain := i + strings.Index(text[i:], "server: ") + len("server: ")
		_, err := parse("f", []byte(text[:domain]+"elsewhere"+text[domain:]))
		if err == nil || !strings.Contains(err.Error(), `is not a server of `) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Placeholders of the Assisted Installer may stay beside the real vCenters, and count for nothing then.
func TestPlaceholdersBesideVCenters(t *testing.T) {
	t.Parallel()
	const placed = "      - {name: assisted, server: vcenterplaceholder, region: r, zone: z, topology: {datacenter: datacenterplaceholder, computeCluster: /datacenterplaceholder/host/clusterplaceholder, datastore: /datacenterplaceholder/datastore/d, networks: [n]}}\n"
	text := strings.Replace(infrastructure, "      vcenters:\n", "      vcenters:\n      - {server: vcenterplaceholder, port: 443, datacenters: [datacenterplaceholder]}\n", 1)
	text = strings.Replace(text, "      failureDomains:\n", "      failureDomains:\n"+placed, 1)
	want, err := ParseInfrastructure("i.yaml", []byte(infrastructure))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseInfrastructure("i.yaml", []byte(text))
	if err != nil || strings.Count(text, "vcenterplaceholder") != 2 || !bytes.Equal(got.YAML(), want.YAML()) {
		t.Errorf("%v\n%s", err, text)
	}
}
