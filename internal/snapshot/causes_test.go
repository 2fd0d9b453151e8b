package snapshot

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// One typing mistake is one error: what is below a datacenter that is not there, and what two failure domains name, is said
// once, and everything else that is wrong stands beside it.
func TestCauses(t *testing.T) {
	t.Parallel()
	missing := func(p string) error { return fmt.Errorf("vc1: %w", &MissingError{Path: p}) }
	errs := []error{
		missing("/DC1/host/c"), missing("/DC2/datastore/d"), missing("/DC1"), hint.Wrap(missing("/DC1/vm/x"), "--create-folders creates it"),
		missing("/DC2/datastore/d"), errors.New("vc1: /DC3/host/C is a Folder"), missing("/DC11/host/C"),
	}
	var got []string
	for _, err := range causes(errs) {
		got = append(got, err.Error())
	}
	want := []string{
		"vc1: there is no /DC2/datastore/d", "vc1: there is no /DC1", "vc1: /DC3/host/C is a Folder", "vc1: there is no /DC11/host/C",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
