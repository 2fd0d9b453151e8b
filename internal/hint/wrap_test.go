package hint_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// The remedies of an error stay when others are added, before these, and the cause can still be told.
func TestWrapKeepsEarlierRemedies(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	err := hint.Wrap(hint.Wrap(cause, "first", "second"), "third")
	outer, ok := errors.AsType[*hint.Error](err)
	if !ok || !slices.Equal(outer.Hints(), []string{"first", "second", "third"}) || !errors.Is(err, cause) || err.Error() != "cause" {
		t.Errorf("%#v", err)
	}
}
