package vcenter_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// Sessions that end after the password was changed: the vCenters and their token service get one wrong password in all.
func TestLostSessionsCountOnce(t *testing.T) {
	all := ring(t, vcsim.Options{VCenters: 3, Linked: true})
	if err := all[0].Directory().AddUser("vi-admin", rightSecret, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	if err := all[0].Directory().AddMember("Administrators", "vi-admin@vsphere.local", false); err != nil {
		t.Fatal(err)
	}
	list, _ := sessions(t, all)
	for _, err := range try(t.Context(), loginTogether, list, "vi-admin@vsphere.local", rightSecret) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range list {
		if _, err := s.SSO(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := all[0].Directory().SetPassword("vi-admin@vsphere.local", "Changed-Secret-1x"); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		v.ResetRequests()
		v.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.ExpiredSession} })
	}
	var wg sync.WaitGroup
	for _, s := range list {
		admin, err := s.SSO(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if _, err := s.Find(t.Context(), []string{"/DC1"}); err == nil {
				t.Error("found something without a session")
			}
		})
		wg.Go(func() {
			_, err := ssomethods.GetLocalPasswordPolicy(t.Context(), admin, &ssotypes.GetLocalPasswordPolicy{This: admin.Content.PasswordPolicyService})
			if err == nil {
				t.Error("the SSO administration answered without a session")
			}
		})
	}
	wg.Wait()
	if n := sent(all); n != 1 {
		t.Errorf("%d logins with a password that is wrong by now", n)
	}
}

// A password that was refused and is typed again for another vCenter is sent there if that has another SSO domain, and to
// no vCenter twice: each wrong one counts towards the lock-out.
func TestTypedForAnotherVCenter(t *testing.T) {
	for name, c := range map[string]struct {
		linked, same, blind bool
		user                string
		sent                int
	}{
		"another SSO domain":                {user: svc, sent: 2},
		"the same SSO domain":               {user: svc, linked: true, sent: 1},
		"the same vCenter":                  {user: svc, same: true, sent: 1},
		"its administrator":                 {user: "administrator@vsphere.local", same: true, sent: 1},
		"administrator, the same domain":    {user: "administrator@vsphere.local", linked: true, sent: 1},
		"a domain that is not known":        {user: svc, blind: true, sent: 1},
		"administrator, nothing is known":   {user: "administrator@vsphere.local", blind: true, sent: 1},
		"administrator, the other's domain": {user: "administrator@vsphere.local", sent: 2},
	} {
		t.Run(name, func(t *testing.T) {
			all := ring(t, vcsim.Options{VCenters: 2, Linked: c.linked})
			list, _ := sessions(t, all)
			if err := list[0].Login(t.Context(), c.user, secret.New(wrongSecret)); !errors.Is(err, vcenter.ErrLogin) {
				t.Fatal(err)
			}
			again := list[1]
			if c.same {
				again = list[0]
			}
			if c.blind {
				for _, v := range all {
					v.SetFault(func(_ int, method string) vcsim.Fault {
						return vcsim.Fault{Kind: map[bool]vcsim.FaultKind{true: vcsim.Blocked}[method == "List"]}
					})
				}
			}
			err := again.LoginTyped(t.Context(), c.user, secret.New(wrongSecret))
			if !errors.Is(err, vcenter.ErrLogin) || errors.Is(err, vcenter.ErrNotTried) != (c.sent == 1) {
				t.Error(err)
			}
			if n := sent(all); n != c.sent {
				t.Errorf("sent %d times, want %d", n, c.sent)
			}
			if err := again.LoginTyped(t.Context(), svc, secret.New(rightSecret)); len(vcenter.MissingPrivileges(err)) == 0 && err != nil {
				t.Errorf("the right one: %v", err)
			}
		})
	}
}

// A refusal holds until a proof opens the account.
func TestRefusalIsLifted(t *testing.T) {
	for name, lift := range map[string]func(*vcenter.Run, *vcenter.Session) error{
		"proved": func(_ *vcenter.Run, s *vcenter.Session) error {
			opened, err := s.ProvePassword(context.Background(), svc, secret.New(wrongSecret))
			if !opened {
				return fmt.Errorf("not opened: %w", err)
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := ring(t, vcsim.Options{})
			list, run := sessions(t, append(all, all...))
			for _, s := range list {
				if err := s.Login(t.Context(), svc, secret.New(wrongSecret)); !errors.Is(err, vcenter.ErrLogin) {
					t.Fatal(err)
				}
			}
			if opened, err := list[0].ProvePassword(t.Context(), svc, secret.New(wrongSecret)); opened || err != nil {
				t.Errorf("opened %v, %v", opened, err)
			}
			if err := all[0].Directory().SetPassword(svc, wrongSecret); err != nil {
				t.Fatal(err)
			}
			if err := list[1].Login(t.Context(), svc, secret.New(wrongSecret)); !errors.Is(err, vcenter.ErrNotTried) {
				t.Errorf("%v", err)
			}
			if err := lift(run, list[0]); err != nil {
				t.Fatal(err)
			}
			if err := list[1].Login(t.Context(), svc, secret.New(wrongSecret)); errors.Is(err, vcenter.ErrLogin) {
				t.Errorf("%v", err)
			}
		})
	}
}

// Whoever waits for another login stops waiting with the run.
func TestInterruptedWhileWaiting(t *testing.T) {
	all := ring(t, vcsim.Options{VCenters: 2, Linked: true})
	list, _ := sessions(t, all)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	arrived, answer := make(chan struct{}), make(chan struct{})
	all[0].SetFault(func(_ int, method string) vcsim.Fault {
		if method == "Login" {
			close(arrived)
			<-answer
		}
		return vcsim.Fault{}
	})
	var wg sync.WaitGroup
	wg.Go(func() { _ = list[0].Login(context.Background(), svc, secret.New(wrongSecret)) })
	<-arrived
	waited := make(chan error)
	go func() { waited <- list[1].Login(ctx, svc, secret.New(wrongSecret)) }()
	cancel()
	if err := <-waited; !errors.Is(err, vcenter.ErrNotTried) || !errors.Is(err, context.Canceled) || errors.Is(err, vcenter.ErrLogin) {
		t.Errorf("%v", err)
	}
	close(answer)
	wg.Wait()
	if n := sent(all); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

// A login that panics wakes those who wait for it. It may have counted, so they send nothing.
func TestPanicWakesWhoWaits(t *testing.T) {
	all := ring(t, vcsim.Options{VCenters: 2, Linked: true})
	run := &vcenter.Run{}
	waiting := make(chan struct{})
	c := config(all[0])
	c.Run = run
	c.Trace = func(method string, _ time.Duration, _ error) {
		if method == "Login" {
			<-waiting
			panic("on purpose")
		}
	}
	first, err := vcenter.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close(context.Background())
	c = config(all[1])
	c.Run = run
	second, err := vcenter.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close(context.Background())
	all[1].SetFault(func(_ int, method string) vcsim.Fault {
		if method == "List" { // asked by whoever is not the first
			close(waiting)
		}
		return vcsim.Fault{}
	})
	sent := make(chan struct{})
	all[0].SetFault(func(_ int, method string) vcsim.Fault {
		if method == "Login" {
			close(sent)
		}
		return vcsim.Fault{}
	})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_ = first.Login(t.Context(), svc, secret.New(wrongSecret))
	})
	<-sent
	if err := second.Login(t.Context(), svc, secret.New(wrongSecret)); !errors.Is(err, vcenter.ErrNotTried) {
		t.Errorf("%v", err)
	}
	wg.Wait()
}
