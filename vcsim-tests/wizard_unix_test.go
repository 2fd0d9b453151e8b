//go:build unix

package vcsimtests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/view"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// folders is how many VM folders a big estate has, all in one list.
const folders = 2000

// wizardLab is an estate with a directory and a home for who asks there.
type wizardLab struct {
	*vcsim.Lab
	dir, home string
	env       []string
}

func newWizardLab(t *testing.T, o vcsim.Options) *wizardLab {
	t.Helper()
	lab, err := vcsim.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	l := &wizardLab{Lab: lab, dir: t.TempDir(), home: t.TempDir()}
	l.env = []string{"HOME=" + l.home, "OCP_VSPHERE_ADMIN_TIMEOUT=" + patientTerminal.String()} // of one call, on a crowded machine
	return l
}

// addresses are the flags that lead to the vCenters.
func (l *wizardLab) addresses() []string {
	var words []string
	for _, v := range l.VCenters {
		words = append(words, "--connect-to", v.Server()+"="+v.Addr())
	}
	return words
}

func (l *wizardLab) open(t *testing.T, cols, rows int, words ...string) *terminal {
	t.Helper()
	return openTerminal(t, cols, rows, l.dir, l.env, append(append([]string{"init"}, words...), l.addresses()...)...)
}

// crowd makes many folders below the VM folder of the first datacenter.
func crowd(t *testing.T, v *vcsim.VCenter) {
	t.Helper()
	ctx := context.Background()
	client, err := v.Login(ctx, v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	dc := v.Estate().Datacenters[0].Path
	ref, err := object.NewSearchIndex(client).FindByInventoryPath(ctx, dc+"/vm")
	if err != nil || ref == nil {
		t.Fatalf("no VM folder: %v", err)
	}
	var in *object.Folder
	for i := range folders {
		if i%200 == 0 {
			if in, err = object.NewFolder(client, ref.Reference()).CreateFolder(ctx, fmt.Sprintf("tenants-%02d", i/200)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := in.CreateFolder(ctx, fmt.Sprintf("tenant %04d", i)); err != nil {
			t.Fatal(err)
		}
	}
}

// objects counts the inventory.
func objects(t *testing.T, v *vcsim.VCenter) int {
	t.Helper()
	ctx := context.Background()
	client, err := v.Login(ctx, v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	all, err := view.NewManager(client).CreateContainerView(ctx, client.ServiceContent.RootFolder, []string{"ManagedEntity"}, true)
	if err != nil {
		t.Fatal(err)
	}
	refs, err := all.Find(ctx, []string{"ManagedEntity"}, property.Match{"name": "*"})
	if err != nil {
		t.Fatal(err)
	}
	return len(refs)
}

// login answers for a vCenter whose certificate nobody signed.
func (c *terminal) login(v *vcsim.VCenter, message string) {
	c.t.Helper()
	c.answer(message, v.Server())
	c.shows(v.Thumbprint()[:30]) // a long line breaks
	c.pick("is this thumbprint", "yes", "yes, trust it")
	c.answer("administrator of "+v.Server(), "")
	c.answer("password of", v.AdminPassword())
}

// rest answers what comes after the vCenters with the defaults.
func (c *terminal) rest() {
	c.t.Helper()
	c.answer("profile", "")
	c.answer("components", "")
	c.answer("components that use existing accounts", "")
	c.answer("account names", "")
	c.answer("privilege matrix", "")
	c.answer("what the cluster uses", "")
	c.answer("roles", "")
}

// secretless fails when something that was shown or written holds a password. The credentials file is where they belong.
func (l *wizardLab) secretless(t *testing.T, c *terminal) {
	t.Helper()
	for _, v := range l.VCenters {
		if strings.Contains(c.printed(), v.AdminPassword()) {
			t.Error("the administrator's password is on the screen")
		}
		for _, name := range []string{"provisioning.yaml", "provisioning.yaml.draft"} {
			if data, err := os.ReadFile(filepath.Join(l.dir, name)); err == nil && strings.Contains(string(data), v.AdminPassword()) {
				t.Errorf("%s holds the administrator's password", name)
			}
		}
	}
}

func TestWizardFromNothingToVerifiedAccounts(t *testing.T) {
	t.Parallel()
	l := newWizardLab(t, vcsim.Options{VCenters: 2, Estate: vcsim.EstateOptions{Objects: 3000}})
	one, two := l.VCenters[0], l.VCenters[1]
	crowd(t, one)
	if n := objects(t, one); n < 4900 {
		t.Fatalf("the estate has only %d objects", n)
	}
	c := l.open(t, 80, 24)
	c.answer("cluster name", "c9")
	c.login(one, "vCenter")
	c.answer("failure domain", "east")
	c.pick("east: datacenter", "", "DC1")
	c.pick("east: cluster", "c1", "C1")
	c.pick("east: resource pool", "opensh", "openshift")

	// two thousand folders: what is typed narrows them down, and ? explains
	c.asks("east: VM folder")
	c.shows("... more with up and down")
	c.types("?")
	c.shows("Where the machines are in the inventory.")
	one.ResetRequests()
	c.types("tenant 17 99")
	c.marked("tenants-08/tenant 1799")
	if strings.Contains(strings.Join(c.lines(), "\n"), "... more") {
		t.Error("a list of one entry goes on")
	}
	if one.Total() != 0 {
		t.Errorf("typing asked the vCenter: %v", one.Requests())
	}
	c.types(keyErase)
	c.marked("create one")
	c.types("cluster1")
	c.marked("openshift/cluster1")
	c.types(keyEnter)

	c.pick("east: datastore", "ds1", "ds1")
	c.some("east: networks", "ocp-net", "VM Network")

	// back twice, by key and by entry, and forward again: the answers are there
	c.asks("east: template")
	c.types(keyBack)
	c.asks("east: networks")
	c.shows("[x] ocp-net")
	c.shows("[x] VM Network")
	c.types(keyBack)
	c.asks("east: datastore")
	c.marked("ds1")
	c.types("<")
	c.marked("‹ back")
	c.types(keyEnter)
	c.asks("east: VM folder")
	c.marked("openshift/cluster1")
	c.types(keyEnter)
	c.answer("east: datastore", "")
	c.answer("east: networks", "")

	c.pick("east: template", "existing", "use an existing one")
	c.pick("east: which template", "rhcos", "templates/rhcos")
	c.answer("east: is the zone a host group?", "")
	c.answer("east: region", "")
	c.answer("another failure domain?", "")
	c.pick("another vCenter?", "yes", "yes")

	c.answer("next vCenter", two.Server())
	c.pick("is this thumbprint", "yes", "yes, trust it")
	c.pick("log in to "+two.Server()+" with the same", "", "yes")
	c.answer("failure domain", "west")
	c.answer("west: datacenter", "")
	c.answer("west: cluster", "")
	c.answer("west: resource pool", "")
	c.pick("west: VM folder", "apply", "create one")
	c.answer("new folder below", "") // the name of the cluster
	c.answer("west: datastore", "")
	c.some("west: networks", "VM Network")
	c.answer("west: template", "")
	c.answer("west: is the zone a host group?", "")
	c.answer("west: region", "us")
	c.answer("west: zone", "us-1")
	c.answer("another failure domain?", "")
	c.answer("another vCenter?", "")
	c.rest()

	c.asks("what now?")
	if !strings.Contains(c.printed(), "plan: ") || !strings.Contains(c.printed(), "+ /DC2/vm/c9") {
		t.Errorf("no plan was shown:\n%s", c.printed())
	}
	c.pick("what now?", "and apply", "write provisioning.yaml and apply")
	c.pick("verify the accounts now?", "yes", "yes")
	c.ends(0)
	for _, text := range []string{
		"wrote provisioning.yaml", "applied: ", ": 0 privileges missing, 0 excess", "next: ocp-vsphere-admin secrets emit -f provisioning.yaml",
	} {
		if !strings.Contains(oneLine(c.printed()), text) {
			t.Errorf("%q was not said:\n%s", text, c.printed())
		}
	}
	l.secretless(t, c)
	s, err := spec.Load(filepath.Join(l.dir, "provisioning.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	east, west := s.VCenters[0].FailureDomains[0], s.VCenters[1].FailureDomains[0]
	if east.Folder != "/DC1/vm/openshift/cluster1" || len(east.Networks) != 2 || east.Template != "/DC1/vm/templates/rhcos" || west.Folder != "/DC2/vm/c9" || east.Region+east.Zone != "" || west.Region != "us" || west.Zone != "us-1" {
		t.Errorf("%+v\n%+v", east, west)
	}
	if _, err := os.Stat(filepath.Join(l.dir, "provisioning.yaml.draft")); err == nil {
		t.Error("the draft is still there")
	}

	// a second look from outside: nothing is left to do, and the accounts are what they should be
	ini := filepath.Join(l.dir, "admin.ini")
	var logins strings.Builder
	words := []string{"-f", "provisioning.yaml", "--admin-credentials", ini}
	for _, v := range l.VCenters {
		fmt.Fprintf(&logins, "[%s]\nuser = %s\npassword = `%s`\n\n", v.Server(), v.AdminUser(), v.AdminPassword())
		words = append(words, "--thumbprint", v.Server()+"="+v.Thumbprint())
	}
	if err := os.WriteFile(ini, []byte(logins.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"plan", "--exit-code", "--create-folders"}, {"verify"}} {
		cmd := exec.Command(program, append(command, words...)...)
		cmd.Dir, cmd.Env = l.dir, append([]string{"PATH=" + os.Getenv("PATH")}, l.env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", command[0], err, out)
		}
	}
}

func TestWizardInterruptedAndResumed(t *testing.T) {
	t.Parallel()
	l := newWizardLab(t, vcsim.Options{})
	v := l.VCenters[0]
	c := l.open(t, 80, 24)
	c.answer("cluster name", "c9")
	c.login(v, "vCenter")
	c.answer("failure domain", "east")
	c.answer("east: datacenter", "")
	c.answer("east: cluster", "")
	c.pick("east: resource pool", "openshift", "openshift")
	c.asks("east: VM folder")
	c.types(keyCtrlC)
	c.ends(130)
	if text := oneLine(c.printed()); !strings.Contains(text, "the answers so far are in provisioning.yaml.draft, without passwords") {
		t.Errorf("said: %s", text)
	}
	l.secretless(t, c)

	c = l.open(t, 80, 24)
	c.pick("answers from", "", "continue")
	c.answer("cluster name (c9)", "")
	c.answer("vCenter ("+v.Server()+")", "") // the certificate stays accepted
	c.answer("administrator of "+v.Server(), "")
	c.answer("password of", v.AdminPassword())
	c.answer("failure domain (east)", "")
	c.answer("east: datacenter", "")
	c.answer("east: cluster", "")
	c.pick("east: resource pool", "", "openshift")
	c.pick("east: VM folder", "cluster1", "openshift/cluster1")

	// killed, not even asked: what was answered is there
	c.asks("east: datastore")
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.ends(-1)
	c = l.open(t, 80, 24)
	c.pick("answers from", "", "continue")
	c.answer("cluster name (c9)", "")
	c.answer("vCenter ("+v.Server()+")", "")
	c.answer("administrator of "+v.Server(), "")
	c.answer("password of", v.AdminPassword())
	c.answer("failure domain (east)", "")
	c.answer("east: datacenter", "")
	c.answer("east: cluster", "")
	c.answer("east: resource pool", "")
	c.pick("east: VM folder", "", "openshift/cluster1")
	c.asks("east: datastore")
	c.types(keyCtrlC)
	c.ends(130)
}

// While a vCenter is being read, Ctrl-C is a signal.
func TestWizardInterruptedWhileReading(t *testing.T) {
	t.Parallel()
	l := newWizardLab(t, vcsim.Options{})
	v := l.VCenters[0]
	c := l.open(t, 80, 24)
	c.answer("cluster name", "c9")
	c.login(v, "vCenter")
	c.asks("failure domain")
	reading, stop := make(chan struct{}, 10), make(chan struct{})
	v.SetFault(func(_ int, method string) vcsim.Fault {
		reading <- struct{}{}
		<-stop
		return vcsim.Fault{}
	})
	c.types("east" + keyEnter)
	<-reading
	c.types(keyCtrlC)
	c.ends(130)
	v.SetFault(nil)
	close(stop)
	if text := oneLine(c.printed()); !strings.Contains(text, "the answers so far are in provisioning.yaml.draft") {
		t.Errorf("said: %s", text)
	}
}

func TestWizardLosesAVCenter(t *testing.T) {
	t.Parallel()
	l := newWizardLab(t, vcsim.Options{})
	v := l.VCenters[0]
	c := l.open(t, 80, 24)
	c.answer("cluster name", "c9")
	c.login(v, "vCenter")
	c.answer("failure domain", "east")
	c.answer("east: datacenter", "")
	c.asks("east: cluster")
	v.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Blocked} })
	c.types(keyEnter)
	c.asks(v.Server() + ": what now?")
	c.shows("answered with a web page instead of SOAP")
	c.marked("try again")
	v.SetFault(nil)
	c.types(keyEnter)
	c.asks("east: resource pool")
	v.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Blocked} })
	c.types(keyEnter)
	c.asks(v.Server() + ": what now?")
	c.types("quit")
	c.marked("save and quit")
	c.types(keyEnter)
	c.ends(1)
	v.SetFault(nil)
	if _, err := os.Stat(filepath.Join(l.dir, "provisioning.yaml.draft")); err != nil {
		t.Error(err)
	}
}

