package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

const installConfig = `apiVersion: v1
baseDomain: example.com
metadata:
  name: cluster1
  name2: x
compute:
- name: worker
  platform: {vsphere: {cpus: 4}}
platform:
  vsphere:
    apiVIPs: [192.0.2.1]
    credentialType: global
    vcenters:
    - server: vcenter1.example.com
      port: 443
      user: administrator@vsphere.local
      password: "canary-one"
      datacenters: [DC1]
      componentCredentials:
        machineAPI: {user: a@b, password: canary-two}
    - server: vcenter2.example.com
      port: 8443
      user: administrator@vsphere.local
      password: canary-three
      datacenters: [DC2]
    failureDomains:
    - name: zone-b
      region: r
      zone: b
      server: vcenter2.example.com
      zoneType: HostGroup
      regionType: ComputeCluster
      topology:
        datacenter: DC2
        computeCluster: /DC2/host/C2
        datastore: /DC2/datastore/ds2
        networks: [VM Network]
        folder: /DC2/vm/cluster1
        resourcePool: /DC2/host/C2/Resources/openshift
        template: /DC2/vm/templates/rhcos
        hostGroup: group-b
        tagIDs: ["urn:vmomi:InventoryServiceTag:1"]
    - name: zone-a
      region: r
      zone: a
      server: vcenter1.example.com
      topology:
        datacenter: DC1
        computeCluster: C1
        datastore: ds1
        networks: [ocp-net]
        folder: openshift/cluster1
        resourcePool: /DC1/host/C1/Resources
pullSecret: '{"auths":{"registry":{"auth":"canary-four"}}}'
`

