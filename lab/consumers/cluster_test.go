package consumers_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/consumers"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

const (
	oldPassword = "0ld-Passw0rd!"
	newPassword = "N3w-Passw0rd!"
)

// estate is one vCenter with an account for everybody who can see it, and the cluster on it.
type estate struct {
	*consumers.Cluster
	v *vcsim.VCenter
}

func begin(t *testing.T, o consumers.Options) *estate {
	t.Helper()
	o.Clock = consumers.NewClock()
	lab, err := vcsim.Start(vcsim.Options{Now: o.Clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	o.VCenters = lab.VCenters
	e := &estate{consumers.New(o), lab.VCenters[0]}
	e.account(t, "ocp", oldPassword)
	e.apply(t, "ocp", oldPassword)
	e.Tick(0)
	e.quiet(t, "at first")
	return e
}

// account makes one that reads everything.
func (e *estate) account(t *testing.T, name, password string) {
	t.Helper()
	if err := e.v.Directory().AddUser(name, password, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	const readOnly = -2
	e.permissions(t, func(m *object.AuthorizationManager, root types.ManagedObjectReference) error {
		return m.SetEntityPermissions(t.Context(), root, []types.Permission{
			{Principal: `VSPHERE.LOCAL\` + name, RoleId: readOnly, Propagate: true},
		})
	})
}

func (e *estate) permissions(t *testing.T, change func(*object.AuthorizationManager, types.ManagedObjectReference) error) {
	t.Helper()
	c, err := e.v.Login(t.Context(), e.v.AdminUser(), e.v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	if err := change(object.NewAuthorizationManager(c), c.ServiceContent.RootFolder); err != nil {
		t.Fatal(err)
	}
}

// apply applies the root secret of a release, from which all others come.
func (e *estate) apply(t *testing.T, name, password string) {
	t.Helper()
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	err := e.Apply(fmt.Sprintf(`
kind: ConfigMap
---
apiVersion: v1
kind: Secret
metadata: {name: vsphere-creds, namespace: kube-system, annotations: {cloudcredential.openshift.io/mode: passthrough}}
data: {%[1]s.username: %[2]s, %[1]s.password: %[3]s}
`, e.v.Server(), encode(name+"@vsphere.local"), encode(password)))
	if err != nil {
		t.Fatal(err)
	}
}

func (e *estate) quiet(t *testing.T, when string) {
	t.Helper()
	if r, g, l := e.Refused(), e.Gaps(), e.Locked(); len(r)+len(g)+len(l) > 0 {
		t.Errorf("%s: refused %v\ngaps %v\nlocked %v", when, r, g, l)
	}
}

func (e *estate) worked(t *testing.T) {
	t.Helper()
	for _, name := range e.Workloads() {
		if e.Worked()[name] == 0 {
			t.Errorf("%s never worked: %v", name, e.Worked())
		}
	}
}

// resetPassword changes it on the vCenter alone.
func (e *estate) resetPassword(t *testing.T) {
	t.Helper()
	if err := e.v.Directory().ResetPassword("ocp", newPassword, true); err != nil {
		t.Fatal(err)
	}
}

// who was refused, and whether it helped itself.
func (e *estate) who() []string {
	var names []string
	for _, r := range e.Refused() {
		name := r.Workload
		if r.Healed {
			name += " (healed)"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestAllWorkWhileNothingChanges(t *testing.T) {
	t.Parallel()
	e := begin(t, consumers.Options{ClusterAPI: true})
	e.Forget()
	e.Tick(3 * time.Hour)
	e.quiet(t, "in three hours")
	e.worked(t)
	if n := e.Worked()["vsphere-problem-detector-operator"]; n != 3 {
		t.Errorf("%d checks in three hours", n)
	}
	if err := e.EndSessions(); err != nil {
		t.Fatal(err)
	}
	e.Tick(time.Hour)
	e.quiet(t, "after vCenter was restarted")
}

// Who keeps a session goes on with it after a new password, and is refused when it ends; who logs in each time is refused
// at once.
func TestNewPasswordWithoutItsSecret(t *testing.T) {
	t.Parallel()
	e := begin(t, consumers.Options{ClusterAPI: true})
	e.v.Directory().SetLockoutPolicy(directory.LockoutPolicy{}) // so that nobody is refused for another's failures
	e.resetPassword(t)
	e.Tick(2 * time.Hour)
	each := []string{"machine-config-controller", "vmware-vsphere-csi-driver-operator", "vsphere-problem-detector-operator"}
	if diff := cmp.Diff(each, e.who()); diff != "" {
		t.Errorf("while the sessions live (-want +got):\n%s", diff)
	}
	if err := e.EndSessions(); err != nil {
		t.Fatal(err)
	}
	e.Forget()
	e.Tick(2 * time.Hour)
	if diff := cmp.Diff([]string{
		"cluster-capi-operator", "machine-api-controllers", "machine-config-controller", "vmware-vsphere-csi-driver-controller",
		"vmware-vsphere-csi-driver-operator", "vsphere-cloud-controller-manager", "vsphere-problem-detector-operator",
	}, e.who()); diff != "" {
		t.Errorf("when they are gone (-want +got):\n%s", diff)
	}
}

// The new secret in time: the cloud controller alone is refused, once, and helps itself; the copy of cluster-capi-operator stays
// as it is.
func TestNewPasswordWithItsSecret(t *testing.T) {
	t.Parallel()
	e := begin(t, consumers.Options{ClusterAPI: true})
	e.resetPassword(t)
	e.apply(t, "ocp", newPassword)
	e.Tick(2 * time.Hour)
	e.quiet(t, "while the sessions live")
	if err := e.Restart("cluster-capi-operator"); err != nil {
		t.Fatal(err)
	}
	if err := e.EndSessions(); err != nil {
		t.Fatal(err)
	}
	e.Tick(2 * time.Hour)
	if diff := cmp.Diff([]string{"vsphere-cloud-controller-manager (healed)"}, e.who()); diff != "" || len(e.Refused()) != 1 || len(e.Gaps()) > 0 {
		t.Errorf("(-want +got):\n%s%v %v", diff, e.Refused(), e.Gaps())
	}
	e.worked(t)
}

func TestCopyOfClusterAPIStays(t *testing.T) {
	t.Parallel()
	e := begin(t, consumers.Options{ClusterAPI: true})
	e.resetPassword(t)
	e.apply(t, "ocp", newPassword)
	if err := e.EndSessions("cluster-capi-operator"); err != nil {
		t.Fatal(err)
	}
	e.Tick(15 * time.Minute)
	if diff := cmp.Diff([]string{"cluster-capi-operator"}, e.who()); diff != "" || !slices.Equal(e.Locked(), []string{"ocp@vsphere.local"}) {
		t.Errorf("(-want +got):\n%s%v", diff, e.Locked())
	}
}

// Releases that log in for tags each time do it with the password of their session, whatever the secret holds.
func TestEarlierMachineAPI(t *testing.T) {
	t.Parallel()
	e := begin(t, consumers.Options{EarlierMachineAPI: true})
	e.resetPassword(t)
	e.apply(t, "ocp", newPassword)
	e.Tick(15 * time.Minute)
	if !slices.Contains(e.who(), "machine-api-controllers") || len(e.Locked()) != 1 {
		t.Errorf("%v %v", e.who(), e.Locked())
	}
	at, _ := e.LockedAt("ocp@vsphere.local")
	if d := at.Sub(e.Refused()[0].At); d > time.Second {
		t.Errorf("locked after %s", d)
	}
	e = begin(t, consumers.Options{EarlierMachineAPI: true})
	e.resetPassword(t)
	e.apply(t, "ocp", newPassword)
	if err := e.Restart("machine-api-controllers"); err != nil {
		t.Fatal(err)
	}
	e.Tick(time.Hour)
	e.quiet(t, "after a restart")
}

// Another account in the secret: only the cloud controller and the copy go on with the old one, and after its removal they
// have sessions that see nothing.
func TestNewAccount(t *testing.T) {
	t.Parallel()
	e := begin(t, consumers.Options{ClusterAPI: true})
	e.account(t, "ocp-2", newPassword)
	e.apply(t, "ocp-2", newPassword)
	e.Tick(2 * time.Hour)
	e.quiet(t, "both accounts there")
	e.permissions(t, func(m *object.AuthorizationManager, root types.ManagedObjectReference) error {
		return m.RemoveEntityPermission(t.Context(), root, `VSPHERE.LOCAL\ocp`, false)
	})
	if err := e.v.Directory().RemoveUser("ocp"); err != nil {
		t.Fatal(err)
	}
	e.Tick(2 * time.Hour)
	var idle []string
	for _, g := range e.Gaps() {
		idle = append(idle, g.Workload)
	}
	slices.Sort(idle)
	idle = slices.Compact(idle)
	if diff := cmp.Diff([]string{"cluster-capi-operator", "vsphere-cloud-controller-manager"}, idle); diff != "" || len(e.Refused()) > 0 {
		t.Errorf("(-want +got):\n%s%v", diff, e.Refused())
	}
	for _, name := range idle {
		if err := e.Restart(name); err != nil {
			t.Fatal(err)
		}
	}
	e.Forget()
	e.Tick(2 * time.Hour)
	e.quiet(t, "after the restarts")
	e.worked(t)
}

// During lets the workloads act while something is done, and ends with it.
func TestDuring(t *testing.T) {
	t.Parallel()
	e := begin(t, consumers.Options{})
	e.Forget()
	working, once := make(chan struct{}), sync.Once{}
	e.v.SetFault(func(_ int, method string) vcsim.Fault {
		if method == "Login" {
			once.Do(func() { close(working) })
		}
		return vcsim.Fault{}
	})
	e.During(nil, time.Minute, 24*time.Hour, func() { <-working })
	e.During(nil, time.Minute, 0, func() {})
	e.quiet(t, "during")
	if err := e.Restart("kube-apiserver"); err == nil {
		t.Error("a workload that is none was restarted")
	}
}

func TestDump(t *testing.T) {
	t.Parallel()
	e := begin(t, consumers.Options{})
	text, err := e.Dump()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text, `"kind": "Secret"`); n != 5 {
		t.Errorf("%d secrets: the root secret and four copies", n)
	}
	other := consumers.New(consumers.Options{Clock: consumers.NewClock()})
	if err := other.Apply(text); err != nil {
		t.Fatal(err)
	}
	if again, err := other.Dump(); err != nil || again != text {
		t.Errorf("%v\n%s", err, again)
	}
	if err := other.Apply("kind: Secret\ndata: {a: '%'}"); err == nil {
		t.Error("what is no base64 was taken")
	}
}
