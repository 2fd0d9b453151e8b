package job

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Of two runs that record at once one writes, and the other says that it did not.
func TestStateIsWrittenByOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "prod.yaml")
	const file = "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c1\nvcenters: [{server: vc1.example.com}]\n"
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	disabling := func(c component.Name) *State {
		e, err := spec.NewEdit(path, func(s *spec.Spec) *spec.Spec { return s.Disable([]component.Name{c}, true) })
		if err != nil {
			t.Fatal(err)
		}
		return &State{Edit: e, file: path}
	}
	one, two := disabling(component.CSIDriver), disabling(component.Diagnostics)
	unlock, err := credfile.Lock(one.Path, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Write(); !errors.Is(err, credfile.ErrLocked) {
		t.Errorf("beside another run: %v", err)
	}
	unlock()
	if err := one.Write(); err != nil {
		t.Fatal(err)
	}
	if err := two.Write(); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("after another run: %v", err)
	}
	text, err := os.ReadFile(one.Path)
	if err != nil || !strings.Contains(string(text), "csi-driver") || strings.Contains(string(text), "diagnostics") {
		t.Errorf("%v\n%s", err, text)
	}
	if left, err := filepath.Glob(filepath.Dir(path) + "/*.lock"); err != nil || left != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}
