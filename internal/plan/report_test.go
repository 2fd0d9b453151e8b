package plan_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// A plan that could not be made on every vCenter says where it was, by name while there are few.
func TestPartOfAPlan(t *testing.T) {
	t.Parallel()
	for unread, want := range map[int]string{
		0: "", 1: "on 4 of 5 vCenters (vc0 could not be planned)", 3: "on 2 of 5 vCenters (vc0, vc1, vc2 could not be planned)",
		4: "on 1 of 5 vCenters (4 could not be planned)",
	} {
		p := plan.New("c")
		for i := range 5 {
			var err error
			if i < unread {
				err = errors.New("down")
			}
			p.Add(fmt.Sprintf("vc%d", i), nil, err)
		}
		if got := p.Part(); got != want {
			t.Errorf("%d: %q, want %q", unread, got, want)
		}
	}
}

// What fails is said once per cause and vCenter, with how many changes were not made for it, and the last line counts by kind
// what was; each change still says in JSON what became of it.
func TestFailuresFold(t *testing.T) {
	t.Parallel()
	dead := hint.Wrap(errors.New("cannot be reached at 192.0.2.1:443: connection refused"), "is that address open?")
	steps := plan.Steps{}
	does := func(c plan.Change, err error) *plan.Change {
		return steps.Do(&c, func(context.Context) error { return err }).Change
	}
	role := func(name string, err error) *plan.Change {
		return does(plan.Change{Verb: plan.Create, Kind: plan.Role, Name: name, Provides: "role " + name}, err)
	}
	user := func(name string, err error) *plan.Change {
		return does(plan.Change{Verb: plan.Create, Kind: plan.User, Name: name, Provides: "user " + name}, err)
	}
	permission := func(object string, err error, needs ...string) *plan.Change {
		return does(plan.Change{Verb: plan.Create, Kind: plan.Permission, Principal: "u", Object: object, Needs: needs}, err)
	}
	type on map[string][]*plan.Change
	for name, c := range map[string]struct {
		of        on
		unread    map[string]error
		interrupt bool
		failures  string
		report    string
	}{
		"nothing": {
			of: on{"vc1": {role("a", nil), user("u", nil), permission("/", nil, "role a", "user u")}}, report: "applied: 1 role, 1 account, 1 permission on 1 vCenter",
		},
		"an account that two changes are about": {
			of: on{
				"vc1": {user("u", nil), does(plan.Change{Verb: plan.Update, Kind: plan.User, Name: "U"}, nil)},
				"vc2": {user("u", nil), does(plan.Change{Verb: plan.Update, Kind: plan.User, Name: "u"}, nil), user("w", nil)},
			},
			report: "applied: 3 accounts on 2 vCenters",
		},
		"an account that is not finished": {
			of:       on{"vc1": {user("u", nil), does(plan.Change{Verb: plan.Update, Kind: plan.User, Name: "u"}, errors.New("gone"))}},
			failures: "vc1: user u: gone", report: "applied: 0 of 1 account on 1 vCenter",
		},
		"nothing to do": {of: on{"vc1": {}}, report: "applied: nothing to change on 1 vCenter"},
		"a vCenter that went away": {
			of: on{
				"vc1": {role("a", nil)},
				"vc2": {role("b", dead), role("c", dead), permission("/", nil, "role b"), permission("/DC", nil, "role c"), permission("/x", nil)},
			},
			failures: "vc2: cannot be reached at 192.0.2.1:443: connection refused: 4 changes not made",
			report:   "applied: 1 of 3 roles, 1 of 3 permissions on 2 vCenters",
		},
		"one change, which is named": {
			of:       on{"vc1": {role("a", errors.New("vc1: no permission")), role("b", nil)}},
			failures: "vc1: role a: no permission", report: "applied: 1 of 2 roles on 1 vCenter",
		},
		"one change, and what needs it": {
			of:       on{"vc1": {role("a", errors.New("in use")), permission("/", nil, "role a"), permission("/DC", nil, "role a")}},
			failures: "vc1: role a: in use: 3 changes not made", report: "nothing was applied: 0 of 1 role, 0 of 2 permissions on 1 vCenter",
		},
		"several causes": {
			of:       on{"vc1": {role("a", dead), role("b", errors.New("in use")), user("u", dead), permission("/", nil, "role b", "user u")}},
			failures: "vc1: cannot be reached at 192.0.2.1:443: connection refused: 2 changes not made\nvc1: role b: in use: 2 changes not made",
			report:   "nothing was applied: 0 of 2 roles, 0 of 1 account, 0 of 1 permission on 1 vCenter",
		},
		"an account that another vCenter makes": {
			of:       on{"vc1": {user("u", dead)}, "vc2": {permission("/", nil, "user u"), permission("/DC", nil, "user u")}},
			failures: "vc1: user u: cannot be reached at 192.0.2.1:443: connection refused\nvc2: needs what failed on vc1: 2 changes not made",
			report:   "nothing was applied: 0 of 1 account, 0 of 2 permissions on 2 vCenters",
		},
		"each waits for the other": {
			of: on{"vc1": {
				does(plan.Change{Verb: plan.Create, Kind: plan.Role, Name: "a", Provides: "role a", Needs: []string{"role b"}}, nil),
				does(plan.Change{Verb: plan.Create, Kind: plan.Role, Name: "b", Provides: "role b", Needs: []string{"role a"}}, nil),
			}},
			failures: "vc1: needs itself: 2 changes not made", report: "nothing was applied: 0 of 2 roles on 1 vCenter",
		},
		"not read": {
			of: on{"vc1": {role("a", nil)}}, unread: map[string]error{"vc2": errors.New("vc2: no such host")},
			failures: "vc2: no such host", report: "applied: 1 role on 1 vCenter; 1 could not be read",
		},
		"removed": {
			of: on{"vc1": {does(plan.Change{Verb: plan.Delete, Kind: plan.Role, Name: "a"}, nil)}}, report: "removed: 1 role on 1 vCenter",
		},
		"removed, and what was there before comes back": {
			of: on{"vc1": {
				does(plan.Change{Verb: plan.Delete, Kind: plan.Role, Name: "a"}, nil),
				does(plan.Change{Verb: plan.Update, Kind: plan.Permission, Principal: "u", Object: "/", Restores: true}, nil),
				does(plan.Change{Verb: plan.Delete, Kind: plan.Permission, Principal: "u", Object: "/DC"}, nil),
			}},
			report: "removed: 1 role, 1 permission; restored: 1 permission on 1 vCenter",
		},
		"interrupted": {
			of: on{"vc1": {role("a", nil), permission("/", nil, "role a")}}, interrupt: true, report: "nothing was applied: 0 of 1 role, 0 of 1 permission on 1 vCenter",
		},
		"cut off": {
			of:        on{"vc1": {role("a", fmt.Errorf("send: %w", context.Canceled)), permission("/", nil, "role a"), role("b", nil)}},
			interrupt: false, report: "applied: 1 of 2 roles, 0 of 1 permission on 1 vCenter",
		},
	} {
		p := plan.New("c")
		for _, server := range []string{"vc1", "vc2"} {
			if changes, ok := c.of[server]; ok {
				p.Add(server, changes, nil)
			} else if err := c.unread[server]; err != nil {
				p.Add(server, nil, err)
			}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		if c.interrupt {
			cancel(term.ErrInterrupted)
		}
		p.Execute(ctx, steps, plan.ExecuteOptions{})
		cancel(nil)
		failures := ""
		if err := p.Err(); err != nil {
			failures = err.Error()
			if strings.Contains(failures, "192.0.2.1") && !errors.Is(err, dead) {
				t.Errorf("%s: the cause is lost", name)
			}
		}
		if diff := cmp.Diff(c.failures, failures); diff != "" {
			t.Errorf("%s: failures: %s", name, diff)
		}
		var report strings.Builder
		if err := p.Reporter(false)(&report); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.report+"\n", report.String()); diff != "" {
			t.Errorf("%s: report: %s", name, diff)
		}
		if got := p.Interrupted(); got != (c.interrupt || name == "cut off") {
			t.Errorf("%s: interrupted %v", name, got)
		}
		for _, ch := range p.Changes() {
			if s := steps[ch]; s.Status == "" || (s.Status != plan.Done) != (s.Error != "") {
				t.Errorf("%s: %s is %q with error %q", name, s.Subject(), s.Status, s.Error)
			}
		}
	}
}

// Whoever asks for all of it gets a line for each change that was not made, with its own reason.
func TestReportOfEach(t *testing.T) {
	t.Parallel()
	p := plan.New("c")
	p.Add("vc1", []*plan.Change{
		{Verb: plan.Create, Kind: plan.Role, Name: "a", Provides: "a"},
		{Verb: plan.Create, Kind: plan.Permission, Principal: "u", Object: "/", Needs: []string{"a"}},
		{Verb: plan.Create, Kind: plan.Role, Name: "b"},
	}, nil)
	steps := doing(p.VCenters[0].Changes...)
	steps.Do(p.VCenters[0].Changes[0], func(context.Context) error { return errors.New("in use") })
	p.Execute(t.Context(), steps, plan.ExecuteOptions{})
	var report strings.Builder
	if err := p.Reporter(true)(&report); err != nil {
		t.Fatal(err)
	}
	const want = "! vc1: failed: role a: in use\n! vc1: skipped: permission of u on /: skipped, because it needs role a\napplied: 1 of 2 roles, 0 of 1 permission on 1 vCenter\n"
	if diff := cmp.Diff(want, report.String()); diff != "" {
		t.Error(diff)
	}
}
