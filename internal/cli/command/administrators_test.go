package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// answers is a connection to a vCenter that is there and trusted.
func answers(context.Context, string) error { return nil }

// doors are vCenters that take one password each: "a", or "a/2" in another SSO domain than "a". They skip what another has
// refused, unless their own SSO domain took it, as sessions of one run do.
type doors struct {
	take map[string]string

	mu   sync.Mutex
	sent []string // "vc1 me@x/one"
}

func (d *doors) try(server string) func(AdminLogin, bool) error {
	return func(l AdminLogin, typed bool) error {
		d.mu.Lock()
		defer d.mu.Unlock()
		login, refused, apart := l.User+"/"+l.Password.Reveal(), false, typed
		for _, was := range d.sent {
			other, tried, _ := strings.Cut(was, " ")
			same := d.take[other] == d.take[server]
			switch {
			case tried != login:
			case d.takes(other, l):
				apart = apart || same
			case same:
				return fmt.Errorf("%s: %w: %w", server, vcenter.ErrNotTried, vcenter.ErrLogin)
			default:
				refused = true
			}
		}
		if refused && !apart {
			return fmt.Errorf("%s: %w: %w", server, vcenter.ErrNotTried, vcenter.ErrLogin)
		}
		d.sent = append(d.sent, server+" "+login)
		if !d.takes(server, l) {
			return fmt.Errorf("%s: login as %s: %w", server, l.User, vcenter.ErrLogin)
		}
		return nil
	}
}

func (d *doors) takes(server string, l AdminLogin) bool {
	password, _, _ := strings.Cut(d.take[server], "/")
	return password == l.Password.Reveal()
}

