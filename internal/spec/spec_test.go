package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

const example = `apiVersion: ocp-vsphere-admin/v1
kind: Provisioning
cluster: cluster1
profile: manual
privileges:
  matrix: documented
  roleLayout: component
  rolePrefix: ocp-
  conditions: [vsan-file, no-managed-storageclass]
accounts:
  username: "{component}.{cluster}"
components:
  machine-api: {}
  csi-driver:
  diagnostics:
    principal: svc-ocp-diag@corp.example.com
  installer:
    principal: CORP\svc-installer
vcenters:
- server: vcenter1.example.com
  port: 8443
  address: 10.0.0.5
  failureDomains:
  - name: zone-a
    datacenter: DC1
    computeCluster: C1
    datastore: prod/ds1
    networks: [VM Network, /DC1/network/dvs/ocp-net]
    folder: cluster1
    resourcePool: openshift/prod
    template: templates/rhcos
    hostGroup: true
    region: emea
    zone: emea-a
  - name: zone-b
    datacenter: /emea//DC 2/
    computeCluster: /emea/DC 2/host/C2/
    datastore: /emea/DC 2/datastore/a%2fb
    networks: [VM Network]
    folder: /emea/DC 2/vm
    resourcePool: /emea/DC 2/host/C2/Resources
    template: ""
- server: fd00::1
`