// In 40 columns no line is broken by the terminal where it would be counted wrong, and nothing is left behind.
func TestWizardOnANarrowTerminalWithoutColour(t *testing.T) {
	t.Parallel()
	l := newWizardLab(t, vcsim.Options{})
	l.env = append(l.env, "NO_COLOR=1")
	v := l.VCenters[0]
	c := l.open(t, 40, 16)
	c.answer("cluster name", "c9")
	c.login(v, "vCenter")
	c.answer("failure domain", "a-zone-with-quite-a-long-name")
	c.shows("VSPHERE.LOCAL\\Administrator") // nothing above was erased
	c.answer("a-zone-with-quite-a-long-name: datacen", "")
	c.asks("a-zone-with-quite-a-long-name: cluster")
	c.types(keyDown + keyDown)
	c.types("c1")
	c.marked("C1")
	c.types(keyEnter)
	c.answer("a-zone-with-quite-a-long-name: res", "")
	c.asks("a-zone-with-quite-a-long-name: VM fol")
	c.types("openshift/cl")
	c.marked("openshift/cluster1")
	c.until("one list", func(lines []string) bool {
		lists := 0
		for _, l := range lines {
			if strings.HasPrefix(l, ">") {
				lists++
			}
		}
		return lists == 1
	})
	c.types(keyBack)
	c.asks("a-zone-with-quite-a-long-name: res")
	c.types(keyCtrlC)
	c.ends(130)
	if strings.Contains(c.printed(), "\x1b[0;") || strings.Contains(c.printed(), "\x1b[1;") || strings.Contains(c.printed(), "\x1b[3") {
		t.Errorf("colours: %q", c.printed())
	}
}