// One login is asked for all vCenters that need one, and again as long as one does not take it; no vCenter is sent the same
// twice, and none is sent what it was not named for.
func TestOneLoginForAll(t *testing.T) {
	t.Parallel()
	const (
		user1, user2, user3 = "administrator of these 3 vCenters", "administrator of these 2 vCenters", "administrator of "
		names               = "one login for these 3 vCenters:\nvc1, vc2, vc3\n"
		each                = " [empty: ask for each]"
		up                  = " [empty: give up]"
	)
	refused := func(server string) string { return server + ": login as me@x: user name or password refused\n" }
	skipped := func(server string) string { return server + ": login skipped: user name or password refused\n" }
	for name, c := range map[string]struct {
		take    string // of vc1, vc2 and vc3
		flags   AdminFlags
		apart   bool
		env     string // OCP_VSPHERE_ADMIN_PASSWORD
		answers []string
		asked   []string
		sent    []string
		failed  []string // vCenters
	}{
		"the same for all": {
			take: "a a a", answers: []string{"me@x", "a"},
			asked: []string{names + user1 + each + ":", "password of me@x on these 3 vCenters" + each + ": (hidden)"},
			sent:  []string{"vc1 me@x/a", "vc2 me@x/a", "vc3 me@x/a"},
		},
		"the user by flag": {
			take: "a a a", flags: AdminFlags{User: "me@x"}, answers: []string{"a"},
			asked: []string{names + "password of me@x on these 3 vCenters" + each + ": (hidden)"},
			sent:  []string{"vc1 me@x/a", "vc2 me@x/a", "vc3 me@x/a"},
		},
		"all given": {
			take: "a a a", flags: AdminFlags{User: "me@x"}, env: "b", failed: []string{"vc1", "vc2", "vc3"}, answers: []string{"nobody reads this"},
			sent: []string{"vc1 me@x/b"},
		},
		"a typing mistake": {
			take: "a a a", answers: []string{"me@x", "oops", "", "oops", "", "a"},
			asked: []string{
				names + user1 + each + ":", "password of me@x on these 3 vCenters" + each + ": (hidden)",
				refused("vc1") + names + user1 + " [me@x]:", "password of me@x on these 3 vCenters" + each + ": (hidden)",
				"vc1 has already refused this user and password: they are not sent again\n" + user1 + " [me@x]:", "password of me@x on these 3 vCenters" + each + ": (hidden)",
			},
			sent: []string{"vc1 me@x/oops", "vc1 me@x/a", "vc2 me@x/a", "vc3 me@x/a"},
		},
		"linked with one that took it": {
			take: "a b a", answers: []string{"me@x", "a", "", "b"},
			asked: []string{
				names + user1 + each + ":", "password of me@x on these 3 vCenters" + each + ": (hidden)",
				refused("vc2") + user3 + "vc2 [me@x]:", "password of me@x on vc2" + up + ": (hidden)",
			},
			sent: []string{"vc1 me@x/a", "vc2 me@x/a", "vc2 me@x/b", "vc3 me@x/a"},
		},
		"one has another": {
			take: "a b a/2", answers: []string{"me@x", "a", "", "b", "", "a"},
			asked: []string{
				names + user1 + each + ":", "password of me@x on these 3 vCenters" + each + ": (hidden)",
				refused("vc2") + user3 + "vc2 [me@x]:", "password of me@x on vc2" + up + ": (hidden)",
				skipped("vc3") + user3 + "vc3 [me@x]:", "password of me@x on vc3 [the same]: (hidden)",
			},
			sent: []string{"vc1 me@x/a", "vc2 me@x/a", "vc2 me@x/b", "vc3 me@x/a"},
		},
		"linked ones are not tried one after the other": {
			take: "a b b", answers: []string{"me@x", "a", "", "b", "", "a", "", ""},
			asked: []string{
				names + user1 + each + ":", "password of me@x on these 3 vCenters" + each + ": (hidden)",
				refused("vc2") + user3 + "vc2 [me@x]:", "password of me@x on vc2" + up + ": (hidden)",
				skipped("vc3") + user3 + "vc3 [me@x]:", "password of me@x on vc3 [the same]: (hidden)",
				skipped("vc3") + user3 + "vc3 [me@x]:", "password of me@x on vc3" + up + ": (hidden)",
			},
			sent: []string{"vc1 me@x/a", "vc2 me@x/a", "vc2 me@x/b"}, failed: []string{"vc3"},
		},
		"for each": {
			take: "a b a", answers: []string{"me@x", "", "me@x", "a", "you@x", "b", "me@x", "a"},
			asked: []string{
				names + user1 + each + ":", "password of me@x on these 3 vCenters" + each + ": (hidden)",
				user3 + "vc1:", "password of me@x on vc1: (hidden)",
				user3 + "vc2 [me@x]:", "password of you@x on vc2: (hidden)",
				user3 + "vc3 [you@x]:", "password of me@x on vc3: (hidden)",
			},
			sent: []string{"vc1 me@x/a", "vc2 you@x/b", "vc3 me@x/a"},
		},
		"apart": {
			take: "a a b", apart: true, answers: []string{"me@x", "a", "", "", "", "b"},
			asked: []string{
				user3 + "vc1:", "password of me@x on vc1: (hidden)",
				user3 + "vc2 [me@x]:", "password of me@x on vc2 [the same]: (hidden)",
				user3 + "vc3 [me@x]:", "password of me@x on vc3 [the same]: (hidden)",
			},
			sent: []string{"vc1 me@x/a", "vc2 me@x/a", "vc3 me@x/b"},
		},
		"nobody is there any more": {
			take: "a b a/2", answers: []string{"me@x", "a"},
			asked: []string{
				names + user1 + each + ":", "password of me@x on these 3 vCenters" + each + ": (hidden)",
				refused("vc2") + user3 + "vc2 [me@x]:", skipped("vc3") + user3 + "vc3 [me@x]:",
			},
			sent: []string{"vc1 me@x/a", "vc2 me@x/a"}, failed: []string{"vc2", "vc3"},
		},
		"given up after a mistake": {
			take: "a a a", answers: []string{"me@x", "oops", "", "", "", "", "", "a", "", ""},
			asked: []string{
				names + user1 + each + ":", "password of me@x on these 3 vCenters" + each + ": (hidden)",
				refused("vc1") + names + user1 + " [me@x]:", "password of me@x on these 3 vCenters" + each + ": (hidden)",
				user3 + "vc1 [me@x]:", "password of me@x on vc1" + up + ": (hidden)",
				user3 + "vc2 [me@x]:", "password of me@x on vc2" + up + ": (hidden)",
				user3 + "vc3 [me@x]:", "password of me@x on vc3 [the same]: (hidden)",
			},
			sent: []string{"vc1 me@x/oops", "vc2 me@x/a", "vc3 me@x/a"}, failed: []string{"vc1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := termtest.NewFake().WithAnswers(c.answers...)
			fake.Env[EnvAdminPassword] = c.env
			a, err := c.flags.Resolve(NewFactory(fake.Streams, Build{}))
			if err != nil {
				t.Fatal(err)
			}
			d, servers := &doors{take: map[string]string{}}, []string{"vc1", "vc2", "vc3"}
			for i, password := range strings.Fields(c.take) {
				d.take[servers[i]] = password
			}
			if err := a.Ask(t.Context(), servers, c.apart, answers); err != nil {
				t.Fatal(err)
			}
			var failed []string
			for _, server := range servers { // one after the other, so that the order of questions is known
				if err := a.Admit(t.Context(), server, d.try(server)); err != nil {
					failed = append(failed, server)
				}
			}
			for what, diff := range map[string]string{"asked": cmp.Diff(c.asked, fake.Asked), "sent": cmp.Diff(c.sent, d.sent), "failed": cmp.Diff(c.failed, failed)} {
				if diff != "" {
					t.Errorf("%s (- want):\n%s", what, diff)
				}
			}
		})
	}
}

