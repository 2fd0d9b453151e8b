//go:build unix

package vcsimtests

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vmware/govmomi/object"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// The keys of a shell edit an answer, a CA file stands for comparing thumbprints and is named to the next command, and a path
// that does not fit on its line can be read whole, before and after it is chosen.
func TestWizardLongPathAndCAFile(t *testing.T) {
	t.Parallel()
	l := newWizardLab(t, vcsim.Options{})
	v := l.VCenters[0]
	if err := os.WriteFile(filepath.Join(l.dir, "ca.pem"), l.CA, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	client, err := v.Login(ctx, v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	ref, err := object.NewSearchIndex(client).FindByInventoryPath(ctx, "/DC1/vm/openshift")
	if err != nil || ref == nil {
		t.Fatalf("no folder: %v", err)
	}
	long := "retail-" + strings.Repeat("frankfurt-and-paris-", 5) + "end"
	if _, err := object.NewFolder(client, ref.Reference()).CreateFolder(ctx, long); err != nil {
		t.Fatal(err)
	}
	whole := func(lines []string) bool {
		text := strings.NewReplacer("\n", "", " ", "").Replace(strings.Join(lines, "\n"))
		return strings.Contains(text, "openshift/"+long)
	}

	c := l.open(t, 80, 30)
	c.asks("cluster name")
	c.types("c8 wrong" + "\x17" + "\x01" + "x" + "\x1b[F" + "\x15" + "c9 z" + "\x1b[D" + "\x0b" + "\x7f" + keyEnter) // w, a, End, u, left, k
	c.answer("vCenter", v.Server())
	c.pick("is this thumbprint", "CA", "check it with a CA file")
	c.answer("CA file", "nowhere.pem")
	c.shows("nowhere.pem does not exist")
	c.asks("CA file")
	c.types("\x15ca.pem" + keyEnter)
	c.answer("administrator of "+v.Server(), "")
	c.asks("password of")
	c.types("wrong\x15" + v.AdminPassword() + keyEnter)
	c.shows("logged in as")
	c.answer("failure domain", "east")
	c.answer("east: datacenter", "")
	c.answer("east: cluster", "")
	c.answer("east: resource pool", "")
	c.asks("east: VM folder")
	c.types("retail")
	c.until("the whole path", whole)
	c.types(keyEnter)
	c.asks("east: datastore")
	if !whole(c.lines()) {
		t.Errorf("the answer cannot be read whole:\n%s", strings.Join(c.lines(), "\n"))
	}
	c.answer("east: datastore", "")
	c.some("east: networks", "VM Network")
	c.answer("east: template", "")
	c.answer("east: is the zone a host group?", "")
	c.answer("east: region", "")
	c.answer("another failure domain?", "")
	c.answer("another vCenter?", "")
	c.rest()
	c.pick("what now?", "", "write provisioning.yaml")
	c.ends(0)
	s, err := spec.Load(filepath.Join(l.dir, "provisioning.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Cluster != "c9" || s.VCenters[0].FailureDomains[0].Folder != "/DC1/vm/openshift/"+long {
		t.Errorf("%+v", s)
	}
	if text := strings.NewReplacer("\r\n", "", "\n", "").Replace(c.printed()); !strings.Contains(text, "--cacert ca.pem") || strings.Contains(text, "--thumbprint") {
		t.Errorf("the next command does not name the CA file:\n%s", c.printed())
	}
	l.secretless(t, c)
}
