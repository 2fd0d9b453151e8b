package kit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Whatever inventory a lab has, the provisioning file for it is one that spec accepts, with a place for machines.
func TestLabSpecIsValid(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		lab, err := vcsim.Start(vcsim.Options{VCenters: 2, Estate: vcsim.EstateOptions{Seed: seed}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := specOf(lab)
		if err != nil {
			t.Fatal(err)
		}
		lab.Close()
		again, err := spec.Parse("lab", s.YAML())
		if err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, s.YAML())
			continue
		}
		if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
		for kind, of := range map[string]struct {
			text  []byte
			parse func(string, []byte) (*spec.Spec, error)
		}{
			"install-config": {installConfigOf(s), spec.ParseInstallConfig},
			"Infrastructure": {infrastructureOf(s), spec.ParseInfrastructure},
		} {
			got, err := of.parse("lab", of.text)
			if err != nil {
				t.Errorf("seed %d: %s: %v\n%s", seed, kind, err, of.text)
				continue
			}
			for i := range s.VCenters {
				got.VCenters[i].Address = s.VCenters[i].Address
			}
			if diff := cmp.Diff(s.VCenters, got.VCenters); diff != "" || s.Cluster != got.Cluster {
				t.Errorf("seed %d: %s: %s", seed, kind, diff)
			}
		}
		for _, vc := range s.VCenters {
			if len(vc.FailureDomains) != 1 {
				t.Errorf("seed %d: %s has %d failure domains", seed, vc.Server, len(vc.FailureDomains))
			}
		}
	}
}
