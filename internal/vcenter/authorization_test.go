package vcenter_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Each vCenter of a run has its own roles and catalogue, which is decoded once for all that send the same.
func TestAuthorizationOfManyReleases(t *testing.T) {
	t.Parallel()
	l, err := vcsim.Start(vcsim.Options{VCenters: 4, Releases: []string{"8.0.3", "7.0.3", "8.0.3", "7.0.3"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	read := func(v *vcsim.VCenter, run *vcenter.Run) vcenter.Authorization {
		s, err := vcenter.Connect(t.Context(), vcenter.Config{Server: v.Server(), Address: v.Addr(), RootCAs: l.CA, Run: run})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(t.Context())
		if err := s.Login(t.Context(), v.AdminUser(), secret.New(v.AdminPassword())); err != nil {
			t.Fatal(err)
		}
		known, err := s.Authorization(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	run := &vcenter.Run{}
	var all []vcenter.Authorization
	for _, v := range l.VCenters {
		all = append(all, read(v, run))
		if diff := cmp.Diff(read(v, &vcenter.Run{}), all[len(all)-1]); diff != "" {
			t.Errorf("%s: %s", v.Server(), diff)
		}
	}
	same := func(a, b int) bool {
		return reflect.ValueOf(all[a].Privileges).Pointer() == reflect.ValueOf(all[b].Privileges).Pointer()
	}
	if !same(0, 2) || !same(1, 3) || same(0, 1) || len(all[0].Privileges) < 100 {
		t.Error("catalogues are not shared by release")
	}
}
