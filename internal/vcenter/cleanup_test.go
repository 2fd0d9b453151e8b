package vcenter_test

import (
	"testing"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// What was asked for is here: that the rest cannot be dropped fails nothing.
func TestFailedCleanupFailsNothing(t *testing.T) {
	t.Parallel()
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	tried := 0
	v.SetFault(func(_ int, method string) vcsim.Fault {
		if method != "CancelRetrievePropertiesEx" {
			return vcsim.Fault{}
		}
		tried++
		return vcsim.Fault{Kind: vcsim.Unavailable}
	})
	found, _, err := s.RetrieveFirst(t.Context(), 1, types.PropertyFilterSpec{
		PropSet:   []types.PropertySpec{{Type: "ManagedEntity", PathSet: []string{"name"}}, {Type: "TaskManager", PathSet: []string{"maxCollector"}}},
		ObjectSet: []types.ObjectSpec{{Obj: s.Content.RootFolder}, {Obj: *s.Content.TaskManager}},
	})
	if err != nil || len(found) != 1 || tried == 0 {
		t.Errorf("%d objects after %d attempts to drop the rest, %v", len(found), tried, err)
	}
}
