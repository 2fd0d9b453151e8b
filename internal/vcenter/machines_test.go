package vcenter_test

import (
	"context"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Virtual machines are listed by the nearest folder that was asked for, in one request; templates are none.
func TestMachines(t *testing.T) {
	t.Parallel()
	v, s := administrator(t, vcsim.EstateOptions{})
	ctx := context.Background()
	folders := []string{"/DC1/vm", "/DC1/vm/openshift/cluster1", "/DC1/vm/templates"}
	tree, err := s.Find(ctx, folders)
	if err != nil {
		t.Fatal(err)
	}
	var refs []inventory.Ref
	want := map[string][]string{}
	for _, f := range folders {
		refs = append(refs, tree.At(f).Ref)
	}
	for _, vm := range v.Estate().Datacenters[0].VMs {
		at := "/DC1/vm"
		if strings.HasPrefix(vm, "/DC1/vm/openshift/cluster1/") {
			at = "/DC1/vm/openshift/cluster1"
		}
		want[at] = append(want[at], path.Base(vm))
	}
	v.ResetRequests()
	names, more, err := s.Machines(ctx, refs, 1000)
	if err != nil || more || v.Total() != 1 {
		t.Fatalf("%v, more: %v, %d requests", err, more, v.Total())
	}
	if len(want["/DC1/vm/openshift/cluster1"]) == 0 || len(want["/DC1/vm"]) == 0 {
		t.Fatalf("the estate has no machines to tell apart: %v", want)
	}
	for i, f := range folders {
		if got := names[refs[i]]; !slices.Equal(got, sorted(want[f])) {
			t.Errorf("%s: %q, want %q", f, got, sorted(want[f]))
		}
	}
	for limit := int32(1); ; limit++ {
		some, more, err := s.Machines(ctx, refs, limit)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, list := range some {
			n += len(list)
		}
		if n > int(limit) {
			t.Errorf("%d machines of %d objects", n, limit)
		}
		if !more {
			if limit < 6 { // four machines and their folders
				t.Errorf("nothing more than %d objects", limit)
			}
			break
		}
	}
}
