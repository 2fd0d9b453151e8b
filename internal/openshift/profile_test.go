package openshift

import (
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// A profile is one value: what is forgotten in it would be an empty line somewhere, or a panic.
func TestProfilesAreWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range Profiles() {
		if p.Name == "" || p.Note == "" || p.Form == "" && p.Homes == nil || p.head == "" || p.warns == nil || p.sink == nil && !p.Shared() {
			t.Errorf("%q leaves something out: %+v", p.Name, p)
		}
		if seen[p.Name] {
			t.Errorf("%s is there twice", p.Name)
		}
		seen[p.Name] = true
		if p.Requests && !p.Manual {
			t.Errorf("%s: who follows the requests of a release does so because nobody copies secrets", p.Name)
		}
		for c, of := range p.Works {
			if p.AccountOf(of) != of || !slices.Contains(component.Names(), c) {
				t.Errorf("%s: %s works with the account of %s, which has none of its own", p.Name, c, of)
			}
		}
		for c := range p.RoleWords {
			if p.AccountOf(c) != c {
				t.Errorf("%s: %s has no account, and so no roles", p.Name, c)
			}
		}
		if found, ok := FindProfile(p.Name); !ok || found.Name != p.Name {
			t.Errorf("%s is not found", p.Name)
		}
	}
	if p, ok := FindProfile(""); !ok || p.Name != ProfileKubeSystem {
		t.Errorf("the default is %q", p.Name)
	}
	if p, ok := FindProfile("kubesystem"); ok {
		t.Errorf("kubesystem is found as %s", p.Name)
	}
}

func TestReadFrom(t *testing.T) {
	t.Parallel()
	for profile, want := range map[string][]string{
		"":                {"kube-system", "openshift-machine-api", "openshift-cluster-csi-drivers", "openshift-cloud-controller-manager", "openshift-cluster-storage-operator"},
		ProfileKubernetes: {"kube-system", "vmware-system-csi"},
	} {
		if p, _ := FindProfile(profile); !slices.Equal(p.ReadFrom(), want) {
			t.Errorf("%s: got %q, want %q", p.Name, p.ReadFrom(), want)
		}
	}
}
