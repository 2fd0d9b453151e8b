package provision_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// A credentials file that is mounted alone cannot be replaced. That is said once, with the way out, before any password is set.
func TestMountedAlone(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.spec.Components = map[component.Name]spec.Component{"machine-api": {}}
	h.mustApply(t)
	if err := syscall.Mount(h.path, h.path, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("only root mounts: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(h.path, syscall.MNT_DETACH) })
	before, v := h.snapshot(), h.lab.VCenters[0]
	v.ResetRequests()
	h.spec.Components["csi-driver"] = spec.Component{}
	for name, do := range map[string]func() error{
		"apply":    func() error { _, err := h.apply(t); return err },
		"rotate":   func() error { _, err := h.turn(t, "replace", "machine-api"); return err },
		"in place": func() error { _, _, err := h.rotate(t, "machine-api"); return err },
	} {
		err := do()
		if err == nil || !strings.Contains(err.Error(), "it is mounted alone, so it cannot be replaced: mount its directory") {
			t.Errorf("%s: %v", name, err)
		}
		for _, method := range []string{"CreateLocalPersonUser", "ResetLocalPersonUserPassword"} {
			if n := v.Requests()[method]; n != 0 {
				t.Errorf("%s: %d times %s", name, n, method)
			}
		}
	}
	if h.snapshot() != before {
		t.Error("the vCenter holds something else than before")
	}
	if list, err := os.ReadDir(filepath.Dir(h.path)); err != nil || len(list) != 1 {
		t.Errorf("beside it: %v %v", list, err)
	}
}
