package provision_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

const createUser, issueToken = "CreateLocalPersonUser", "RequestSecurityToken"

// spoil has the first requests of a method go wrong, all of them where first is 0.
func (h *house) spoil(method string, first int, kind vcsim.FaultKind) {
	n := 0
	h.lab.VCenters[0].SetFault(func(_ int, m string) vcsim.Fault {
		if m != method {
			return vcsim.Fault{}
		}
		if n++; first > 0 && n > first {
			return vcsim.Fault{}
		}
		return vcsim.Fault{Kind: kind}
	})
}

// An account that was made although its answer was lost is ours: its password stays, and opens it.
func TestServedCreationKeepsItsPassword(t *testing.T) {
	notShort(t, "one step after the other")
	t.Parallel()
	for _, kind := range []vcsim.FaultKind{vcsim.LostReply, vcsim.ServedBadGateway, vcsim.ServedUnavailable} {
		for _, first := range []int{1, 2, 0} {
			t.Run(fmt.Sprintf("fault %d, %d times", kind, first), func(t *testing.T) {
				h := one(t, vcsim.Options{})
				h.spoil(createUser, first, kind)
				h.mustApply(t)
				h.lab.VCenters[0].SetFault(nil)
				if v := h.verify(t); !v.Meets(byDefault) {
					t.Errorf("%+v", v.Summary)
				}
				if p := h.plan(t); p.Err() != nil || !p.Empty() {
					t.Errorf("%v\n%s", p.Err(), text(p))
				}
			})
		}
	}
}

// An account of our mark that another run made is not ours, whatever became of our own requests: its password was
// refused, once, and is not kept.
func TestTakenAccountAfterALostAnswer(t *testing.T) {
	notShort(t, "one step after the other")
	t.Parallel()
	for _, kind := range []vcsim.FaultKind{vcsim.None, vcsim.LostReply, vcsim.Dropped, vcsim.Unavailable, vcsim.ServedBadGateway, vcsim.ServedUnavailable} {
		t.Run(fmt.Sprintf("fault %d", kind), func(t *testing.T) {
			h := one(t, vcsim.Options{})
			job := h.job(t)
			defer job.Close(context.Background())
			p := job.Plan(context.Background())
			open(t, h.lab, t.TempDir(), h.spec).mustApply(t)
			h.lab.VCenters[0].ResetRequests()
			h.spoil(createUser, 1, kind)
			if err := job.Apply(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			if err := p.Err(); !errors.Is(err, sso.ErrTaken) {
				t.Errorf("error is %v", err)
			}
			if file, err := credfile.Open(h.path); err != nil || len(file.Servers()) > 0 {
				t.Errorf("passwords that open nothing are kept for %v (%v)", file.Servers(), err)
			}
			if n, accounts := h.lab.VCenters[0].Requests()[issueToken], len(h.spec.ComponentNames()); n > accounts {
				t.Errorf("%d logins at the token service for %d accounts", n, accounts)
			}
		})
	}
}

// Where the login that decides comes to nothing, no password is dropped, and the report says so; the next run goes on.
func TestUndecidedPasswordIsKept(t *testing.T) {
	t.Parallel()
	for _, kind := range []vcsim.FaultKind{vcsim.Dropped, vcsim.Unavailable, vcsim.ServedBadGateway, vcsim.Blocked} {
		t.Run(fmt.Sprintf("fault %d", kind), func(t *testing.T) {
			h := one(t, vcsim.Options{})
			job := h.job(t)
			defer job.Close(context.Background())
			p := job.Plan(context.Background())
			seen := map[string]bool{}
			h.lab.VCenters[0].SetFault(func(_ int, m string) vcsim.Fault {
				switch {
				case m == createUser && !seen[m]:
					seen[m] = true
					return vcsim.Fault{Kind: vcsim.ServedUnavailable}
				case m == issueToken:
					return vcsim.Fault{Kind: kind}
				}
				return vcsim.Fault{}
			})
			if err := job.Apply(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			err := p.Err()
			if !errors.Is(err, sso.ErrUnproved) || errors.Is(err, sso.ErrTaken) || !strings.Contains(err.Error(), "is kept") {
				t.Errorf("error is %v", err)
			}
			h.lab.VCenters[0].SetFault(nil)
			h.mustApply(t)
			if v := h.verify(t); !v.Meets(byDefault) {
				t.Errorf("%+v", v.Summary)
			}
		})
	}
}

// An account that is locked refuses the right password, too: it is not tried, and nothing is dropped.
func TestLockedAccountDecidesNothing(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	job := h.job(t)
	defer job.Close(context.Background())
	p := job.Plan(context.Background())
	dir, user := h.lab.VCenters[0].Directory(), "ocp-cluster1-csi-driver@vsphere.local"
	lock := func() {
		for range dir.LockoutPolicy().MaxFailed {
			_, _ = dir.Authenticate(user, "Wrong-Secret-1x")
		}
	}
	h.lab.VCenters[0].SetFault(func(_ int, m string) vcsim.Fault {
		if m == createUser {
			return vcsim.Fault{Kind: vcsim.ServedUnavailable}
		}
		if m == "FindPersonUser" {
			lock()
		}
		return vcsim.Fault{}
	})
	if err := job.Apply(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	h.lab.VCenters[0].SetFault(nil)
	if err := p.Err(); !errors.Is(err, sso.ErrUnproved) || errors.Is(err, sso.ErrTaken) || !strings.Contains(err.Error(), "locked") {
		t.Errorf("error is %v", err)
	}
	file, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	if a, ok := file.Get(h.lab.VCenters[0].Server(), "csi-driver"); !ok || a.User != user || a.Password.Empty() {
		t.Errorf("the password of %s is gone", user)
	}
}
