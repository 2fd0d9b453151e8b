package vcenter_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

const (
	svc           = "svc@vsphere.local"
	rightSecret   = "Right-Secret-1x"
	wrongSecret   = "Wrong-c4n4ry-1x"
	loginInTurn   = "one after the other"
	loginTogether = "all at once"
)

// ring starts the vCenters of one SSO domain with the account svc.
func ring(t *testing.T, o vcsim.Options) []*vcsim.VCenter {
	t.Helper()
	l, err := vcsim.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	for _, v := range l.VCenters {
		if err := v.Directory().AddUser(svc, rightSecret, directory.Details{}); err != nil && !o.Linked {
			t.Fatal(err)
		}
	}
	return l.VCenters
}

func reset(all []*vcsim.VCenter) {
	for _, v := range all {
		v.ResetRequests()
	}
}

// sessions are connected, and share a run.
func sessions(t *testing.T, all []*vcsim.VCenter) (list []*vcenter.Session, run *vcenter.Run) {
	t.Helper()
	run = &vcenter.Run{}
	for _, v := range all {
		c := config(v)
		c.Run = run
		s, err := vcenter.Connect(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close(context.Background()) })
		list = append(list, s)
	}
	return list, run
}

// try logs in everywhere, and gives the errors in the order of the sessions.
func try(ctx context.Context, order string, list []*vcenter.Session, user, password string) []error {
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	for i, s := range list {
		if order == loginInTurn {
			errs[i] = s.Login(ctx, user, secret.New(password))
			continue
		}
		wg.Go(func() { errs[i] = s.Login(ctx, user, secret.New(password)) })
	}
	wg.Wait()
	return errs
}

// sent counts the passwords that arrived.
func sent(all []*vcsim.VCenter) (n int) {
	for _, v := range all {
		counts := v.Requests()
		n += counts["Login"] + counts["RequestSecurityToken"]
	}
	return n
}

// A user and password that were refused are sent nowhere else, whatever the reason and the order, in one SSO domain or
// in several.
func TestRefusedIsTriedNowhereElse(t *testing.T) {
	for _, linked := range []bool{true, false} {
		all := ring(t, vcsim.Options{VCenters: 4, Linked: linked})
		const old = "old@vsphere.local"
		for _, v := range all {
			if err := v.Directory().AddUser(old, rightSecret, directory.Details{}); err != nil && !linked {
				t.Fatal(err)
			}
			if err := v.Directory().Expire(old); err != nil {
				t.Fatal(err)
			}
		}
		for name, c := range map[string]struct {
			user, password, says string
			is                   error
		}{
			"wrong":                     {svc, wrongSecret, "user name or password refused", vcenter.ErrLogin},
			"nobody":                    {"nobody@vsphere.local", wrongSecret, "user name or password refused", vcenter.ErrLogin},
			"expired":                   {old, rightSecret, "the password has expired", vcenter.ErrExpired},
			"administrator of another":  {"administrator@corp.example.com", wrongSecret, "user name or password refused", vcenter.ErrLogin},
			"administrator of its host": {"administrator@vcenter1.example.com", wrongSecret, "user name or password refused", vcenter.ErrLogin},
		} {
			for _, order := range []string{loginInTurn, loginTogether} {
				t.Run(fmt.Sprintf("%s, linked %v, %s", name, linked, order), func(t *testing.T) {
					reset(all)
					list, _ := sessions(t, all)
					skipped := 0
					for i, err := range try(t.Context(), order, list, c.user, c.password) {
						if !errors.Is(err, vcenter.ErrLogin) || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) ||
							!strings.HasPrefix(err.Error(), list[i].Server+": ") || strings.Contains(err.Error(), c.password) {
							t.Errorf("%v", err)
						}
						if errors.Is(err, vcenter.ErrNotTried) {
							skipped++
						}
					}
					if n := sent(all); n != 1 || skipped != len(all)-1 {
						t.Errorf("sent %d times, skipped %d times", n, skipped)
					}
				})
			}
		}
	}
}

// The administrator of the SSO domain that is logged into is never locked, and goes on; where the domain is not known,
// nobody is taken for one.
func TestDomainAdministratorIsTriedEverywhere(t *testing.T) {
	all := ring(t, vcsim.Options{VCenters: 3})
	for name, c := range map[string]struct {
		user  string
		blind bool // the lookup service is down
		want  int
	}{
		"as it is":              {"administrator@vsphere.local", false, 3},
		"in another case":       {"Administrator@VSPHERE.LOCAL", false, 3},
		"in the other spelling": {`VSPHERE.LOCAL\Administrator`, false, 3},
		"domain not known":      {"administrator@vsphere.local", true, 1},
	} {
		for _, order := range []string{loginInTurn, loginTogether} {
			t.Run(name+", "+order, func(t *testing.T) {
				reset(all)
				for _, v := range all {
					v.SetFault(func(_ int, method string) vcsim.Fault {
						return vcsim.Fault{Kind: map[bool]vcsim.FaultKind{true: vcsim.Blocked}[c.blind && method == "List"]}
					})
				}
				list, _ := sessions(t, all)
				for _, err := range try(t.Context(), order, list, c.user, wrongSecret) {
					if !errors.Is(err, vcenter.ErrLogin) {
						t.Errorf("%v", err)
					}
				}
				if n := sent(all); n != c.want {
					t.Errorf("sent %d times, want %d", n, c.want)
				}
			})
		}
	}
}

