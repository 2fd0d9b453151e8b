package vcsim

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"
)

// Resource pools can be made on several vCenters at once. The race detector is what looks: govmomi's simulator writes the name of each
// into a summary that all vCenters of the process share.
func TestPoolsAreMadeOnSeveralVCentersAtOnce(t *testing.T) {
	t.Parallel()
	lab := start(t, Options{VCenters: 2})
	ctx := context.Background()
	var parents []object.ResourcePool
	for i, v := range lab.VCenters {
		client, err := v.Login(ctx, v.AdminUser(), v.AdminPassword())
		if err != nil {
			t.Fatal(err)
		}
		parents = append(parents, *poolAt(t, client, fmt.Sprintf("/DC%d/host/C%d/Resources", i+1, i+1)))
	}
	var group sync.WaitGroup
	errs := make([]error, len(parents))
	for i := range parents {
		group.Go(func() {
			for n := range 10 {
				if _, err := parents[i].Create(ctx, fmt.Sprintf("pool%d", n), types.DefaultResourceConfigSpec()); err != nil {
					errs[i] = err
				}
			}
		})
	}
	group.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("vCenter %d: %v", i+1, err)
		}
	}
}

func poolAt(t *testing.T, client *vim25.Client, path string) *object.ResourcePool {
	t.Helper()
	ref, err := object.NewSearchIndex(client).FindByInventoryPath(context.Background(), path)
	if err != nil || ref == nil {
		t.Fatalf("no %s: %v", path, err)
	}
	return object.NewResourcePool(client, ref.Reference())
}
