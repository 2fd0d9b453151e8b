package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

func TestProfilesDecideWhichAccountsThereAre(t *testing.T) {
	all := component.Default()
	for profile, want := range map[string][]component.Name{
		openshift.ProfileKubeSystem:      all,
		openshift.ProfileManual:          all,
		openshift.ProfileComponentScoped: {component.MachineAPI, component.CSIDriver, component.CloudController, component.Diagnostics},
		openshift.ProfilePassthrough:     {component.Installer},
	} {
		s := blank()
		s.Profile = profile
		if diff := cmp.Diff(want, s.ComponentNames()); diff != "" {
			t.Errorf("%s: %s", profile, diff)
		}
	}
}

func TestASharedAccountHoldsWhatAllNeed(t *testing.T) {
	m, err := privileges.Load("default")
	if err != nil {
		t.Fatal(err)
	}
	every := map[component.Name]Component{} // those that a cluster has only where they are named, too
	for _, c := range component.Names() {
		every[c] = Component{}
	}
	s := blank()
	s.Profile, s.Components = openshift.ProfilePassthrough, every
	folded := s.Fold(m)
	if diff := cmp.Diff([]component.Name{component.Installer}, folded.Components()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(m.Privileges(), folded.Privileges()); diff != "" {
		t.Error("a shared account has all privileges of all components", diff)
	}
	if got := folded.RoleWord(component.Installer); got != "shared" {
		t.Errorf("a role of the shared account is called %q; another cluster's installer roles must not meet it", got)
	}
	if len(m.Components()) != len(component.Names()) || m.RoleWord(component.Installer) != "installer" {
		t.Error("folding changed the matrix itself")
	}

	s.Components = nil
	if got := s.Fold(m).Privileges(); slices.Contains(got, "Cryptographer.ManageKeys") {
		t.Error("the shared account has the privileges of cluster-api, which nobody named")
	}

	s.Profile, s.Components = openshift.ProfileKubeSystem, every
	if diff := cmp.Diff(m.Rows, s.Fold(m).Rows); diff != "" {
		t.Error("a profile with an account per component changes nothing", diff)
	}
	s.Components = map[component.Name]Component{"csi-driver": {}}
	if got := s.Fold(m).Components(); !slices.Equal(got, []component.Name{component.CSIDriver}) {
		t.Errorf("components that are not named need nothing, got %v", got)
	}
}

func TestNarrowKeepsWhatASharedAccountNeeds(t *testing.T) {
	s := blank()
	s.Profile = openshift.ProfileComponentScoped
	if err := s.Narrow(nil, []string{"machine-api"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]component.Name{component.MachineAPI, component.Installer}, s.named()); diff != "" {
		t.Error("openshift-install works with machine-api's account, and would lose its privileges", diff)
	}
	s = blank()
	s.Profile = openshift.ProfilePassthrough
	err := s.Narrow(nil, []string{"csi-driver"})
	if err == nil || !strings.Contains(err.Error(), "profile passthrough gives csi-driver no separate account") {
		t.Errorf("a component without an account of its own cannot be used alone: %v", err)
	}
}

func TestPrincipalOfAnAccountThatTheProfileDoesNotHave(t *testing.T) {
	_, err := Parse("spec.yaml", []byte(`apiVersion: ocp-vsphere-admin/v1
kind: Provisioning
cluster: c
profile: passthrough
components:
  csi-driver: {principal: svc@corp.example.com}
vcenters: [{server: vc}]
`))
	if err == nil || !strings.Contains(err.Error(), "spec.yaml:6: components.csi-driver.principal: is never used: profile passthrough") {
		t.Error(err)
	}
}
