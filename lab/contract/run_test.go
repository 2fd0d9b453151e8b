package contract_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// clock is time that passes while somebody sleeps.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Pause(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return ctx.Err()
}

// rig is a simulated vCenter and what a run on it needs.
type rig struct {
	*vcsim.VCenter

	clock *clock
	mu    sync.Mutex
	sent  []secret.Secret // the passwords of the scratch accounts
}

func newRig(t *testing.T, o vcsim.Options) *rig {
	t.Helper()
	r := &rig{clock: newClock()}
	o.Now = r.clock.Now
	lab, err := vcsim.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	r.VCenter = lab.VCenters[0]
	return r
}

func (r *rig) open(ctx context.Context, user string, password secret.Secret) (*vcenter.Session, error) {
	s, err := vcenter.Connect(ctx, vcenter.Config{
		Server: r.Server(), Address: r.Addr(), Thumbprint: r.Thumbprint(), Pause: r.clock.Pause,
	})
	if err != nil {
		return nil, err
	}
	if err := s.Login(ctx, user, password); err != nil {
		s.Close(ctx)
		return nil, err
	}
	return s, nil
}

func (r *rig) session(t *testing.T) *vcenter.Session {
	t.Helper()
	s, err := r.open(t.Context(), r.AdminUser(), secret.New(r.AdminPassword()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// folder is one that a run may write below.
func (r *rig) folder(t *testing.T) string {
	t.Helper()
	for _, dc := range r.Estate().Datacenters {
		if len(dc.Folders) > 0 {
			return dc.Folders[0]
		}
	}
	t.Fatal("the estate has no VM folder")
	return ""
}

const id = "abcdefgh23"

func (r *rig) options(scratch string) contract.Options {
	return contract.Options{
		Scratch: scratch, ID: id, Now: r.clock.Now,
		Login: func(ctx context.Context, user string, password secret.Secret) (*vcenter.Session, error) {
			r.mu.Lock()
			r.sent = append(r.sent, password)
			r.mu.Unlock()
			return r.open(ctx, user, password)
		},
	}
}

func (r *rig) run(t *testing.T, scratch string) *contract.Report {
	t.Helper()
	report, err := contract.Run(t.Context(), r.session(t), r.options(scratch))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// verdicts are the findings by name.
func verdicts(r *contract.Report) map[string]contract.Result {
	all := map[string]contract.Result{}
	for _, f := range r.Rules {
		all[f.Rule+" "+f.Case] = f
	}
	return all
}

// The simulation keeps every rule that is tried, and a run leaves it as it was.
func TestSimulationHolds(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]vcsim.Options{
		"demo":    {},
		"7.0.3":   {Releases: []string{"7.0.3"}},
		"8.0.1":   {Releases: []string{"8.0.1"}},
		"9.0":     {Releases: []string{"9.0"}},
		"foreign": {Estate: vcsim.EstateOptions{Foreign: true}},
		"estate":  {Estate: vcsim.EstateOptions{Seed: 3, Foreign: true}, UserDelay: 2 * time.Second, RoleDelay: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, o)
			before := r.Snapshot()
			for _, scratch := range []string{"", r.folder(t)} {
				report := r.run(t, scratch)
				if err := report.CleanErr(); err != nil {
					t.Errorf("left: %v", err)
				}
				if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(r.Snapshot(), "\n")); diff != "" {
					t.Errorf("scratch %q: the vCenter changed (-before +after):\n%s", scratch, diff)
				}
				judge(t, scratch, report)
				if scratch != "" {
					within(t, "new accounts", report.Delays.NewAccount, o.UserDelay)
					within(t, "changed roles", report.Delays.Role, o.RoleDelay)
				}
			}
		})
	}
}

// within holds a measured delay to the one of the lab: it is found after it has passed, and not long after.
func within(t *testing.T, what string, got *int64, is time.Duration) {
	t.Helper()
	if got == nil {
		t.Errorf("the delay of %s was not measured", what)
	} else if d := time.Duration(*got) * time.Millisecond; d < is || d > 2*is+100*time.Millisecond {
		t.Errorf("delay of %s: %s, and the lab has %s", what, d, is)
	}
}

func judge(t *testing.T, scratch string, report *contract.Report) {
	t.Helper()
	found := verdicts(report)
	for _, rule := range contract.Rules() {
		f, ok := found[rule.Name()]
		want := contract.Holds
		switch {
		case !ok:
			t.Errorf("%s is not in the report", rule.Name())
			continue
		case rule.Why != "", rule.Scratch && scratch == "":
			want = contract.NotTried
		}
		if f.Verdict != want {
			t.Errorf("%s: %s (%s), not %s", rule.Name(), f.Verdict, f.Detail, want)
		}
		if f.Verdict != contract.Holds && strings.TrimSpace(f.Detail) == "" {
			t.Errorf("%s: %s, and nothing says why", rule.Name(), f.Verdict)
		}
	}
	if len(found) != len(contract.Rules()) {
		t.Errorf("%d findings with different names for %d rules", len(found), len(contract.Rules()))
	}
}