// Nobody types a password for a vCenter that cannot be sent one. Where nobody can be asked, nothing is connected to for it.
func TestAskedAfterConnecting(t *testing.T) {
	t.Parallel()
	untrusted := errors.New("vc1: certificate is not trusted")
	connect := func(_ context.Context, server string) error {
		if server == "vc1" {
			return untrusted
		}
		return nil
	}
	a := &Administrators{Streams: termtest.NewFake().WithAnswers("me@x", "a").Streams}
	if err := a.Ask(t.Context(), []string{"vc1"}, false, connect); err != nil || a.last != nil {
		t.Errorf("%v, asked for %v", err, a.last)
	}
	if err := a.Ask(t.Context(), []string{"vc1", "vc2"}, false, connect); err != nil || !slices.Equal(a.last.servers, []string{"vc2"}) {
		t.Errorf("%v, asked for %v", err, a.last)
	}
	if err := a.Admit(t.Context(), "vc1", nil); !errors.Is(err, untrusted) {
		t.Error(err)
	}
	a = &Administrators{Streams: termtest.NewFake().Streams}
	if err := a.Ask(t.Context(), []string{"vc1"}, false, nil); !errors.Is(err, term.ErrNoInput) {
		t.Error(err)
	}
}

// However the logins of many vCenters come and go, each is sent a login once, and a mistake costs one question.
func TestLoginsAtOnce(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake().WithAnswers("me@x", "oops", "", "a")
	a, err := (&AdminFlags{}).Resolve(NewFactory(fake.Streams, Build{}))
	if err != nil {
		t.Fatal(err)
	}
	d, servers := &doors{take: map[string]string{}}, []string{}
	for i := range 40 {
		servers = append(servers, fmt.Sprintf("vc%d", i))
		d.take[servers[i]] = "a"
	}
	if err := a.Ask(t.Context(), servers, false, answers); err != nil {
		t.Fatal(err)
	}
	held := 0
	a.Hold = func() func() { // never twice at a time: the race detector knows
		held++
		return func() { held-- }
	}
	var wg sync.WaitGroup
	for _, server := range servers {
		wg.Go(func() {
			if err := a.Admit(t.Context(), server, d.try(server)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(fake.Asked) != 4 || held != 0 {
		t.Errorf("asked %q, held %d", fake.Asked, held)
	}
	slices.Sort(d.sent)
	if len(d.sent) != 41 || len(slices.Compact(d.sent)) != 41 {
		t.Errorf("%d logins were sent: %q", len(d.sent), d.sent)
	}
}

// An interrupt ends a login that waits for others.
func TestInterruptedLogin(t *testing.T) {
	t.Parallel()
	a := &Administrators{Streams: termtest.NewFake().Streams}
	a.keep(AdminLogin{"me@x", secret.New("a")}, []string{"vc1", "vc2"}, false)
	ctx, cancel := context.WithCancel(t.Context())
	under, end := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = a.Admit(t.Context(), "vc1", func(AdminLogin, bool) error {
			close(under)
			<-end
			return nil
		})
	})
	<-under
	err := a.Admit(ctx, "vc2", func(AdminLogin, bool) error {
		wg.Go(cancel) // now or once it waits
		return vcenter.ErrLogin
	})
	if !errors.Is(err, context.Canceled) && !errors.Is(err, vcenter.ErrLogin) {
		t.Error(err)
	}
	close(end)
	wg.Wait()
}
