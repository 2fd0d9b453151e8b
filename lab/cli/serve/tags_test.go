package serve_test

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
)

// The failure domains of the lab's install-config have the tags by which OpenShift finds their regions and zones.
func TestSimulateTagsFailureDomains(t *testing.T) {
	t.Parallel()
	l := startLab(t, "--vcenters", "2")
	text := func(key string) string {
		path, _ := l.view[key].(string)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	password := regexp.MustCompile("(?m)password *= *[`\"]?([^`\"\\s]+)").FindStringSubmatch(text("adminCredentials"))
	config := text("installConfig")
	vcenters, _ := l.view["vcenters"].([]any)
	if len(vcenters) != 2 || password == nil {
		t.Fatalf("%v", l.view)
	}
	for i := range vcenters {
		n := i + 1
		one, _ := vcenters[i].(map[string]any)
		u := &url.URL{Scheme: "https", Host: fmt.Sprint(one["address"]), Path: vim25.Path}
		c, err := vim25.NewClient(t.Context(), soap.NewClient(u, true))
		if err != nil {
			t.Fatal(err)
		}
		admin := url.UserPassword(fmt.Sprint(one["adminUser"]), password[1])
		api := rest.NewClient(c)
		if err := session.NewManager(c).Login(t.Context(), admin); err != nil {
			t.Fatal(err)
		}
		if err := api.Login(t.Context(), admin); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]string{
			fmt.Sprintf("/DC%d", n): fmt.Sprintf("region-%d", n), fmt.Sprintf("/DC%d/host/C%d", n, n): fmt.Sprintf("zone-%d", n),
		} {
			found, err := find.NewFinder(c).ManagedObjectList(t.Context(), path)
			if err != nil || len(found) != 1 {
				t.Fatalf("%s: %v, %v", path, found, err)
			}
			list, err := tags.NewManager(api).GetAttachedTags(t.Context(), found[0].Object)
			if err != nil || len(list) != 1 || list[0].Name != want {
				t.Errorf("%s: %+v, %v", path, list, err)
			}
			kind, _, _ := strings.Cut(want, "-")
			if !slices.Contains(strings.Fields(config), want) {
				t.Errorf("the install-config names no %s %s", kind, want)
			}
			if category, err := tags.NewManager(api).GetCategory(t.Context(), "openshift-"+kind); err != nil || category.ID != list[0].CategoryID {
				t.Errorf("%s is of category %+v, %v", want, category, err)
			}
		}
	}
}
