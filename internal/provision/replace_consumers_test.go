package provision_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/consumers"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Rotations by replacement of random components in random order, while a cluster works with the accounts: until one is
// finished nobody is refused, locked or idle. After it the cloud controller alone is refused, once on a vCenter, and only where
// it was not restarted.
func TestReplacementKeepsTheClusterRunning(t *testing.T) {
	setChecks(t, 2, 40)
	for _, linked := range []bool{false, true} {
		t.Run(fmt.Sprintf("linked=%t", linked), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				r := runs(t, vcsim.Options{Linked: linked}, consumers.Options{
					ClusterAPI: true, EarlierMachineAPI: rapid.Bool().Draw(rt, "earlier releases"),
				})
				for n := range rapid.IntRange(1, 2).Draw(rt, "rotations") {
					r.replaceSome(rt, n)
				}
				r.Tick(2 * time.Hour)
				r.quiet(rt, "hours later")
				for _, name := range r.Workloads() {
					if r.Worked()[name] == 0 {
						rt.Errorf("%s did not work in the last hours: %v", name, r.Worked())
					}
				}
			})
		})
	}
}

// replaceSome rotates components that it draws: replaces them, perhaps goes back, gives the cluster the secrets, finishes.
func (r *running) replaceSome(t *rapid.T, n int) {
	all := component.Default()
	chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, len(all), rapid.ID[component.Name]).Draw(t, "components")
	names := component.Words(chosen)
	when := fmt.Sprintf("rotation %d of %v", n, names)
	r.pass(t)
	r.o.Pause = func(_ context.Context, d time.Duration) error { r.Tick(d); return nil }
	r.meanwhile(t, "replace", names)
	r.quiet(t, when+", replaced")
	if rapid.Bool().Draw(t, "thinks better of it") {
		if rapid.Bool().Draw(t, "after the cluster has the secrets") {
			r.deliver(t)
			r.pass(t)
		}
		r.meanwhile(t, "revert", names)
		r.pass(t)
		r.quiet(t, when+", taken back")
		r.deliver(t)
		r.Tick(30 * time.Minute) // until everybody has looked at a secret
		r.remove(t, names, func(j *provision.Job, ctx context.Context, named bool) *plan.Plan {
			return j.PlanWithdrawal(ctx, named, true)
		})
		r.pass(t)
		r.quiet(t, when+", undone")
		return
	}
	r.pass(t)
	r.deliver(t)
	r.pass(t)
	r.quiet(t, when+", delivered")
	restart := rapid.Bool().Draw(t, "restart before the end")
	for _, reader := range openshift.Profiles()[0].Readers(chosen) {
		// cluster-capi-operator holds a copy: nothing but its removal helps.
		if reader.Account.Restart && (restart || reader.Hold == openshift.HoldsCopy) {
			if err := r.Restart(reader.Name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if restart {
		r.pass(t)
	}
	r.quiet(t, when+", before its end")
	r.o.Pause = func(_ context.Context, d time.Duration) error {
		r.Tick(d)
		return nil
	}
	r.finish(t, names)
	r.pass(t)
	r.Tick(20 * time.Minute)
	healed := map[string]int{}
	for _, f := range r.Refused() {
		if f.Workload != "vsphere-cloud-controller-manager" || !f.Healed {
			t.Errorf("%s, finished: %+v", when, f)
		}
		healed[f.Server]++
	}
	want := 0
	if !restart && slices.Contains(chosen, component.CloudController) {
		want = 1
	}
	for _, v := range r.lab.VCenters {
		if healed[v.Server()] != want {
			t.Errorf("%s, finished: the cloud controller was refused %d times at %s, want %d", when, healed[v.Server()], v.Server(), want)
		}
	}
	if gaps, locked := r.Gaps(), r.Locked(); len(gaps)+len(locked) > 0 {
		t.Errorf("%s, finished: gaps %v\nlocked %v", when, gaps, locked)
	}
	r.Forget()
}

// finish removes what was replaced, with a minute between.
func (r *running) finish(t fatalT, names []string) (warnings []string) {
	t.Helper()
	return r.remove(t, names, (*provision.Job).PlanFinish)
}

func (r *running) remove(t fatalT, names []string, planned func(*provision.Job, context.Context, bool) *plan.Plan) (warnings []string) {
	t.Helper()
	r.narrowed(t, nil, names, func() {
		job := r.job(t)
		defer job.Close(context.Background())
		p := planned(job, context.Background(), true)
		if err := p.Err(); err != nil {
			t.Fatal(err)
		}
		err := job.Finish(context.Background(), p, time.Minute)
		warnings = textsOf(p, finding.OldSessions)
		if err := errors.Join(err, failures(p)); err != nil {
			t.Fatalf("%v\n%s", err, text(p))
		}
	})
	return warnings
}

// pass lets a random time pass, in which sessions may end.
func (r *running) pass(t *rapid.T) {
	r.Tick(time.Duration(rapid.IntRange(0, 40).Draw(t, "minutes")) * time.Minute)
	if ends := rapid.SampledFrom(append(r.Workloads(), "")).Draw(t, "session that ends"); ends != "" && ends != "vsphere-cloud-controller-manager" {
		if err := r.EndSessions(ends); err != nil {
			t.Fatal(err)
		}
	}
}

// meanwhile does a step of a rotation while the cluster works: some seconds pass with each request, as long as the token of an
// administrator lives.
func (r *running) meanwhile(t *rapid.T, step string, names []string) {
	pulse := make(chan struct{}, 1)
	for _, v := range r.lab.VCenters {
		v.SetFault(func(int, string) vcsim.Fault {
			select {
			case pulse <- struct{}{}:
			default:
			}
			return vcsim.Fault{}
		})
	}
	defer func() {
		for _, v := range r.lab.VCenters {
			v.SetFault(nil)
		}
	}()
	var p *plan.Plan
	var err error
	r.During(pulse, time.Duration(rapid.IntRange(1, 5).Draw(t, "seconds"))*time.Second, 4*time.Minute, func() { p, err = r.turn(t, step, names...) })
	if err != nil {
		t.Fatalf("%s: %v\n%s", step, err, text(p))
	}
}

// finish ends the sessions of the accounts that go, so that whoever holds one notices. Where it may not, it warns: who keeps a
// session of a removed account, and is not restarted, is never refused; it sees nothing any more and does not look at its secret.
func TestReplacementNeedsTheRestarts(t *testing.T) {
	t.Parallel()
	for _, ends := range []bool{true, false} {
		t.Run(fmt.Sprintf("sessions are ended=%t", ends), func(t *testing.T) {
			t.Parallel()
			r := runs(t, vcsim.Options{}, consumers.Options{ClusterAPI: true})
			r.mustTurn(t, "replace")
			r.deliver(t)
			r.Tick(time.Hour)
			r.quiet(t, "before the end")
			r.o.Pause = func(_ context.Context, d time.Duration) error { r.Tick(d); return nil }
			for _, v := range r.lab.VCenters {
				v.SetFault(func(_ int, method string) vcsim.Fault {
					if method == "TerminateSession" && !ends {
						return vcsim.Fault{Kind: vcsim.Blocked}
					}
					return vcsim.Fault{}
				})
			}
			warnings := r.finish(t, component.Words(component.Names()))
			for _, v := range r.lab.VCenters {
				v.SetFault(nil)
			}
			r.Tick(time.Hour)
			var idle, want []string
			for _, g := range r.Gaps() {
				idle = append(idle, g.Workload)
			}
			for _, reader := range openshift.Profiles()[0].Readers(component.Default()) {
				if reader.Account.Restart && (!ends || reader.Hold == openshift.HoldsCopy) { // a copy is never read again
					want = append(want, reader.Name)
				}
			}
			slices.Sort(idle)
			slices.Sort(want)
			if d := cmp.Diff(want, slices.Compact(idle)); d != "" || len(r.Locked()) > 0 {
				t.Errorf("idle (-want +got):\n%slocked %v", d, r.Locked())
			}
			healed := 0
			for _, f := range r.Refused() {
				if f.Healed {
					healed++
				}
			}
			if ends && (healed != len(r.lab.VCenters) || len(warnings) > 0) {
				t.Errorf("%d healed, warnings %v", healed, warnings)
			}
			if !ends && (len(r.Refused()) > 0 || len(warnings) != len(r.lab.VCenters) || !strings.Contains(warnings[0], "sessions of the old accounts may continue")) {
				t.Errorf("refused %v, warnings %v", r.Refused(), warnings)
			}
		})
	}
}