func TestParseEverything(t *testing.T) {
	got, err := Parse("spec.yaml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	want := &Spec{
		APIVersion: "ocp-vsphere-admin/v1", Kind: "Provisioning", Cluster: "cluster1", Profile: "manual",
		Privileges: Privileges{
			Matrix: "documented", RoleLayout: "component", RolePrefix: "ocp-", Conditions: []string{"vsan-file", "no-managed-storageclass"},
		},
		Accounts: Accounts{Username: "{component}.{cluster}"},
		Components: map[component.Name]Component{
			"machine-api": {}, "csi-driver": {},
			"diagnostics": {Principal: "svc-ocp-diag@corp.example.com"}, "installer": {Principal: `CORP\svc-installer`},
		},
		VCenters: []VCenter{
			{Server: "vcenter1.example.com", Port: 8443, Address: "10.0.0.5:8443", FailureDomains: []FailureDomain{
				{
					Name: "zone-a", Datacenter: "DC1", ComputeCluster: "/DC1/host/C1", Datastore: "/DC1/datastore/prod/ds1",
					Networks: []string{"/DC1/network/VM Network", "/DC1/network/dvs/ocp-net"}, Folder: "/DC1/vm/cluster1",
					ResourcePool: "/DC1/host/C1/Resources/openshift/prod", Template: "/DC1/vm/templates/rhcos", HostGroup: true,
					Region: "emea", Zone: "emea-a",
				},
				{
					Name: "zone-b", Datacenter: "/emea/DC 2", ComputeCluster: "/emea/DC 2/host/C2",
					Datastore: "/emea/DC 2/datastore/a%2fb", Networks: []string{"/emea/DC 2/network/VM Network"}, Folder: "/emea/DC 2/vm",
				},
			}},
			{Server: "fd00::1", Port: 443},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, reparse(t, got)); diff != "" {
		t.Error("after YAML:", diff)
	}
	if got := got.VCenters[0].FailureDomains[1].DatacenterPath(); got != "/emea/DC 2" {
		t.Error(got)
	}
}

func reparse(t interface{ Fatalf(string, ...any) }, s *Spec) *Spec {
	text := s.YAML()
	again, err := Parse("again.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return again
}

const least = `apiVersion: ocp-vsphere-admin/v1
kind: Provisioning
cluster: cluster1
vcenters:
- server: vcenter1.example.com
`

func TestDefaults(t *testing.T) {
	got, err := Parse("spec.yaml", []byte(least))
	if err != nil {
		t.Fatal(err)
	}
	want := &Spec{
		APIVersion: "ocp-vsphere-admin/v1", Kind: "Provisioning", Cluster: "cluster1", Profile: "kube-system",
		Privileges: Privileges{Matrix: "default", RoleLayout: "scope", RolePrefix: "openshift-"},
		Accounts:   Accounts{Username: "ocp-{cluster}-{component}"},
		VCenters:   []VCenter{{Server: "vcenter1.example.com", Port: 443}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(component.Default(), got.ComponentNames()); diff != "" {
		t.Error(diff)
	}
	if got := got.Account(component.MachineAPI).Name; got != "ocp-cluster1-machine-api" {
		t.Error(got)
	}
	written := `apiVersion: ocp-vsphere-admin/v1
kind: Provisioning
cluster: cluster1
profile: kube-system
privileges:
  matrix: default
  roleLayout: scope
  rolePrefix: openshift-
accounts:
  username: ocp-{cluster}-{component}
vcenters:
  - server: vcenter1.example.com
    port: 443
`
	if diff := cmp.Diff(written, string(got.YAML())); diff != "" {
		t.Error(diff)
	}
}

func TestComponentNamesKeepTheirOrder(t *testing.T) {
	s := &Spec{Components: map[component.Name]Component{"installer": {}, "machine-api": {}, "csi-driver": {Principal: "a@b"}}}
	want := []component.Name{component.MachineAPI, component.CSIDriver, component.Installer}
	if diff := cmp.Diff(want, s.ComponentNames()); diff != "" {
		t.Error(diff)
	}
	if y := string(s.YAML()); !strings.Contains(y, "components:\n  machine-api: {}\n  csi-driver:\n    principal: a@b\n  installer: {}\n") {
		t.Error(y)
	}
}

func TestHolds(t *testing.T) {
	type conditions = map[privileges.Condition]bool
	for _, c := range []struct {
		fd   FailureDomain
		want conditions
	}{
		{FailureDomain{}, conditions{privileges.FolderCreated: true, privileges.PoolRoot: true}},
		{FailureDomain{Folder: "/DC1/vm/a"}, conditions{privileges.FolderExisting: true, privileges.PoolRoot: true}},
		{FailureDomain{ResourcePool: "/DC1/host/C1/Resources/a", HostGroup: true}, conditions{
			privileges.FolderCreated: true, privileges.PoolExisting: true, privileges.HostGroup: true,
		}},
	} {
		if diff := cmp.Diff(c.want, c.fd.Holds()); diff != "" {
			t.Errorf("%+v: %s", c.fd, diff)
		}
	}
}

func TestSelected(t *testing.T) {
	type conditions = map[privileges.Condition]bool
	for _, c := range []struct {
		named []string
		want  conditions
	}{
		{nil, conditions{privileges.ManagedStorageClass: true}},
		{[]string{"managed-storageclass", "vsan-file"}, conditions{privileges.ManagedStorageClass: true, privileges.VSANFile: true}},
		{[]string{"no-managed-storageclass"}, conditions{privileges.ManagedStorageClass: false}}, // said, because what is not said holds
	} {
		s := &Spec{Privileges: Privileges{Conditions: c.named}}
		if diff := cmp.Diff(c.want, s.Selected()); diff != "" {
			t.Errorf("%v: %s", c.named, diff)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "spec.yaml")
	if _, err := Load(path); !os.IsNotExist(err) {
		t.Error(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Error(err)
	}
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(least)
	if s, err := Load(path); err != nil || s.Cluster != "cluster1" {
		t.Error(s, err)
	}
	write("a: b\n")
	if _, err := ParseInstallConfig(path, []byte("a: b\n")); err == nil || !strings.HasPrefix(err.Error(), path+":1: ") {
		t.Error(err)
	}
	write(strings.Repeat("#", int(files.Text)+1))
	if _, err := Load(path); err == nil || err.Error() != path+": larger than 4 MiB, the maximum for such a file" {
		t.Error(err)
	}
	if _, err := Parse("plan.json", []byte(strings.Repeat("#", int(files.Text)+1))); err == nil || !strings.Contains(err.Error(), "plan.json: is larger than 4 MiB") {
		t.Error(err)
	}
}

// The problem detector compares zones of several failure domains only, on whichever vCenter they are.
func TestSeveralDomains(t *testing.T) {
	t.Parallel()
	for _, domains := range [][]int{{1}, {2}, {1, 1}} {
		s, total := &Spec{}, 0
		for _, n := range domains {
			s.VCenters, total = append(s.VCenters, VCenter{FailureDomains: make([]FailureDomain, n)}), total+n
		}
		if holds := s.Conditions(nil)[privileges.SeveralDomains]; holds != (total > 1) {
			t.Errorf("%v: %t", domains, holds)
		}
	}
}
