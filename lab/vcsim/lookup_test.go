package vcsim

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/lookup"
	"github.com/vmware/govmomi/lookup/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// instances lists the vCenters that a lookup service knows by the ids of their registrations.
func instances(t *testing.T, v *VCenter) []string {
	t.Helper()
	c, err := lookup.NewClient(t.Context(), plain(t, v))
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.List(t.Context(), &types.LookupServiceRegistrationFilter{
		ServiceType: &types.LookupServiceRegistrationServiceType{Product: "com.vmware.cis", Type: "vcenterserver"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, info := range list {
		out = append(out, info.ServiceId)
	}
	slices.Sort(out)
	return out
}

func TestR40LinkedVCentersKnowEachOther(t *testing.T) {
	for _, linked := range []bool{true, false} {
		l := start(t, Options{VCenters: 3, Linked: linked})
		var all []string
		for _, v := range l.VCenters {
			all = append(all, plain(t, v).ServiceContent.About.InstanceUuid)
		}
		slices.Sort(all)
		for i, v := range l.VCenters {
			want := all
			if !linked {
				want = []string{plain(t, v).ServiceContent.About.InstanceUuid}
			}
			if diff := cmp.Diff(want, instances(t, v)); diff != "" {
				t.Errorf("linked %t, vCenter %d (-want +got):\n%s", linked, i, diff)
			}
		}
	}
}

func TestR40LinkedVCentersShareAccounts(t *testing.T) {
	l := start(t, Options{VCenters: 2, Linked: true})
	a, b := l.VCenters[0], l.VCenters[1]
	if err := a.Directory().AddUser("x", goodPassword, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	token, err := issue(t, a, "x@vsphere.local", goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Directory().AddMember("Administrators", "x", false); err != nil {
		t.Fatal(err)
	}
	if name, err := byToken(t, b, token); err != nil || name != `VSPHERE.LOCAL\x` {
		t.Errorf("a token of one at the other: %s, %v", name, err)
	}
}

func TestLookupURLs(t *testing.T) {
	v := start(t, Options{Domain: "a.sso"}).VCenters[0]
	c, err := lookup.NewClient(t.Context(), plain(t, v))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct{ protocol, kind, want string }{
		{"wsTrust", "com.vmware.cis.cs.identity.sso", "https://vcenter1.example.com/sts/STSService/a.sso"},
		{"vmomi", "com.vmware.cis.cs.identity.admin", "https://vcenter1.example.com/sso-adminserver/sdk/a.sso"},
		{"vmomi", "com.vmware.vim", "https://vcenter1.example.com/sdk"},
	} {
		list, err := c.List(t.Context(), &types.LookupServiceRegistrationFilter{
			EndpointType: &types.LookupServiceRegistrationEndpointType{Protocol: e.protocol, Type: e.kind},
		})
		if err != nil || len(list) != 1 || len(list[0].ServiceEndpoints) != 1 || list[0].ServiceEndpoints[0].Url != e.want {
			t.Errorf("%s: %+v, %v", e.kind, list, err)
		}
	}
	if _, err := c.List(t.Context(), nil); err == nil {
		t.Error("a list without a filter is answered")
	}
	if id, err := c.SiteID(t.Context()); err != nil || id == "" {
		t.Errorf("site %q, %v", id, err)
	}
}
