package job

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// The digest that init shows before it writes the provisioning file is the one that plan has of that file.
func TestDecidedBeforeTheFileIsWritten(t *testing.T) {
	t.Parallel()
	s, err := spec.FromServers([]string{"vcenter1.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	s.Cluster = "c1"
	path := filepath.Join(t.TempDir(), "c1.yaml")
	named := command.Invocation{}.With("file", path)
	before := (&Run{Wanted: s, Invocation: named, Unsourced: true}).decided()
	if before.Source == "" {
		t.Fatal("the file that will be written is not decided")
	}
	if err := os.WriteFile(path, s.YAML(), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := spec.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if after := (&Run{Wanted: read, Invocation: named}).decided(); !reflect.DeepEqual(before, after) {
		t.Errorf("%+v\n%+v", before, after)
	}
}
