package job

import (
	"strings"
	"syscall"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// A state file that is mounted alone cannot be replaced: the way out is its own, not that of the credentials file.
func TestStateMountedAlone(t *testing.T) {
	t.Parallel()
	path := clitest.WriteFile(t, "prod.yaml", "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\nvcenters: [{server: vc1.example.com}]\n", 0o600)
	disabling := func(c component.Name) *State {
		e, err := spec.NewEdit(path, func(s *spec.Spec) *spec.Spec { return s.Disable([]component.Name{c}, true) })
		if err != nil {
			t.Fatal(err)
		}
		return &State{Edit: e, file: path}
	}
	one := disabling(component.CSIDriver)
	if err := one.Write(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount(one.Path, one.Path, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("only root mounts: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(one.Path, syscall.MNT_DETACH) })
	err := disabling(component.Diagnostics).Write()
	if err == nil {
		t.Fatal("it was replaced")
	}
	if hints := strings.Join(term.ErrorLines(err)[0].Hints, "\n"); hints != "it is mounted alone, so it cannot be replaced: mount its directory" {
		t.Errorf("%v: %s", err, hints)
	}
}
