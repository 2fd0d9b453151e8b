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
	if got := lists.Union([]string{"c", "a"}, []string{"b", "a"}); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%q", got)
	}
	five := []string{"a", "b", "c", "d", "e"}
	if got := lists.Few(five); got != "a, b, c, d, e" {
		t.Error(got)
	}
	if got := lists.Few(append(five, "f")); got != "a, b, c, d and 2 more" {
		t.Error(got)
	}
}
