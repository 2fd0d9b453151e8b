package vcsim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everyPath lists all paths of an estate.
func everyPath(e Estate) []string {
	var out []string
	for _, dc := range e.Datacenters {
		out = append(append(append(append(append(append(out, dc.Path), dc.Hosts...), dc.Folders...), dc.Datastores...), dc.Templates...), dc.VMs...)
		for _, c := range dc.Clusters {
			out = append(append(append(out, c.Path), c.Pools...), c.Hosts...)
		}
		for _, n := range dc.Networks {
			out = append(out, n.Path)
			if n.Switch != "" {
				out = append(out, n.Switch)
			}
		}
	}
	return out
}

func TestDemoEstate(t *testing.T) {
	v := start(t, Options{VCenters: 2}).VCenters[1]
	want := Estate{Datacenters: []Datacenter{{
		Path: "/DC2",
		Clusters: []Cluster{{
			Path:  "/DC2/host/C2",
			Pools: []string{"/DC2/host/C2/Resources/openshift"},
			Hosts: []string{"/DC2/host/C2/esx1.dc2.example.com", "/DC2/host/C2/esx2.dc2.example.com", "/DC2/host/C2/esx3.dc2.example.com"},
		}},
		Folders:    []string{"/DC2/vm/openshift", "/DC2/vm/openshift/cluster1", "/DC2/vm/legacy", "/DC2/vm/templates"},
		Datastores: []string{"/DC2/datastore/ds2", "/DC2/datastore/other"},
		Networks:   []Network{{Path: "/DC2/network/VM Network"}, {Path: "/DC2/network/ocp-net", Switch: "/DC2/network/dvs0"}},
		Templates:  []string{"/DC2/vm/templates/rhcos"},
		VMs:        []string{"/DC2/vm/openshift/cluster1/bastion", "/DC2/vm/openshift/cluster1/registry", "/DC2/vm/legacy/billing", "/DC2/vm/legacy/mail"},
	}}}
	if diff := cmp.Diff(want, v.Estate()); diff != "" {
		t.Errorf("estate (-want +got):\n%s", diff)
	}
	for _, path := range everyPath(v.Estate()) {
		if _, ok := v.find(path); !ok {
			t.Errorf("no object at %s", path)
		}
	}
}

// Each path of a generated estate is that of an object, a seed always gives the same estate, and among a few seeds
// there is everything that an estate may have.
func TestGeneratedEstates(t *testing.T) {
	kinds := map[string]bool{}
	for seed := range uint64(10) {
		o := Options{Estate: EstateOptions{Seed: seed + 1, Foreign: seed%2 == 0}}
		v := start(t, o).VCenters[0]
		for _, path := range everyPath(v.Estate()) {
			if _, ok := v.find(path); !ok {
				t.Errorf("seed %d: no object at %s", o.Estate.Seed, path)
			}
		}
		if seed%5 == 0 {
			sameAgain(t, o, v)
		}
		note(kinds, v)
		v.lab.Close()
	}
	for _, kind := range []string{
		"awkward", "datacenter in a folder", "host folder", "standalone host", "datastore folder",
		"datastore cluster", "switch in a folder", "nested folder", "nested pool",
	} {
		if !kinds[kind] {
			t.Errorf("no estate with: %s", kind)
		}
	}
}

// sameAgain makes a vCenter a second time.
func sameAgain(t *testing.T, o Options, v *VCenter) {
	t.Helper()
	again := start(t, o).VCenters[0]
	defer again.lab.Close()
	if diff := cmp.Diff(v.Snapshot(), again.Snapshot()); diff != "" {
		t.Errorf("seed %d gives two estates:\n%s", o.Estate.Seed, diff)
	}
	if diff := cmp.Diff(v.Estate(), again.Estate()); diff != "" {
		t.Errorf("seed %d gives two estates:\n%s", o.Estate.Seed, diff)
	}
}

// note says what kinds of things an estate has.
func note(kinds map[string]bool, v *VCenter) {
	snapshot := v.Snapshot()
	for _, dc := range v.Estate().Datacenters {
		deep := func(paths []string, below string, than int) bool {
			for _, p := range paths {
				if strings.Count(strings.TrimPrefix(p, dc.Path+below), "/") > than {
					return true
				}
			}
			return false
		}
		has := func(kind string, yes bool) { kinds[kind] = kinds[kind] || yes }
		has("awkward", strings.ContainsAny(dc.Path, `%"é`) || strings.Contains(snapshot, "%2f"))
		has("datacenter in a folder", strings.Count(dc.Path, "/") > 1)
		has("standalone host", len(dc.Hosts) > 0)
		has("datastore folder", deep(dc.Datastores, "/datastore", 1))
		has("nested folder", deep(dc.Folders, "/vm", 1))
		for _, c := range dc.Clusters {
			has("host folder", strings.Count(strings.TrimPrefix(c.Path, dc.Path+"/host"), "/") > 1)
			has("nested pool", deep(c.Pools, strings.TrimPrefix(c.Path, dc.Path)+"/Resources", 1))
		}
		for _, n := range dc.Networks {
			has("switch in a folder", n.Switch != "" && strings.Count(strings.TrimPrefix(n.Switch, dc.Path+"/network"), "/") > 1)
		}
		has("datastore cluster", strings.Contains(snapshot, "storagepod"))
	}
}

func TestForeignParts(t *testing.T) {
	const mark = `role "openshift-legacy"`
	for _, c := range []struct {
		o    EstateOptions
		want bool
	}{{EstateOptions{}, true}, {EstateOptions{Seed: 7}, false}, {EstateOptions{Seed: 7, Foreign: true}, true}} {
		got := strings.Contains(start(t, Options{Estate: c.o}).VCenters[0].Snapshot(), mark)
		if got != c.want {
			t.Errorf("%+v: foreign roles %t, want %t", c.o, got, c.want)
		}
	}
	// Linked vCenters share the foreign accounts, and both have the permissions.
	for _, v := range start(t, Options{VCenters: 2, Linked: true, Estate: EstateOptions{Seed: 9, Foreign: true}}).VCenters {
		if !strings.Contains(v.Snapshot(), "permission") || !strings.Contains(v.Snapshot(), `CORP.EXAMPLE.COM\`) {
			t.Errorf("%s has no foreign permissions", v.Server())
		}
	}
}

func TestObjectsAreCounted(t *testing.T) {
	v := start(t, Options{Estate: EstateOptions{Objects: 1500}}).VCenters[0]
	if n := strings.Count(v.Snapshot(), "/DC1/vm/crowd/crowd "); n < 1500 || n > 1600 { // machines and their folders
		t.Errorf("%d lines about 1500 machines", n)
	}
}
