package spec_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

func withNames(template string) *spec.Spec {
	s, err := spec.FromServers([]string{"vcenter1.example.com"})
	if err != nil {
		panic(err)
	}
	s.Cluster, s.Accounts.Username = "cluster1", template
	return s
}

func TestGenerations(t *testing.T) {
	for _, c := range []struct {
		template, first, third string
		others                 []string // names that are of no generation
	}{
		{
			spec.DefaultUsername, "ocp-cluster1-csi-driver", "ocp-cluster1-csi-driver-3",
			[]string{"ocp-cluster1-csi-driver-", "ocp-cluster1-csi-driver-0", "ocp-cluster1-csi-driver-1", "ocp-cluster1-csi-driver-02", "ocp-cluster1-csi-driver-+2", "ocp-cluster1-csi-driver-x", "ocp-cluster1-csi-drive", "ocp", ""},
		},
		{
			"g{generation}-{component}", "g1-csi-driver", "g3-csi-driver",
			[]string{"g-csi-driver", "g0-csi-driver", "g01-csi-driver", "g1-csi-driver-1", "csi-driver"},
		},
	} {
		account := withNames(c.template).Account(component.CSIDriver)
		if account.Name != c.first || account.Of(3).Name != c.third || account.Of(3).Of(1).Name != c.first {
			t.Errorf("%s: %s, %s", c.template, account.Name, account.Of(3).Name)
		}
		if n := account.Generation(strings.ToUpper(c.third) + "@vsphere.local"); n != 3 {
			t.Errorf("%s: %s is of generation %d", c.template, c.third, n)
		}
		for _, name := range c.others {
			if n := account.Generation(name); n != 0 {
				t.Errorf("%s: %q is of generation %d", c.template, name, n)
			}
		}
	}
	if err := withNames("{generation}{component}{generation}").CheckAccounts(); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("%v", err)
	}
	long := withNames(strings.Repeat("a", 63-len("csi-driver")) + "{component}").Account(component.CSIDriver)
	if err := long.CheckName(); err != nil {
		t.Error(err)
	}
	if err := long.Of(2).CheckName(); err == nil || !strings.Contains(err.Error(), "65 characters") {
		t.Errorf("%v", err)
	}
}

// A name tells its generation, and no name is of two accounts.
func TestGenerationsAreTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := withNames(rapid.SampledFrom([]string{
			spec.DefaultUsername, "{component}{generation}", "{generation}{component}", "x-{cluster}.{generation}.{component}",
		}).Draw(t, "template"))
		c, n := rapid.SampledFrom(component.Names()).Draw(t, "component"), rapid.IntRange(1, 1<<20).Draw(t, "generation")
		name := s.Account(c).Of(n).Name
		for _, other := range component.Names() {
			if got := s.Account(other).Generation(name); got != 0 && (other != c || got != n) {
				t.Fatalf("%s, generation %d of %s, is generation %d of %s", name, n, c, got, other)
			}
		}
		if got := s.Account(c).Generation(name); got != n {
			t.Fatalf("%s is of generation %d, not %d", name, got, n)
		}
	})
}
