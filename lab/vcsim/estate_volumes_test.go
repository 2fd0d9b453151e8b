package vcsim

import (
	"io"
	"regexp"
	"strings"
	"testing"

	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// The CSI driver finds datastores by their URL, and takes none that is not of this form.
func TestVolumesOfDatastores(t *testing.T) {
	form := regexp.MustCompile(`^ds:///vmfs/volumes/[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}/$`)
	seen := map[string]bool{}
	for _, v := range twins(t) {
		for _, props := range [][]string{{"name", "summary", "info"}, {"name", "summary.type", "summary.url", "info.url"}, nil} {
			for _, ds := range every[mo.Datastore](t, v, "Datastore", props...) {
				url := ds.Summary.Url
				if ds.Summary.Type != "VMFS" || !form.MatchString(url) {
					t.Errorf("%v: %s has type %q and URL %q", props, ds.Name, ds.Summary.Type, url)
				}
				switch info := ds.Info.(type) {
				case *types.DatastoreInfo: // of info.url alone
					if info.Url != url {
						t.Errorf("%v: %s has the URL %q in info", props, ds.Name, info.Url)
					}
				case *types.VmfsDatastoreInfo:
					if info.Url != url || info.Vmfs.Name != ds.Name || !strings.Contains(url, info.Vmfs.Uuid) {
						t.Errorf("%v: %s has %+v of %+v", props, ds.Name, info.DatastoreInfo, info.Vmfs)
					}
				default:
					t.Errorf("%v: %s is a %T", props, ds.Name, info)
				}
				seen[url] = true
			}
		}
	}
	if len(seen) != 4 {
		t.Errorf("%d URLs of 4 datastores: %v", len(seen), seen)
	}
}

// Files go to the datastore and come back, for all that its URL says.
func TestFilesOfVolumes(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	ds := must(finding.NewFinder(c).Datastore(t.Context(), "/DC1/datastore/ds1"))
	if err := ds.Upload(t.Context(), strings.NewReader("contents"), "dir/file", &soap.DefaultUpload); err != nil {
		t.Fatal(err)
	}
	if _, err := ds.Stat(t.Context(), "dir/file"); err != nil {
		t.Error(err)
	}
	body, _, err := ds.Download(t.Context(), "dir/file", &soap.DefaultDownload)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = body.Close() }()
	if b := must(io.ReadAll(body)); string(b) != "contents" {
		t.Errorf("%q", b)
	}
	if _, err := methods.RefreshDatastore(t.Context(), c, &types.RefreshDatastore{This: ds.Reference()}); err != nil {
		t.Error(err)
	}
	var cluster mo.ComputeResource
	if err := property.DefaultCollector(c).RetrieveOne(t.Context(), must(finding.NewFinder(c).ClusterComputeResource(t.Context(), "/DC1/host/C1")).Reference(), []string{"environmentBrowser"}, &cluster); err != nil {
		t.Fatal(err)
	}
	target, err := methods.QueryConfigTarget(t.Context(), c, &types.QueryConfigTarget{This: *cluster.EnvironmentBrowser})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range target.Returnval.Datastore {
		if !strings.HasPrefix(d.Datastore.Url, "ds:///") {
			t.Errorf("a target of machines has %s", d.Datastore.Url)
		}
	}
}

// No vCenter manages hosts that are newer than itself.
func TestHostsAreNotNewerThanTheirVCenter(t *testing.T) {
	for _, v := range start(t, Options{VCenters: len(Releases()), Releases: Releases()}).VCenters {
		for _, h := range every[mo.HostSystem](t, v, "HostSystem", "config.product", "summary.config.product") {
			p := h.Config.Product
			if parseVersion(v.Version()).before(parseVersion(p.Version)) || *h.Summary.Config.Product != p {
				t.Errorf("%s: %+v, and %+v in summary", v.Release(), p, h.Summary.Config.Product)
			}
			if !strings.HasPrefix(p.FullName, "VMware ESXi "+p.Version+" build-"+p.Build) || p.Build == "" || p.ApiVersion != p.Version+".0" {
				t.Errorf("%s: %+v", v.Release(), p)
			}
		}
	}
}
