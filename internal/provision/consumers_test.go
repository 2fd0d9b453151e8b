package provision_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/consumers"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// running is a desk whose accounts a cluster works with.
type running struct {
	*desk
	*consumers.Cluster
}

// runs applies, and gives the secrets to a cluster that begins to work with them.
func runs(t *testing.T, lab vcsim.Options, o consumers.Options) *running {
	t.Helper()
	o.Clock = consumers.NewClock()
	lab.VCenters, lab.Now = 2, o.Clock.Now
	d := newDesk(t, start(t, lab), demoSpec+rootSecret)
	o.VCenters = d.lab.VCenters
	r := &running{d, consumers.New(o)}
	r.must(t, r.words("apply")...)
	r.deliver(t)
	r.Tick(time.Hour)
	r.quiet(t, "before the rotation")
	for _, name := range r.Workloads() {
		if r.Worked()[name] == 0 {
			t.Fatalf("%s does not work: %v", name, r.Worked())
		}
	}
	r.Forget()
	return r
}

// rootSecret is for the readers of kube-system/vsphere-creds.
const rootSecret = "secrets: {rootSecret: true}\n"

// deliver is `secrets emit | oc apply -f -`.
func (r *running) deliver(t fatalT) {
	t.Helper()
	if err := r.Apply(r.must(t, "secrets", "emit", "-f", r.file)); err != nil {
		t.Fatal(err)
	}
}

// quiet fails when anybody was refused, locked or idle.
func (r *running) quiet(t fatalT, when string) {
	t.Helper()
	if refused, gaps, locked := r.Refused(), r.Gaps(), r.Locked(); len(refused)+len(gaps)+len(locked) > 0 {
		t.Errorf("%s: refused %v\ngaps %v\nlocked %v", when, refused, gaps, locked)
	}
}

// In place, without the secrets: accounts are locked, and nobody but those who run did it.
func TestInPlaceLocksWhoIsNotTold(t *testing.T) {
	t.Parallel()
	r := runs(t, vcsim.Options{}, consumers.Options{})
	r.must(t, r.words("rotate", "--in-place")...)
	r.quiet(t, "by the rotation itself")
	if err := r.EndSessions(); err != nil {
		t.Fatal(err)
	}
	r.Tick(2 * time.Hour)
	if d := cmp.Diff([]string{
		"ocp-cluster1-cloud-controller@vsphere.local", "ocp-cluster1-csi-driver@vsphere.local", "ocp-cluster1-machine-api@vsphere.local",
	}, r.Locked()); d != "" {
		t.Errorf("locked (-want +got):\n%s", d)
	}
	if d := cmp.Diff(r.Workloads(), who(r.Refused()), cmpopts.SortSlices(strings.Compare)); d != "" {
		t.Errorf("refused (-want +got):\n%s", d)
	}
}

// Each reader alone locks its account as fast as the plan says, or never.
func TestInPlaceLocksAsPredicted(t *testing.T) {
	notShort(t, "TestInPlaceLocksWhoIsNotTold has the same goroutines")
	t.Parallel()
	clock := consumers.NewClock()
	d := newDesk(t, start(t, vcsim.Options{Now: clock.Now}), strings.Split(demoSpec, "- server: vcenter2")[0]+rootSecret)
	d.must(t, d.words("apply")...)
	secrets := d.must(t, "secrets", "emit", "-f", d.file)
	alone := map[string]*consumers.Cluster{}
	for _, reader := range openshift.Profiles()[0].Readers(component.Default()) {
		c := consumers.New(consumers.Options{Clock: clock, VCenters: d.lab.VCenters, ClusterAPI: true, Only: []string{reader.Name}})
		if err := c.Apply(secrets); err != nil {
			t.Fatal(err)
		}
		c.Tick(0)
		alone[reader.Name] = c
	}
	d.must(t, d.words("rotate", "--in-place")...)
	lockout := d.lab.VCenters[0].Directory().LockoutPolicy()
	for _, reader := range openshift.Profiles()[0].Readers(component.Default()) {
		c := alone[reader.Name]
		if err := c.EndSessions(); err != nil {
			t.Fatal(err)
		}
		c.Tick(6 * time.Hour)
		want, locks := reader.Retry.Locks(lockout.MaxFailed, lockout.Within)
		user := "ocp-cluster1-" + string(reader.Component) + "@vsphere.local"
		at, locked := c.LockedAt(user)
		switch {
		case len(c.Refused()) == 0:
			t.Errorf("%s was never refused", reader.Name)
		case locked != locks:
			t.Errorf("%s: locked %t, predicted %t", reader.Name, locked, locks)
		case locked && at.Sub(c.Refused()[0].At) != want:
			t.Errorf("%s: locked after %s, predicted %s", reader.Name, at.Sub(c.Refused()[0].At), want)
		}
		if err := d.lab.VCenters[0].Directory().SetLocked(user, false); err != nil {
			t.Fatal(err)
		}
	}
}

