package vcenter_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

const boss = "vi-admin@vsphere.local"

// bosses gives vCenters an administrator of this password.
func bosses(t *testing.T, password string, all ...*vcsim.VCenter) {
	t.Helper()
	for _, v := range all {
		if err := errors.Join(v.Directory().AddUser(boss, password, directory.Details{}), v.Directory().AddMember("Administrators", boss, false)); err != nil {
			t.Fatal(err)
		}
	}
}

// What an SSO domain has taken goes on there, whatever another domain says of it: to the token service, to a linked vCenter,
// and after a session was lost. All domains are called vsphere.local.
func TestTakenGoesOnInItsDomain(t *testing.T) {
	a := ring(t, vcsim.Options{Linked: true, Names: []string{"a1.example.com", "a2.example.com"}})
	apart := ring(t, vcsim.Options{VCenters: 2})
	bosses(t, rightSecret, a[0], apart[1])
	bosses(t, "Other-Secret-1x", apart[0])
	all := []*vcsim.VCenter{a[0], apart[0], apart[1], a[1]}
	list, _ := sessions(t, all)
	first, refuser, third, linked := list[0], list[1], list[2], list[3]
	right := secret.New(rightSecret)
	if err := first.Login(t.Context(), boss, right); err != nil {
		t.Fatal(err)
	}
	if err := refuser.Login(t.Context(), boss, right); !errors.Is(err, vcenter.ErrLogin) || errors.Is(err, vcenter.ErrNotTried) {
		t.Fatal(err)
	}
	if err := third.Login(t.Context(), boss, right); !errors.Is(err, vcenter.ErrNotTried) {
		t.Errorf("sent to a domain that nobody named: %v", err)
	}
	if err := third.LoginTyped(t.Context(), boss, right); err != nil {
		t.Fatal(err)
	}
	if err := linked.LoginLike(t.Context(), first); err != nil {
		t.Errorf("linked: %v", err)
	}
	for _, s := range []*vcenter.Session{first, third} {
		if _, err := s.SSO(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for i, s := range []*vcenter.Session{first, third} {
		lost := false
		all[2*i].SetFault(func(_ int, method string) vcsim.Fault {
			if lost || method == "Login" {
				return vcsim.Fault{}
			}
			lost = true
			return vcsim.Fault{Kind: vcsim.ExpiredSession}
		})
		if _, err := s.Peers(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := s.Find(t.Context(), []string{"/DC1"}); err != nil || !lost {
			t.Errorf("after the session was lost (%v): %v", lost, err)
		}
	}

	// One domain has another password now: it is told once more, and the other goes on.
	if err := a[0].Directory().SetPassword(boss, "Changed-Secret-1x"); err != nil {
		t.Fatal(err)
	}
	reset(all)
	for _, i := range []int{0, 2, 3} {
		lost := false
		all[i].SetFault(func(_ int, method string) vcsim.Fault {
			if lost && i == 2 || method == "Login" {
				return vcsim.Fault{}
			}
			lost = true
			return vcsim.Fault{Kind: vcsim.ExpiredSession}
		})
		_, err := list[i].Find(t.Context(), []string{"/DC1"})
		if errors.Is(err, vcenter.ErrLogin) != (i != 2) || err != nil && i == 2 {
			t.Errorf("%s: %v", list[i].Server, err)
		}
	}
	if n := sent(a); n != 1 {
		t.Errorf("%d logins with a password that is wrong by now", n)
	}
}

// Two vCenters of one SSO domain for which the same is typed at once: the second knows of a refusal that came while it found
// out where it is.
func TestTypedTwiceAtOnce(t *testing.T) {
	a := ring(t, vcsim.Options{})
	b := ring(t, vcsim.Options{Linked: true, Names: []string{"b1.example.com", "b2.example.com"}})
	list, _ := sessions(t, append(a, b...))
	wrong := secret.New(wrongSecret)
	if err := list[0].Login(t.Context(), svc, wrong); !errors.Is(err, vcenter.ErrLogin) {
		t.Fatal(err)
	}
	looking, found := make(chan struct{}), make(chan struct{})
	b[1].SetFault(func(_ int, method string) vcsim.Fault {
		if method == "List" {
			close(looking)
			<-found
		}
		return vcsim.Fault{}
	})
	var wg sync.WaitGroup
	var late error
	wg.Go(func() { late = list[2].LoginTyped(context.Background(), svc, wrong) })
	<-looking
	if err := list[1].LoginTyped(t.Context(), svc, wrong); !errors.Is(err, vcenter.ErrLogin) || errors.Is(err, vcenter.ErrNotTried) {
		t.Errorf("%v", err)
	}
	close(found)
	wg.Wait()
	if !errors.Is(late, vcenter.ErrNotTried) || !errors.Is(late, vcenter.ErrLogin) {
		t.Errorf("%v", late)
	}
	if n := sent(b); n != 1 {
		t.Errorf("the domain was sent the same %d times", n)
	}
}
