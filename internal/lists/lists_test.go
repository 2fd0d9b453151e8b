package lists_test

import (
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

func TestLists(t *testing.T) {
	t.Parallel()
	if got := lists.AppendNew([]string{"b", "a"}, "a", "c", "c", ""); !slices.Equal(got, []string{"b", "a", "c", ""}) {
		t.Errorf("%q", got)
	}
	if got := lists.Without([]int{3, 1, 2, 1}, []int{1, 4}); !slices.Equal(got, []int{3, 2}) {
		t.Errorf("%v", got)
	}
	if got := lists.Without([]int{1}, []int{1}); got != nil {
		t.Errorf("%v is not nil", got)
	}
}