func TestWizardColours(t *testing.T) {
	t.Parallel()
	l := newWizardLab(t, vcsim.Options{})
	for _, plain := range []bool{false, true} {
		words := []string{}
		if plain {
			words = append(words, "--no-color")
		}
		c := l.open(t, 80, 24, words...)
		c.asks("cluster name")
		c.types(keyCtrlC)
		c.ends(130)
		if coloured := strings.Contains(c.printed(), "\x1b[36m"); coloured == plain {
			t.Errorf("--no-color %v: %q", plain, c.printed())
		}
	}
}

// An install-config that lies there is offered; then only the rest is asked.
func TestWizardReadsAnInstallConfig(t *testing.T) {
	t.Parallel()
	l := newWizardLab(t, vcsim.Options{})
	v := l.VCenters[0]
	if err := os.WriteFile(filepath.Join(l.dir, "install-config.yaml"), []byte(installConfig(domains(l.Lab))), 0o600); err != nil {
		t.Fatal(err)
	}
	c := l.open(t, 80, 24, "--out", "cluster1.yaml")
	c.pick("use install-config.yaml", "", "yes")
	c.pick("is this thumbprint", "yes", "yes, trust it")
	c.answer("administrator of "+v.Server(), "")
	c.answer("password of", v.AdminPassword())
	c.rest()
	c.pick("what now?", "", "write cluster1.yaml")
	c.ends(0)
	want, _, err := installconfig.Load(filepath.Join(l.dir, "install-config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := spec.Load(filepath.Join(l.dir, "cluster1.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.VCenters[0].FailureDomains) != fmt.Sprint(want.VCenters[0].FailureDomains) || got.Cluster != want.Cluster {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// oneLine is what was printed, however its lines are broken.
func oneLine(printed string) string { return strings.Join(strings.Fields(printed), " ") }
