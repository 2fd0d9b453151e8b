package spec

import (
	"slices"
	"testing"
)

// The Infrastructure of a dump names the cluster's vCenters; one of another platform, or of an old release, none.
func TestInfrastructureInADump(t *testing.T) {
	t.Parallel()
	const secret = "{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: b}}\n---\n"
	infra := func(platform string) string {
		return secret + "{apiVersion: config.openshift.io/v1, kind: Infrastructure, metadata: {name: cluster}, spec: {platformSpec: " + platform +
			"}, status: {infrastructureName: c-x7k2p, apiServerURL: 'https://api.c.example.com:6443'}}\n"
	}
	for name, tt := range map[string]struct {
		dump     string
		platform string
		want     []string
	}{
		"none":               {dump: secret},
		"elsewhere":          {dump: infra("{type: AWS, aws: {}}"), platform: "AWS"},
		"an old release":     {dump: infra("{type: VSphere}"), platform: "VSphere"},
		"of old, incomplete": {infra("{type: VSphere, vsphere: {vcenters: [{server: vc1, datacenters: [a]}], failureDomains: [{name: x, server: vc1}]}}"), "VSphere", []string{"vc1"}},
		"two":                {infra("{type: VSphere, vsphere: {vcenters: [{server: vc2, datacenters: [a]}, {server: vc1, datacenters: [a]}]}}"), "VSphere", []string{"vc2", "vc1"}},
	} {
		got, err := InfrastructureIn("dump", []byte(tt.dump))
		if err != nil || (got == nil) != (name == "none") || got != nil && (!slices.Equal(serversOf(got.Topology), tt.want) || got.Name != "c-x7k2p" || got.Platform != tt.platform) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got, err := InfrastructureIn("dump", []byte(infra("{type: VSphere, vsphere: {vcenters: [{server: vc1}, {server: vc1}]}}"))); err == nil {
		t.Errorf("one vCenter twice: %+v", got)
	}
}

func serversOf(s *Spec) (servers []string) {
	if s == nil {
		return nil
	}
	for _, v := range s.VCenters {
		servers = append(servers, v.Server)
	}
	return servers
}
