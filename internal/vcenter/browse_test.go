package vcenter_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// administrator is logged in to the only vCenter of a lab.
func administrator(t *testing.T, o vcsim.EstateOptions) (*vcsim.VCenter, *vcenter.Session) {
	t.Helper()
	lab, err := vcsim.Start(vcsim.Options{Estate: o})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	v := lab.VCenters[0]
	s, err := vcenter.Connect(context.Background(), vcenter.Config{Server: v.Server(), Address: v.Addr(), RootCAs: lab.CA})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	if err := s.Login(context.Background(), v.AdminUser(), secret.New(v.AdminPassword())); err != nil {
		t.Fatal(err)
	}
	return v, s
}

func paths(items []vcenter.Item) []string {
	var all []string
	for _, i := range items {
		all = append(all, i.Path)
	}
	slices.Sort(all)
	return all
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

func TestBrowseFindsTheEstate(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{0, 1, 2, 3, 4} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			v, s := administrator(t, vcsim.EstateOptions{Seed: seed})
			browse := func(kind vcenter.Kind, below vcenter.Item) []vcenter.Item {
				t.Helper()
				v.ResetRequests()
				items, err := s.Browse(context.Background(), kind, below)
				if err != nil {
					t.Fatal(err)
				}
				if v.Total() != 1 {
					t.Errorf("kind %d took the requests %v, want one", kind, v.Requests())
				}
				return items
			}
			same := func(what string, got []vcenter.Item, want []string) {
				t.Helper()
				if diff := cmp.Diff(sorted(want), paths(got)); diff != "" {
					t.Errorf("%s (- want): %s", what, diff)
				}
			}
			var want []string
			for _, dc := range v.Estate().Datacenters {
				want = append(want, dc.Path)
			}
			datacenters := browse(vcenter.Datacenters, s.Top())
			same("datacenters", datacenters, want)
			for _, dc := range v.Estate().Datacenters {
				at := datacenters[slices.IndexFunc(datacenters, func(i vcenter.Item) bool { return i.Path == dc.Path })]
				clusters := browse(vcenter.Clusters, at)
				var want []string
				for _, c := range dc.Clusters {
					want = append(want, c.Path)
					i := slices.IndexFunc(clusters, func(i vcenter.Item) bool { return i.Path == c.Path })
					if i < 0 {
						continue // said below
					}
					same("pools of "+c.Path, browse(vcenter.Pools, clusters[i]), c.Pools)
				}
				same("clusters", clusters, want)
				same("folders", browse(vcenter.Folders, at), dc.Folders)
				same("datastores", browse(vcenter.Datastores, at), dc.Datastores)
				same("templates", browse(vcenter.Templates, at), dc.Templates)
				want = nil
				for _, n := range dc.Networks {
					want = append(want, n.Path)
				}
				same("networks", browse(vcenter.Networks, at), want) // without those of uplinks
			}
		})
	}
}

func TestBrowseThousandsInOneRequest(t *testing.T) {
	t.Parallel()
	v, s := administrator(t, vcsim.EstateOptions{Objects: 3000})
	dcs, err := s.Browse(context.Background(), vcenter.Datacenters, s.Top())
	if err != nil {
		t.Fatal(err)
	}
	v.ResetRequests()
	templates, err := s.Browse(context.Background(), vcenter.Templates, dcs[0])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sorted(v.Estate().Datacenters[0].Templates), paths(templates)); diff != "" {
		t.Error(diff)
	}
	if v.Total() > 2 { // an answer may come in pages
		t.Errorf("requests: %v", v.Requests())
	}
}