func TestParseInstallConfig(t *testing.T) {
	got, err := ParseInstallConfig("install-config.yaml", []byte(installConfig))
	if err != nil {
		t.Fatal(err)
	}
	want := blank()
	want.Cluster = "cluster1"
	want.VCenters = []VCenter{
		{Server: "vcenter1.example.com", Port: 443, FailureDomains: []FailureDomain{{
			Name: "zone-a", Datacenter: "DC1", ComputeCluster: "/DC1/host/C1", Datastore: "/DC1/datastore/ds1",
			Networks: []string{"/DC1/network/ocp-net"}, Folder: "/DC1/vm/openshift/cluster1",
			Region: "r", Zone: "a",
		}}},
		{Server: "vcenter2.example.com", Port: 8443, FailureDomains: []FailureDomain{{
			Name: "zone-b", Datacenter: "DC2", ComputeCluster: "/DC2/host/C2", Datastore: "/DC2/datastore/ds2",
			Networks: []string{"/DC2/network/VM Network"}, Folder: "/DC2/vm/cluster1",
			ResourcePool: "/DC2/host/C2/Resources/openshift", Template: "/DC2/vm/templates/rhcos", HostGroup: true,
			Region: "r", Zone: "b",
		}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(got, reparse(t, got)); diff != "" {
		t.Error("after YAML:", diff)
	}
	if got := got.Account(component.Installer).Name; got != "ocp-cluster1-installer" {
		t.Error(got)
	}
	if text := string(got.YAML()); strings.Contains(text, "canary") {
		t.Error("the spec tells a password:", text)
	}
}

const flatFields = `metadata: {name: cluster1}
platform:
  vsphere:
    vCenter: vcenter1.example.com
    username: administrator@vsphere.local
    password: canary
    datacenter: DC1
    defaultDatastore: ds1
    cluster: C1
    network: VM Network
    folder: /DC1/vm/cluster1
    resourcePool: /DC1/host/C1/Resources/openshift
`

func TestInstallConfigFlatFields(t *testing.T) {
	domain := FailureDomain{
		Name: "generated-failure-domain", Datacenter: "DC1", ComputeCluster: "/DC1/host/C1", Datastore: "/DC1/datastore/ds1",
		Networks: []string{"/DC1/network/VM Network"}, Folder: "/DC1/vm/cluster1", ResourcePool: "/DC1/host/C1/Resources/openshift",
	}
	zone := FailureDomain{
		Name: "zone-a", Datacenter: "DC1", ComputeCluster: "/DC1/host/C1", Datastore: "/DC1/datastore/ds2",
		Networks: []string{"/DC1/network/n1"},
	}
	for _, c := range []struct {
		name, text string
		want       []VCenter
	}{
		{"flat", flatFields, []VCenter{{Server: "vcenter1.example.com", Port: 443, FailureDomains: []FailureDomain{domain}}}},
		{
			"vcenters with a flat topology", strings.Replace(flatFields, "vCenter: vcenter1.example.com", "vcenters: [{server: vc1, port: 0}, {server: vc2}]", 1),
			[]VCenter{{Server: "vc1", Port: 443, FailureDomains: []FailureDomain{domain}}, {Server: "vc2", Port: 443}},
		},
		{
			"4.12: zones on a flat vCenter and datacenter", flatFields +
				"    failureDomains: [{name: zone-a, topology: {computeCluster: C1, datastore: ds2, networks: [n1]}}]\n",
			[]VCenter{{Server: "vcenter1.example.com", Port: 443, FailureDomains: []FailureDomain{zone}}},
		},
		{
			"any case of field names, as in the installer", "Metadata: {Name: c}\nplatform: {vSphere: {VCenters: [{Server: vc1}], FailureDomains: " +
				"[{name: zone-a, server: vc1, topology: {dataCenter: DC1, computecluster: C1, datastore: ds2, networks: [n1]}}]}}\n",
			[]VCenter{{Server: "vc1", Port: 443, FailureDomains: []FailureDomain{zone}}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseInstallConfig("install-config.yaml", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.VCenters); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A cluster of one node needs what others need: how many there are is nothing that the file is asked for.
func TestInstallConfigOfASingleNode(t *testing.T) {
	const one = "controlPlane: {name: master, replicas: 1}\ncompute: [{name: worker, replicas: 0}]\n"
	want, err := ParseInstallConfig("ic.yaml", []byte(flatFields))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseInstallConfig("ic.yaml", []byte(flatFields+one))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.VCenters, got.VCenters); diff != "" || got.Cluster != want.Cluster {
		t.Errorf("cluster %s: %s", got.Cluster, diff)
	}
}

func TestInstallConfigRefuses(t *testing.T) {
	const top = "metadata: {name: c1}\nplatform:\n  vsphere:\n"
	const vcenter = top + "    vcenters: [{server: vc1.example.com, user: u, password: canary}]\n" // line 4
	const topology = "topology: {datacenter: DC1, computeCluster: C1, datastore: ds1, networks: [n1]}"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "ic.yaml: is empty"},
		{
			"not for vSphere", "metadata: {name: c1}\nplatform:\n  aws: {}\n",
			"ic.yaml:3: platform.vsphere is missing: this install-config is not for vSphere",
		},
		{"nothing", "a: b\n", "ic.yaml:1: metadata.name is missing\nic.yaml:1: platform is missing: this is no install-config"},
		{"MicroShift", "dns: {baseDomain: e.example.com}\nnode: {nodeIP: 10.0.0.5}\nstorage: {driver: none}\nlater: {}\n", "ic.yaml: is a configuration of MicroShift, not an install-config: " +
			"MicroShift has no cloud-credential-operator and no component that logs in to vCenter, so there are no accounts to create"},
		{"no MicroShift", "platform: {none: {}}\nnetwork: {}\n", "ic.yaml:1: metadata.name is missing\n" +
			"ic.yaml:1: platform.vsphere is missing: this install-config is not for vSphere"},
		{"a provisioning file", least, "ic.yaml: is a provisioning file, not an install-config: pass it with --file"},
		{
			"a ConfigMap", "apiVersion: v1\nkind: ConfigMap\ndata: {}\n",
			"ic.yaml: is of kind ConfigMap, not an install-config: pass the cluster's Infrastructure with --infrastructure, or with --install-config a file with what its data.install-config holds",
		},
		{"an AgentConfig", "kind: AgentConfig\nmetadata: {name: c1}\n", "ic.yaml: is of kind AgentConfig, not an install-config: pass the install-config.yaml beside it with --install-config"},
		{"a HostedCluster", "kind: HostedCluster\nspec: {}\n", "ic.yaml: is of kind HostedCluster, not an install-config: describe the vCenters of its nodes in a provisioning file: ocp-vsphere-admin init"},
		{"a misspelt field", vcenter + "    failureDomains:\n    - name: a\n      server: vc1.example.com\n      topolgy: {datacenter: DC1}\n", `ic.yaml:8: unknown field "topolgy"; did you mean "topology"?
ic.yaml:6: platform.vsphere.failureDomains[0].topology is missing: openshift-install needs it to make machines; for a user-provisioned cluster, write its places as vcenters[].failureDomains into a provisioning file, and name that with -f`},
		{
			"password that is an alias", vcenter + "password: *canary\n",
			"ic.yaml:5: not valid YAML, here or below: an alias (*name) has no anchor; put a value that begins with * in quotes",
		},
		{
			"password with a colon", vcenter + "    password: can: canary\n",
			"ic.yaml:5: not valid YAML, here or below: a value contains a colon and a space; put it in quotes",
		},
		{"no vCenter", top + "    apiVIPs: []\n", "ic.yaml:4: platform.vsphere.vcenters is missing"},
		{"no failure domain", vcenter, "ic.yaml:4: platform.vsphere.failureDomains is missing: openshift-install needs it to make machines; for a user-provisioned cluster, write its places as vcenters[].failureDomains into a provisioning file, and name that with -f"},
		{"flat, incomplete", top + "    vCenter: vc1\n    cluster: C1\n", `ic.yaml:4: platform.vsphere.datacenter is missing
ic.yaml:4: platform.vsphere.defaultDatastore is missing`},
		{
			"flat, of two datacenters", strings.Replace(flatFields, "/DC1/vm", "/DC2/vm", 1),
			`ic.yaml:11: platform.vsphere.folder: "/DC2/vm/cluster1" is not in datacenter "DC1": it must begin with "/DC1/vm/"`,
		},
		{"domains of no vCenter", vcenter + `    failureDomains:
    - {name: a, server: vc2.example.com, ` + topology + `}
    - {name: b, ` + topology + `}
    - {name: c, server: VC1.example.com, topology: {datacenter: DC1, computeCluster: C1, networks: [n1]}}
    - {name: d, server: "root:canary@vc1", ` + topology + `}
`, `ic.yaml:6: platform.vsphere.failureDomains[0].server: "vc2.example.com" is not a server of platform.vsphere.vcenters; did you mean "vc1.example.com"?
ic.yaml:7: platform.vsphere.failureDomains[1].server is missing
ic.yaml:8: platform.vsphere.failureDomains[2].server: "VC1.example.com" is not a server of platform.vsphere.vcenters; did you mean "vc1.example.com"?
ic.yaml:8: platform.vsphere.failureDomains[2].topology.datastore is missing
ic.yaml:9: platform.vsphere.failureDomains[3].server: is not a server of platform.vsphere.vcenters`},
		{"topology", vcenter + `    failureDomains:
    - name: a
      server: vc1.example.com
      zoneType: hostgroup
      topology:
        datacenter: DC1
        computeCluster: /DC2/host/C1
        datastore: 5
        networks: []
    - name: a
      server: vc1.example.com
      zoneType: HostGroup
      topology:
        datacenter: DC1
        datacenter: DC1
`, `ic.yaml:8: platform.vsphere.failureDomains[0].zoneType: "hostgroup" is unknown; did you mean "HostGroup"?
ic.yaml:11: platform.vsphere.failureDomains[0].topology.computeCluster: "/DC2/host/C1" is not in datacenter "DC1": it must begin with "/DC1/host/"
ic.yaml:12: platform.vsphere.failureDomains[0].topology.datastore: must be text, not a number: put it in quotes
ic.yaml:14: platform.vsphere.failureDomains[1].name: failure domain "a" is named twice, first on line 6
ic.yaml:18: platform.vsphere.failureDomains[1].topology.hostGroup is missing
ic.yaml:18: platform.vsphere.failureDomains[1].topology.computeCluster is missing: openshift-install needs it to make machines; for a user-provisioned cluster, write its places as vcenters[].failureDomains into a provisioning file, and name that with -f
ic.yaml:18: platform.vsphere.failureDomains[1].topology.datastore is missing
ic.yaml:19: platform.vsphere.failureDomains[1].topology.datacenter: is given twice, first on line 18: remove one`},
		{"vCenters", top + `    vcenters:
    - {server: vc1, password: canary}
    - {server: VC1, port: 40000}
    - {server: "https://u:canary@vc2/", password: [canary]}
    failureDomains:
    - {name: a, server: vc1, ` + topology + `}
`, `ic.yaml:6: platform.vsphere.vcenters[1].server: "VC1": openshift-install refuses upper case in a vCenter's name, and components look for their secrets' keys in their own case: write vc1 everywhere
ic.yaml:6: platform.vsphere.vcenters[1].server: vCenter "VC1" is named twice, first on line 5
ic.yaml:6: platform.vsphere.vcenters[1].port: 40000 is not a port: 1 to 32767
ic.yaml:7: platform.vsphere.vcenters[2].server: is a URL: write only the host name, vc2`},
		{
			"flat, in upper case", strings.Replace(flatFields, "vCenter: vc", "vCenter: VC", 1),
			`ic.yaml:4: platform.vsphere.vCenter: "VCenter1.example.com": openshift-install refuses upper case in a vCenter's name, ` +
				"and components look for their secrets' keys in their own case: write vcenter1.example.com everywhere",
		},
		{
			"lists that are none", top + "    vcenters: canary\n    failureDomains: {password: canary}\n",
			"ic.yaml:4: platform.vsphere.vcenters: must be a list, not text\nic.yaml:5: platform.vsphere.failureDomains: must be a list, not fields",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := ParseInstallConfig("ic.yaml", []byte(c.text))
			if err == nil || s != nil {
				t.Fatalf("accepted: %+v", s)
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(err.Error(), "canary") {
				t.Error("tells a secret")
			}
		})
	}
}
