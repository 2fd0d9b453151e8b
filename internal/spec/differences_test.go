package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// compared is the specification of a file that is changed a little first.
func compared(t *testing.T, change ...string) *Spec {
	t.Helper()
	s, err := ParseInfrastructure("i", []byte(strings.NewReplacer(change...).Replace(infrastructure)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Each difference is named once, and what is the same is not.
func TestTopologyDifferences(t *testing.T) {
	t.Parallel()
	config, err := ParseInstallConfig("c", []byte(installConfig))
	if err != nil {
		t.Fatal(err)
	}
	same := compared(t)
	if got := Differences(same, config, same); got != nil {
		t.Errorf("%v", got)
	}
	without, _, _ := strings.Cut(infrastructure, "      - name: zone-a")
	_, status, _ := strings.Cut(infrastructure, "status:")
	one, err := ParseInfrastructure("i", []byte(without+"status:"+status))
	if err != nil {
		t.Fatal(err)
	}
	alone := *one
	alone.VCenters = one.VCenters[1:]
	for name, c := range map[string]struct {
		all  []*Spec
		want []Difference
	}{
		"name": {[]*Spec{same, compared(t, "cluster1", "prod")}, []Difference{{"", "", "cluster", []string{"cluster1", "prod"}}, {"vcenter1.example.com", "zone-a", "folder", []string{"/DC1/vm/openshift/cluster1", "/DC1/vm/openshift/prod"}}, {"vcenter2.example.com", "zone-b", "folder", []string{"/DC2/vm/cluster1", "/DC2/vm/prod"}}}},
		"three": {[]*Spec{same, compared(t, "/DC1/datastore/ds1", "/DC1/datastore/ds3"), same}, []Difference{
			{"vcenter1.example.com", "zone-a", "datastore", []string{"/DC1/datastore/ds1", "/DC1/datastore/ds3", "/DC1/datastore/ds1"}},
		}},
		"port":                 {[]*Spec{compared(t, "8443", "9443"), same}, []Difference{{"vcenter2.example.com", "", "port", []string{"9443", "8443"}}}},
		"spelling":             {[]*Spec{compared(t, "vcenter2", "VCENTER2"), same}, []Difference{{"VCENTER2.example.com", "", "server", []string{"VCENTER2.example.com", "vcenter2.example.com"}}}},
		"domain":               {[]*Spec{same, one}, []Difference{{"vcenter1.example.com", "zone-a", "failureDomain", []string{Present, Absent}}}},
		"vcenter and domain":   {[]*Spec{&alone, same}, []Difference{{"vcenter1.example.com", "", "vcenter", []string{Absent, Present}}}},
		"moved":                {[]*Spec{same, compared(t, "zone-a\n", "zone-x\n", "zone-b\n", "zone-a\n")}, []Difference{{"", "zone-a", "server", []string{"vcenter1.example.com", "vcenter2.example.com"}}, {"", "zone-a", "datacenter", []string{"DC1", "DC2"}}}},
		"no host group, field": {[]*Spec{same, compared(t, "type: HostGroup", "type: ComputeCluster", "{hostGroup: group-b", "{x: y")}, []Difference{{"vcenter2.example.com", "zone-b", "hostGroup", []string{Present, Absent}}}},
		"zone":                 {[]*Spec{same, compared(t, "zone: b", "zone: c")}, []Difference{{"vcenter2.example.com", "zone-b", "zone", []string{"b", "c"}}}},
		"no zone":              {[]*Spec{same, compared(t, "zone: b", "x: b")}, nil}, // a provisioning file need not have one
		"nothing instead":      {[]*Spec{compared(t, "folder: /DC2", "x: /DC2"), same}, []Difference{{"vcenter2.example.com", "zone-b", "folder", []string{"", "/DC2/vm/cluster1"}}}},
	} {
		got := Differences(c.all...)
		if name == "moved" && len(got) > len(c.want) {
			got = got[:len(c.want)]
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The topology of a provisioning file is written anew, and everything else of it stays as it is.
func TestSetTopology(t *testing.T) {
	t.Parallel()
	from := compared(t)
	const before = "# ours\napiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: cluster1 # the first\nprofile: passthrough\n"
	const former = "vcenters:\n- server: vcenter1.example.com\n  address: 127.0.0.1:8989\n  accounts:\n    installer: {user: a@b.c}\n- server: gone.example.com\n"
	for name, text := range map[string]string{
		"last": before + former, "first": former + before, "flow": before + "vcenters: [{server: vcenter1.example.com, address: \"127.0.0.1:8989\", accounts: {installer: {user: a@b.c}}}]\n",
		"CRLF": strings.ReplaceAll(before+former, "\n", "\r\n"), "no end": strings.TrimSuffix(before+former, "\n"),
		"a comment behind": former + "# what follows\n" + before,
	} {
		was, err := Parse("f", []byte(text))
		if err != nil {
			t.Fatal(name, err)
		}
		out, err := SetTopology("f", []byte(text), from)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := Parse("f", out)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
			continue
		}
		was.VCenters = compared(t).VCenters
		was.VCenters[0].Address, was.VCenters[0].Accounts = "127.0.0.1:8989", got.VCenters[0].Accounts
		if diff := cmp.Diff(was, got); diff != "" || got.VCenters[0].Accounts["installer"] != "a@b.c" {
			t.Errorf("%s: %s\n%s", name, diff, out)
		}
		if !strings.Contains(string(out), "cluster: cluster1 # the first") || name == "a comment behind" && !strings.Contains(string(out), "# what follows\n# ours") {
			t.Errorf("%s:\n%s", name, out)
		}
		again, err := SetTopology("f", out, from)
		if diff := cmp.Diff(string(out), string(again)); diff != "" || err != nil {
			t.Errorf("%s, again: %v %s", name, err, diff)
		}
	}
	if _, err := SetTopology("f", []byte(least), compared(t, "cluster1", "other")); err == nil || !strings.Contains(err.Error(), "f is about cluster cluster1, not about other") {
		t.Error(err)
	}
	if _, err := SetTopology("f", []byte("{"+strings.ReplaceAll(strings.TrimSuffix("apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: cluster1\nvcenters: [{server: a}]", "\n"), "\n", ", ")+"}"), from); err == nil || err.Error() != "f: edit this file by hand" {
		t.Error(err)
	}
}