// In place, with the secrets at once: nobody is locked. The cloud controller is refused once on each vCenter and helps itself.
func TestInPlaceWithTheSecretsAtOnce(t *testing.T) {
	notShort(t, "TestInPlaceLocksWhoIsNotTold has the same goroutines")
	t.Parallel()
	for _, linked := range []bool{false, true} {
		r := runs(t, vcsim.Options{Linked: linked}, consumers.Options{})
		r.must(t, r.words("rotate", "--in-place")...)
		r.deliver(t)
		if err := r.EndSessions(); err != nil {
			t.Fatal(err)
		}
		r.Tick(24 * time.Hour)
		for _, f := range r.Refused() {
			if f.Workload != "vsphere-cloud-controller-manager" || !f.Healed {
				t.Errorf("linked=%t: %+v", linked, f)
			}
		}
		if n := len(r.Refused()); n != 2 || len(r.Gaps()) > 0 || len(r.Locked()) > 0 {
			t.Errorf("linked=%t: %d refused, gaps %v, locked %v", linked, n, r.Gaps(), r.Locked())
		}
	}
}

// What the tool says to restart is what has to be: with it, earlier releases of machine-api and the copy of Cluster API are not
// refused either; without it they are.
func TestInPlaceRestarts(t *testing.T) {
	notShort(t, "TestInPlaceLocksWhoIsNotTold has the same goroutines")
	t.Parallel()
	for _, restart := range []bool{true, false} {
		r := runs(t, vcsim.Options{}, consumers.Options{EarlierMachineAPI: true, ClusterAPI: true})
		r.must(t, r.words("rotate", "--in-place")...)
		r.deliver(t)
		for _, reader := range openshift.Profiles()[0].Readers(component.Default()) {
			if restart && reader.Password.Restart {
				if err := r.Restart(reader.Name); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := r.EndSessions("cluster-capi-operator"); err != nil {
			t.Fatal(err)
		}
		r.Tick(24 * time.Hour)
		if restart {
			r.quiet(t, "after the restarts")
			continue
		}
		if d := cmp.Diff([]string{"cluster-capi-operator", "machine-api-controllers"}, who(r.Refused())); d != "" {
			t.Errorf("without the restarts (-want +got):\n%s", d)
		}
	}
}

func who(all []consumers.Refusal) []string {
	var names []string
	for _, f := range all {
		names = append(names, f.Workload)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// The workloads that the tool knows are those of the model, with the same secrets: neither may forget one.
func TestReadersAreThoseOfTheModel(t *testing.T) {
	t.Parallel()
	var known []string
	for _, r := range openshift.Profiles()[0].Readers(component.Default()) {
		known = append(known, r.Name)
	}
	model := consumers.New(consumers.Options{Clock: consumers.NewClock(), ClusterAPI: true, VCenters: start(t, vcsim.Options{}).VCenters})
	if d := cmp.Diff(known, model.Workloads()); d != "" {
		t.Errorf("(-known +model):\n%s", d)
	}
	if strings.Join(known, " ") == "" {
		t.Error("there are none")
	}
}
