package secrets

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/held"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

var errBroken = errors.New("broken pipe")

// brokenWriter takes some bytes, and then no more.
type brokenWriter struct{ left int }

// Write implements io.Writer.
func (b *brokenWriter) Write(p []byte) (int, error) {
	n := min(b.left, len(p))
	b.left -= n
	if n < len(p) {
		return n, errBroken
	}
	return n, nil
}

// What stdout did not take to its last byte was not handed out: it is not marked, so --applied leaves it.
func TestBrokenStdoutMarksNothing(t *testing.T) {
	t.Parallel()
	accounts := openshift.Accounts{"vc1.example.com": {component.CSIDriver: credfile.Account{User: "a@vsphere.local", Password: secret.New("pw-1")}}}
	list, _, err := held.Make([]string{"vc1.example.com"}, accounts, []release.Request{
		{Ref: component.At("openshift-cloud-credential-operator", "one"), SecretRef: component.At("openshift-one", "vsphere"), Component: component.CSIDriver},
	})
	if err != nil {
		t.Fatal(err)
	}
	d := held.Dir{Path: filepath.Join(t.TempDir(), "held")}
	unlock, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := d.Put(list[0]); err != nil {
		t.Fatal(err)
	}
	fake := termtest.NewFake()
	o := &ReleaseOptions{Factory: command.NewFactory(fake.Streams, command.Build{})}
	list, err = d.Read()
	if err != nil {
		t.Fatal(err)
	}
	o.Out = &brokenWriter{left: 100}
	if err := o.printHeld(t.Context(), d, list); !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	now, err := d.Read()
	if err != nil || len(now) != 1 || now[0].Printed {
		t.Fatalf("%+v, %v", now, err)
	}
	if gone, stay, err := d.Applied(now, nil); len(gone) != 0 || len(stay) != 1 || err != nil {
		t.Fatalf("%v, %v, %v", gone, stay, err)
	}
	o.Out = &brokenWriter{left: 1 << 20}
	if err := o.printHeld(t.Context(), d, list); err != nil {
		t.Fatal(err)
	}
	if now, err = d.Read(); err != nil || len(now) != 1 || !now[0].Printed {
		t.Fatalf("%+v, %v", now, err)
	}
	if _, err := os.Stat(filepath.Join(d.Path, "printed", list[0].File())); err != nil {
		t.Error(err)
	}
}