// Where a password is right, everybody logs in once, and each lookup service is asked at most once.
func TestAcceptedPasswordGoesEverywhere(t *testing.T) {
	for _, linked := range []bool{true, false} {
		all := ring(t, vcsim.Options{VCenters: 4, Linked: linked})
		for _, order := range []string{loginInTurn, loginTogether} {
			t.Run(fmt.Sprintf("linked %v, %s", linked, order), func(t *testing.T) {
				reset(all)
				list, _ := sessions(t, append(all, all...))
				// svc has no permission: the password is right all the same.
				for _, err := range try(t.Context(), order, list, svc, rightSecret) {
					if err == nil || errors.Is(err, vcenter.ErrLogin) || len(vcenter.MissingPrivileges(err)) == 0 {
						t.Errorf("%v", err)
					}
				}
				if n := sent(all); n != len(list) {
					t.Errorf("sent %d times to %d", n, len(list))
				}
				for _, v := range all {
					if n := v.Requests()["List"]; n > 1 {
						t.Errorf("%s: the lookup service was asked %d times", v.Server(), n)
					}
				}
			})
		}
	}
}

// What one SSO domain takes another may refuse: there, too, one login runs alone, so that no account is locked.
func TestAnotherDomainMayRefuse(t *testing.T) {
	one := ring(t, vcsim.Options{Linked: true, Names: []string{"a1.example.com", "a2.example.com", "a3.example.com", "a4.example.com", "a5.example.com", "a6.example.com"}})
	two := ring(t, vcsim.Options{Linked: true, Names: []string{"b1.example.com", "b2.example.com", "b3.example.com", "b4.example.com", "b5.example.com", "b6.example.com"}})
	if err := two[0].Directory().SetPassword(svc, "Other-Secret-1x"); err != nil {
		t.Fatal(err)
	}
	for _, first := range []string{"", "a1.example.com"} { // nobody in particular, or one that takes it
		reset(append(one, two...))
		list, _ := sessions(t, append(one, two...))
		if first != "" {
			if err := list[0].Login(t.Context(), svc, secret.New(rightSecret)); errors.Is(err, vcenter.ErrLogin) {
				t.Fatal(err)
			}
			list = list[1:]
		}
		try(t.Context(), loginTogether, list, svc, rightSecret)
		if n := sent(two); n > 1 {
			t.Errorf("the second domain counted %d failures", n)
		}
		if u, _ := two[0].Directory().User(svc); u.Locked {
			t.Error("the account is locked")
		}
	}
}

// A login without an answer may have counted: nobody sends it to its SSO domain again.
func TestUnheardLoginIsNotRepeated(t *testing.T) {
	for _, domains := range []int{1, 8} {
		all := ring(t, vcsim.Options{VCenters: 8, Linked: domains == 1})
		kinds := []vcsim.FaultKind{vcsim.LostReply, vcsim.Unavailable, vcsim.ServedUnavailable, vcsim.ServedBadGateway, vcsim.Blocked, vcsim.Empty, vcsim.Dropped}
		for _, kind := range kinds {
			for _, order := range []string{loginInTurn, loginTogether} {
				t.Run(fmt.Sprintf("%d domains, fault %d, %s", domains, kind, order), func(t *testing.T) {
					reset(all)
					for _, v := range all {
						v.SetFault(func(_ int, method string) vcsim.Fault {
							if method == "Login" {
								return vcsim.Fault{Kind: kind}
							}
							return vcsim.Fault{}
						})
					}
					list, _ := sessions(t, all)
					skipped := 0
					for range 2 {
						for _, err := range try(t.Context(), order, list, svc, wrongSecret) {
							if err == nil || errors.Is(err, vcenter.ErrLogin) {
								t.Errorf("%v", err)
							}
							if errors.Is(err, vcenter.ErrNotTried) {
								skipped++
							}
						}
					}
					if n := sent(all); n != domains || skipped != 16-domains {
						t.Errorf("sent %d times to %d SSO domains, skipped %d times", n, domains, skipped)
					}
				})
			}
		}
	}
}

// One that got no answer where the password was taken before holds nobody up.
func TestUnheardWhereItWasTaken(t *testing.T) {
	all := ring(t, vcsim.Options{VCenters: 3, Linked: true})
	all[1].SetFault(func(_ int, method string) vcsim.Fault {
		if method == "Login" {
			return vcsim.Fault{Kind: vcsim.LostReply}
		}
		return vcsim.Fault{}
	})
	list, _ := sessions(t, all)
	errs := try(t.Context(), loginInTurn, list, svc, rightSecret)
	if n := sent(all); n != 3 || errors.Is(errs[2], vcenter.ErrNotTried) {
		t.Errorf("sent %d times: %v", n, errs)
	}
}
