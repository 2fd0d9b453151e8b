// Package clitest is what tests of commands share: the program on fake streams, files for it, and what it printed.
package clitest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// SmallSpec is a provisioning file of two vCenters with a failure domain each.
const SmallSpec = `apiVersion: ocp-vsphere-admin/v1
kind: Provisioning
cluster: cluster1
vcenters:
- server: vcenter1.example.com
  failureDomains:
  - {name: a, datacenter: DC1, computeCluster: /DC1/host/C1, datastore: /DC1/datastore/ds1, networks: [VM Network]}
- server: vcenter2.example.com
  failureDomains:
  - {name: b, datacenter: DC2, computeCluster: /DC2/host/C2, datastore: /DC2/datastore/ds2, networks: [VM Network]}
`

// SmallInfrastructure is what the cluster of SmallSpec says of itself.
const SmallInfrastructure = `apiVersion: config.openshift.io/v1
kind: Infrastructure
metadata: {name: cluster}
spec:
  platformSpec:
    type: VSphere
    vsphere:
      vcenters:
      - {server: vcenter1.example.com, port: 443, datacenters: [DC1]}
      - {server: vcenter2.example.com, port: 443, datacenters: [DC2]}
      failureDomains:
      - name: a
        region: r
        zone: a
        server: vcenter1.example.com
        topology: {datacenter: DC1, computeCluster: /DC1/host/C1, datastore: /DC1/datastore/ds1, networks: [VM Network]}
      - name: b
        region: r
        zone: b
        server: vcenter2.example.com
        topology: {datacenter: DC2, computeCluster: /DC2/host/C2, datastore: /DC2/datastore/ds2, networks: [VM Network]}
status: {infrastructureName: cluster1-x7k2p, apiServerURL: "https://api.cluster1.example.com:6443"}
`

// TwoVCenters is a credentials file with accounts on two vCenters.
const TwoVCenters = `# ours
[vcenter1.example.com]
user = administrator@vsphere.local
password = ` + "`main;1`" + `
machine-api.user = ocp-machine-api@vsphere.local
machine-api.password = ` + "`m#1`" + `
csi-driver.user = ocp-csi@vsphere.local
csi-driver.password = c1

[vcenter2.example.com]
cloud-controller.user = CORP\ccm
cloud-controller.password = ccm2
`

// SmallConfig is an install-config with a main account.
const SmallConfig = `platform:
  vsphere:
    vcenters:
    - server: vcenter1.example.com   # ours
      user: administrator@vsphere.local
      password: old
`

// SecretsDump is the secrets of a cluster.
const SecretsDump = `{kind: Secret, metadata: {namespace: kube-system, name: vsphere-creds}, stringData: {vc1.username: a@b, vc1.password: canary-pw-1}}
`

// ParseFlags parses words with the flags of one group.
func ParseFlags(t *testing.T, register func(*cobra.Command), words ...string) {
	t.Helper()
	cmd := &cobra.Command{Use: "x", RunE: func(*cobra.Command, []string) error { return nil }}
	register(cmd)
	cmd.SetArgs(words)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
}

// WriteFile writes a file into a directory of the test.
func WriteFile(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// WantText fails where a part is missing in what was got.
func WantText(t *testing.T, what, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("%s: %q is missing in:\n%s", what, p, got)
		}
	}
}

// WantErr fails where there is no error with these parts.
func WantErr(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one about %q", parts)
	}
	WantText(t, "error", err.Error(), parts...)
}

// WordsOf compares options by what was said, not by who said it.
func WordsOf(options any) cmp.Option {
	return cmp.Options{cmpopts.IgnoreFields(options, "Factory"), cmpopts.IgnoreTypes(command.Origin(nil))}
}

// Document reads a JSON document and checks its header.
func Document(t *testing.T, kind, text string) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	if doc["apiVersion"] != command.APIVersion || doc["kind"] != kind {
		t.Errorf("header is %v, %v; want %s, %s", doc["apiVersion"], doc["kind"], command.APIVersion, kind)
	}
	return doc
}
