package estate

import (
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vapi/tags"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Tags are captured with the objects that have them, and what is left out is said.
func TestCaptureTags(t *testing.T) {
	t.Parallel()
	l := lab(t, vcsim.Options{})
	v := l.VCenters[0]
	machine := v.Estate().Datacenters[0].VMs[0]
	for _, one := range [][3]string{
		{"/DC1", "openshift-region", "r1"},
		{"/DC1/host/C1", "openshift-zone", "z1"},
		{"/DC1/datastore/ds1", "backup", "daily"},
		{machine, "backup", "daily"},
		{machine, "backup", "weekly"},
	} {
		if err := v.Tag(one[0], one[1], one[2]); err != nil {
			t.Fatal(err)
		}
	}
	c, err := v.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	api := rest.NewClient(c)
	if err := api.Login(t.Context(), url.UserPassword(v.AdminUser(), v.AdminPassword())); err != nil {
		t.Fatal(err)
	}
	if _, err := tags.NewManager(api).CreateCategory(t.Context(), &tags.Category{Name: "empty", Cardinality: "SINGLE"}); err != nil {
		t.Fatal(err)
	}
	e, all := Capture(t.Context(), []Target{target(l, v)}, Options{})
	if all[0].Err != nil {
		t.Fatal(all[0].Err)
	}
	want := []Tag{
		{"backup", "daily", []string{"/DC1/datastore/ds1"}},
		{"backup", "weekly", nil},
		{"empty", "", nil},
		{"openshift-region", "r1", []string{"/DC1"}},
		{"openshift-zone", "z1", []string{"/DC1/host/C1"}},
	}
	if diff := cmp.Diff(want, e.VCenters[0].Tags); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, note := range []string{
		"omitted: tags of 2 objects outside the file",
	} {
		if !slices.Contains(all[0].Notes, note) {
			t.Errorf("no %s in %q", note, all[0].Notes)
		}
	}
	again, err := Parse("again", e.YAML())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e, again); diff != "" {
		t.Error(diff)
	}
}
